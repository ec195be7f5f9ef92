#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "domain/time/types.hpp"

/// Bounds the work that a computation on rules may do, in steps instead of seconds: the same
/// computation needs the same number of steps on every machine (ADR 0035).
namespace sundial {

/// Steps for the rules of one request: about 0.1 s. Every rule that fires once a year or more
/// often, and the proof that a rule of any kind never fires, need fewer.
inline constexpr std::int64_t max_steps_of_request = 10'000'000;

/// Runs `work`. False if it needs more than `steps`; `work` has then ended early, by an exception
/// that only this function catches. Applies to this thread, and calls may be nested.
[[nodiscard]] bool within_effort(std::int64_t steps, const std::function<void()>& work);
/// The error of a request whose rule needs more than `max_steps_of_request`.
[[nodiscard]] TimeError too_expensive();

namespace effort {

inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
/// Steps left for this thread. Passing a counter through every function of the rule engine would
/// cost more than the steps themselves.
extern constinit thread_local std::int64_t steps_left;

[[noreturn]] void give_up();

/// Counts work. A step is about a day that a walk visits: 5 to 20 ns.
inline void spend(std::int64_t steps) {
    steps_left -= steps;
    if (steps_left < 0) [[unlikely]]
        give_up();
}

}  // namespace effort

}  // namespace sundial
