#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "domain/time/rrule.hpp"

/// The days that a rule allows, and the periods in which it looks for them (RFC 5545, 3.3.10).
/// Internal to the RRULE engine.
namespace sundial {

/// Days since 1970-01-01, of a calendar without a zone.
using DayNumber = std::int64_t;
/// Seconds since 1970-01-01T00:00:00 of a clock without a zone.
using WallSecond = std::int64_t;
inline constexpr std::int64_t seconds_of_day = 86'400;

[[nodiscard]] constexpr std::int64_t floor_div(std::int64_t value, std::int64_t by) {
    return value / by - (value % by < 0 ? 1 : 0);
}
[[nodiscard]] constexpr std::int64_t floor_mod(std::int64_t value, std::int64_t by) {
    const auto rest = value % by;
    return rest < 0 ? rest + by : rest;
}
[[nodiscard]] constexpr DayNumber day_of(WallSecond wall) {
    return floor_div(wall, seconds_of_day);
}
[[nodiscard]] constexpr DayNumber first_day_of_year(std::int64_t year) {
    const std::chrono::year in{static_cast<int>(year)};
    return std::chrono::local_days{in / std::chrono::January / 1}.time_since_epoch().count();
}
[[nodiscard]] constexpr std::int64_t year_of(DayNumber day) {
    return static_cast<int>(
        std::chrono::year_month_day{std::chrono::local_days{std::chrono::days{day}}}.year());
}

/// The range of wall clocks during years 1 to 9999 in UTC.
inline constexpr DayNumber first_wall_day = first_day_of_year(1) - 1;
inline constexpr DayNumber last_wall_day = first_day_of_year(10'000) + 1;

/// A week of the year; week 1 is the first with at least four days in the year.
struct WeekOfYear {
    std::int64_t year;  // the year that the week belongs to
    int number;         // from 1
    int weeks;          // number of weeks of that year
};
[[nodiscard]] DayNumber first_day_of_weeks(std::int64_t year, std::chrono::weekday week_start);
[[nodiscard]] WeekOfYear week_of_year(DayNumber day, std::chrono::weekday week_start);

/// The days that the BYxxx parts allow, whatever the interval: BYMONTH, BYWEEKNO, BYYEARDAY,
/// BYMONTHDAY and BYDAY must all match. A rule of days or longer takes missing parts from DTSTART.
/// Thread-safe.
class RuleDays {
public:
    RuleDays(const RruleRule& rule, DayNumber dtstart);

    [[nodiscard]] bool contains(DayNumber day) const;

    /// Iterates upwards over the days, until the last one that a clock can show.
    class Walk {
    public:
        Walk(const RuleDays& days, DayNumber from) : days_(&days) { go_to(from); }
        /// Returns the first day at or after the position, and moves past it.
        std::optional<DayNumber> next();
        /// Continues from `day`.
        void go_to(DayNumber day);

    private:
        struct Year;
        void enter(std::int64_t year);

        const RuleDays* days_;
        std::int64_t year_ = 0;
        DayNumber first_ = 0, next_ = 0, end_ = 0;  // end_: the first day of the next year
        const std::array<std::uint64_t, 6>* bits_ = nullptr;
    };

private:
    /// A bit for each day of a year, from 1 January as bit 0.
    using YearBits = std::array<std::uint64_t, 6>;
    struct CalendarDay;

    [[nodiscard]] const YearBits& bits_of(std::int64_t year) const;
    [[nodiscard]] YearBits find_bits(std::int64_t year) const;
    [[nodiscard]] bool allows(const CalendarDay& day) const;
    [[nodiscard]] bool allows_weekday(const CalendarDay& day) const;

    /// Numbers counted from the beginning and from the end, starting with 1.
    struct FromBothEnds {
        std::bitset<367> forward, backward;
        bool any = false;
        void add(int number);
        [[nodiscard]] bool has(int from_start, int from_end) const {
            return forward.test(static_cast<std::size_t>(from_start)) ||
                   backward.test(static_cast<std::size_t>(from_end));
        }
    };

    std::uint32_t months_ = 0;  // bits 1 to 12
    FromBothEnds month_days_, year_days_, weeks_;
    std::uint8_t weekdays_ = 0;                            // without a number; bit 0 is Sunday
    std::array<FromBothEnds, 7> numbered_;                 // by weekday
    bool by_weekday_ = false, numbered_in_month_ = false;  // otherwise numbered in the year
    std::chrono::weekday week_start_;

    /// The allowed days of a year depend on its first weekday, on whether it is a leap year, and
    /// for weeks that begin in the previous year on whether that was one. Computed on first use.
    struct Kinds {
        std::array<std::once_flag, 28> once;
        std::array<YearBits, 28> bits;
    };
    std::unique_ptr<Kinds> kinds_ = std::make_unique<Kinds>();
};

/// The intervals of a rule of days or longer: each INTERVAL-th day, week, month or year, starting
/// with that of DTSTART. With BYWEEKNO years consist of whole weeks.
class RulePeriods {
public:
    RulePeriods(const RruleRule& rule, DayNumber dtstart);

    /// `day` if it lies in one of the intervals, otherwise the first day of the next; empty past
    /// the last day that a clock can show.
    [[nodiscard]] std::optional<DayNumber> at_or_after(DayNumber day) const;
    /// First day of the period that contains `day`, and of the next period.
    [[nodiscard]] DayNumber begin_of(DayNumber day) const { return first_day(index_of(day)); }
    [[nodiscard]] DayNumber end_of(DayNumber day) const { return first_day(index_of(day) + 1); }

private:
    [[nodiscard]] std::int64_t index_of(DayNumber day) const;
    [[nodiscard]] DayNumber first_day(std::int64_t index) const;

    Frequency frequency_;
    bool in_weeks_;
    std::chrono::weekday week_start_;
    std::int64_t interval_, first_, last_;  // first_, last_: indices of intervals
};

}  // namespace sundial
