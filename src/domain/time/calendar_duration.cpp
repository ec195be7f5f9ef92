#include "domain/time/calendar_duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>

#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::days;
using std::chrono::months;
using std::chrono::seconds;

struct Unit {
    char letter;
    CalendarDuration one;
};

constexpr std::array date_units{Unit{'Y', {.months = months{12}}}, Unit{'M', {.months = months{1}}},
                                Unit{'W', {.days = days{7}}}, Unit{'D', {.days = days{1}}}};
constexpr std::array time_units{Unit{'H', {.exact = seconds{3600}}},
                                Unit{'M', {.exact = seconds{60}}},
                                Unit{'S', {.exact = seconds{1}}}};
constexpr std::array short_units{
    Unit{'w', {.days = days{7}}}, Unit{'d', {.days = days{1}}}, Unit{'h', {.exact = seconds{3600}}},
    Unit{'m', {.exact = seconds{60}}}, Unit{'s', {.exact = seconds{1}}}};

/// Beyond the calendar in any unit; larger numbers count as this one.
constexpr seconds beyond_the_calendar{400'000'000'000};

/// Reads the parts at the front of `text`, at least one, in the order of `units`. Stops at a byte
/// that is no digit. False if a part is malformed.
bool take_parts(std::string_view& text, std::span<const Unit> units, CalendarDuration& into) {
    auto unit = units.begin();
    do {
        std::int64_t amount = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
        const auto length = static_cast<std::size_t>(end - text.data());
        if (length == 0 || length == text.size() || text.front() == '-') return false;
        const char letter = text[length];
        unit = std::find_if(unit, units.end(), [&](const Unit& u) { return u.letter == letter; });
        if (unit == units.end()) return false;
        const std::int64_t most = beyond_the_calendar / longest(unit->one);
        if (error == std::errc::result_out_of_range || amount > most) amount = most;
        into.months += unit->one.months * amount;
        into.days += unit->one.days * amount;
        into.exact += unit->one.exact * amount;
        text.remove_prefix(length + 1);
        ++unit;
    } while (!text.empty() && '0' <= text.front() && text.front() <= '9');
    return true;
}

bool take_iso(std::string_view text, CalendarDuration& into) {
    text.remove_prefix(1);
    if (!text.starts_with('T') && !take_parts(text, date_units, into)) return false;
    if (text.empty()) return true;
    if (!text.starts_with('T')) return false;
    text.remove_prefix(1);
    return take_parts(text, time_units, into) && text.empty();
}

std::optional<Instant> moved(Instant instant, const CalendarDuration& by, int direction) {
    const auto day = std::chrono::floor<days>(instant);
    const auto time = instant - day;
    const std::chrono::year_month_day date{day};
    const auto month = std::chrono::year_month{date.year(), date.month()} + by.months * direction;
    if (!month.ok()) return std::nullopt;
    const std::chrono::year_month_day_last last{month.year(), month.month() / std::chrono::last};
    const auto day_of_month = std::min(date.day(), last.day());
    const std::chrono::sys_days target{month / day_of_month};
    const Instant result = target + time + (days{by.days} + by.exact) * direction;
    return in_range(result) ? std::optional(result) : std::nullopt;
}

}  // namespace

TimeResult<CalendarDuration> parse_calendar_duration(std::string_view text) {
    CalendarDuration duration;
    std::string_view rest = text;
    const bool valid = text.starts_with('P')
                           ? take_iso(text, duration)
                           : take_parts(rest, short_units, duration) && rest.empty();
    if (valid) return duration;
    return TimeError{TimeErrorCode::bad_interval,
                     "must be a duration as P1D, P1Y6M, PT15M, 7d or 1h30m"};
}

std::optional<Instant> later(Instant instant, const CalendarDuration& by) {
    return moved(instant, by, 1);
}

std::optional<Instant> earlier(Instant instant, const CalendarDuration& by) {
    return moved(instant, by, -1);
}

seconds longest(const CalendarDuration& duration) {
    const days of_years{duration.months.count() / 12 * 366};
    const days of_months{duration.months.count() % 12 * 31};
    return of_years + of_months + duration.days + duration.exact;
}

namespace {

TimeError bad_moment() {
    return {TimeErrorCode::bad_time,
            "must be an instant as 2027-05-04T10:11:12Z, or relative to now: now, now-90s, "
            "now-1h30m, now+7d, now-P1M"};
}

TimeError too_far() { return {TimeErrorCode::out_of_range, "must be in the years 0001 to 9999"}; }

/// `shift` is the part after "now": "+7d".
TimeResult<Instant> shifted(Instant now, std::string_view shift) {
    if (shift.empty()) return now;
    if (shift.front() != '+' && shift.front() != '-') return bad_moment();
    const auto by = parse_calendar_duration(shift.substr(1));
    if (!by) return bad_moment();
    const auto moment = shift.front() == '+' ? later(now, *by) : earlier(now, *by);
    return moment ? TimeResult<Instant>(*moment) : too_far();
}

}  // namespace

TimeResult<Instant> parse_moment(std::string_view text, Instant now) {
    constexpr std::string_view now_word = "now";
    if (text.starts_with(now_word)) return shifted(now, text.substr(now_word.size()));
    const auto instant = parse_instant(text);
    if (instant) return instant->instant;
    // If the text does not begin like a date, it may have been meant for the other form.
    const bool like_a_date = !text.empty() && '0' <= text.front() && text.front() <= '9';
    return like_a_date ? instant.error() : bad_moment();
}

}  // namespace sundial
