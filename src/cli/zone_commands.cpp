#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial::cli {
namespace {

using exit_code::not_found;
using exit_code::ok;
using exit_code::usage;

constexpr std::chrono::days listed_ahead{365};
constexpr std::chrono::days shown_ahead{3 * 365};
constexpr std::chrono::days compared_ahead{10 * 365};

int refuse_zone(const TimeError& error, const Output& output) {
    output.err << "sundial: " << error.message << " (" << to_string(error.code) << ")\n";
    return error.code == TimeErrorCode::unknown_zone ? not_found : usage;
}

TimeResult<Instant> read_moment(const char* flag, const std::string& text, Instant otherwise) {
    if (text.empty()) return otherwise;
    const auto moment = parse_instant(text);
    if (!moment)
        return TimeError{moment.error().code, std::string(flag) + ": " + moment.error().message};
    return moment->instant;
}

struct Window {
    Instant from, to;
};
TimeResult<Window> read_window(const std::string& from_text, const std::string& to_text,
                               Instant now, std::chrono::days ahead) {
    const auto from =
        read_moment("--from", from_text, std::chrono::floor<std::chrono::seconds>(now));
    if (!from) return from.error();
    const auto to = read_moment("--to", to_text, std::min<Instant>(*from + ahead, latest_instant));
    if (!to) return to.error();
    if (*to < *from) return TimeError{TimeErrorCode::bad_request, "--to must not be before --from"};
    return Window{*from, *to};
}

/// In [from, to).
std::vector<ZoneChange> changes_of(const Zone& zone, const Window& window) {
    std::vector<ZoneChange> changes;
    for (auto change = zone.next_change(window.from - std::chrono::microseconds{1});
         change && change->at < window.to; change = zone.next_change(change->at)) {
        changes.push_back(*change);
    }
    return changes;
}

/// In the API's format.
void write_zone(base::JsonWriter& json, const Zone& zone, Instant now, const Window& window) {
    json.begin_object().member("name", zone.name());
    json.member("offset", format_offset(zone.offset_at(now))).key("changes").begin_array();
    for (const ZoneChange& change : changes_of(zone, window)) {
        json.begin_object().member("at", format_instant_millis(Instant{change.at}));
        json.member("before", format_offset(change.before));
        json.member("after", format_offset(change.after)).end_object();
    }
    json.end_array().end_object();
}

/// The wall clock just before a change, and after it.
std::string clock_at(const ZoneChange& change, std::chrono::seconds offset) {
    return format_wall(WallTime{change.at.time_since_epoch() + offset});
}

std::string what_happens(const ZoneChange& change) {
    const auto length = format_duration(std::chrono::abs(change.after - change.before));
    return change.after > change.before
               ? "forward by " + length + ": the times between do not exist"
               : "back by " + length + ": the times between occur twice";
}

std::string next_change_of(const Zone& zone, Instant now) {
    const auto next = zone.next_change(now);
    if (!next) return "none";
    return format_instant(next->at) + " to " + format_offset(next->after);
}

}  // namespace

int list_zones(const std::string& part, const TzData& zones, Instant now, const Output& output) {
    TextTable table({"zone", "offset", "next change (UTC)"});
    base::JsonWriter json;
    json.begin_object().member("release", zones.release()).key("data").begin_array();
    std::size_t count = 0;
    for (const std::string& name : zones.names()) {
        if (!base::contains_ignoring_case(name, part)) continue;
        const auto zone = zones.find(name);
        if (!zone) continue;
        ++count;
        if (output.json) {
            write_zone(json, **zone, now, {now, now + listed_ahead});
        } else {
            table.add({name, format_offset((*zone)->offset_at(now)), next_change_of(**zone, now)});
        }
    }
    json.end_array().end_object();
    output.out << (output.json ? std::move(json).text() + '\n' : count > 0 ? table.text() : "");
    if (count == 0) output.err << "sundial: no zone has '" << part << "' in its name\n";
    return count > 0 ? ok : not_found;
}

int show_zone(const ZoneShowOptions& options, const TzData& zones, Instant now,
              const Output& output) {
    const auto zone = zones.find(options.zone);
    if (!zone) return refuse_zone(zone.error(), output);
    const auto window = read_window(options.from, options.to, now, shown_ahead);
    if (!window) return refuse_zone(window.error(), output);

    if (output.json) {
        base::JsonWriter json;
        write_zone(json, **zone, now, *window);
        output.out << json.text() << '\n';
        return ok;
    }
    output.out << options.zone << ", tzdata " << zones.release() << ": now "
               << format_local_millis(now, **zone) << '\n';
    const auto changes = changes_of(**zone, *window);
    if (changes.empty()) {
        output.out << "no change from " << format_instant(window->from) << " to "
                   << format_instant(window->to) << '\n';
        return ok;
    }
    TextTable table({"clock shows", "and then", "UTC", "offset", ""});
    for (const ZoneChange& change : changes) {
        table.add({clock_at(change, change.before), clock_at(change, change.after),
                   format_instant(change.at),
                   format_offset(change.before) + " to " + format_offset(change.after),
                   what_happens(change)});
    }
    output.out << table.text();
    return ok;
}

namespace {

struct Moment {
    Instant instant;
    LocalLookup::Kind kind = LocalLookup::Kind::unique;
    std::string local;  // as requested; empty: an instant was given
    std::string zone;
};

/// A local time in the zone of `--from` or of its own brackets.
TimeResult<Moment> read_local_moment(const ZoneConvertOptions& options, const TzData& zones) {
    const auto gap = gap_policy(options.gap);
    const auto overlap = overlap_policy(options.overlap);
    if (!gap || !overlap) {
        return TimeError{TimeErrorCode::bad_request,
                         "--gap takes compatible, earlier, later, boundary or reject; --overlap "
                         "compatible, earlier, later or reject"};
    }
    const auto request = read_local_request(
        options.time,
        options.from.empty() ? std::nullopt : std::optional<std::string_view>(options.from));
    if (!request) return request.error();
    const auto zone = zones.find(request->zone);
    if (!zone) return zone.error();
    const auto resolved = resolve(request->wall, **zone, *gap, *overlap, request->offset);
    if (!resolved) return resolved.error();
    if (!resolved->instant)
        return TimeError{TimeErrorCode::bad_request, "policy skip leaves no time to convert"};
    return Moment{*resolved->instant, resolved->kind, format_wall(request->wall), request->zone};
}

TimeResult<Moment> read_either(const ZoneConvertOptions& options, const TzData& zones) {
    if (options.from.empty()) {
        if (const auto instant = parse_instant(options.time))
            return Moment{.instant = instant->instant, .local = {}, .zone = {}};
    }
    return read_local_moment(options, zones);
}

const char* resolution_of(LocalLookup::Kind kind) {
    switch (kind) {
        case LocalLookup::Kind::gap:
            return "gap";
        case LocalLookup::Kind::overlap:
            return "overlap";
        case LocalLookup::Kind::unique:
            break;
    }
    return "exact";
}

void report_change(const Moment& moment, const Output& output) {
    if (moment.kind == LocalLookup::Kind::gap) {
        output.err << "note: " << moment.local << " does not exist in " << moment.zone
                   << ": the clocks skip it; choose with --gap earlier, later or boundary\n";
    }
    if (moment.kind == LocalLookup::Kind::overlap) {
        output.err << "note: " << moment.local << " occurs twice in " << moment.zone
                   << "; choose with --overlap earlier or later\n";
    }
}

}  // namespace

int convert_time(const ZoneConvertOptions& options, const TzData& zones, const Output& output) {
    const auto moment = read_either(options, zones);
    if (!moment) return refuse_zone(moment.error(), output);
    std::vector<std::shared_ptr<const Zone>> clocks;
    for (const std::string& name :
         options.to.empty() ? std::vector<std::string>{"UTC"} : options.to) {
        const auto zone = zones.find(name);
        if (!zone) return refuse_zone(zone.error(), output);
        clocks.push_back(*zone);
    }
    if (output.json) {
        base::JsonWriter json;
        json.begin_object().member("utc", format_instant(moment->instant));
        json.member("resolution", resolution_of(moment->kind)).key("in").begin_array();
        for (const auto& zone : clocks) {
            json.begin_object().member("zone", zone->name());
            json.member("local", format_wall(wall_time_at(*zone, moment->instant)));
            json.member("offset", format_offset(zone->offset_at(moment->instant))).end_object();
        }
        json.end_array().end_object();
        output.out << json.text() << '\n';
        return ok;
    }
    TextTable table({"local", "offset", "zone"});
    for (const auto& zone : clocks) {
        table.add({format_wall(wall_time_at(*zone, moment->instant)),
                   format_offset(zone->offset_at(moment->instant)), std::string(zone->name())});
    }
    output.out << table.text();
    report_change(*moment, output);
    return ok;
}

namespace {

struct Difference {
    std::string name;
    Instant at;
    std::chrono::seconds before, after;
};
struct Differences {
    std::vector<Difference> zones;
    std::vector<std::string> gone, fresh;  // names in only one of them
};

std::vector<std::string> only_in(const TzData& one, const TzData& other) {
    std::vector<std::string> names;
    std::ranges::set_difference(one.names(), other.names(), std::back_inserter(names));
    return names;
}

Differences differences_of(const TzData& before, const TzData& after, const Window& window) {
    Differences found{.zones = {}, .gone = only_in(before, after), .fresh = only_in(after, before)};
    for (const std::string& name : before.names()) {
        const auto old_zone = before.find(name);
        const auto new_zone = after.find(name);
        if (!old_zone || !new_zone) continue;
        const auto at = first_difference(**old_zone, **new_zone, window.from, window.to);
        if (at)
            found.zones.push_back(
                {name, *at, (*old_zone)->offset_at(*at), (*new_zone)->offset_at(*at)});
    }
    return found;
}

void write_names(base::JsonWriter& json, const char* member,
                 const std::vector<std::string>& names) {
    json.key(member).begin_array();
    for (const std::string& name : names) json.value(name);
    json.end_array();
}

std::string as_json(const Differences& found, const TzData& before, const TzData& after) {
    base::JsonWriter json;
    json.begin_object().member("before", before.release()).member("after", after.release());
    json.key("data").begin_array();
    for (const Difference& one : found.zones) {
        json.begin_object().member("name", one.name).member("at", format_instant_millis(one.at));
        json.member("before", format_offset(one.before));
        json.member("after", format_offset(one.after)).end_object();
    }
    json.end_array();
    write_names(json, "gone", found.gone);
    write_names(json, "new", found.fresh);
    json.end_object();
    return std::move(json).text();
}

}  // namespace

int diff_zones(const ZoneDiffOptions& options, const TzData& before, const TzData& after,
               Instant now, const Output& output) {
    const auto window = read_window(options.from, options.to, now, compared_ahead);
    if (!window) return refuse_zone(window.error(), output);
    const Differences found = differences_of(before, after, *window);
    if (output.json) {
        output.out << as_json(found, before, after) << '\n';
        return ok;
    }
    if (!found.zones.empty()) {
        TextTable table({"zone", "differs from (UTC)", before.release(), after.release()});
        for (const Difference& one : found.zones) {
            table.add({one.name, format_instant(one.at), format_offset(one.before),
                       format_offset(one.after)});
        }
        output.out << table.text();
    }
    for (const std::string& name : found.gone)
        output.out << name << " is only in " << before.release() << '\n';
    for (const std::string& name : found.fresh)
        output.out << name << " is only in " << after.release() << '\n';
    output.err << found.zones.size() << " of " << before.names().size() << " zones differ from "
               << format_instant(window->from) << " to " << format_instant(window->to) << '\n';
    return ok;
}

}  // namespace sundial::cli
