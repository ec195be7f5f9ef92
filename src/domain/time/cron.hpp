#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// Cron expressions (time-semantics 7): five fields, or six with the second first; lists, ranges
/// that may wrap, steps, names; L, W and # of Quartz; Sunday is 0 and 7.
namespace sundial {

/// The field day-of-month.
struct CronDaysOfMonth {
    std::uint32_t dates = 0;            // bit d: day d, 1 to 31
    std::uint32_t before_last = 0;      // bit n: n days before the last one, 0 to 30; `L` is bit 0
    std::uint32_t nearest_weekday = 0;  // bit d: `dW`, the Monday-to-Friday day nearest to day d
    bool last_weekday = false;          // `LW`
    friend bool operator==(const CronDaysOfMonth&, const CronDaysOfMonth&) = default;
};

/// Number of values in a set of bits.
[[nodiscard]] inline std::size_t size_of(std::uint64_t bits) {
    return static_cast<std::size_t>(std::popcount(bits));
}

/// The field day-of-week. In each set bit 0 is Sunday.
struct CronDaysOfWeek {
    std::uint8_t weekdays = 0;
    std::uint8_t last = 0;              // the last such days of the month
    std::array<std::uint8_t, 5> nth{};  // [0]: the first such days of the month
    friend bool operator==(const CronDaysOfWeek&, const CronDaysOfWeek&) = default;
};

/// A parsed cron expression. In the plain sets bit v stands for value v. No set is empty, and at
/// least one day matches: `parse_cron` refuses the others.
struct CronRule {
    std::uint64_t seconds = 1;  // :00 only, the meaning of five fields
    std::uint64_t minutes = 0;
    std::uint32_t hours = 0;
    std::uint32_t months = 0;  // bits 1 to 12
    CronDaysOfMonth days_of_month;
    CronDaysOfWeek days_of_week;
    bool either_day = false;  // both day fields restrict, and a match of one is enough
    bool wildcard = false;    // follows the real clock; otherwise it is a fixed-time job
    friend bool operator==(const CronRule&, const CronRule&) = default;
};

/// Errors: bad_cron, naming the field, the part and what would be right; never_fires.
[[nodiscard]] TimeResult<CronRule> parse_cron(std::string_view text);

/// The rule for people: "at 02:30 every Sunday".
[[nodiscard]] std::string describe(const CronRule& rule);

/// The rule in a zone. `gap` and `overlap` apply to fixed-time jobs only, and are never `reject`.
/// If several nominal times have the same instant, the occurrence has the first of them.
[[nodiscard]] std::unique_ptr<Recurrence> cron_recurrence(
    const CronRule& rule, std::shared_ptr<const Zone> zone, GapPolicy gap = GapPolicy::boundary,
    OverlapPolicy overlap = OverlapPolicy::earlier);

}  // namespace sundial
