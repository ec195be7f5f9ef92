#include "adapters/memory/tz_repository.hpp"

#include <set>
#include <utility>

namespace sundial::memory {
namespace {

bool follows_releases(const Event& event) {
    const bool retried = event.retry_of && event.attempt.value > 0;
    return status_of(event) == EventStatus::pending && event.intent.wall && !retried;
}

ComputedWith pair_of(const Event& event) { return {event.intent.zone, event.tz_release}; }

}  // namespace

std::vector<ComputedWith> MemoryTzRepository::computed_with() {
    std::set<ComputedWith> pairs;
    for (const auto& [id, event] : state_.live.rows()) {
        if (follows_releases(event)) pairs.insert(pair_of(event));
    }
    return {pairs.begin(), pairs.end()};
}

std::vector<Event> MemoryTzRepository::list(const ComputedWith& pair, std::optional<EventId> after,
                                            std::size_t limit) {
    std::vector<Event> found;
    const auto& rows = state_.live.rows();
    for (auto row = after ? rows.upper_bound(*after) : rows.begin();
         row != rows.end() && found.size() < limit; ++row) {
        const Event& event = row->second;
        if (follows_releases(event) && pair_of(event) == pair) found.push_back(event);
    }
    return found;
}

std::vector<Event> MemoryTzRepository::lock(const ComputedWith& pair, std::optional<EventId> after,
                                            std::size_t limit) {
    return list(pair, after, limit);
}

KnownClocks MemoryTzRepository::known_clocks(std::string_view release) {
    const KnownClocks* known = state_.clocks.find(std::string{release});
    return known ? *known : KnownClocks{};
}

void MemoryTzRepository::store_clocks(std::string_view release, const KnownClocks& clocks) {
    const std::string key{release};
    const KnownClocks* known = state_.clocks.find(key);
    if (!known) return state_.clocks.insert(key, clocks);
    KnownClocks all = clocks;
    all.insert(known->begin(), known->end());
    state_.clocks.replace(key, std::move(all));
}

void MemoryTzRepository::add_move(const EventMove& move) {
    state_.moves.insert({move.event, move.version}, move);
}

std::vector<EventMove> MemoryTzRepository::moves_of(EventId event) {
    std::vector<EventMove> moves;
    const auto& rows = state_.moves.rows();
    for (auto row = rows.lower_bound({event, Version{0}});
         row != rows.end() && row->first.event == event; ++row) {
        moves.push_back(row->second);
    }
    return moves;
}

}  // namespace sundial::memory
