#include "cli/next/expression.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/ascii.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// The text after `word`, such as `02-29` after `yearly`.
std::optional<std::string_view> after_word(std::string_view expression, std::string_view word) {
    if (!expression.starts_with(word)) return std::nullopt;
    const std::string_view rest = expression.substr(word.size());
    if (!rest.empty() && rest.front() != ' ') return std::nullopt;
    return base::trimmed(rest, blanks);
}

void add(JsonValue::Object& members, std::string name, std::string_view text) {
    if (!text.empty()) members.emplace_back(std::move(name), JsonValue{std::string(text)});
}

/// `02-29` is short for `--02-29`.
std::string yearly_date(std::string_view date) {
    return (date.size() == 5 ? "--" : "") + std::string(date);
}

TimeError missing(std::string message) { return {TimeErrorCode::bad_request, std::move(message)}; }

}  // namespace

Expression read_expression(std::string_view expression) {
    using Kind = Expression::Kind;
    const std::string_view text = base::trimmed(expression, blanks);
    if (base::contains_ignoring_case(text, "DTSTART") ||
        base::contains_ignoring_case(text, "BEGIN:"))
        return {Kind::icalendar, std::string(text)};
    if (base::contains_ignoring_case(text, "FREQ=")) return {Kind::rrule, std::string(text)};
    if (const auto date = after_word(text, "yearly")) return {Kind::yearly, yearly_date(*date)};
    if (const auto every = after_word(text, "every")) return {Kind::every, std::string(*every)};
    return {Kind::cron, std::string(text)};
}

TimeResult<JsonValue::Object> request_of(const Expression& expression, const ExpressionFlags& flags,
                                         Instant from) {
    using Kind = Expression::Kind;
    const Kind kind = expression.kind;
    if (kind == Kind::rrule && flags.dtstart.empty())
        return missing("an RRULE needs the time it starts from: --dtstart 2026-11-20T09:00");
    if ((kind == Kind::cron || kind == Kind::yearly) && flags.zone.empty())
        return missing("a rule needs a time zone: --zone Europe/Berlin, or --zone UTC");

    JsonValue::Object members;
    switch (kind) {
        case Kind::cron:
            add(members, "kind", "cron");
            add(members, "expr", expression.text);
            break;
        case Kind::rrule:
            add(members, "kind", "rrule");
            add(members, "rrule", expression.text);
            add(members, "dtstart", flags.dtstart);
            break;
        case Kind::icalendar:
            add(members, "kind", "rrule");
            add(members, "ical", expression.text);
            add(members, "dtstart", flags.dtstart);  // a second DTSTART: reported as an error
            break;
        case Kind::yearly:
            add(members, "kind", "yearly");
            add(members, "date", expression.text);
            add(members, "time", flags.at);
            break;
        case Kind::every: {
            const auto start = std::chrono::floor<std::chrono::seconds>(from);
            add(members, "kind", "interval");
            add(members, "start", flags.dtstart.empty() ? format_instant(start) : flags.dtstart);
            add(members, "every", expression.text);
            break;
        }
    }
    if (kind != Kind::every) add(members, "zone", flags.zone);  // there it is for display only
    add(members, "gap", flags.gap);
    add(members, "overlap", flags.overlap);
    add(members, "leap", flags.leap);
    return members;
}

}  // namespace sundial::cli
