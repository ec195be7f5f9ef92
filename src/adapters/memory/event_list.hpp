#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/event_repository.hpp"

namespace sundial::memory {

/// Live and finished events that match `query`, in its order.
[[nodiscard]] Page<Event> list_events(const State& state, const EventQuery& query);
/// One part of `walk`; `has_more` says whether others follow.
[[nodiscard]] Page<Event> walk_events(const State& state, const EventWalk& walk);
[[nodiscard]] DeadLetters dead_letters(const State& state, DeadLettersBy by);

}  // namespace sundial::memory
