#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "domain/time/error.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// Cron expressions (time-semantics 7): five fields, or six with the second first; lists, ranges
/// that may wrap, steps, names; L, W and # of Quartz; Sunday is 0 and 7.
namespace sundial {

/// What the field day-of-month names.
struct CronDaysOfMonth {
    std::uint32_t dates = 0;            // bit d: day d, 1 to 31
    std::uint32_t before_last = 0;      // bit n: n days before the last one, 0 to 30; `L` is bit 0
    std::uint32_t nearest_weekday = 0;  // bit d: `dW`, the Monday-to-Friday day nearest to day d
    bool last_weekday = false;          // `LW`
    friend bool operator==(const CronDaysOfMonth&, const CronDaysOfMonth&) = default;
};

/// How many values a set of bits has.
[[nodiscard]] inline std::size_t size_of(std::uint64_t bits) {
    return static_cast<std::size_t>(std::popcount(bits));
}

/// What the field day-of-week names. In each set bit 0 is Sunday.
struct CronDaysOfWeek {
    std::uint8_t weekdays = 0;
    std::uint8_t last = 0;              // the last such days of the month
    std::array<std::uint8_t, 5> nth{};  // [0]: the first such days of the month
    friend bool operator==(const CronDaysOfWeek&, const CronDaysOfWeek&) = default;
};

/// A cron expression, read. In the plain sets bit v stands for value v. None is empty, and some day
/// matches: `parse_cron` refuses the others.
struct CronRule {
    std::uint64_t seconds = 1;  // :00 alone, as five fields mean it
    std::uint64_t minutes = 0;
    std::uint32_t hours = 0;
    std::uint32_t months = 0;  // bits 1 to 12
    CronDaysOfMonth days_of_month;
    CronDaysOfWeek days_of_week;
    bool either_day = false;  // both day fields restrict, and one that matches is enough
    bool wildcard = false;    // follows the real clock; otherwise a fixed-time job
    friend bool operator==(const CronRule&, const CronRule&) = default;
};

/// Errors: bad_cron, naming the field, the part and what would be right; never_fires.
[[nodiscard]] TimeResult<CronRule> parse_cron(std::string_view text);

/// The rule in plain words: "at 02:30 every Sunday".
[[nodiscard]] std::string describe(const CronRule& rule);

/// The rule in a zone. `gap` and `overlap` concern fixed-time jobs only, and are never `reject`. Of
/// several nominal times with one instant, the occurrence has the first.
[[nodiscard]] std::unique_ptr<Recurrence> cron_recurrence(
    const CronRule& rule, std::shared_ptr<const Zone> zone, GapPolicy gap = GapPolicy::boundary,
    OverlapPolicy overlap = OverlapPolicy::earlier);

}  // namespace sundial
