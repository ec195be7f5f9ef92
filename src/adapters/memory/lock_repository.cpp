#include "adapters/memory/lock_repository.hpp"

namespace sundial::memory {

std::optional<Lock> MemoryLockRepository::find(const std::string& name) {
    const Lock* lock = locks_.find(name);
    return lock ? std::optional{*lock} : std::nullopt;
}

Lock MemoryLockRepository::lock(const std::string& name) {
    if (!locks_.find(name)) locks_.insert(name, {.name = name});
    return locks_.rows().at(name);
}

Page<Lock> MemoryLockRepository::list(const LockQuery& query, Instant now) {
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

}  // namespace sundial::memory
