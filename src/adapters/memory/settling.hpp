#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::memory {

/// One answer of EventQueue::settle.
[[nodiscard]] Result<void> settle(State& state, const Settlement& settlement);
/// One answer of EventQueue::give_back.
[[nodiscard]] Result<void> give_back(State& state, const GivenBack& given_back);

}  // namespace sundial::memory
