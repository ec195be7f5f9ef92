#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/idempotency_repository.hpp"

namespace sundial::sqlite {

class SqliteIdempotencyRepository final : public IdempotencyRepository {
public:
    explicit SqliteIdempotencyRepository(Session& session)
        : connection_{session.connection}, now_{session.now} {}
    /// Only one transaction writes at a time.
    bool try_lock(const IdempotencyScope& /*scope*/) override { return true; }
    std::optional<IdempotencyRecord> lock(const IdempotencyScope& scope) override;
    void put(const IdempotencyRecord& record) override;
    void remove(const IdempotencyScope& scope) override;
    std::size_t remove_expired(std::size_t limit) override;

private:
    Connection& connection_;
    Instant now_;
};

}  // namespace sundial::sqlite
