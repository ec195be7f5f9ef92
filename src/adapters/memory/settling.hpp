#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::memory {

/// Settles one claim, as EventQueue::settle does.
[[nodiscard]] Result<void> settle(State& state, const Settlement& settlement);
/// Releases one claim, as EventQueue::release_claims does.
[[nodiscard]] Result<void> release_claims(State& state, const ReleasedClaim& released);

}  // namespace sundial::memory
