#include "domain/time/rrule_days.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/check.hpp"
#include "domain/time/effort.hpp"

namespace sundial {
namespace {

using std::chrono::local_days;

std::chrono::year_month_day date_of(DayNumber day) {
    return std::chrono::year_month_day{local_days{std::chrono::days{day}}};
}
std::chrono::weekday weekday_of(DayNumber day) {
    return std::chrono::weekday{local_days{std::chrono::days{day}}};
}
/// Days since the start of the week.
std::int64_t day_of_week(DayNumber day, std::chrono::weekday week_start) {
    return (weekday_of(day) - week_start).count();
}
bool is_leap(std::int64_t year) { return std::chrono::year{static_cast<int>(year)}.is_leap(); }

}  // namespace

DayNumber first_day_of_weeks(std::int64_t year, std::chrono::weekday week_start) {
    const DayNumber january_1 = first_day_of_year(year);
    const auto past = day_of_week(january_1, week_start);
    return january_1 - past + (past <= 3 ? 0 : 7);
}

WeekOfYear week_of_year(DayNumber day, std::chrono::weekday week_start) {
    std::int64_t year = year_of(day);
    if (day < first_day_of_weeks(year, week_start)) {
        --year;
    } else if (day >= first_day_of_weeks(year + 1, week_start)) {
        ++year;
    }
    const DayNumber first = first_day_of_weeks(year, week_start);
    const DayNumber end = first_day_of_weeks(year + 1, week_start);
    return {year, static_cast<int>((day - first) / 7) + 1, static_cast<int>((end - first) / 7)};
}

// --- RuleDays -----------------------------------------------------------------------------------

/// A day and its positions in month, year and week of the year, from 1.
struct RuleDays::CalendarDay {
    int month, day_of_month, month_length, day_of_year, year_length;
    unsigned weekday;
    DayNumber number;
};

void RuleDays::FromBothEnds::add(int number) {
    any = true;
    (number > 0 ? forward : backward).set(static_cast<std::size_t>(std::abs(number)));
}

RuleDays::RuleDays(const RruleRule& rule, DayNumber dtstart) : week_start_(rule.week_start) {
    for (const int month : rule.by_month) months_ |= 1U << static_cast<unsigned>(month);
    for (const int day : rule.by_month_day) month_days_.add(day);
    for (const int day : rule.by_year_day) year_days_.add(day);
    for (const int week : rule.by_week) weeks_.add(week);
    for (const RuleDay& day : rule.by_day) {
        by_weekday_ = true;
        const unsigned weekday = day.day.c_encoding();
        if (day.nth == 0) {
            weekdays_ = static_cast<std::uint8_t>(weekdays_ | 1U << weekday);
        } else {
            numbered_.at(weekday).add(day.nth);
        }
    }
    numbered_in_month_ = rule.frequency == Frequency::monthly || months_ != 0;

    // Parts missing from the rule are taken from DTSTART.
    if (rule.frequency < Frequency::weekly || by_weekday_ || month_days_.any || year_days_.any)
        return;
    if (rule.frequency == Frequency::weekly || weeks_.any) {
        by_weekday_ = true;
        weekdays_ = static_cast<std::uint8_t>(1U << weekday_of(dtstart).c_encoding());
        return;
    }
    const auto date = date_of(dtstart);
    month_days_.add(static_cast<int>(static_cast<unsigned>(date.day())));
    if (rule.frequency == Frequency::yearly && months_ == 0)
        months_ = 1U << static_cast<unsigned>(date.month());
}

bool RuleDays::allows_weekday(const CalendarDay& day) const {
    if ((weekdays_ >> day.weekday & 1U) != 0) return true;
    const FromBothEnds& numbered = numbered_.at(day.weekday);
    if (!numbered.any) return false;
    const int place = numbered_in_month_ ? day.day_of_month : day.day_of_year;
    const int length = numbered_in_month_ ? day.month_length : day.year_length;
    return numbered.has((place - 1) / 7 + 1, (length - place) / 7 + 1);
}

bool RuleDays::allows(const CalendarDay& day) const {
    if (months_ != 0 && (months_ >> static_cast<unsigned>(day.month) & 1U) == 0) return false;
    if (month_days_.any &&
        !month_days_.has(day.day_of_month, day.month_length - day.day_of_month + 1))
        return false;
    if (year_days_.any && !year_days_.has(day.day_of_year, day.year_length - day.day_of_year + 1))
        return false;
    if (by_weekday_ && !allows_weekday(day)) return false;
    if (!weeks_.any) return true;
    const WeekOfYear week = week_of_year(day.number, week_start_);
    return weeks_.has(week.number, week.weeks - week.number + 1);
}

RuleDays::YearBits RuleDays::find_bits(std::int64_t year) const {
    YearBits bits{};
    CalendarDay day{};
    day.number = first_day_of_year(year);
    day.weekday = weekday_of(day.number).c_encoding();
    day.year_length = is_leap(year) ? 366 : 365;
    for (day.month = 1; day.month <= 12; ++day.month) {
        const std::chrono::year_month_day_last last =
            std::chrono::year{static_cast<int>(year)} /
            std::chrono::month{static_cast<unsigned>(day.month)} / std::chrono::last;
        day.month_length = static_cast<int>(static_cast<unsigned>(last.day()));
        for (day.day_of_month = 1; day.day_of_month <= day.month_length; ++day.day_of_month) {
            const auto bit = static_cast<std::size_t>(day.day_of_year++);
            if (allows(day)) bits.at(bit / 64) |= std::uint64_t{1} << bit % 64;
            ++day.number;
            day.weekday = (day.weekday + 1) % 7;
        }
    }
    return bits;
}

const RuleDays::YearBits& RuleDays::bits_of(std::int64_t year) const {
    const bool after_leap = weeks_.any && is_leap(year - 1);
    const std::size_t kind = weekday_of(first_day_of_year(year)).c_encoding() * 4 +
                             (is_leap(year) ? 2U : 0U) + (after_leap ? 1U : 0U);
    std::call_once(kinds_->once.at(kind), [&] { kinds_->bits.at(kind) = find_bits(year); });
    return kinds_->bits.at(kind);
}

bool RuleDays::contains(DayNumber day) const {
    const auto year = year_of(day);
    const auto bit = static_cast<std::size_t>(day - first_day_of_year(year));
    return (bits_of(year).at(bit / 64) >> bit % 64 & 1U) != 0;
}

void RuleDays::Walk::enter(std::int64_t year) {
    year_ = year;
    first_ = first_day_of_year(year);
    end_ = first_ + (is_leap(year) ? 366 : 365);
    bits_ = &days_->bits_of(year);
}

void RuleDays::Walk::go_to(DayNumber day) {
    next_ = std::max(day, first_wall_day);
    if (next_ > last_wall_day || (bits_ != nullptr && first_ <= next_ && next_ < end_)) return;
    enter(year_of(next_));
}

std::optional<DayNumber> RuleDays::Walk::next() {
    while (next_ <= last_wall_day) {
        effort::spend(1);
        for (auto bit = static_cast<std::size_t>(next_ - first_); bit < 384;
             bit = (bit / 64 + 1) * 64) {
            const std::uint64_t rest = (*bits_)[bit / 64] >> bit % 64;
            if (rest == 0) continue;
            next_ = first_ + static_cast<DayNumber>(bit) + std::countr_zero(rest) + 1;
            if (next_ - 1 > last_wall_day) return std::nullopt;
            const DayNumber found = next_ - 1;
            if (next_ == end_ && next_ <= last_wall_day) enter(year_ + 1);
            return found;
        }
        next_ = end_;
        if (next_ <= last_wall_day) enter(year_ + 1);
    }
    return std::nullopt;
}

// --- RulePeriods --------------------------------------------------------------------------------

RulePeriods::RulePeriods(const RruleRule& rule, DayNumber dtstart)
    : frequency_(rule.frequency),
      in_weeks_(!rule.by_week.empty()),
      week_start_(rule.week_start),
      interval_(rule.interval),
      first_(index_of(dtstart)),
      last_(index_of(last_wall_day)) {
    base::check(frequency_ >= Frequency::daily);
}

std::int64_t RulePeriods::index_of(DayNumber day) const {
    switch (frequency_) {
        case Frequency::weekly:
            return floor_div(day - day_of_week(day, week_start_) + 6, 7);  // 0: that of 1970-01-01
        case Frequency::monthly: {
            const auto date = date_of(day);
            return static_cast<int>(date.year()) * std::int64_t{12} +
                   static_cast<unsigned>(date.month()) - 1;
        }
        case Frequency::yearly:
            return in_weeks_ ? week_of_year(day, week_start_).year : year_of(day);
        default:
            return day;
    }
}

DayNumber RulePeriods::first_day(std::int64_t index) const {
    switch (frequency_) {
        case Frequency::weekly: {
            const DayNumber in_it = index * 7;
            return in_it - day_of_week(in_it, week_start_);
        }
        case Frequency::monthly: {
            const std::chrono::year year{static_cast<int>(floor_div(index, 12))};
            const std::chrono::month month{static_cast<unsigned>(floor_mod(index, 12)) + 1};
            return local_days{year / month / 1}.time_since_epoch().count();
        }
        case Frequency::yearly:
            return in_weeks_ ? first_day_of_weeks(index, week_start_) : first_day_of_year(index);
        default:
            return index;
    }
}

std::optional<DayNumber> RulePeriods::at_or_after(DayNumber day) const {
    if (interval_ == 1) return day;
    const auto index = index_of(day);
    const auto past = floor_mod(index - first_, interval_);
    if (index >= first_ && past == 0) return day;
    const auto next = index < first_ ? first_ : index - past + interval_;
    if (next > last_) return std::nullopt;
    return first_day(next);
}

}  // namespace sundial
