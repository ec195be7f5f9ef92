#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// The text formats of time-semantics 3 (RFC 3339, RFC 9557, ISO 8601): strict readers, and one
/// writer each.
namespace sundial {

// Errors of all readers: bad_time (malformed, or not an existing date or time), out_of_range
// (outside 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z); parse_duration: bad_interval.

/// `2027-05-04T10:11:12.5+02:00[Europe/Rome]`. `offset` is empty for `Z`; `zone` is the suffix, not
/// looked up yet.
struct InstantText {
    Instant instant;
    std::optional<std::chrono::seconds> offset;
    std::optional<std::string> zone;
};
[[nodiscard]] TimeResult<InstantText> parse_instant(std::string_view text);

/// `2027-05-04T10:11[:12[.5]][+02:00][[Europe/Rome]]`: a wall time, with the text's offset and zone
/// if any. resolve.hpp combines it with a separate zone field.
struct LocalText {
    WallTime wall;
    std::optional<std::chrono::seconds> offset;
    std::optional<std::string> zone;
};
[[nodiscard]] TimeResult<LocalText> parse_local(std::string_view text);

/// `1992-02-29`, years 0001 to 9999.
[[nodiscard]] TimeResult<Date> parse_date(std::string_view text);
/// `1992-02-29`, or `--02-29` if the year is unknown.
struct YearlyDate {
    std::chrono::month_day day;
    std::optional<std::chrono::year> from;
};
[[nodiscard]] TimeResult<YearlyDate> parse_yearly_date(std::string_view text);
/// `09:00` or `09:00:30`.
[[nodiscard]] TimeResult<TimeOfDay> parse_time_of_day(std::string_view text);
/// `PT15M`, `PT1H30M`, `PT24H`: exact durations of 0 s to 876600 h. Days are not accepted, because
/// a day is not always 24 hours.
[[nodiscard]] TimeResult<std::chrono::seconds> parse_duration(std::string_view text);

// Instants outside the range of texts, including `never`, are written as the nearest end of the
// range.

/// `2027-01-05T14:00:00Z`; with a fraction only if it is not zero, without trailing zeros.
[[nodiscard]] std::string format_instant(Instant instant);
/// `2027-01-05T14:00:00.000Z`: always milliseconds (cut, not rounded), the API's format of
/// instants.
[[nodiscard]] std::string format_instant_millis(Instant instant);
/// The same of an instant that may be missing.
[[nodiscard]] std::optional<std::string> format_instant_millis(
    const std::optional<Instant>& instant);
/// `2027-01-05T09:00:00.000-05:00`: the wall clock of `zone` at `instant` with its offset (offset
/// seconds only if not zero).
[[nodiscard]] std::string format_local_millis(Instant instant, const Zone& zone);
/// `2027-01-05T09:00:00-05:00[America/New_York]`, RFC 9557.
[[nodiscard]] std::string format_zoned(Instant instant, const Zone& zone);
/// `2027-01-05T09:00:00`; a fraction as in format_instant.
[[nodiscard]] std::string format_wall(WallTime wall);
/// `2027-01-05`.
[[nodiscard]] std::string format_date(Date date);
/// `09:00`, or `09:00:30` if the seconds are not zero.
[[nodiscard]] std::string format_time_of_day(TimeOfDay time);
/// `+05:45`, `-04:56:02`; zero is `+00:00`.
[[nodiscard]] std::string format_offset(std::chrono::seconds east_of_utc);
/// `PT1H30M`; zero is `PT0S`.
[[nodiscard]] std::string format_duration(std::chrono::seconds duration);

}  // namespace sundial
