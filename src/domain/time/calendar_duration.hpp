#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "domain/time/types.hpp"

namespace sundial {

/// A length of time that may depend on the date it is added to, because months differ. It serves
/// where a length is relative to now; schedules take the exact durations of text.hpp.
struct CalendarDuration {
    std::chrono::months months{0};
    std::chrono::days days{0};
    std::chrono::seconds exact{0};
};

/// ISO 8601, `P1Y6M`, `P2W`, `P1DT12H`, `PT15M`, or short, `1h30m`, `7d`: whole weeks, days, hours,
/// minutes and seconds (w, d, h, m, s), each at most once and in this order. Errors: bad_interval.
[[nodiscard]] TimeResult<CalendarDuration> parse_calendar_duration(std::string_view text);

/// In UTC: months first, and a day that the month does not have becomes its last; then days of 24
/// hours, then the rest. Empty outside the years 0001 to 9999.
[[nodiscard]] std::optional<Instant> later(Instant instant, const CalendarDuration& by);
[[nodiscard]] std::optional<Instant> earlier(Instant instant, const CalendarDuration& by);

/// The length with the longest months and years: 31 days for a month, 366 for twelve.
[[nodiscard]] std::chrono::seconds longest(const CalendarDuration& duration);

/// An instant in a request: RFC 3339, or `now`, `now-1h30m`, `now+P1M` (see
/// parse_calendar_duration; reckoned in UTC). Errors: bad_time, out_of_range.
[[nodiscard]] TimeResult<Instant> parse_moment(std::string_view text, Instant now);

}  // namespace sundial
