#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time/rrule.hpp"

namespace sundial {
namespace {

constexpr std::array<std::string_view, 7> frequency_names{"SECONDLY", "MINUTELY", "HOURLY", "DAILY",
                                                          "WEEKLY",   "MONTHLY",  "YEARLY"};
constexpr std::array<std::string_view, 7> day_names{"SU", "MO", "TU", "WE", "TH", "FR", "SA"};

std::string_view name_of_day(std::chrono::weekday day) { return day_names.at(day.c_encoding()); }

/// `number` with at least `width` digits.
std::string padded(unsigned number, std::size_t width) {
    std::string digits = std::to_string(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
}

void append_list(std::string& text, std::string_view name, const std::vector<int>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        text += i == 0 ? ";" + std::string(name) + '=' : ",";
        text += std::to_string(numbers[i]);
    }
}

void append_days(std::string& text, const std::vector<RuleDay>& days) {
    for (std::size_t i = 0; i < days.size(); ++i) {
        text += i == 0 ? ";BYDAY=" : ",";
        if (days[i].nth != 0) text += std::to_string(days[i].nth);
        text += name_of_day(days[i].day);
    }
}

std::string until_text(const RuleEnd& end) {
    std::string text = format_compact_time(end.time);
    switch (end.kind) {
        case RuleEnd::Kind::instant:
            return text + 'Z';
        case RuleEnd::Kind::wall:
            return text;
        case RuleEnd::Kind::day:
            break;
    }
    return text.substr(0, 8);
}

}  // namespace

std::string format_compact_time(std::chrono::local_seconds wall) {
    const auto day = std::chrono::floor<std::chrono::days>(wall);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{wall - day};
    const auto two = [](auto count) { return padded(static_cast<unsigned>(count), 2); };
    return padded(static_cast<unsigned>(static_cast<int>(date.year())), 4) +
           padded(static_cast<unsigned>(date.month()), 2) +
           padded(static_cast<unsigned>(date.day()), 2) + 'T' + two(time.hours().count()) +
           two(time.minutes().count()) + two(time.seconds().count());
}

std::string format_rrule(const RruleRule& rule, std::optional<std::chrono::sys_seconds> until) {
    std::string text = "FREQ=";
    text += frequency_names.at(static_cast<std::size_t>(rule.frequency));
    if (until) {
        const std::chrono::local_seconds utc{until->time_since_epoch()};
        text += ";UNTIL=" + format_compact_time(utc) + 'Z';
    } else if (rule.until) {
        text += ";UNTIL=" + until_text(*rule.until);
    }
    if (rule.count) text += ";COUNT=" + std::to_string(*rule.count);
    if (rule.interval != 1) text += ";INTERVAL=" + std::to_string(rule.interval);
    append_list(text, "BYSECOND", rule.by_second);
    append_list(text, "BYMINUTE", rule.by_minute);
    append_list(text, "BYHOUR", rule.by_hour);
    append_days(text, rule.by_day);
    append_list(text, "BYMONTHDAY", rule.by_month_day);
    append_list(text, "BYYEARDAY", rule.by_year_day);
    append_list(text, "BYWEEKNO", rule.by_week);
    append_list(text, "BYMONTH", rule.by_month);
    append_list(text, "BYSETPOS", rule.by_position);
    if (rule.week_start != std::chrono::Monday)
        text += ";WKST=" + std::string(name_of_day(rule.week_start));
    return text;
}

}  // namespace sundial
