#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/event_repository.hpp"

namespace sundial::memory {

/// Live and finished events that match `query`, in its order.
[[nodiscard]] Page<Event> list_events(const State& state, const EventQuery& query);

}  // namespace sundial::memory
