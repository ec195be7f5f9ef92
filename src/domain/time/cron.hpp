#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

/// The days that `rule` names in a month of `length` days that begins on `first_weekday` (Sunday is
/// 0): bit d for day d. Ignores the rule's months.
[[nodiscard]] std::uint32_t cron_days(const CronRule& rule, unsigned length,
                                      unsigned first_weekday);

/// Whether any day matches within 400 years, after which the calendar repeats.
[[nodiscard]] bool ever_fires(const CronRule& rule);

/// The nominal times of a rule in a calendar without zones. Bounds are half-open: from `from`, and
/// before `until`.
class CronCalendar {
public:
    using Wall = std::chrono::local_seconds;

    explicit CronCalendar(const CronRule& rule);

    [[nodiscard]] bool has(Wall wall) const;
    /// Steps by months and days.
    [[nodiscard]] std::optional<Wall> first_in(Wall from, Wall until) const;
    /// Steps by months.
    [[nodiscard]] std::uint64_t count_in(Wall from, Wall until) const;
    /// Number of nominal times in the range that are nominal times again when moved by `shift`.
    /// Steps by minutes.
    [[nodiscard]] std::uint64_t count_repeated_in(Wall from, Wall until,
                                                  std::chrono::seconds shift) const;

private:
    [[nodiscard]] std::uint32_t days_of(std::chrono::year_month month) const;
    [[nodiscard]] std::optional<std::chrono::local_days> first_day_in(std::chrono::local_days from,
                                                                      Wall until) const;
    [[nodiscard]] std::uint64_t count_days_in(std::chrono::local_days from,
                                              std::chrono::local_days until) const;
    [[nodiscard]] bool names(std::chrono::local_days day) const;
    [[nodiscard]] std::optional<std::chrono::seconds> first_time_from(
        std::chrono::seconds time) const;
    [[nodiscard]] std::uint64_t count_times_before(std::chrono::seconds time) const;
    [[nodiscard]] std::uint64_t seconds_of(
        std::chrono::local_time<std::chrono::minutes> minute) const;

    CronRule rule_;
    std::uint64_t times_in_minute_, times_in_hour_, times_in_day_;
};

}  // namespace sundial
