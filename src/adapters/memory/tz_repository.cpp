#include "application/ports/tz_repository.hpp"

#include <memory>
#include <set>
#include <utility>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"

namespace sundial::memory {
namespace {

bool follows_releases(const Event& event) {
    const bool retried = event.retry_of && event.attempt.value > 0;
    return status_of(event) == EventStatus::pending && event.intent.wall && !retried;
}

ComputedWith pair_of(const Event& event) { return {event.intent.zone, event.tz_release}; }

class MemoryTzRepository final : public TzRepository {
public:
    explicit MemoryTzRepository(State& state) : state_{state} {}

    std::vector<ComputedWith> computed_with() override {
        std::set<ComputedWith> pairs;
        for (const auto& [id, event] : state_.live.rows()) {
            if (follows_releases(event)) pairs.insert(pair_of(event));
        }
        return {pairs.begin(), pairs.end()};
    }

    std::vector<Event> list(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override {
        std::vector<Event> found;
        const auto& rows = state_.live.rows();
        for (auto row = after ? rows.upper_bound(*after) : rows.begin();
             row != rows.end() && found.size() < limit; ++row) {
            const Event& event = row->second;
            if (follows_releases(event) && pair_of(event) == pair) found.push_back(event);
        }
        return found;
    }

    std::vector<Event> lock(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override {
        return list(pair, after, limit);
    }
    KnownClocks known_clocks(std::string_view release) override {
        const KnownClocks* known = state_.clocks.find(std::string{release});
        return known ? *known : KnownClocks{};
    }

    void store_clocks(std::string_view release, const KnownClocks& clocks) override {
        const std::string key{release};
        const KnownClocks* known = state_.clocks.find(key);
        if (!known) return state_.clocks.insert(key, clocks);
        KnownClocks all = clocks;
        all.insert(known->begin(), known->end());
        state_.clocks.replace(key, std::move(all));
    }

    void add_move(const EventMove& move) override {
        state_.moves.insert({move.event, move.version}, move);
    }

    std::vector<EventMove> moves_of(EventId event) override {
        std::vector<EventMove> moves;
        const auto& rows = state_.moves.rows();
        for (auto row = rows.lower_bound({event, Version{0}});
             row != rows.end() && row->first.event == event; ++row) {
            moves.push_back(row->second);
        }
        return moves;
    }

private:
    State& state_;
};

}  // namespace

std::unique_ptr<TzRepository> make_tz_repository(Session& session) {
    return std::make_unique<MemoryTzRepository>(session.state);
}

}  // namespace sundial::memory
