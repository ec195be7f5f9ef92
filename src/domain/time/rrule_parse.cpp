#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include "base/text.hpp"
#include "domain/time/rrule.hpp"
#include "domain/time/types.hpp"

namespace sundial {
namespace {

bool all_digits(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

int number(std::string_view digits) {
    int value = 0;
    for (const char digit : digits) value = value * 10 + (digit - '0');
    return value;
}

}  // namespace

std::optional<std::optional<Date>> read_compact_date(std::string_view text) {
    if (text.size() != 8 || !all_digits(text)) return std::nullopt;
    const Date date{std::chrono::year{number(text.substr(0, 4))},
                    std::chrono::month{static_cast<unsigned>(number(text.substr(4, 2)))},
                    std::chrono::day{static_cast<unsigned>(number(text.substr(6, 2)))}};
    const bool exists = date.ok() && date.year() >= std::chrono::year{1};
    return exists ? std::optional(date) : std::optional<Date>{};
}

std::optional<CompactTime> read_compact_time(std::string_view text) {
    if (text.size() < 15 || text.size() > 16) return std::nullopt;
    if (text[8] != 'T' && text[8] != 't') return std::nullopt;
    const bool utc = text.size() == 16;
    if (utc && text[15] != 'Z' && text[15] != 'z') return std::nullopt;
    const auto date = read_compact_date(text.substr(0, 8));
    const std::string_view time = text.substr(9, 6);
    if (!date || !*date || !all_digits(time)) return std::nullopt;
    const int hour = number(time.substr(0, 2));
    const int minute = number(time.substr(2, 2));
    const int second = number(time.substr(4, 2));
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return CompactTime{std::chrono::local_days{**date} + std::chrono::hours{hour} +
                           std::chrono::minutes{minute} + std::chrono::seconds{second},
                       utc};
}

namespace {

using Defect = std::optional<TimeError>;

TimeError bad_rrule(std::string why) { return {TimeErrorCode::bad_rrule, std::move(why)}; }

using base::is_digit;

/// The text before the next `separator`; removes both from the front of `rest`.
std::string_view take_item(std::string_view& rest, char separator) {
    const auto end = std::min(rest.find(separator), rest.size());
    const std::string_view item = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return item;
}

/// Calls `read` for each item of a comma list until one has a defect.
template <class Read>
Defect each_item(std::string_view list, Read read) {
    for (;;) {
        const auto comma = list.find(',');
        if (auto defect = read(list.substr(0, comma))) return defect;
        if (comma == std::string_view::npos) return std::nullopt;
        list.remove_prefix(comma + 1);
    }
}

template <class T, class Less = std::less<>>
void sort_out(std::vector<T>& values, Less less = {}) {
    std::ranges::sort(values, less);
    values.erase(std::ranges::unique(values).begin(), values.end());
    values.shrink_to_fit();
}

/// Digits, at most `max` of them.
std::optional<int> small_number(std::string_view text, std::size_t max) {
    if (text.empty() || text.size() > max || !std::ranges::all_of(text, is_digit))
        return std::nullopt;
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Takes an optional sign from the front.
int take_sign(std::string_view& text) {
    const int sign = text.starts_with('-') ? -1 : 1;
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return sign;
}

// --- the parts ---------------------------------------------------------------------------------

Defect read_frequency(RruleRule& rule, std::string_view value) {
    constexpr std::array<std::string_view, 7> names{"SECONDLY", "MINUTELY", "HOURLY", "DAILY",
                                                    "WEEKLY",   "MONTHLY",  "YEARLY"};
    static_assert(names[static_cast<std::size_t>(Frequency::yearly)] == "YEARLY");
    const auto found = std::ranges::find_if(
        names, [value](std::string_view name) { return base::same_ignoring_case(value, name); });
    if (found == names.end())
        return bad_rrule("FREQ=" + quoted(value) +
                         ": use SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY");
    rule.frequency = static_cast<Frequency>(found - names.begin());
    return std::nullopt;
}

/// A whole number from 1; larger values become largest_rule_number.
std::optional<std::int64_t> positive_number(std::string_view value) {
    if (value.empty() || !std::ranges::all_of(value, is_digit)) return std::nullopt;
    std::int64_t number = 0;
    for (const char digit : value)
        number = std::min(number * 10 + (digit - '0'), largest_rule_number);
    return number == 0 ? std::nullopt : std::optional(number);
}

Defect read_interval(RruleRule& rule, std::string_view value) {
    const auto number = positive_number(value);
    if (!number) return bad_rrule("INTERVAL=" + quoted(value) + ": use a whole number from 1");
    rule.interval = *number;
    return std::nullopt;
}

Defect read_count(RruleRule& rule, std::string_view value) {
    const auto number = positive_number(value);
    if (!number) return bad_rrule("COUNT=" + quoted(value) + ": use a whole number from 1");
    rule.count = static_cast<std::uint64_t>(*number);
    return std::nullopt;
}

Defect read_until(RruleRule& rule, std::string_view value) {
    const std::string right =
        "UNTIL=" + quoted(value) +
        ": write an instant as 19971224T000000Z, a local time as 19971224T000000 or a day as "
        "19971224, of years 0001 to 9999";
    if (const auto day = read_compact_date(value)) {
        if (!*day) return bad_rrule(right);
        rule.until = {RuleEnd::Kind::day, std::chrono::local_days{**day} + std::chrono::days{1} -
                                              std::chrono::seconds{1}};
        return std::nullopt;
    }
    const auto time = read_compact_time(value);
    if (!time) return bad_rrule(right);
    rule.until = {time->utc ? RuleEnd::Kind::instant : RuleEnd::Kind::wall, time->wall};
    return std::nullopt;
}

std::optional<std::chrono::weekday> weekday_named(std::string_view text) {
    constexpr std::array<std::string_view, 7> names{"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
    const auto found = std::ranges::find_if(
        names, [text](std::string_view name) { return base::same_ignoring_case(text, name); });
    if (found == names.end()) return std::nullopt;
    return std::chrono::weekday{static_cast<unsigned>(found - names.begin())};
}

Defect read_week_start(RruleRule& rule, std::string_view value) {
    const auto day = weekday_named(value);
    if (!day) return bad_rrule("WKST=" + quoted(value) + ": use one of MO TU WE TH FR SA SU");
    rule.week_start = *day;
    return std::nullopt;
}

Defect read_days(RruleRule& rule, std::string_view value) {
    auto defect = each_item(value, [&](std::string_view item) -> Defect {
        const auto wrong = [whole = item] {
            return bad_rrule("BYDAY=" + quoted(whole) +
                             ": use MO TU WE TH FR SA SU, or one of them with its number of 1 to "
                             "53 or -53 to -1 in front, as 2MO or -1FR");
        };
        if (item.size() < 2) return wrong();
        const auto day = weekday_named(item.substr(item.size() - 2));
        if (!day) return wrong();
        item.remove_suffix(2);
        if (item.empty()) {
            rule.by_day.push_back({0, *day});
            return std::nullopt;
        }
        const int sign = take_sign(item);
        const auto nth = small_number(item, 2);
        if (!nth || *nth < 1 || *nth > 53) return wrong();
        rule.by_day.push_back({sign * *nth, *day});
        return std::nullopt;
    });
    // In people's order: from Monday.
    sort_out(rule.by_day, [](const RuleDay& one, const RuleDay& other) {
        return std::pair(one.day.iso_encoding(), one.nth) <
               std::pair(other.day.iso_encoding(), other.nth);
    });
    return defect;
}

/// A part whose value is a list of numbers.
struct NumberPart {
    std::string_view name;
    std::vector<int> RruleRule::* list;
    int low, high;
    bool from_end;  // also negative, counted from the end; then 0 is invalid
    std::string_view right;
};
constexpr std::array number_parts{
    NumberPart{"BYSECOND", &RruleRule::by_second, 0, 60, false, "seconds are 0 to 60"},
    NumberPart{"BYMINUTE", &RruleRule::by_minute, 0, 59, false, "minutes are 0 to 59"},
    NumberPart{"BYHOUR", &RruleRule::by_hour, 0, 23, false, "hours are 0 to 23"},
    NumberPart{"BYMONTHDAY", &RruleRule::by_month_day, 1, 31, true,
               "days of the month are 1 to 31, or -31 to -1 from its end"},
    NumberPart{"BYYEARDAY", &RruleRule::by_year_day, 1, 366, true,
               "days of the year are 1 to 366, or -366 to -1 from its end"},
    NumberPart{"BYWEEKNO", &RruleRule::by_week, 1, 53, true,
               "weeks of the year are 1 to 53, or -53 to -1 from its end"},
    NumberPart{"BYMONTH", &RruleRule::by_month, 1, 12, false, "months are 1 to 12"},
    NumberPart{"BYSETPOS", &RruleRule::by_position, 1, 366, true,
               "positions are 1 to 366, or -366 to -1 from the end"},
};

Defect read_numbers(const NumberPart& part, RruleRule& rule, std::string_view value) {
    std::vector<int>& numbers = rule.*part.list;
    auto defect = each_item(value, [&](std::string_view item) -> Defect {
        std::string_view digits = item;
        const int sign = part.from_end ? take_sign(digits) : 1;
        const auto number = small_number(digits, part.high > 99 ? 3 : 2);
        if (!number || *number < part.low || *number > part.high)
            return bad_rrule(std::string(part.name) + "=" + quoted(item) + ": " +
                             std::string(part.right));
        numbers.push_back(sign * *number);
        return std::nullopt;
    });
    sort_out(numbers);
    return defect;
}

struct OtherPart {
    std::string_view name;
    Defect (*read)(RruleRule&, std::string_view);
};
constexpr std::array other_parts{
    OtherPart{"FREQ", read_frequency},  OtherPart{"INTERVAL", read_interval},
    OtherPart{"COUNT", read_count},     OtherPart{"UNTIL", read_until},
    OtherPart{"WKST", read_week_start}, OtherPart{"BYDAY", read_days},
};

/// Reads the parts and records which ones are present.
class Parts {
public:
    Defect read(RruleRule& rule, std::string_view part) {
        if (part.empty())
            return bad_rrule("an empty part: parts are written NAME=VALUE, joined by one ';'");
        const auto equals = part.find('=');
        const std::string_view name = part.substr(0, equals);
        const std::string_view value =
            equals == std::string_view::npos ? "" : part.substr(equals + 1);
        const auto named = [name](const auto& known) {
            return base::same_ignoring_case(name, known.name);
        };

        const auto numbers = std::ranges::find_if(number_parts, named);
        const auto other = std::ranges::find_if(other_parts, named);
        const bool is_list = numbers != number_parts.end();
        if (!is_list && other == other_parts.end()) return unknown(name);
        const std::string_view known = is_list ? numbers->name : other->name;
        if (std::ranges::find(seen_, known) != seen_.end())
            return bad_rrule(std::string(known) + " is given twice; give it once");
        seen_.push_back(known);
        if (value.empty())
            return bad_rrule(std::string(known) + " is empty; give a value or leave it out");
        return is_list ? read_numbers(*numbers, rule, value) : other->read(rule, value);
    }

    [[nodiscard]] bool has(std::string_view name) const {
        return std::ranges::find(seen_, name) != seen_.end();
    }

private:
    static TimeError unknown(std::string_view name) {
        if (base::same_ignoring_case(name, "TZID"))
            return bad_rrule(
                "TZID is not part of a rule; give the zone separately, or with the start, as "
                "DTSTART;TZID=Europe/Rome:19970902T090000");
        return bad_rrule(
            "unknown part " + quoted(name) +
            ": there are FREQ, INTERVAL, COUNT, UNTIL, BYSECOND, BYMINUTE, BYHOUR, BYDAY, "
            "BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYMONTH, BYSETPOS and WKST");
    }

    std::vector<std::string_view> seen_;
};

/// Combinations of valid parts that RFC 5545 forbids.
Defect forbidden_together(const RruleRule& rule, const Parts& parts) {
    const Frequency frequency = rule.frequency;
    if (rule.count && rule.until)
        return bad_rrule("COUNT and UNTIL exclude each other; give one of them");
    if (!rule.by_week.empty() && frequency != Frequency::yearly)
        return bad_rrule("BYWEEKNO needs FREQ=YEARLY");
    if (!rule.by_year_day.empty() && frequency >= Frequency::daily &&
        frequency <= Frequency::monthly)
        return bad_rrule(
            "BYYEARDAY does not go with FREQ=DAILY, WEEKLY or MONTHLY; use FREQ=YEARLY");
    if (!rule.by_month_day.empty() && frequency == Frequency::weekly)
        return bad_rrule("BYMONTHDAY does not go with FREQ=WEEKLY; use FREQ=MONTHLY");
    const bool numbered =
        std::ranges::any_of(rule.by_day, [](RuleDay day) { return day.nth != 0; });
    if (numbered && frequency < Frequency::monthly)
        return bad_rrule("BYDAY with a number, as 2MO, needs FREQ=MONTHLY or YEARLY");
    if (numbered && !rule.by_week.empty())
        return bad_rrule("BYDAY with a number, as 2MO, does not go with BYWEEKNO");
    const bool other_by = std::ranges::any_of(number_parts, [&](const NumberPart& part) {
        return part.name != "BYSETPOS" && parts.has(part.name);
    });
    if (!rule.by_position.empty() && !other_by && rule.by_day.empty())
        return bad_rrule("BYSETPOS needs another BY part to choose from, as BYDAY");
    return std::nullopt;
}

}  // namespace

TimeResult<RruleRule> parse_rrule(std::string_view text) {
    constexpr std::string_view prefix = "RRULE:";
    if (base::same_ignoring_case(text.substr(0, prefix.size()), prefix))
        text.remove_prefix(prefix.size());

    RruleRule rule;
    Parts parts;
    std::string_view rest = text;
    for (bool more = true; more;) {
        more = rest.find(';') != std::string_view::npos;
        if (auto defect = parts.read(rule, take_item(rest, ';'))) return *std::move(defect);
    }
    if (!parts.has("FREQ")) return bad_rrule("FREQ is missing; write for example FREQ=DAILY");
    if (auto defect = forbidden_together(rule, parts)) return *std::move(defect);
    return rule;
}

}  // namespace sundial
