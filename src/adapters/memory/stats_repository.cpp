#include "application/ports/stats_repository.hpp"

#include <algorithm>
#include <memory>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

BoundedCount bounded(std::uint64_t count, std::size_t most) {
    return {std::min<std::uint64_t>(count, most), count <= most};
}

class MemoryStatsRepository final : public StatsRepository {
public:
    explicit MemoryStatsRepository(State& state) : state_{state}, rows_{state.stats} {}

    void write(std::span<const StatsRow> rows) override {
        for (const StatsRow& row : rows) {
            if (rows_.find(row.key)) {
                rows_.replace(row.key, row);
            } else {
                rows_.insert(row.key, row);
            }
        }
    }

    std::vector<StatsRow> read(const StatsQuery& query) override {
        std::vector<StatsRow> found;
        for (const auto& [key, row] : rows_.rows()) {
            const bool asked = key.step == query.step && key.by == query.by &&
                               any_of(query.measures, key.measure) && key.slot >= query.from &&
                               key.slot < query.to &&
                               (query.labels.empty() || any_of(query.labels, key.label));
            if (asked && found.size() < query.limit) found.push_back(row);
        }
        return found;  // in order of their keys
    }

    bool forget(StatsStep step, Instant before, std::size_t limit) override {
        std::vector<StatsKey> old;
        for (const auto& [key, row] : rows_.rows()) {
            if (key.step == step && key.slot < before && old.size() < limit) old.push_back(key);
        }
        for (const StatsKey& key : old) rows_.erase(key);
        return old.size() == limit;
    }

    LiveCounts live_counts(std::size_t most) override {
        const Instant now = state_.clock.now();
        std::uint64_t pending = 0, processing = 0, due = 0, dead = 0;
        LiveCounts counts;
        for (const auto& [id, event] : state_.live.rows()) {
            ++(status_of(event) == EventStatus::pending ? pending : processing);
            const Endpoint* endpoint =
                event.endpoint ? state_.endpoints.find(*event.endpoint) : nullptr;
            const bool pulled = endpoint && is_pulled(*endpoint);
            if (!event.endpoint || pulled || event.obstacle == Obstacle::limit ||
                event.claimable_at > now) {
                continue;
            }
            ++due;
            counts.oldest_due_age =
                std::max(counts.oldest_due_age.value_or(std::chrono::microseconds{0}),
                         now - event.claimable_at);
        }
        for (const auto& [id, finished] : state_.history.rows()) {
            if (std::holds_alternative<Failed>(finished.event.state) &&
                !finished.event.dismissed_at) {
                ++dead;
            }
        }
        for (const auto& [id, circuit] : state_.circuits.rows()) {
            if (circuit.state != CircuitState::closed) ++counts.open_circuits;
        }
        counts.pending = bounded(pending, most);
        counts.processing = bounded(processing, most);
        counts.due = bounded(due, most);
        counts.dead_letters = bounded(dead, most);
        return counts;
    }

private:
    State& state_;
    Table<StatsKey, StatsRow>& rows_;
};

}  // namespace

std::unique_ptr<StatsRepository> make_stats_repository(Session& session) {
    return std::make_unique<MemoryStatsRepository>(session.state);
}

}  // namespace sundial::memory
