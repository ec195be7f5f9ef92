#include "application/ports/idempotency_repository.hpp"

#include <map>
#include <memory>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"

namespace sundial::memory {
namespace {

class MemoryIdempotencyRepository final : public IdempotencyRepository {
public:
    MemoryIdempotencyRepository(State& state, Instant now)
        : records_{state.idempotency}, now_{now} {}
    /// Only one transaction runs at a time.
    bool try_lock(const IdempotencyScope& /*scope*/) override { return true; }

    std::optional<IdempotencyRecord> lock(const IdempotencyScope& scope) override {
        const IdempotencyRecord* record = records_.find(scope);
        if (record == nullptr || record->expires_at <= now_) return std::nullopt;
        return *record;
    }

    void put(const IdempotencyRecord& record) override {
        if (records_.find(record.scope) == nullptr) {
            records_.insert(record.scope, record);
        } else {
            records_.replace(record.scope, record);
        }
    }

    void remove(const IdempotencyScope& scope) override {
        if (records_.find(scope) != nullptr) records_.erase(scope);
    }

    std::size_t remove_expired(std::size_t limit) override {
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

private:
    Table<IdempotencyScope, IdempotencyRecord>& records_;
    Instant now_;
};

}  // namespace

std::unique_ptr<IdempotencyRepository> make_idempotency_repository(Session& session) {
    return std::make_unique<MemoryIdempotencyRepository>(session.state, session.now);
}

}  // namespace sundial::memory
