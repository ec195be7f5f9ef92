#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

#include "adapters/memory/state.hpp"
#include "application/ports/event_queue.hpp"

/// Code shared by the claims of instances and of pull workers.
namespace sundial::memory {

/// Whether only the pull workers of its endpoint may claim the event.
[[nodiscard]] bool is_pull(const State& state, const Event& event);

/// The event leaves its line, if it is in one, and its obstacle is forgotten.
void leave_line(State& state, EventId id);

struct Claiming {
    Claimant by;
    std::array<std::uint32_t, 4> shares;
    std::chrono::microseconds lease;
    std::span<const EndpointId> limited{};           // as in ClaimRequest
    std::span<const std::string> types_of_others{};  // likewise
};
/// Claims the claimable events that are `wanted`, oldest first in each priority.
[[nodiscard]] Claimed claim_wanted(State& state, const Claiming& claiming,
                                   const std::function<bool(const Event&)>& wanted);

}  // namespace sundial::memory
