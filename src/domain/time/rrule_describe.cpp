#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "domain/time/rrule.hpp"
#include "domain/time/text.hpp"
#include "domain/time/words.hpp"

namespace sundial {
namespace {

template <class T, class Say>
std::string joined_as(const std::vector<T>& values, Say say) {
    std::vector<std::string> items;
    for (const T& value : values) items.push_back(say(value));
    return joined(items);
}

/// "2nd", "last", "2nd last".
std::string place(int number) {
    if (number > 0) return ordinal(static_cast<unsigned>(number));
    return number == -1 ? "last" : ordinal(static_cast<unsigned>(-number)) + " last";
}

std::string name_of(std::chrono::weekday day) {
    constexpr std::array<std::string_view, 7> names{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};
    return std::string(names.at(day.c_encoding()));
}
std::string name_of_month(int month) {
    constexpr std::array<std::string_view, 12> names{
        "January", "February", "March",     "April",   "May",      "June",
        "July",    "August",   "September", "October", "November", "December"};
    return std::string(names.at(static_cast<std::size_t>(month - 1)));
}

std::string word_for_unit(Frequency frequency) {
    constexpr std::array<std::string_view, 7> units{"second", "minute", "hour", "day",
                                                    "week",   "month",  "year"};
    return std::string(units.at(static_cast<std::size_t>(frequency)));
}

std::string with_interval(const RruleRule& rule) {
    const std::string unit = word_for_unit(rule.frequency);
    if (rule.interval == 1) return "every " + unit;
    return "every " + std::to_string(rule.interval) + " " + unit + "s";
}

std::string on_days(const RruleRule& rule) {
    std::string text;
    if (!rule.by_month.empty()) text += " in " + joined_as(rule.by_month, name_of_month);
    if (!rule.by_week.empty())
        text += " in the " + joined_as(rule.by_week, place) + " week of the year";
    if (!rule.by_year_day.empty())
        text += " on the " + joined_as(rule.by_year_day, place) + " day of the year";
    if (!rule.by_month_day.empty())
        text += " on the " + joined_as(rule.by_month_day, place) + " day of the month";
    if (rule.by_day.empty()) return text;
    const bool both = !rule.by_month_day.empty() || !rule.by_year_day.empty();
    return text + (both ? " if it is " : " on ") + joined_as(rule.by_day, [](const RuleDay& day) {
               return day.nth == 0 ? name_of(day.day)
                                   : "the " + place(day.nth) + " " + name_of(day.day);
           });
}

std::string numbers(const std::vector<int>& values) {
    return joined_as(values, [](int value) { return std::to_string(value); });
}

/// Lists the parts of the time of day one by one, if there is nothing shorter.
std::string by_clock(const RruleRule& rule) {
    std::string text;
    const auto add = [&text](const std::vector<int>& values, const std::string& unit) {
        if (values.empty()) return;
        text += (text.empty() ? " at " : ", ") + unit + (values.size() > 1 ? "s " : " ") +
                numbers(values);
    };
    add(rule.by_hour, "hour");
    add(rule.by_minute, "minute");
    add(rule.by_second, "second");
    return text;
}

std::string at_times(const RruleRule& rule, std::chrono::seconds start) {
    constexpr std::size_t max = 6;  // beyond it the parts are shorter than the times
    const auto or_start = [](const std::vector<int>& values, std::int64_t of_start) {
        return values.empty() ? std::vector{static_cast<int>(of_start)} : values;
    };
    const auto hours = or_start(rule.by_hour, start.count() / 3600);
    const auto minutes = or_start(rule.by_minute, start.count() / 60 % 60);
    const auto seconds = or_start(rule.by_second, start.count() % 60);
    if (hours.size() * minutes.size() * seconds.size() > max) return by_clock(rule);
    std::vector<std::string> times;
    for (const int hour : hours) {
        for (const int minute : minutes) {
            for (const int second : seconds)
                times.push_back(format_time_of_day(
                    TimeOfDay{hour * 3600 + minute * 60 + (second < 60 ? second : 59)}));
        }
    }
    return " at " + joined(times);
}

std::string chosen(const RruleRule& rule) {
    std::string text;
    if (!rule.by_position.empty())
        text += ", only the " + joined_as(rule.by_position, place) + " of each " +
                word_for_unit(rule.frequency);
    const bool weeks_matter =
        !rule.by_week.empty() ||
        (rule.frequency == Frequency::weekly && (rule.interval > 1 || !rule.by_position.empty()));
    if (weeks_matter && rule.week_start != std::chrono::Monday)
        text += ", with weeks that begin on " + name_of(rule.week_start);
    return text;
}

std::string end_of(const RruleRule& rule) {
    if (rule.count)
        return *rule.count == 1 ? ", once" : ", " + std::to_string(*rule.count) + " times";
    if (!rule.until) return "";
    const std::string time = format_wall(rule.until->time);
    switch (rule.until->kind) {
        case RuleEnd::Kind::instant:
            return ", until " + time + "Z";
        case RuleEnd::Kind::wall:
            return ", until " + time;
        case RuleEnd::Kind::day:
            break;
    }
    return ", until the end of " + time.substr(0, 10);
}

}  // namespace

std::string describe(const RruleRule& rule) {
    return with_interval(rule) + on_days(rule) + by_clock(rule) + chosen(rule) + end_of(rule);
}

std::string describe(const RruleRule& rule, std::chrono::local_seconds dtstart) {
    if (rule.frequency < Frequency::daily) return describe(rule);
    const auto midnight = std::chrono::floor<std::chrono::days>(dtstart);
    return with_interval(rule) + on_days(rule) + at_times(rule, dtstart - midnight) + chosen(rule) +
           end_of(rule);
}

}  // namespace sundial
