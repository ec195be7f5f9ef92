#include <bit>

#include "domain/time/cron.hpp"
#include "domain/time/effort.hpp"

namespace sundial {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::seconds;
using std::chrono::year_month;
using std::chrono::year_month_day;

constexpr unsigned saturday = 6;
constexpr unsigned sunday = 0;

constexpr bool has_bit(std::uint64_t bits, unsigned value) { return (bits >> value & 1) != 0; }
constexpr std::uint64_t below(unsigned value) { return (std::uint64_t{1} << value) - 1; }
constexpr std::uint32_t day_bit(unsigned day) { return std::uint32_t{1} << day; }
constexpr std::uint32_t days_up_to(unsigned day) {
    return static_cast<std::uint32_t>(below(day + 1)) & ~std::uint32_t{1};
}

/// The smallest value of `bits` that is at least `from`.
std::optional<unsigned> first_bit(std::uint64_t bits, unsigned from) {
    const std::uint64_t rest = bits & ~below(from);
    if (rest == 0) return std::nullopt;
    return static_cast<unsigned>(std::countr_zero(rest));
}

/// Calls `each` with every value of `bits`.
template <class Each>
void for_each_bit(std::uint64_t bits, Each each) {
    for (; bits != 0; bits &= bits - 1) each(static_cast<unsigned>(std::countr_zero(bits)));
}

/// The facts about a month that the sets of a rule are compared with.
struct Month {
    unsigned length;
    unsigned first_weekday;

    [[nodiscard]] unsigned weekday(unsigned day) const { return (first_weekday + day - 1) % 7; }

    /// The Monday-to-Friday day nearest to `day`, within the month.
    [[nodiscard]] unsigned nearest_weekday(unsigned day) const {
        switch (weekday(day)) {
            case saturday:
                return day == 1 ? 3 : day - 1;
            case sunday:
                return day == length ? day - 2 : day + 1;
            default:
                return day;
        }
    }

    /// All days of the month on one of `weekdays`.
    [[nodiscard]] std::uint32_t on(std::uint32_t weekdays) const {
        if (weekdays == 0) return 0;
        constexpr std::uint64_t five_weeks = 0x1020'4081;  // bits 0, 7, 14, 21, 28
        const std::uint64_t week = ((weekdays << 7 | weekdays) >> first_weekday) & 0x7f;
        return static_cast<std::uint32_t>(week * five_weeks << 1) & days_up_to(length);
    }
};

std::uint32_t days_of_month(const CronDaysOfMonth& named, const Month& month) {
    std::uint32_t found = named.dates & days_up_to(month.length);
    for_each_bit(named.before_last, [&](unsigned before) {
        if (before < month.length) found |= day_bit(month.length - before);
    });
    for_each_bit(named.nearest_weekday, [&](unsigned day) {
        if (day <= month.length) found |= day_bit(month.nearest_weekday(day));
    });
    if (named.last_weekday) found |= day_bit(month.nearest_weekday(month.length));
    return found;
}

std::uint32_t days_of_week(const CronDaysOfWeek& named, const Month& month) {
    std::uint32_t found = month.on(named.weekdays);
    found |= month.on(named.last) & ~days_up_to(month.length - 7);
    unsigned before = 0;  // days in the weeks before
    for (const std::uint8_t weekdays : named.nth) {
        found |= month.on(weekdays) & ~days_up_to(before) & days_up_to(before + 7);
        before += 7;
    }
    return found;
}

}  // namespace

std::uint32_t cron_days(const CronRule& rule, unsigned length, unsigned first_weekday) {
    const Month month{length, first_weekday};
    const std::uint32_t by_date = days_of_month(rule.days_of_month, month);
    const std::uint32_t by_weekday = days_of_week(rule.days_of_week, month);
    return rule.either_day ? by_date | by_weekday : by_date & by_weekday;
}

bool ever_fires(const CronRule& rule) {
    constexpr unsigned february = 2;
    constexpr unsigned lengths[]{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool fires = false;
    for_each_bit(rule.months, [&](unsigned month) {
        // Within 400 years every month begins on every weekday, February in both its lengths.
        for (unsigned weekday = 0; weekday < 7; ++weekday) {
            fires = fires || cron_days(rule, lengths[month], weekday) != 0;
            fires = fires || (month == february && cron_days(rule, 29, weekday) != 0);
        }
    });
    return fires;
}

CronCalendar::CronCalendar(const CronRule& rule)
    : rule_(rule),
      times_in_minute_(size_of(rule.seconds)),
      times_in_hour_(size_of(rule.minutes) * times_in_minute_),
      times_in_day_(size_of(rule.hours) * times_in_hour_) {}

bool CronCalendar::has(Wall wall) const {
    const auto minute = std::chrono::floor<minutes>(wall);
    return has_bit(seconds_of(minute), static_cast<unsigned>((wall - minute).count()));
}

std::optional<CronCalendar::Wall> CronCalendar::first_in(Wall from, Wall until) const {
    const auto today = std::chrono::floor<days>(from);
    const auto later_today = first_time_from(from - today);
    const auto day = first_day_in(later_today ? today : today + days{1}, until);
    if (!day) return std::nullopt;
    const Wall found = *day + (*day == today ? *later_today : *first_time_from(seconds{0}));
    if (found >= until) return std::nullopt;
    return found;
}

std::uint64_t CronCalendar::count_in(Wall from, Wall until) const {
    if (from >= until) return 0;
    const auto first = std::chrono::floor<days>(from);
    const auto last = std::chrono::floor<days>(until);
    std::uint64_t found = count_days_in(first, last) * times_in_day_;
    if (names(last)) found += count_times_before(until - last);
    if (names(first)) found -= count_times_before(from - first);
    return found;
}

std::uint64_t CronCalendar::count_repeated_in(Wall from, Wall until, seconds shift) const {
    constexpr unsigned in_minute = 60;
    const auto moved = std::chrono::floor<minutes>(shift);
    const auto further = static_cast<unsigned>((shift - moved).count());  // 0 to 59 seconds
    std::uint64_t found = 0;
    for (auto minute = std::chrono::floor<minutes>(from); minute < until; minute += minutes{1}) {
        std::uint64_t here = seconds_of(minute);
        if (minute < from) here &= ~below(static_cast<unsigned>((from - minute).count()));
        if (until - minute < minutes{1})
            here &= below(static_cast<unsigned>((until - minute).count()));
        if (here == 0) continue;
        // After the move, the seconds of one minute lie in two.
        found += size_of((here << further) & seconds_of(minute + moved));
        if (further != 0)
            found +=
                size_of((here >> (in_minute - further)) & seconds_of(minute + moved + minutes{1}));
    }
    return found;
}

std::uint32_t CronCalendar::days_of(year_month month) const {
    effort::spend(1);
    if (!has_bit(rule_.months, static_cast<unsigned>(month.month()))) return 0;
    const local_days first{month / std::chrono::day{1}};
    const auto length = static_cast<unsigned>((month / std::chrono::last).day());
    return cron_days(rule_, length, std::chrono::weekday{first}.c_encoding());
}

std::optional<local_days> CronCalendar::first_day_in(local_days from, Wall until) const {
    const year_month_day start{from};
    year_month month = start.year() / start.month();
    std::uint32_t days_left = days_of(month) & ~days_up_to(static_cast<unsigned>(start.day()) - 1);
    while (days_left == 0) {
        month += months{1};
        if (local_days{month / std::chrono::day{1}} >= until) return std::nullopt;
        days_left = days_of(month);
    }
    return local_days{month / std::chrono::day{static_cast<unsigned>(std::countr_zero(days_left))}};
}

std::uint64_t CronCalendar::count_days_in(local_days from, local_days until) const {
    const year_month_day first{from}, last{until};
    const year_month last_month = last.year() / last.month();
    std::uint64_t found = 0;
    for (year_month month = first.year() / first.month(); month < last_month; month += months{1})
        found += size_of(days_of(month));
    found += size_of(days_of(last_month) & days_up_to(static_cast<unsigned>(last.day()) - 1));
    found -= size_of(days_of(first.year() / first.month()) &
                     days_up_to(static_cast<unsigned>(first.day()) - 1));
    return found;
}

bool CronCalendar::names(local_days day) const {
    const year_month_day date{day};
    return has_bit(days_of(date.year() / date.month()), static_cast<unsigned>(date.day()));
}

std::optional<seconds> CronCalendar::first_time_from(seconds time) const {
    const std::chrono::hh_mm_ss from{time};
    const auto hour = static_cast<unsigned>(from.hours().count());
    const auto minute = static_cast<unsigned>(from.minutes().count());
    const auto at = [](unsigned h, unsigned m, unsigned s) {
        return hours{h} + minutes{m} + seconds{s};
    };
    const auto first_minute = static_cast<unsigned>(std::countr_zero(rule_.minutes));
    const auto first_second = static_cast<unsigned>(std::countr_zero(rule_.seconds));
    if (has_bit(rule_.hours, hour)) {
        if (has_bit(rule_.minutes, minute)) {
            const auto second =
                first_bit(rule_.seconds, static_cast<unsigned>(from.seconds().count()));
            if (second) return at(hour, minute, *second);
        }
        const auto later = first_bit(rule_.minutes, minute + 1);
        if (later) return at(hour, *later, first_second);
    }
    const auto later = first_bit(rule_.hours, hour + 1);
    if (later) return at(*later, first_minute, first_second);
    return std::nullopt;
}

std::uint64_t CronCalendar::count_times_before(seconds time) const {
    const std::chrono::hh_mm_ss end{time};
    const auto hour = static_cast<unsigned>(end.hours().count());
    const auto minute = static_cast<unsigned>(end.minutes().count());
    const auto second = static_cast<unsigned>(end.seconds().count());
    std::uint64_t found = size_of(rule_.hours & below(hour)) * times_in_hour_;
    if (!has_bit(rule_.hours, hour)) return found;
    found += size_of(rule_.minutes & below(minute)) * times_in_minute_;
    if (!has_bit(rule_.minutes, minute)) return found;
    return found + size_of(rule_.seconds & below(second));
}

std::uint64_t CronCalendar::seconds_of(std::chrono::local_time<minutes> minute) const {
    const auto day = std::chrono::floor<days>(minute);
    const auto of_day = static_cast<unsigned>((minute - day).count());
    const bool named =
        has_bit(rule_.hours, of_day / 60) && has_bit(rule_.minutes, of_day % 60) && names(day);
    return named ? rule_.seconds : 0;
}

}  // namespace sundial
