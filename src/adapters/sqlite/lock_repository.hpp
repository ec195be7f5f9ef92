#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/lock_repository.hpp"

namespace sundial::sqlite {

/// No other connection writes during a transaction, so there is nothing to lock.
class SqliteLockRepository final : public LockRepository {
public:
    explicit SqliteLockRepository(Session& session) : session_{session} {}
    Instant now() override { return session_.now; }
    std::optional<Lock> find(const std::string& name) override;
    /// Only one transaction writes at a time.
    std::optional<Lock> lock_to_grant(const std::string& name) override { return lock(name); }
    Lock lock(const std::string& name) override;
    std::optional<Lock> lock_to_renew(const std::string& name) override { return find(name); }
    std::optional<Lock> guard(const std::string& name) override { return find(name); }
    void update(const Lock& lock) override;
    Page<Lock> list(const LockQuery& query, Instant now) override;

private:
    Session& session_;
};

}  // namespace sundial::sqlite
