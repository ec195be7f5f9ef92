#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include "domain/time/cron.hpp"
#include "domain/time/words.hpp"

namespace sundial {
namespace {

constexpr std::uint64_t all_seconds = (std::uint64_t{1} << 60) - 1;
constexpr std::uint64_t all_minutes = all_seconds;
constexpr std::uint64_t all_hours = (std::uint64_t{1} << 24) - 1;
constexpr std::uint64_t all_dates = 0xffff'fffe;
constexpr std::uint64_t all_months = 0x1ffe;
constexpr std::uint64_t all_weekdays = 0x7f;
constexpr std::uint64_t monday_to_friday = 0x3e;
constexpr std::uint64_t saturday_and_sunday = 0x41;

constexpr std::array<std::string_view, 7> names_of_weekdays{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> names_of_months{
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

// --- sets and words ---------------------------------------------------------------------------

std::vector<unsigned> values(std::uint64_t bits) {
    std::vector<unsigned> found;
    for (; bits != 0; bits &= bits - 1)
        found.push_back(static_cast<unsigned>(std::countr_zero(bits)));
    return found;
}

std::string two_digits(unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); }

std::string clock_time(unsigned hour, unsigned minute) {
    return two_digits(hour) + ":" + two_digits(minute);
}

/// Each value in words, runs of three or more as "a to b".
template <class Say>
Words with_runs(std::uint64_t bits, Say say) {
    Words words;
    while (bits != 0) {
        const auto first = static_cast<unsigned>(std::countr_zero(bits));
        const auto length = static_cast<unsigned>(std::countr_one(bits >> first));
        const unsigned last = first + length - 1;
        if (length >= 3) {
            words.push_back(say(first) + " to " + say(last));
        } else {
            for (unsigned value = first; value <= last; ++value) words.push_back(say(value));
        }
        bits &= ~(((std::uint64_t{1} << length) - 1) << first);
    }
    return words;
}

/// "the minute 7", "the minutes 0 to 9 and 30"
std::string numbers(std::string_view unit, std::uint64_t bits) {
    const std::string_view plural = size_of(bits) == 1 ? " " : "s ";
    return std::string(unit) + std::string(plural) +
           joined(with_runs(bits, [](unsigned value) { return std::to_string(value); }));
}

/// The distance between neighbours if it is the same everywhere.
std::optional<unsigned> step_of(std::uint64_t bits) {
    const auto all = values(bits);
    if (all.size() < 2) return std::nullopt;
    const unsigned step = all[1] - all[0];
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i] - all[i - 1] != step) return std::nullopt;
    return step;
}

/// The step of minutes or seconds that continues unchanged into the next hour or minute.
std::optional<unsigned> pace_of(std::uint64_t sixty) {
    const auto step = step_of(sixty);
    return step && *step * size_of(sixty) == 60 ? step : std::nullopt;
}

/// The first and last of consecutive hours, which may span midnight.
struct HourRange {
    unsigned first, last;
};
std::optional<HourRange> range_of(std::uint64_t hours) {
    std::optional<HourRange> found;
    for (const unsigned hour : values(hours)) {
        if ((hours >> ((hour + 23) % 24) & 1) != 0) continue;  // not the first
        if (found) return std::nullopt;
        found = HourRange{hour, (hour + static_cast<unsigned>(size_of(hours)) - 1) % 24};
    }
    return found;
}

/// "every minute", "every 15 minutes"
std::string every(unsigned step, std::string_view unit) {
    if (step == 1) return "every " + std::string(unit);
    return "every " + std::to_string(step) + " " + std::string(unit) + "s";
}

// --- times of the day -------------------------------------------------------------------------

constexpr std::size_t max_listed = 4;  // more times than these are described by their rule

/// The times hour:minute, without their seconds.
Words listed_times(const CronRule& rule) {
    Words times;
    for (const unsigned hour : values(rule.hours))
        for (const unsigned minute : values(rule.minutes))
            times.push_back(clock_time(hour, minute));
    return times;
}

std::string of_hours(std::uint64_t hours) {
    if (hours == all_hours) return " of every hour";
    return " of the hour" + std::string(size_of(hours) == 1 ? " " : "s ") +
           joined(with_runs(hours, two_digits));
}

/// Minutes with a constant step: "every 15 minutes from 08:00 to 17:45".
std::string at_pace(const CronRule& rule, unsigned pace) {
    const auto minutes = values(rule.minutes);
    const std::string text = every(pace, "minute");
    if (rule.hours == all_hours)
        return minutes.front() == 0
                   ? text
                   : text + ", at minute " + std::to_string(minutes.front()) + " first";
    const auto range = range_of(rule.hours);
    if (range)
        return text + " from " + clock_time(range->first, minutes.front()) + " to " +
               clock_time(range->last, minutes.back());
    if (minutes.front() == 0) return text + of_hours(rule.hours);
    return "at " + numbers("minute", rule.minutes) + of_hours(rule.hours);
}

/// One minute of many hours.
std::string hourly(const CronRule& rule) {
    const auto minute = static_cast<unsigned>(std::countr_zero(rule.minutes));
    if (rule.hours == all_hours && minute == 0) return "every hour";
    if (rule.hours == all_hours) return "at " + numbers("minute", rule.minutes) + " of every hour";
    const auto hours = values(rule.hours);
    const auto range = range_of(rule.hours);
    const auto step = range ? 1 : step_of(rule.hours);
    if (!step) return "at " + joined(listed_times(rule));
    return every(*step, "hour") + " from " +
           clock_time(range ? range->first : hours.front(), minute) + " to " +
           clock_time(range ? range->last : hours.back(), minute);
}

/// The named minutes, as the start of a text.
std::string minutes_of_day(const CronRule& rule) {
    if (size_of(rule.hours) * size_of(rule.minutes) <= max_listed)
        return "at " + joined(listed_times(rule));
    if (size_of(rule.minutes) == 1) return hourly(rule);
    if (const auto pace = pace_of(rule.minutes)) return at_pace(rule, *pace);
    return "at " + numbers("minute", rule.minutes) + of_hours(rule.hours);
}

/// The named minutes, as the object that seconds refer to.
std::string of_minutes(const CronRule& rule) {
    if (size_of(rule.hours) * size_of(rule.minutes) <= max_listed)
        return " of " + joined(listed_times(rule));
    const std::string hours =
        rule.hours == all_hours && rule.minutes == all_minutes ? "" : of_hours(rule.hours);
    if (rule.minutes == all_minutes) return " of every minute" + hours;
    return " of " + numbers("minute", rule.minutes) + hours;
}

std::string times(const CronRule& rule) {
    if (rule.seconds == 1) return minutes_of_day(rule);
    const auto seconds = values(rule.seconds);
    const bool all_day = rule.minutes == all_minutes && rule.hours == all_hours;
    if (seconds.size() * size_of(rule.minutes) * size_of(rule.hours) <= max_listed) {
        Words words;
        for (const std::string& minute : listed_times(rule))
            for (const unsigned second : seconds)
                words.push_back(minute + ":" + two_digits(second));
        return "at " + joined(words);
    }
    const auto pace = pace_of(rule.seconds);
    if (pace && seconds.front() == 0)
        return every(*pace, "second") + (all_day ? "" : of_minutes(rule));
    return "at " + numbers("second", rule.seconds) + of_minutes(rule);
}

// --- days -------------------------------------------------------------------------------------

Words names_of(std::uint64_t weekdays, std::string_view ending) {
    Words words;
    // Weeks in people's order: from Monday.
    for (unsigned i = 1; i <= 7; ++i)
        if ((weekdays >> (i % 7) & 1) != 0)
            words.push_back(std::string(names_of_weekdays.at(i % 7)) + std::string(ending));
    return words;
}

std::string months_of(const CronRule& rule) {
    if (rule.months == all_months) return "every month";
    Words words;
    for (const unsigned month : values(rule.months))
        words.emplace_back(names_of_months.at(month - 1));
    return joined(words);
}

std::string in_months(const CronRule& rule) {
    return rule.months == all_months ? "" : " in " + months_of(rule);
}

Words plain_dates(std::uint64_t dates) {
    constexpr std::size_t many = 4;
    const auto step = step_of(dates);
    if (step && *step > 1 && size_of(dates) >= many) {
        const auto all = values(dates);
        return {"every " + ordinal(*step) + " day from the " + ordinal(all.front()) + " to the " +
                ordinal(all.back())};
    }
    return with_runs(dates, [](unsigned date) { return "the " + ordinal(date); });
}

/// The field day-of-month: "the 1st", "the last day".
Words dates_of(const CronDaysOfMonth& named) {
    Words words = plain_dates(named.dates);
    for (const unsigned day : values(named.nearest_weekday))
        words.push_back("the Monday-to-Friday day nearest the " + ordinal(day));
    for (const unsigned before : values(named.before_last & ~std::uint64_t{1}))
        words.push_back(before == 1
                            ? "the day before the last"
                            : "the day " + std::to_string(before) + " days before the last");
    if ((named.before_last & 1) != 0) words.emplace_back("the last day");
    if (named.last_weekday) words.emplace_back("the last Monday-to-Friday day");
    return words;
}

/// The parts of day-of-week that refer to the month: "the third Tuesday", "the last Friday".
Words weekdays_of_month(const CronDaysOfWeek& named) {
    constexpr std::array<std::string_view, 5> which{"first", "second", "third", "fourth", "fifth"};
    Words words;
    const auto add = [&words](std::string_view position, std::uint64_t weekdays) {
        for (const std::string& name : names_of(weekdays, ""))
            words.push_back("the " + std::string(position) + " " + name);
    };
    for (std::size_t i = 0; i < which.size(); ++i) add(which.at(i), named.nth.at(i));
    add("last", named.last);
    return words;
}

/// "on Mondays and Fridays", "on weekdays"
std::string weekly(std::uint64_t weekdays) {
    if (weekdays == monday_to_friday) return "on weekdays";
    if (weekdays == saturday_and_sunday) return "on weekends";
    return "on " + joined(names_of(weekdays, "s"));
}

std::string by_date(const CronRule& rule) {
    return "on " + joined(dates_of(rule.days_of_month)) + " of " + months_of(rule);
}

std::string by_weekday(const CronRule& rule) {
    const CronDaysOfWeek& named = rule.days_of_week;
    const Words monthly = weekdays_of_month(named);
    std::string text = named.weekdays == 0 ? "" : weekly(named.weekdays) + in_months(rule);
    if (monthly.empty()) return text;
    if (!text.empty()) text += " and ";
    return text + "on " + joined(monthly) + " of " + months_of(rule);
}

/// A condition on a date: "a Monday or the last Friday of the month".
std::string one_of(const CronDaysOfWeek& named) {
    Words words;
    for (const std::string& name : names_of(named.weekdays, "")) words.push_back("a " + name);
    for (const std::string& name : weekdays_of_month(named))
        words.push_back(name + " of the month");
    return joined(words, "or");
}

std::string on_days(const CronRule& rule, bool at_times) {
    const bool any_date = rule.days_of_month.dates == all_dates;
    const bool any_weekday = rule.days_of_week.weekdays == all_weekdays;
    if ((any_date && any_weekday) || (rule.either_day && (any_date || any_weekday)))
        return (at_times ? " every day" : "") + in_months(rule);
    if (any_date) {
        const CronDaysOfWeek& named = rule.days_of_week;
        const bool single =
            named == CronDaysOfWeek{.weekdays = named.weekdays} && size_of(named.weekdays) == 1;
        if (single && at_times)
            return " every " + names_of(named.weekdays, "").front() + in_months(rule);
        return " " + by_weekday(rule);
    }
    if (any_weekday) return " " + by_date(rule);
    if (rule.either_day) return " " + by_date(rule) + " and " + by_weekday(rule);
    return " " + by_date(rule) + ", if that is " + one_of(rule.days_of_week);
}

}  // namespace

std::string describe(const CronRule& rule) {
    const std::string when = times(rule);
    const bool at_times = when.starts_with("at ") && when.find(" every ") == std::string::npos;
    return when + on_days(rule, at_times);
}

}  // namespace sundial
