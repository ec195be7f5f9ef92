#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "domain/time/cron.hpp"

namespace sundial {

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
