#include "adapters/memory/claiming.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "application/ports/outcome_of_claim.hpp"

namespace sundial::memory {
namespace {

using Ready = std::array<std::vector<const Event*>, 4>;

/// Oldest first in each priority.
Ready ready(const State& state, Instant now, const std::function<bool(const Event&)>& wanted) {
    Ready found;
    for (const auto& [id, event] : state.live.rows()) {
        if (claimable(event, now) && wanted(event)) {
            found[static_cast<std::size_t>(event.priority)].push_back(&event);
        }
    }
    for (auto& events : found) {
        std::sort(events.begin(), events.end(), [](const Event* a, const Event* b) {
            return std::tie(a->claimable_at, a->id) < std::tie(b->claimable_at, b->id);
        });
    }
    return found;
}

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
    return std::ranges::find(range, value) != range.end();
}

/// The line that the event joins instead of being claimed. An expired claim joins none: its attempt
/// is lost, and the next one counts.
std::optional<Line> line_to_join(const Event& event, const Claiming& claiming) {
    if (is_claimed(event)) return std::nullopt;
    if (!event.endpoint) {
        return contains(claiming.types_of_others, event.type)
                   ? std::optional{line_of_type(event.type)}
                   : std::nullopt;
    }
    return contains(claiming.limited, *event.endpoint) ? std::optional{line_of(*event.endpoint)}
                                                       : std::nullopt;
}

}  // namespace

bool is_pull(const State& state, const Event& event) {
    const Endpoint* endpoint = event.endpoint ? state.endpoints.find(*event.endpoint) : nullptr;
    return endpoint && endpoint->type == EndpointType::pull;
}

void leave_line(State& state, EventId id) {
    if (state.lines.find(id)) state.lines.erase(id);
    if (state.obstacles.find(id)) state.obstacles.erase(id);
}

Claimed claim_wanted(State& state, const Claiming& claiming,
                     const std::function<bool(const Event&)>& wanted) {
    Claimed claimed{{}, state.clock.now()};
    const Ready found = ready(state, claimed.now, wanted);
    for (std::size_t priority = 0; priority < found.size(); ++priority) {
        const auto& events = found[priority];
        const auto count = std::min<std::size_t>(claiming.shares[priority], events.size());
        for (std::size_t i = 0; i < count; ++i) {
            const Event& before = *events[i];
            const bool previous_lost = is_claimed(before);
            if (const auto line = line_to_join(before, claiming)) {
                leave_line(state, before.id);
                state.lines.insert(before.id, *line);
                if (before.endpoint) state.obstacles.insert(before.id, Obstacle::limit);
                claimed.lined_up.push_back({*line, shard_of(before.id, state.shards),
                                            before.priority, before.claimable_at});
                continue;
            }
            if (previous_lost)
                state.attempts.insert({before.id, before.attempt}, lost_attempt(before));
            Event event = claim(before, claiming.by, claimed.now, claiming.lease).value();
            state.live.replace(event.id, event);
            leave_line(state, event.id);
            claimed.events.push_back({std::move(event), previous_lost});
        }
    }
    return claimed;
}

}  // namespace sundial::memory
