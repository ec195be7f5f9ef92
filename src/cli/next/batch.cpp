#include "cli/next/batch.hpp"

#include <istream>
#include <optional>
#include <ostream>
#include <streambuf>

#include "base/check.hpp"
#include "base/json.hpp"
#include "cli/next/request.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

using MaybeError = std::optional<TimeError>;

std::optional<std::string> optional_text(const std::optional<Instant>& instant) {
    if (!instant) return std::nullopt;
    return format_instant(*instant);
}

void write_list(std::string_view name, const std::vector<RuleOccurrence>& occurrences,
                base::JsonWriter& out) {
    out.key(name).begin_array();
    for (const RuleOccurrence& each : occurrences) out.value(format_instant(each.instant));
    out.end_array();
}

MaybeError answer_instant(const Request& request, const TimeZones& zones, base::JsonWriter& out) {
    FieldReader read(request, zones);
    const auto instant = read.instant("instant");
    if (!read.error()) out.member("utc", format_instant(*instant));
    return read.error();
}

std::string_view resolution(LocalLookup::Kind kind) {
    switch (kind) {
        case LocalLookup::Kind::unique:
            return "exact";
        case LocalLookup::Kind::gap:
            return "gap";
        case LocalLookup::Kind::overlap:
            return "overlap";
    }
    base::check(false);
    return {};
}

MaybeError answer_local(const Request& request, const TimeZones& zones, base::JsonWriter& out) {
    FieldReader read(request, zones);
    const auto local = read_local(read);
    if (!local) return local.error();
    out.member("utc", optional_text(local->resolved.instant));
    out.member("resolution", resolution(local->resolved.kind));
    return std::nullopt;
}

MaybeError answer_list(const Request& request, const TimeZones& zones, base::JsonWriter& out) {
    FieldReader read(request, zones);
    const Instant after = read.instant("after").value_or(Instant::min());
    if (read.error()) return read.error();
    const auto rule = read_rule(request, zones);
    if (!rule) return rule.error();
    write_list("utc", list_after(*rule->recurrence, after, request.number("count", 1)), out);
    return std::nullopt;
}

MaybeError answer_misfire(const Request& request, const TimeZones& zones, base::JsonWriter& out) {
    const auto schedule = Request::read(request.object("schedule"), RequestPlace::schedule);
    if (!schedule) return TimeError{schedule.error().code, "schedule: " + schedule.error().message};
    const auto rule = read_rule(*schedule, zones);
    if (!rule) return rule.error();

    FieldReader read(request, zones);
    const auto last = read.instant("last");
    const auto now = read.instant("now");
    MisfireRule misfire;
    misfire.policy =
        read.policy<MisfirePolicy>("policy", misfires, default_misfire_policy(rule->kind));
    misfire.window = read.read("window", parse_duration);
    misfire.grace = read.read("grace", parse_duration).value_or(misfire.grace);
    misfire.limit = request.number("limit", misfire.limit);
    if (read.error()) return read.error();

    const CatchUp done = catch_up(*rule->recurrence, *last, *now, misfire);
    write_list("fire", done.fire, out);
    out.member("dropped", done.dropped);
    std::optional<Instant> next;
    if (done.next) next = done.next->instant;
    out.member("next", optional_text(next));
    return std::nullopt;
}

/// Writes the members of the response, or writes nothing and returns the error.
MaybeError answer(const Request& request, const TimeZones& zones, base::JsonWriter& out) {
    switch (request.kind()) {
        case RequestKind::tzdb:
            out.member("tzdb", zones.current()->release());
            return std::nullopt;
        case RequestKind::instant:
            return answer_instant(request, zones, out);
        case RequestKind::local:
            return answer_local(request, zones, out);
        case RequestKind::yearly:
        case RequestKind::cron:
        case RequestKind::rrule:
        case RequestKind::interval:
            return answer_list(request, zones, out);
        case RequestKind::misfire:
            return answer_misfire(request, zones, out);
    }
    base::check(false);
    return {};
}

void write_error(std::string_view code, std::string_view message, base::JsonWriter& out) {
    out.key("error").begin_object().member("code", code).member("message", message).end_object();
}

/// In the batch format a policy that a kind does not accept is a bad request like any other.
std::string_view code_of(const TimeError& error) {
    return to_string(error.code == TimeErrorCode::not_allowed ? TimeErrorCode::bad_request
                                                              : error.code);
}

void write_id(const JsonValue::Object& members, base::JsonWriter& out) {
    const JsonValue* id = find_member(members, "id");
    if (id == nullptr) return;
    if (const auto* text = std::get_if<std::string>(&id->value)) out.member("id", *text);
    if (const auto* number = std::get_if<std::int64_t>(&id->value)) out.member("id", *number);
    if (const auto* number = std::get_if<std::uint64_t>(&id->value)) out.member("id", *number);
}

void answer_value(const JsonValue& value, const TimeZones& zones, base::JsonWriter& out) {
    const auto* members = std::get_if<JsonValue::Object>(&value.value);
    if (members == nullptr) return write_error("bad_request", "a request is a JSON object", out);
    write_id(*members, out);
    const auto request = Request::read(*members, RequestPlace::line);
    const auto error = request ? answer(*request, zones, out) : request.error();
    if (error) write_error(code_of(*error), error->message, out);
}

/// Reads lines from a stream; flushes finished responses before it waits for more input.
class LineReader {
public:
    LineReader(std::streambuf& in, std::ostream& answers) : in_(in), answers_(answers) {}

    /// False at the end of input.
    bool next() {
        line_.clear();
        for (;;) {
            if (in_.in_avail() <= 0) answers_.flush();
            const int c = in_.sbumpc();
            if (c == end) return !line_.empty();
            if (c == '\n') return true;
            if (line_.size() < kept) line_.push_back(static_cast<char>(c));
        }
    }
    /// Without its end, LF or CRLF. For a line that is too long, a prefix that is also too long.
    [[nodiscard]] std::string_view line() const {
        std::string_view line = line_;
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }

private:
    static constexpr int end = std::streambuf::traits_type::eof();
    static constexpr std::size_t kept = longest_line + 2;
    std::streambuf& in_;
    std::ostream& answers_;
    std::string line_;
};

}  // namespace

std::string answer_line(std::string_view line, const TimeZones& zones) {
    base::JsonWriter out;
    out.begin_object();
    if (line.size() > longest_line) {
        write_error("bad_request", "a line has at most 1048576 bytes", out);
    } else if (const auto value = parse_json(line)) {
        answer_value(*value, zones, out);
    } else {
        write_error("bad_json", value.error(), out);
    }
    out.end_object();
    return std::move(out).text();
}

void answer_lines(std::istream& in, std::ostream& out, const TimeZones& zones) {
    LineReader lines(*in.rdbuf(), out);
    while (lines.next()) {
        if (!lines.line().empty()) out << answer_line(lines.line(), zones) << '\n';
    }
    out.flush();
}

}  // namespace sundial::cli
