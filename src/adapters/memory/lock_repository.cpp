#include <memory>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "application/ports/lock_store.hpp"

namespace sundial::memory {
namespace {

class MemoryLockRepository final : public LockRepository {
public:
    explicit MemoryLockRepository(State& state) : clock_{state.clock}, locks_{state.locks} {}
    Instant now() override { return clock_.now(); }
    std::optional<Lock> find(const std::string& name) override {
        const Lock* lock = locks_.find(name);
        return lock ? std::optional{*lock} : std::nullopt;
    }
    /// Only one transaction runs at a time.
    std::optional<Lock> lock_to_grant(const std::string& name) override { return lock(name); }
    Lock lock(const std::string& name) override {
        if (!locks_.find(name)) locks_.insert(name, {.name = name});
        return locks_.rows().at(name);
    }
    std::optional<Lock> lock_to_renew(const std::string& name) override { return find(name); }
    std::optional<Lock> guard(const std::string& name) override { return find(name); }
    void update(const Lock& lock) override { locks_.replace(lock.name, lock); }

    Page<Lock> list(const LockQuery& query, Instant now) override {
        Page<Lock> page;
        for (const auto& [name, lock] : locks_.rows()) {
            if (!is_held(lock, now) || (query.prefix && !name.starts_with(*query.prefix)) ||
                (query.after && name <= *query.after)) {
                continue;
            }
            page.has_more = page.items.size() == query.limit;
            if (page.has_more) break;
            page.items.push_back(lock);
        }
        return page;
    }

private:
    Clock& clock_;
    Table<std::string, Lock>& locks_;
};

}  // namespace

std::unique_ptr<LockRepository> make_lock_repository(Session& session) {
    return std::make_unique<MemoryLockRepository>(session.state);
}

}  // namespace sundial::memory
