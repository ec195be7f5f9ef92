#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sundial {

using Instant =
    std::chrono::sys_time<std::chrono::microseconds>;  // UTC, the resolution of both databases
using WallTime = std::chrono::local_time<std::chrono::microseconds>;  // local time; needs a zone to
                                                                      // be an Instant
using Date = std::chrono::year_month_day;
using TimeOfDay = std::chrono::duration<std::int32_t>;  // seconds since local midnight, 0 to 86399

/// The range that texts can name and rules can yield, both ends inclusive (time-semantics 2).
inline constexpr Instant earliest_instant = std::chrono::sys_days{std::chrono::January / 1 / 1};
inline constexpr Instant latest_instant =
    std::chrono::sys_days{std::chrono::December / 31 / 9999} + std::chrono::seconds{86'399};

[[nodiscard]] constexpr bool in_range(Instant instant) {
    return earliest_instant <= instant && instant <= latest_instant;
}

/// Later than any instant in the range (year 9999 is the last): means "never" or "parked".
inline constexpr Instant never = Instant::max();

/// Handling of a local time that does not exist (time-semantics 5). Only kind `local` accepts
/// `reject`.
enum class GapPolicy : std::uint8_t { compatible, earlier, later, boundary, skip, reject };
/// Handling of a local time that occurs twice. Only recurring kinds accept `both`, only `local`
/// accepts `reject`.
enum class OverlapPolicy : std::uint8_t { compatible, earlier, later, both, skip, reject };
/// The day of 29 February in a common year.
enum class LeapPolicy : std::uint8_t { feb28, mar1, skip };
/// Which of the occurrences fire that came due while no instance ran (time-semantics 11).
enum class MisfirePolicy : std::uint8_t { all, once, skip };

/// The names of the policies. They are stable API, the same in HTTP, SQL and the batch format.

[[nodiscard]] std::string_view to_string(GapPolicy policy);
[[nodiscard]] std::string_view to_string(OverlapPolicy policy);
[[nodiscard]] std::string_view to_string(LeapPolicy policy);
[[nodiscard]] std::string_view to_string(MisfirePolicy policy);

/// Empty for an unknown name.
[[nodiscard]] std::optional<GapPolicy> gap_policy(std::string_view name);
[[nodiscard]] std::optional<OverlapPolicy> overlap_policy(std::string_view name);
[[nodiscard]] std::optional<LeapPolicy> leap_policy(std::string_view name);
[[nodiscard]] std::optional<MisfirePolicy> misfire_policy(std::string_view name);

/// The error codes of time rules (time-semantics 2); their texts are stable API.
enum class TimeErrorCode : std::uint8_t {
    bad_request,  // a field is missing, or two contradict each other
    bad_time,
    out_of_range,
    nonexistent_time,
    ambiguous_time,
    offset_mismatch,
    unknown_zone,
    bad_interval,
    bad_cron,
    bad_rrule,
    never_fires,    // well formed, but the set of occurrences is empty
    not_allowed,    // a policy that this kind does not accept
    too_expensive,  // takes more computing than a request may use
};

struct TimeError {
    TimeErrorCode code;
    std::string message;  // the defect, and what would be right; the caller names the field
};

/// "bad_time", "unknown_zone", …
[[nodiscard]] std::string_view to_string(TimeErrorCode code);

template <class T>
using TimeResult = base::Result<T, TimeError>;

/// A user's text in quotes for a message; long or unprintable texts are cut short.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
    const auto end = std::ranges::find_if_not(text.substr(0, longest), plain);
    const auto shown = static_cast<std::size_t>(end - text.begin());
    return "'" + std::string(text.substr(0, shown)) + (shown < text.size() ? "...'" : "'");
}

}  // namespace sundial
