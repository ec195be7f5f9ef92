#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>

#include "adapters/memory/state.hpp"
#include "application/ports/event_queue.hpp"

/// What instances and pull workers do alike.
namespace sundial::memory {

/// Left to the workers of its endpoint.
[[nodiscard]] bool is_pull(const State& state, const Event& event);

struct Claiming {
    Claimant by;
    std::array<std::uint32_t, 4> shares;
    std::chrono::microseconds lease;
};
/// Claims what is claimable of the events that are `wanted`, oldest first in each priority.
[[nodiscard]] Claimed claim_wanted(State& state, const Claiming& claiming,
                                   const std::function<bool(const Event&)>& wanted);

}  // namespace sundial::memory
