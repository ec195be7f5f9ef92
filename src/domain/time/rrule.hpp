#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time/types.hpp"

/// Dates and times in the format of iCalendar (RFC 5545, 3.3.4 and 3.3.5).

namespace sundial {

/// `19970902T090000`, optionally with `Z`.
struct CompactTime {
    std::chrono::local_seconds wall;
    bool utc = false;
};
/// Empty if the text is malformed or names no existing time of years 0001 to 9999.
[[nodiscard]] std::optional<CompactTime> read_compact_time(std::string_view text);

/// `19970902`. Outer empty if the text is not eight digits; inner empty if there is no such day.
[[nodiscard]] std::optional<std::optional<Date>> read_compact_date(std::string_view text);

/// Recurrence rules of RFC 5545, as text and as value. recurrence_set.hpp puts them in a zone.

/// In ascending order of length, so `<` means "more often than".
enum class Frequency : std::uint8_t { secondly, minutely, hourly, daily, weekly, monthly, yearly };

/// `TU`; or with a number, of the month or of the year: `2MO`, `-1FR`.
struct RuleDay {
    int nth = 0;  // 0: each such day; negative: from the end
    std::chrono::weekday day;
    friend bool operator==(const RuleDay&, const RuleDay&) = default;
};

/// The last time at which a rule may fire, inclusive.
struct RuleEnd {
    enum class Kind : std::uint8_t {
        instant,  // `19971224T000000Z`
        wall,     // the same without Z: local time in the rule's zone
        day,      // `19971224`: to the end of that day
    };
    Kind kind = Kind::instant;
    std::chrono::local_seconds time;  // as written; for a day 23:59:59
    friend bool operator==(const RuleEnd&, const RuleEnd&) = default;
};

/// A parsed RRULE. The lists are sorted and without duplicates, and empty if the part is missing.
struct RruleRule {
    Frequency frequency = Frequency::yearly;
    std::int64_t interval = 1;
    std::optional<std::uint64_t> count;
    std::optional<RuleEnd> until;
    std::vector<int> by_second, by_minute, by_hour;
    std::vector<RuleDay> by_day;
    std::vector<int> by_month_day, by_year_day, by_week, by_month, by_position;
    std::chrono::weekday week_start = std::chrono::Monday;
    friend bool operator==(const RruleRule&, const RruleRule&) = default;
};

/// Larger intervals and counts are clamped to this: no rule reaches it before year 9999.
inline constexpr std::int64_t largest_rule_number = 1'000'000'000'000;

/// Reads `FREQ=WEEKLY;BYDAY=MO` with or without `RRULE:`; names in upper or lower case. Errors:
/// bad_rrule, which names the part and says what would be right.
[[nodiscard]] TimeResult<RruleRule> parse_rrule(std::string_view text);

/// `FREQ=WEEKLY;BYDAY=MO`, in the order of RFC 5545; `parse_rrule` reads it as the same rule. With
/// `until`, that instant is written as UNTIL, in UTC, which RFC 5545 requires beside a DTSTART in a
/// zone.
[[nodiscard]] std::string format_rrule(
    const RruleRule& rule, std::optional<std::chrono::sys_seconds> until = std::nullopt);

/// `19970902T090000`.
[[nodiscard]] std::string format_compact_time(std::chrono::local_seconds wall);

/// The rule for people: "every 2 weeks on Monday and Thursday, 10 times". Omits parts that the rule
/// takes from DTSTART.
[[nodiscard]] std::string describe(const RruleRule& rule);
/// The same with the time of day of the rule, or else of DTSTART: "every day at 09:00".
[[nodiscard]] std::string describe(const RruleRule& rule, std::chrono::local_seconds dtstart);

}  // namespace sundial
