#include "cli/next/show_next.hpp"

#include <ostream>

#include "cli/exit_code.hpp"
#include "cli/next/explain.hpp"
#include "cli/next/occurrence_table.hpp"
#include "cli/next/rules.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

using exit_code::ok;
using exit_code::usage;

int refuse_rule(const TimeError& error, const Output& output) {
    output.err << "sundial: " << error.message << " (" << to_string(error.code) << ")\n";
    return usage;
}

TimeResult<Instant> read_from(const std::string& text, Instant now) {
    if (text.empty()) return now;
    const auto from = parse_instant(text);
    if (!from) return TimeError{from.error().code, "--from: " + from.error().message};
    return from->instant;
}

TimeResult<AskedRule> read_members(const JsonValue::Object& members, const TimeZones& zones) {
    const auto request = Request::read(members, RequestPlace::expression);
    if (!request) return request.error();
    return read_rule(*request, zones);
}

/// The zone to show the rule's times in: its own, or for an intent in UTC the requested one.
TimeResult<std::shared_ptr<const Zone>> shown_in(const AskedRule& rule, const std::string& zone,
                                                 const TimeZones& zones) {
    if (rule.zone) return rule.zone;
    return zones.find(zone.empty() ? "UTC" : zone);
}

}  // namespace

int show_next(const NextOptions& options, const TimeZones& zones, Instant now,
              const Output& output) {
    const auto from = read_from(options.from, now);
    if (!from) return refuse_rule(from.error(), output);
    const auto members = request_of(read_expression(options.expression), options.flags, *from);
    if (!members) return refuse_rule(members.error(), output);
    const auto rule = read_members(*members, zones);
    if (!rule) return refuse_rule(rule.error(), output);
    const auto zone = shown_in(*rule, options.flags.zone, zones);
    if (!zone) return refuse_rule(zone.error(), output);

    const auto rows = occurrence_rows(*rule->recurrence, **zone, *from, options.count);
    if (output.json) {
        output.out << as_json(rows, **zone);
    } else {
        output.out << (options.plain ? as_plain(rows) : as_table(rows, **zone));
    }
    if (rows.empty())
        output.err << "sundial: nothing occurs after " << format_instant(*from) << '\n';
    return ok;
}

int show_explanation(const NextOptions& options, const Output& output) {
    const auto words = explain(read_expression(options.expression), options.flags);
    if (!words) return refuse_rule(words.error(), output);
    output.out << *words << '\n';
    return ok;
}

}  // namespace sundial::cli
