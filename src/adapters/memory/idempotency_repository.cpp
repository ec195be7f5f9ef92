#include "adapters/memory/idempotency_repository.hpp"

#include <map>

namespace sundial::memory {

std::optional<IdempotencyRecord> MemoryIdempotencyRepository::lock(const IdempotencyScope& scope) {
    const IdempotencyRecord* record = records_.find(scope);
    if (record == nullptr || record->expires_at <= now_) return std::nullopt;
    return *record;
}

void MemoryIdempotencyRepository::put(const IdempotencyRecord& record) {
    if (records_.find(record.scope) == nullptr) {
        records_.insert(record.scope, record);
    } else {
        records_.replace(record.scope, record);
    }
}

void MemoryIdempotencyRepository::remove(const IdempotencyScope& scope) {
    if (records_.find(scope) != nullptr) records_.erase(scope);
}

std::size_t MemoryIdempotencyRepository::remove_expired(std::size_t limit) {
    std::multimap<Instant, IdempotencyScope> expired;
    for (const auto& [scope, record] : records_.rows()) {
        if (record.expires_at <= now_) expired.emplace(record.expires_at, scope);
    }
    std::size_t removed = 0;
    for (const auto& [when, scope] : expired) {
        if (removed == limit) break;
        records_.erase(scope);
        ++removed;
    }
    return removed;
}

}  // namespace sundial::memory
