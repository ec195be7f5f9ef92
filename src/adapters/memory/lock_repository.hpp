#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/lock_repository.hpp"

namespace sundial::memory {

class MemoryLockRepository final : public LockRepository {
public:
    explicit MemoryLockRepository(State& state) : clock_{state.clock}, locks_{state.locks} {}
    Instant now() override { return clock_.now(); }
    std::optional<Lock> find(const std::string& name) override;
    /// Only one transaction runs at a time.
    std::optional<Lock> lock_to_grant(const std::string& name) override { return lock(name); }
    Lock lock(const std::string& name) override;
    std::optional<Lock> lock_to_renew(const std::string& name) override { return find(name); }
    std::optional<Lock> guard(const std::string& name) override { return find(name); }
    void update(const Lock& lock) override { locks_.replace(lock.name, lock); }
    Page<Lock> list(const LockQuery& query, Instant now) override;

private:
    Clock& clock_;
    Table<std::string, Lock>& locks_;
};

}  // namespace sundial::memory
