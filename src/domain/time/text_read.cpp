#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

using base::is_digit;
using base::is_lower;
bool is_alphanumeric(char c) { return is_digit(c) || is_lower(c) || base::is_upper(c); }

/// Reads a text from the front, byte by byte.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }

    bool take(char c) {
        if (!at(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool take(std::string_view prefix) {
        if (!rest_.starts_with(prefix)) return false;
        rest_.remove_prefix(prefix.size());
        return true;
    }
    /// Exactly `count` digits.
    std::optional<int> number(std::size_t count) {
        if (rest_.size() < count) return std::nullopt;
        int value = 0;
        for (const char c : rest_.substr(0, count)) {
            if (!is_digit(c)) return std::nullopt;
            value = value * 10 + (c - '0');
        }
        rest_.remove_prefix(count);
        return value;
    }
    /// All digits up to the next other byte, possibly none.
    std::string_view digits() {
        const auto end = std::ranges::find_if_not(rest_, is_digit);
        return cut(static_cast<std::size_t>(end - rest_.begin()));
    }
    /// The text before the next `c`; also takes `c`.
    std::optional<std::string_view> up_to(char c) {
        const auto found = rest_.find(c);
        if (found == std::string_view::npos) return std::nullopt;
        const std::string_view before = cut(found);
        rest_.remove_prefix(1);
        return before;
    }

private:
    std::string_view cut(std::size_t size) {
        const std::string_view head = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return head;
    }
    std::string_view rest_;
};

TimeError bad_time(std::string why) { return {TimeErrorCode::bad_time, std::move(why)}; }

/// `why` preceded by the text, unless quoting it would be long or unprintable.
TimeError about(std::string_view text, TimeError why) {
    constexpr std::size_t longest_quoted = 64;  // every valid text except with long suffixes
    const bool plain = text.size() <= longest_quoted &&
                       std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    why.message = (plain ? "'" + std::string(text) + "': " : "") + why.message;
    return why;
}

/// The format of a text with a date, for error messages.
struct Form {
    std::string_view rule;
    std::string_view joined;  // an example of date and time of day
    bool needs_seconds;
};
constexpr std::string_view date_rule = "a date is written YYYY-MM-DD, as 2027-05-04";
constexpr Form instant_form{
    "an instant is written as 2027-05-04T10:11:12Z or 2027-05-04T10:11:12+02:00 (RFC 3339)",
    "2027-05-04T10:11:12Z", true};
constexpr Form local_form{"a local time is written as 2027-05-04T10:11:12", "2027-05-04T10:11:12",
                          false};

TimeResult<Date> read_date(Reader& in, std::string_view rule = date_rule) {
    const auto year = in.number(4);
    const auto month = year && in.take('-') ? in.number(2) : std::nullopt;
    const auto day = month && in.take('-') ? in.number(2) : std::nullopt;
    if (!day) return bad_time(std::string(rule));
    if (*year == 0) return TimeError{TimeErrorCode::out_of_range, "years are 0001 to 9999"};
    const Date date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                    std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return bad_time("the calendar has no such day");
    return date;
}

constexpr std::string_view time_of_day_rule =
    "a time of day is written hh:mm or hh:mm:ss, as 09:00";

TimeResult<TimeOfDay> read_hour_and_minute(Reader& in, std::string_view rule = time_of_day_rule) {
    const auto hour = in.number(2);
    const auto minute = hour && in.take(':') ? in.number(2) : std::nullopt;
    if (!minute) return bad_time(std::string(rule));
    if (*hour > 23) return bad_time("hours are 00 to 23");
    if (*minute > 59) return bad_time("minutes are 00 to 59");
    return TimeOfDay{*hour * 3600 + *minute * 60};
}

/// After the colon.
TimeResult<TimeOfDay> read_second(Reader& in) {
    const auto second = in.number(2);
    if (!second) return bad_time("seconds are written with two digits");
    if (*second == 60) return bad_time("leap seconds cannot be named; seconds are 00 to 59");
    if (*second > 59) return bad_time("seconds are 00 to 59");
    return TimeOfDay{*second};
}

/// After the point: 1 to 9 digits, cut off after the sixth.
TimeResult<microseconds> read_fraction(Reader& in) {
    const std::string_view digits = in.digits();
    if (digits.empty() || digits.size() > 9)
        return bad_time("a fraction of a second has 1 to 9 digits");
    std::int32_t micros = 0;
    for (std::size_t i = 0; i < 6; ++i)
        micros = micros * 10 + (i < digits.size() ? digits[i] - '0' : 0);
    return microseconds{micros};
}

/// `10:11:12.5`; also `10:11` if the form does not require seconds.
TimeResult<microseconds> read_time(Reader& in, const Form& form) {
    const auto minutes = read_hour_and_minute(in, form.rule);
    if (!minutes) return minutes.error();
    if (!in.take(':')) {
        if (!form.needs_seconds) return microseconds{*minutes};
        return bad_time("an instant needs its seconds, as 2027-05-04T10:11:12Z");
    }
    const auto second = read_second(in);
    if (!second) return second.error();
    microseconds time = *minutes + *second;
    if (in.take('.')) {
        const auto fraction = read_fraction(in);
        if (!fraction) return fraction.error();
        time += *fraction;
    }
    return time;
}

TimeResult<WallTime> read_wall(Reader& in, const Form& form) {
    const auto date = read_date(in, form.rule);
    if (!date) return date.error();
    if (in.at_end())
        return bad_time("the time of day is missing, as in " + std::string(form.joined));
    if (!in.take('T') && !in.take('t'))
        return bad_time("date and time of day are joined by T, as in " + std::string(form.joined));
    const auto time = read_time(in, form);
    if (!time) return time.error();
    return WallTime{std::chrono::local_days{*date} + *time};
}

/// `+02:00`; empty without a sign.
TimeResult<std::optional<seconds>> read_offset(Reader& in) {
    const bool west = in.at('-');
    if (!in.take('+') && !in.take('-')) return std::optional<seconds>{};
    const auto hour = in.number(2);
    const auto minute = hour && in.take(':') ? in.number(2) : std::nullopt;
    if (!minute || *hour > 23 || *minute > 59)
        return bad_time("an offset is written +hh:mm or -hh:mm, as +02:00");
    const seconds offset{*hour * 3600 + *minute * 60};
    return std::optional(west ? -offset : offset);
}

/// A tag of RFC 9557, `key=value` without its brackets and without `!`.
std::optional<TimeError> defect_of_tag(std::string_view tag, bool critical) {
    const auto equals = tag.find('=');
    const std::string_view key = tag.substr(0, equals);
    const std::string_view values = tag.substr(equals + 1);
    const auto starts_key = [](char c) { return is_lower(c) || c == '_'; };
    const auto in_key = [&](char c) { return starts_key(c) || is_digit(c) || c == '-'; };
    const auto in_value = [](char c) { return is_alphanumeric(c) || c == '-'; };
    const bool well_formed = !key.empty() && starts_key(key.front()) &&
                             std::ranges::all_of(key, in_key) && !values.empty() &&
                             std::ranges::all_of(values, in_value) && values.front() != '-' &&
                             values.back() != '-' && values.find("--") == std::string_view::npos;
    if (!well_formed) return bad_time("a suffix is written [key=value], as [u-ca=gregory]");
    const bool known = key == "u-ca" && (values == "gregory" || values == "iso8601");
    if (critical && !known)
        return bad_time(
            "only u-ca=gregory and u-ca=iso8601 are known as critical suffixes (with !)");
    return std::nullopt;
}

/// `[Europe/Rome][u-ca=gregory]` and the end of the text. Returns the zone.
TimeResult<std::optional<std::string>> read_suffixes(Reader& in) {
    std::optional<std::string> zone;
    for (bool first = true; in.take('['); first = false) {
        const bool critical = in.take('!');
        const auto content = in.up_to(']');
        if (!content || content->empty() || content->find('[') != std::string_view::npos)
            return bad_time("a suffix is written in brackets, as [Europe/Rome]");
        if (content->find('=') != std::string_view::npos) {
            if (auto defect = defect_of_tag(*content, critical)) return *std::move(defect);
        } else if (first) {
            zone = std::string(*content);
        } else {
            return bad_time("the zone stands once, before all other suffixes");
        }
    }
    if (!in.at_end()) return bad_time("nothing may follow the time but suffixes, as [Europe/Rome]");
    return zone;
}

TimeResult<InstantText> read_instant(Reader in) {
    const auto wall = read_wall(in, instant_form);
    if (!wall) return wall.error();
    TimeResult<std::optional<seconds>> offset = std::optional<seconds>{};
    if (!in.take('Z') && !in.take('z')) {
        offset = read_offset(in);
        if (!offset) return offset.error();
        if (!*offset)
            return bad_time(
                "an instant needs Z or an offset, as 2027-05-04T10:11:12Z or "
                "2027-05-04T10:11:12+02:00");
    }
    auto zone = read_suffixes(in);
    if (!zone) return zone.error();
    const Instant instant{wall->time_since_epoch() - offset->value_or(seconds{0})};
    if (!in_range(instant))
        return TimeError{TimeErrorCode::out_of_range,
                         "instants are 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z"};
    return InstantText{instant, *offset, *std::move(zone)};
}

TimeResult<LocalText> read_local(Reader in) {
    const auto wall = read_wall(in, local_form);
    if (!wall) return wall.error();
    if (in.at('Z') || in.at('z'))
        return bad_time("a local time has no Z; give its zone, or an offset such as +02:00");
    const auto offset = read_offset(in);
    if (!offset) return offset.error();
    auto zone = read_suffixes(in);
    if (!zone) return zone.error();
    return LocalText{*wall, *offset, *std::move(zone)};
}

TimeResult<Date> read_whole_date(Reader in) {
    auto date = read_date(in);
    if (date && !in.at_end()) return bad_time(std::string(date_rule));
    return date;
}

TimeResult<YearlyDate> read_yearly_date(Reader in) {
    if (!in.take("--")) {
        const auto date = read_whole_date(in);
        if (!date) return date.error();
        return YearlyDate{{date->month(), date->day()}, date->year()};
    }
    const auto month = in.number(2);
    const auto day = month && in.take('-') ? in.number(2) : std::nullopt;
    if (!day || !in.at_end())
        return bad_time("a date without a year is written --MM-DD, as --05-04");
    const std::chrono::month_day found{std::chrono::month{static_cast<unsigned>(*month)},
                                       std::chrono::day{static_cast<unsigned>(*day)}};
    if (!found.ok()) return bad_time("the calendar has no such day");
    return YearlyDate{found, std::nullopt};
}

TimeResult<TimeOfDay> read_time_of_day(Reader in) {
    const auto minutes = read_hour_and_minute(in);
    if (!minutes) return minutes.error();
    TimeOfDay time = *minutes;
    if (in.take(':')) {
        const auto second = read_second(in);
        if (!second) return second.error();
        time += *second;
    }
    if (!in.at_end()) return bad_time(std::string(time_of_day_rule));
    return time;
}

TimeError malformed_duration() {
    return {TimeErrorCode::bad_interval,
            "an exact duration is written in whole hours, minutes and seconds, as PT15M or PT24H"};
}

TimeError calendar_duration() {
    return {TimeErrorCode::bad_interval,
            "days, weeks, months and years are not always of one length, and an exact duration is "
            "written without them, as PT24H"};
}

/// `P1D`, `P1Y6M`, `P1DT12H`, and the mistake `PT1D`.
bool has_calendar_unit(Reader in) {
    if (!in.take('P')) return false;
    const bool exact_units = in.take('T');
    if (in.digits().empty()) return false;
    return in.at('D') || in.at('W') || in.at('Y') || (!exact_units && in.at('M'));
}

TimeError too_long_duration() {
    return {TimeErrorCode::bad_interval, "durations are at most PT876600H"};
}

TimeResult<seconds> read_duration(Reader in) {
    struct Unit {
        char letter;
        std::int64_t seconds;
    };
    constexpr std::array units{Unit{'H', 3600}, Unit{'M', 60}, Unit{'S', 1}};
    constexpr std::int64_t longest = 876'600LL * 3600;  // 100 years of 365.25 days

    if (has_calendar_unit(in)) return calendar_duration();
    if (!in.take("PT") || in.at_end()) return malformed_duration();
    std::int64_t total = 0;
    auto unit = units.begin();
    while (!in.at_end()) {
        const std::string_view digits = in.digits();
        if (digits.empty()) return malformed_duration();
        unit = std::find_if(unit, units.end(), [&](const Unit& u) { return in.take(u.letter); });
        if (unit == units.end()) return malformed_duration();
        std::int64_t amount = 0;
        for (const char digit : digits) {
            amount = amount * 10 + (digit - '0');
            if (amount > longest) return too_long_duration();
        }
        total += amount * unit->seconds;
        if (total > longest) return too_long_duration();
        ++unit;
    }
    return seconds{total};
}

/// The result of `read`; an error is extended to describe the whole text.
template <class Read>
auto reading(std::string_view text, Read read) -> decltype(read(Reader(text))) {
    auto result = read(Reader(text));
    if (!result) return about(text, result.error());
    return result;
}

}  // namespace

TimeResult<InstantText> parse_instant(std::string_view text) { return reading(text, read_instant); }
TimeResult<LocalText> parse_local(std::string_view text) { return reading(text, read_local); }
TimeResult<Date> parse_date(std::string_view text) { return reading(text, read_whole_date); }
TimeResult<YearlyDate> parse_yearly_date(std::string_view text) {
    return reading(text, read_yearly_date);
}
TimeResult<TimeOfDay> parse_time_of_day(std::string_view text) {
    return reading(text, read_time_of_day);
}
TimeResult<seconds> parse_duration(std::string_view text) { return reading(text, read_duration); }

}  // namespace sundial
