#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/lock_repository.hpp"

namespace sundial::postgres {

class PostgresLockRepository final : public LockRepository {
public:
    explicit PostgresLockRepository(Session& session) : session_{session} {}
    Instant now() override;
    std::optional<Lock> find(const std::string& name) override;
    std::optional<Lock> lock_to_grant(const std::string& name) override;
    Lock lock(const std::string& name) override;
    std::optional<Lock> lock_to_renew(const std::string& name) override;
    std::optional<Lock> guard(const std::string& name) override;
    void update(const Lock& lock) override;
    Page<Lock> list(const LockQuery& query, Instant now) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
