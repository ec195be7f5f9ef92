#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/idempotency_repository.hpp"

namespace sundial::memory {

class MemoryIdempotencyRepository final : public IdempotencyRepository {
public:
    MemoryIdempotencyRepository(State& state, Instant now)
        : records_{state.idempotency}, now_{now} {}
    /// Only one transaction runs at a time.
    bool try_lock(const IdempotencyScope& /*scope*/) override { return true; }
    std::optional<IdempotencyRecord> lock(const IdempotencyScope& scope) override;
    void put(const IdempotencyRecord& record) override;
    void remove(const IdempotencyScope& scope) override;
    std::size_t remove_expired(std::size_t limit) override;

private:
    Table<IdempotencyScope, IdempotencyRecord>& records_;
    Instant now_;
};

}  // namespace sundial::memory
