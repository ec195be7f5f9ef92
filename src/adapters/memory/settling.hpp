#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::memory {

/// Settles one claim, as EventQueue::settle does.
[[nodiscard]] Result<void> settle(State& state, const Settlement& settlement);
/// Releases one claim, as EventQueue::give_back does.
[[nodiscard]] Result<void> give_back(State& state, const GivenBack& given_back);

}  // namespace sundial::memory
