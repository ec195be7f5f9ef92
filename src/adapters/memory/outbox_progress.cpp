#include "application/ports/outbox_progress.hpp"

#include <algorithm>
#include <memory>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

class MemoryOutboxProgress final : public OutboxProgress {
public:
    explicit MemoryOutboxProgress(State& state)
        : outboxes_{state.outboxes}, taken_{state.outbox_taken}, refused_{state.outbox_refused} {}

    void declare(const OutboxState& fresh) override {
        if (!outboxes_.find(fresh.name)) outboxes_.insert(fresh.name, fresh);
    }
    /// Only one transaction runs at a time.
    std::optional<OutboxState> try_lock(const std::string& name) override {
        const OutboxState* state = outboxes_.find(name);
        return state ? std::optional{*state} : std::nullopt;
    }
    void update(const OutboxState& state) override { outboxes_.replace(state.name, state); }

    std::vector<OutboxState> list(const std::optional<std::string>& after,
                                  std::size_t limit) override {
        std::vector<OutboxState> states;
        for (const auto& [name, state] : outboxes_.rows()) {
            if (after && name <= *after) continue;
            if (states.size() == limit) break;
            states.push_back(state);
        }
        return states;
    }

    std::vector<TakenRange> newest_taken(const std::string& name, std::size_t limit) override {
        auto ranges = taken_of(name);
        if (ranges.size() > limit) {
            ranges.erase(ranges.begin(), ranges.end() - static_cast<std::ptrdiff_t>(limit));
        }
        return ranges;
    }
    std::vector<TakenRange> taken_after(const std::string& name, std::optional<std::int64_t> after,
                                        std::size_t limit) override {
        auto ranges = taken_of(name);
        std::erase_if(ranges,
                      [&](const TakenRange& range) { return after && range.ids.last <= *after; });
        if (ranges.size() > limit) ranges.resize(limit, ranges.front());
        return ranges;
    }
    std::vector<TakenRange> taken_near(const std::string& name, IdInterval ids) override {
        auto ranges = taken_of(name);
        std::erase_if(ranges, [&](const TakenRange& range) {
            return range.ids.last < id_before(ids.first) || range.ids.first > id_behind(ids.last);
        });
        return ranges;
    }
    void change_taken(const std::string& name, const RangeChanges& changes, Instant now) override {
        for (const std::int64_t first : changes.removed) taken_.erase({name, first});
        for (const IdInterval& range : changes.added) {
            taken_.insert({name, range.first}, {range, now});
        }
    }

    void refuse(const std::string& name, std::span<const RefusedRow> rows) override {
        for (const RefusedRow& row : rows) refused_.insert({name, row.id}, row);
    }
    std::vector<RefusedRow> refused_after(const std::string& name,
                                          std::optional<std::int64_t> after,
                                          std::size_t limit) override {
        std::vector<RefusedRow> rows;
        for (const auto& [key, row] : refused_.rows()) {
            if (key.intake != name || (after && key.id <= *after)) continue;
            if (rows.size() == limit) break;
            rows.push_back(row);
        }
        return rows;
    }
    void forget_refused(const std::string& name, std::span<const std::int64_t> ids) override {
        for (const std::int64_t id : ids) {
            if (refused_.find({name, id})) refused_.erase({name, id});
        }
    }

private:
    [[nodiscard]] std::vector<TakenRange> taken_of(const std::string& name) const {
        std::vector<TakenRange> ranges;
        for (const auto& [key, range] : taken_.rows()) {
            if (key.intake == name) ranges.push_back(range);
        }
        return ranges;
    }

    Table<std::string, OutboxState>& outboxes_;
    Table<OutboxKey, TakenRange>& taken_;
    Table<OutboxKey, RefusedRow>& refused_;
};

}  // namespace

std::unique_ptr<OutboxProgress> make_outbox_progress(Session& session) {
    return std::make_unique<MemoryOutboxProgress>(session.state);
}

}  // namespace sundial::memory
