#pragma once

#include <chrono>
#include <cstdint>

namespace sundial {

using Instant =
    std::chrono::sys_time<std::chrono::microseconds>;  // UTC, as fine as both databases keep
using WallTime = std::chrono::local_time<std::chrono::microseconds>;  // what a person says; needs a
                                                                      // zone to be an Instant
using Date = std::chrono::year_month_day;
using TimeOfDay = std::chrono::duration<std::int32_t>;  // seconds since local midnight, 0 to 86399

/// The ends of what texts can name and rules can yield, both inclusive (time-semantics 2).
inline constexpr Instant earliest_instant = std::chrono::sys_days{std::chrono::January / 1 / 1};
inline constexpr Instant latest_instant =
    std::chrono::sys_days{std::chrono::December / 31 / 9999} + std::chrono::seconds{86'399};

[[nodiscard]] constexpr bool in_range(Instant instant) {
    return earliest_instant <= instant && instant <= latest_instant;
}

/// Later than any instant that a person can name (year 9999 is the last): "never", "parked".
inline constexpr Instant never = Instant::max();

/// The policies' names in texts are in policies.hpp.
/// What to do with a local time that does not exist (time-semantics 5). Only kind `local` takes
/// `reject`.
enum class GapPolicy : std::uint8_t { compatible, earlier, later, boundary, skip, reject };
/// What to do with a local time that occurs twice. Only recurring kinds take `both`, only `local`
/// takes `reject`.
enum class OverlapPolicy : std::uint8_t { compatible, earlier, later, both, skip, reject };
/// Where 29 February goes in a common year.
enum class LeapPolicy : std::uint8_t { feb28, mar1, skip };
/// What fires of the occurrences that came due while nobody looked (time-semantics 11).
enum class MisfirePolicy : std::uint8_t { all, once, skip };

}  // namespace sundial
