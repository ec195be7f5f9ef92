#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "domain/time/cron.hpp"

namespace sundial {
namespace {

using base::is_digit;
bool is_plain(char c) { return c > ' ' && c <= '~'; }

TimeError bad_cron(std::string why) { return {TimeErrorCode::bad_cron, std::move(why)}; }

/// `text` in quotes and a blank, unless that would be long or unprintable.
std::string quoted_part(std::string_view text) {
    constexpr std::size_t longest = 40;  // longer than any valid part
    const bool fit = !text.empty() && text.size() <= longest && std::ranges::all_of(text, is_plain);
    return fit ? "'" + std::string(text) + "' " : "";
}

constexpr std::array<std::string_view, 12> month_names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                       "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> weekday_names{"SUN", "MON", "TUE", "WED",
                                                        "THU", "FRI", "SAT"};

/// The rules of one of the six fields.
struct Field {
    std::string_view name;
    unsigned first, last;                     // as they may be written
    unsigned size;                            // number of values; 7 is Sunday again
    std::span<const std::string_view> names;  // of the values from `first` on
    std::string_view right;                   // the values in words

    [[nodiscard]] TimeError error(std::string_view part, std::string_view why) const {
        return bad_cron(std::string(name) + " " + quoted_part(part) + std::string(why));
    }
    /// The same, followed by the valid range.
    [[nodiscard]] TimeError error_with_range(std::string_view part, std::string why) const {
        return error(part, std::move(why) + ": " + std::string(right));
    }
};

constexpr Field second_field{"second", 0, 59, 60, {}, "0 to 59"};
constexpr Field minute_field{"minute", 0, 59, 60, {}, "0 to 59"};
constexpr Field hour_field{"hour", 0, 23, 24, {}, "0 to 23 (0 is midnight)"};
constexpr Field date_field{"day-of-month", 1, 31, 31, {}, "1 to 31 (L is the last day)"};
constexpr Field month_field{"month", 1, 12, 12, month_names, "1 to 12 or JAN to DEC"};
constexpr Field weekday_field{
    "day-of-week", 0, 7, 7, weekday_names, "0 to 7 or SUN to SAT (0 and 7 are Sunday)"};

// --- values -----------------------------------------------------------------------------------

/// One or two digits, whatever their value; empty for any other text.
std::optional<unsigned> short_number(std::string_view text) {
    if (text.empty() || text.size() > 2 || !std::ranges::all_of(text, is_digit))
        return std::nullopt;
    unsigned value = 0;
    for (const char digit : text) value = value * 10 + static_cast<unsigned>(digit - '0');
    return value;
}

std::optional<unsigned> number_in(std::string_view text, unsigned first, unsigned last) {
    const auto value = short_number(text);
    return value && first <= *value && *value <= last ? value : std::nullopt;
}

std::optional<unsigned> by_name(const Field& field, std::string_view text) {
    for (std::size_t i = 0; i < field.names.size(); ++i)
        if (base::same_ignoring_case(field.names[i], text))
            return field.first + static_cast<unsigned>(i);
    return std::nullopt;
}

/// Also accepts `MONDAY` and `SEPT`.
bool begins_with_name_of(const Field& field, std::string_view text) {
    return by_name(field, text.substr(0, 3)).has_value();
}

/// The reason why a text is not a value.
TimeError not_a_value(const Field& field, std::string_view text) {
    if (!std::ranges::all_of(text, is_plain))
        return field.error(
            "", "has a character that cron does not use; separate fields with blanks or tabs");
    if (text.empty()) return field.error_with_range(text, "lacks a value");
    if (std::ranges::all_of(text, is_digit))
        return field.error_with_range(text, "has more than two digits");
    if (text == "*") return field.error(text, "stands alone or before a step, as in */2");
    if (text == "?" && (field.name == date_field.name || field.name == weekday_field.name))
        return field.error(text, "stands alone in its field, or not at all");
    if (text == "?") return field.error(text, "is for the day fields; for any value write *");
    if (base::same_ignoring_case(text, "L") && field.name == weekday_field.name)
        return field.error(text, "needs a day, as 5L, the last Friday; for Saturday write SAT");
    if (base::same_ignoring_case(text.substr(0, 1), "H"))
        return field.error_with_range(text, "is Jenkins' choice of a value; choose one");
    if (text.find('~') != std::string_view::npos)
        return field.error_with_range(text, "asks for a random value; choose one");
    if (begins_with_name_of(field, text))
        return field.error_with_range(text, "is longer than a name of three letters");
    if (begins_with_name_of(month_field, text)) return field.error_with_range(text, "is a month");
    if (begins_with_name_of(weekday_field, text))
        return field.error_with_range(text, "is a day of the week");
    return field.error_with_range(text, "is not understood");
}

/// As written: 7 for Sunday remains 7.
TimeResult<unsigned> read_value(const Field& field, std::string_view text) {
    if (const auto named = by_name(field, text)) return *named;
    const auto value = short_number(text);
    if (!value) return not_a_value(field, text);
    if (*value < field.first || *value > field.last)
        return field.error_with_range(text, "is out of range");
    return *value;
}

// --- items of a list --------------------------------------------------------------------------

std::uint64_t bit(unsigned value) { return std::uint64_t{1} << value; }

/// The values from `from` to `to` in steps; wraps at the end of the field.
std::uint64_t stepped(const Field& field, unsigned from, unsigned to, unsigned step) {
    if (to < from) to += field.size;
    std::uint64_t values = 0;
    for (unsigned value = from; value <= to; value += step)
        values |= bit((value - field.first) % field.size + field.first);
    return values;
}

TimeResult<unsigned> read_step(const Field& field, std::string_view item, std::string_view text) {
    if (const auto step = number_in(text, 1, field.size)) return *step;
    std::string why = "has an invalid step; use 1 to " + std::to_string(field.size);
    if (text.size() > 1 && std::ranges::all_of(text, is_digit))
        why += "; for longer distances make an interval";
    return field.error(item, why);
}

/// `*`, `a` or `a-b`, each with an optional step.
TimeResult<std::uint64_t> read_range(const Field& field, std::string_view item) {
    if (item.empty()) return field.error("", "has an empty place in its list");
    const auto slash = item.find('/');
    const bool has_step = slash != std::string_view::npos;
    unsigned step = 1;
    if (has_step) {
        const auto read = read_step(field, item, item.substr(slash + 1));
        if (!read) return read.error();
        step = *read;
    }
    const std::string_view range = item.substr(0, slash);
    const unsigned end = field.first + field.size - 1;
    if (range == "*") return stepped(field, field.first, end, step);

    const auto dash = range.find('-');
    const bool has_end = dash != std::string_view::npos;
    if (range.empty() || dash == 0 || dash == range.size() - 1)
        return field.error_with_range(item, "lacks a value");
    const auto from = read_value(field, range.substr(0, dash));
    if (!from) return from.error();
    if (!has_end) return stepped(field, *from, has_step ? end : *from, step);
    const auto to = read_value(field, range.substr(dash + 1));
    if (!to) return to.error();
    return stepped(field, *from, *to, step);
}

/// Removes `suffix`, in either case, from the end of `text`.
bool take_suffix(std::string_view& text, std::string_view suffix) {
    if (text.size() < suffix.size() ||
        !base::same_ignoring_case(text.substr(text.size() - suffix.size()), suffix))
        return false;
    text.remove_suffix(suffix.size());
    return true;
}

/// Adds an item of day-of-month to the field.
std::optional<TimeError> add_dates(CronDaysOfMonth& named, std::string_view item) {
    if (base::same_ignoring_case(item, "LW")) {
        named.last_weekday = true;
        return std::nullopt;
    }
    if (base::same_ignoring_case(item, "L")) {
        named.before_last |= 1;
        return std::nullopt;
    }
    if (base::same_ignoring_case(item.substr(0, 2), "L-")) {
        const auto days = number_in(item.substr(2), 1, 30);
        if (!days) return date_field.error(item, "counts back from the last day; use 1 to 30");
        named.before_last |= static_cast<std::uint32_t>(bit(*days));
        return std::nullopt;
    }
    std::string_view text = item;
    if (take_suffix(text, "W")) {
        const auto day = number_in(text, 1, 31);
        if (!day) return date_field.error(item, "is not a nearest weekday; write 1W to 31W, or LW");
        named.nearest_weekday |= static_cast<std::uint32_t>(bit(*day));
        return std::nullopt;
    }
    const auto dates = read_range(date_field, item);
    if (!dates) return dates.error();
    named.dates |= static_cast<std::uint32_t>(*dates);
    return std::nullopt;
}

/// The set of the one weekday in `text`.
TimeResult<std::uint8_t> read_weekday(std::string_view text) {
    const auto day = read_value(weekday_field, text);
    if (!day) return day.error();
    return static_cast<std::uint8_t>(bit(*day % weekday_field.size));
}

/// Adds an item of day-of-week to the field.
std::optional<TimeError> add_weekdays(CronDaysOfWeek& named, std::string_view item) {
    const auto hash = item.find('#');
    if (hash != std::string_view::npos) {
        const auto day = read_weekday(item.substr(0, hash));
        if (!day) return day.error();
        const auto which = number_in(item.substr(hash + 1), 1, 5);
        if (!which) return weekday_field.error(item, "must say which one of the month: #1 to #5");
        named.nth.at(*which - 1) |= *day;
        return std::nullopt;
    }
    std::string_view text = item;
    if (item.size() > 1 && take_suffix(text, "L")) {
        const auto day = read_weekday(text);
        if (!day) return day.error();
        named.last |= *day;
        return std::nullopt;
    }
    const auto weekdays = read_range(weekday_field, item);
    if (!weekdays) return weekdays.error();
    named.weekdays |= static_cast<std::uint8_t>(*weekdays);
    return std::nullopt;
}

// --- fields -----------------------------------------------------------------------------------

/// Calls `add` with each item of a list, until one has an error.
template <class Add>
std::optional<TimeError> for_each_item(std::string_view list, Add add) {
    for (;;) {
        const auto comma = list.find(',');
        if (auto error = add(list.substr(0, comma))) return error;
        if (comma == std::string_view::npos) return std::nullopt;
        list.remove_prefix(comma + 1);
    }
}

template <class Bits>
std::optional<TimeError> read_set(const Field& field, std::string_view text, Bits& values) {
    values = 0;
    return for_each_item(text, [&](std::string_view item) -> std::optional<TimeError> {
        const auto found = read_range(field, item);
        if (!found) return found.error();
        values |= static_cast<Bits>(*found);
        return std::nullopt;
    });
}

/// In a day field a single `?` is `*`.
std::string_view any_day(std::string_view text) { return text == "?" ? "*" : text; }

bool restricts(std::string_view day_field) {
    return !day_field.starts_with('*') && !day_field.starts_with('?');
}

/// The texts of an expression's fields; the second is empty if there are five.
struct Fields {
    std::string_view second, minute, hour, date, month, weekday;
};

std::optional<TimeError> read_fields(const Fields& texts, CronRule& rule) {
    if (!texts.second.empty())
        if (auto error = read_set(second_field, texts.second, rule.seconds)) return error;
    if (auto error = read_set(minute_field, texts.minute, rule.minutes)) return error;
    if (auto error = read_set(hour_field, texts.hour, rule.hours)) return error;
    if (auto error = for_each_item(any_day(texts.date), [&](std::string_view item) {
            return add_dates(rule.days_of_month, item);
        }))
        return error;
    if (auto error = read_set(month_field, texts.month, rule.months)) return error;
    return for_each_item(any_day(texts.weekday), [&](std::string_view item) {
        return add_weekdays(rule.days_of_week, item);
    });
}

TimeResult<CronRule> read_rule(const Fields& texts) {
    CronRule rule;
    if (auto error = read_fields(texts, rule)) return *std::move(error);
    rule.either_day = restricts(texts.date) && restricts(texts.weekday);
    rule.wildcard = texts.minute.starts_with('*') || texts.hour.starts_with('*');
    if (!ever_fires(rule))
        return TimeError{TimeErrorCode::never_fires,
                         "never fires: day-of-month " + quoted_part(texts.date) +
                             "does not come in month " + quoted_part(texts.month) +
                             "of any of the 400 years that the calendar repeats"};
    return rule;
}

// --- the whole text ---------------------------------------------------------------------------

constexpr std::string_view blanks = " \t";

/// A macro of crontab(5) and its expression.
struct Macro {
    std::string_view name;
    Fields fields;
};
constexpr std::array<Macro, 7> macros{{
    {"@yearly", {{}, "0", "0", "1", "1", "*"}},
    {"@annually", {{}, "0", "0", "1", "1", "*"}},
    {"@monthly", {{}, "0", "0", "1", "*", "*"}},
    {"@weekly", {{}, "0", "0", "*", "*", "0"}},
    {"@daily", {{}, "0", "0", "*", "*", "*"}},
    {"@midnight", {{}, "0", "0", "*", "*", "*"}},
    {"@hourly", {{}, "0", "*", "*", "*", "*"}},
}};

const Macro* find_macro(std::string_view name) {
    const auto found = std::ranges::find_if(
        macros, [name](const Macro& macro) { return base::same_ignoring_case(macro.name, name); });
    return found == macros.end() ? nullptr : &*found;
}

TimeError unknown_macro(std::string_view text) {
    const std::string_view name = text.substr(0, text.find_first_of(blanks));
    if (base::same_ignoring_case(name, "@reboot"))
        return bad_cron("'@reboot' is not a time: a schedule does not know when machines start");
    if (base::same_ignoring_case(name, "@every"))
        return bad_cron("'@every' is not cron: make an interval, as every PT15M");
    if (find_macro(name) != nullptr) return bad_cron(quoted_part(name) + "stands alone");
    std::vector<std::string> names;
    names.reserve(macros.size());
    for (const Macro& macro : macros) names.emplace_back(macro.name);
    constexpr std::size_t longest_compared = 40;
    const auto near = name.size() <= longest_compared ? base::nearest(name, names) : std::nullopt;
    std::string why = "the macro " + quoted_part(name) + "is unknown: ";
    why += near ? "did you mean '" + *near + "'?"
                : "there are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly";
    return bad_cron(std::move(why));
}

TimeError wrong_count(std::size_t count) {
    std::string why =
        "has " + std::to_string(count) + (count == 1 ? " field" : " fields") +
        "; use 5 (minute hour day-of-month month day-of-week), or 6 with the second first";
    if (count > 6) why += "; years, commands and comments are not supported";
    return bad_cron(std::move(why));
}

}  // namespace

TimeResult<CronRule> parse_cron(std::string_view text) {
    text = base::trimmed(text, blanks);
    if (text.starts_with('@')) {
        const Macro* macro = find_macro(text);
        return macro == nullptr ? unknown_macro(text) : read_rule(macro->fields);
    }
    if (base::same_ignoring_case(text.substr(0, 3), "TZ=") ||
        base::same_ignoring_case(text.substr(0, 8), "CRON_TZ="))
        return bad_cron("the zone is not part of the expression; give it in its own field");

    std::array<std::string_view, 6> fields;
    std::size_t count = 0;
    for (std::string_view rest = text; !rest.empty(); rest = base::trimmed(rest, blanks)) {
        const auto end = std::min(rest.find_first_of(blanks), rest.size());
        if (count < fields.size()) fields.at(count) = rest.substr(0, end);
        ++count;
        rest.remove_prefix(end);
    }
    const auto& [a, b, c, d, e, f] = fields;
    if (count == 5) return read_rule({{}, a, b, c, d, e});
    if (count == 6) return read_rule({a, b, c, d, e, f});
    return wrong_count(count);
}

}  // namespace sundial
