#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/idempotency_repository.hpp"

namespace sundial::postgres {

class PostgresIdempotencyRepository final : public IdempotencyRepository {
public:
    explicit PostgresIdempotencyRepository(Session& session) : session_{session} {}
    bool try_lock(const IdempotencyScope& scope) override;
    std::optional<IdempotencyRecord> lock(const IdempotencyScope& scope) override;
    void put(const IdempotencyRecord& record) override;
    void remove(const IdempotencyScope& scope) override;
    std::size_t remove_expired(std::size_t limit) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
