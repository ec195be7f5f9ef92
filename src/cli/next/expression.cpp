#include "cli/next/expression.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/interval.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/rrule.hpp"
#include "domain/time/text.hpp"
#include "domain/time/yearly.hpp"

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

namespace {

/// The effect of clock changes on a job, by the policies of time-semantics 7.
std::string_view clock_changes(const CronRule& rule) {
    return rule.wildcard ? "follows real time: skips an hour that the clocks leave out, and fires "
                           "twice in an hour that they repeat"
                         : "a fixed time: at the end of the gap if the clocks leave it out; at the "
                           "first pass if they repeat it (--gap and --overlap change this)";
}

TimeResult<std::string> explain_cron(const std::string& text) {
    const auto rule = parse_cron(text);
    if (!rule) return rule.error();
    return describe(*rule) + "\n" + std::string(clock_changes(*rule));
}

std::optional<std::string_view> if_given(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

TimeResult<std::string> explain_rrule(const std::string& text, const ExpressionFlags& flags) {
    if (flags.dtstart.empty()) {
        const auto rule = parse_rrule(text);
        if (!rule) return rule.error();
        return describe(*rule);
    }
    RecurrenceFields fields;
    fields.dtstart = flags.dtstart;
    fields.rrule = text;
    // The text does not depend on the zone, but a local start needs one.
    const bool utc = flags.dtstart.ends_with('Z') || flags.dtstart.ends_with('z');
    fields.zone = utc ? if_given(flags.zone) : if_given(flags.zone).value_or("UTC");
    const auto set = read_recurrence(fields);
    if (!set) return set.error();
    return describe(*set);
}

TimeResult<std::string> explain_icalendar(const std::string& text, const ExpressionFlags& flags) {
    auto set = read_icalendar(text, if_given(flags.zone));
    // A floating start needs a zone, and the text does not depend on it.
    if (!set && set.error().code == TimeErrorCode::bad_request) set = read_icalendar(text, "UTC");
    if (!set) return set.error();
    return describe(*set);
}

TimeResult<std::string> explain_yearly(const std::string& date, const ExpressionFlags& flags) {
    const auto read = parse_yearly_date(date);
    if (!read) return read.error();
    YearlyRule rule{.day = read->day, .from = read->from};
    if (!flags.at.empty()) {
        const auto at = parse_time_of_day(flags.at);
        if (!at) return at.error();
        rule.at = *at;
    }
    if (!flags.leap.empty()) {
        const auto leap = leap_policy(flags.leap);
        if (!leap) return TimeError{TimeErrorCode::bad_request, "--leap: feb28, mar1 or skip"};
        rule.leap = *leap;
    }
    return describe(rule);
}

TimeResult<std::string> explain_interval(const std::string& every) {
    const auto length = parse_interval(every);
    if (!length) return length.error();
    return describe_interval(*length);
}

}  // namespace

TimeResult<std::string> explain(const Expression& expression, const ExpressionFlags& flags) {
    switch (expression.kind) {
        case Expression::Kind::cron:
            return explain_cron(expression.text);
        case Expression::Kind::rrule:
            return explain_rrule(expression.text, flags);
        case Expression::Kind::icalendar:
            return explain_icalendar(expression.text, flags);
        case Expression::Kind::yearly:
            return explain_yearly(expression.text, flags);
        case Expression::Kind::every:
            return explain_interval(expression.text);
    }
    base::check(false);
    return std::string{};
}

}  // namespace sundial::cli
