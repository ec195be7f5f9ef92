#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time/error.hpp"

/// Recurrence rules of RFC 5545, as text and as value. What they mean in a zone is in
/// recurrence_set.hpp.
namespace sundial {

/// Ascending: comparisons read as "more often than".
enum class Frequency : std::uint8_t { secondly, minutely, hourly, daily, weekly, monthly, yearly };

/// `TU`, or `2MO`, `-1FR`: one of the month's or of the year's.
struct RuleDay {
    int nth = 0;  // 0: each such day; negative: from the end
    std::chrono::weekday day;
    friend bool operator==(const RuleDay&, const RuleDay&) = default;
};

/// The last moment that a rule may fire, inclusive.
struct RuleEnd {
    enum class Kind : std::uint8_t {
        instant,  // `19971224T000000Z`
        wall,     // the same without Z: by the clock of the rule's zone
        day,      // `19971224`: to the end of that day
    };
    Kind kind = Kind::instant;
    std::chrono::local_seconds time;  // as written; of a day 23:59:59
    friend bool operator==(const RuleEnd&, const RuleEnd&) = default;
};

/// A parsed RRULE. The lists are sorted and without duplicates, empty when the part is missing.
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

/// Larger intervals and counts are read as this: no rule gets so far before year 9999.
inline constexpr std::int64_t largest_rule_number = 1'000'000'000'000;

/// Reads `FREQ=WEEKLY;BYDAY=MO` with or without `RRULE:`; names in any case. Errors: bad_rrule,
/// naming the part and saying what would be right.
[[nodiscard]] TimeResult<RruleRule> parse_rrule(std::string_view text);

/// The rule in plain words: "every 2 weeks on Monday and Thursday, 10 times". What a rule leaves
/// to DTSTART is not mentioned.
[[nodiscard]] std::string describe(const RruleRule& rule);
/// The same with the time of day that the rule, or else DTSTART, gives: "every day at 09:00".
[[nodiscard]] std::string describe(const RruleRule& rule, std::chrono::local_seconds dtstart);

}  // namespace sundial
