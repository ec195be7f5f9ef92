#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

void append_number(std::string& text, std::int64_t number, std::size_t least_digits) {
    const std::string digits = std::to_string(number);
    if (digits.size() < least_digits) text.append(least_digits - digits.size(), '0');
    text += digits;
}

void append_date(std::string& text, Date date) {
    append_number(text, static_cast<int>(date.year()), 4);
    text += '-';
    append_number(text, static_cast<unsigned>(date.month()), 2);
    text += '-';
    append_number(text, static_cast<unsigned>(date.day()), 2);
}

/// `hh:mm:ss`
void append_time(std::string& text, std::int64_t second_of_day) {
    append_number(text, second_of_day / 3600, 2);
    text += ':';
    append_number(text, second_of_day / 60 % 60, 2);
    text += ':';
    append_number(text, second_of_day % 60, 2);
}

/// `2027-01-05T09:00:00`, the fraction cut off.
void append_wall_seconds(std::string& text, WallTime wall) {
    const auto day = floor<days>(wall);
    append_date(text, Date{day});
    text += 'T';
    append_time(text, floor<seconds>(wall - day).count());
}

/// `.5`, or nothing.
void append_fraction(std::string& text, WallTime wall) {
    const auto micros = (wall - floor<seconds>(wall)).count();
    if (micros == 0) return;
    text += '.';
    append_number(text, micros, 6);
    text.erase(text.find_last_not_of('0') + 1);
}

/// `.500`
void append_millis(std::string& text, WallTime wall) {
    text += '.';
    append_number(text, floor<milliseconds>(wall - floor<seconds>(wall)).count(), 3);
}

Instant within_range(Instant instant) {
    return std::clamp(instant, earliest_instant, latest_instant);
}

WallTime utc(Instant instant) { return WallTime{within_range(instant).time_since_epoch()}; }

}  // namespace

std::string format_instant(Instant instant) { return format_wall(utc(instant)) + "Z"; }

std::string format_instant_millis(Instant instant) {
    std::string text;
    append_wall_seconds(text, utc(instant));
    append_millis(text, utc(instant));
    return text + "Z";
}

std::optional<std::string> format_instant_millis(const std::optional<Instant>& instant) {
    return instant ? std::optional(format_instant_millis(*instant)) : std::nullopt;
}

std::string format_local_millis(Instant instant, const Zone& zone) {
    const Instant shown = within_range(instant);
    const WallTime wall = wall_time_at(zone, shown);
    std::string text;
    append_wall_seconds(text, wall);
    append_millis(text, wall);
    return text + format_offset(zone.offset_at(shown));
}

std::string format_zoned(Instant instant, const Zone& zone) {
    const Instant shown = within_range(instant);
    return format_wall(wall_time_at(zone, shown)) + format_offset(zone.offset_at(shown)) + "[" +
           std::string(zone.name()) + "]";
}

std::string format_wall(WallTime wall) {
    std::string text;
    append_wall_seconds(text, wall);
    append_fraction(text, wall);
    return text;
}

std::string format_date(Date date) {
    std::string text;
    append_date(text, date);
    return text;
}

std::string format_time_of_day(TimeOfDay time) {
    std::string text;
    append_time(text, time.count());
    if (text.ends_with(":00")) text.resize(text.size() - 3);
    return text;
}

std::string format_offset(seconds east_of_utc) {
    std::string text = east_of_utc < seconds{0} ? "-" : "+";
    append_time(text, std::abs(east_of_utc.count()));
    if (text.ends_with(":00")) text.resize(text.size() - 3);
    return text;
}

std::string format_duration(seconds duration) {
    std::string text = duration < seconds{0} ? "-PT" : "PT";
    const std::int64_t total = std::abs(duration.count());
    if (total >= 3600) text += std::to_string(total / 3600) + "H";
    if (total / 60 % 60 != 0) text += std::to_string(total / 60 % 60) + "M";
    if (total % 60 != 0 || total == 0) text += std::to_string(total % 60) + "S";
    return text;
}

}  // namespace sundial
