#include "cli/next/show_next.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "base/check.hpp"
#include "base/json.hpp"
#include "cli/next/request.hpp"
#include "cli/output.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;

std::string weekday_and_time(WallTime wall) {
    constexpr std::array names{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    const std::chrono::weekday day{floor<days>(wall)};
    std::string date_and_time = format_wall(wall);
    date_and_time.at(date_and_time.find('T')) = ' ';
    return std::string(names.at(day.c_encoding())) + " " + date_and_time;
}

std::string time_of(WallTime wall) {
    return format_time_of_day(floor<seconds>(wall - floor<days>(wall)));
}

/// `1 h`, `30 min`, `1 h 20 min 5 s`.
std::string in_words(seconds length) {
    const std::chrono::hh_mm_ss parts{length < seconds{0} ? -length : length};
    std::string text;
    const auto add = [&text](std::int64_t amount, const char* unit) {
        if (amount != 0) text += (text.empty() ? "" : " ") + std::to_string(amount) + unit;
    };
    add(parts.hours().count(), " h");
    add(parts.minutes().count(), " min");
    add(parts.seconds().count(), " s");
    return text;
}

/// How far a policy moved an occurrence on the wall clock.
std::string moved_by(const RuleOccurrence& found, const Zone& zone) {
    return in_words(floor<seconds>(wall_time_at(zone, found.instant) - found.nominal));
}

/// Explains the note of an occurrence.
std::string explained(const RuleOccurrence& found, const Zone& zone) {
    const auto absent = [&] { return time_of(found.nominal) + " does not exist: "; };
    const auto twice = [&] { return time_of(found.nominal) + " occurs twice: "; };
    const Date day{floor<days>(found.nominal)};
    const auto no_leap_day = [&] {
        return "no 29 February in " + std::to_string(static_cast<int>(day.year())) + ": ";
    };
    switch (found.note) {
        case OccurrenceNote::none:
            return "";
        case OccurrenceNote::gap_earlier:
            return absent() + "moved back by " + moved_by(found, zone);
        case OccurrenceNote::gap_later:
            return absent() + "moved forward by " + moved_by(found, zone);
        case OccurrenceNote::gap_boundary:
            return absent() + "moved to the end of the gap";
        case OccurrenceNote::gap_skipped:
            return absent() + "skipped";
        case OccurrenceNote::overlap_earlier:
            return "clocks go back: first pass";
        case OccurrenceNote::overlap_later:
            return "clocks went back: second pass";
        case OccurrenceNote::overlap_skipped:
            return twice() + "skipped";
        case OccurrenceNote::leap_moved:
            return no_leap_day() +
                   (day.month() == std::chrono::February ? "on 28 February" : "on 1 March");
        case OccurrenceNote::leap_skipped:
            return no_leap_day() + "skipped";
    }
    base::check(false);
    return {};
}

/// For an occurrence at another offset than the previous one: when the clocks changed.
std::string change_between(const Zone& zone, std::optional<Instant> before, Instant now) {
    if (!before || zone.offset_at(*before) == zone.offset_at(now)) return "";
    const auto change = zone.last_change(now);
    base::check(change.has_value());
    const bool forward = change->after > change->before;
    const Date day{floor<days>(wall_time_at(zone, change->at))};
    return std::string("clocks went ") + (forward ? "forward" : "back") + " by " +
           in_words(change->after - change->before) + " on " + format_date(day);
}

OccurrenceRow row_of(const RuleOccurrence& found, const Zone& zone, std::optional<Instant> before) {
    const seconds offset = zone.offset_at(found.instant);
    std::string note = explained(found, zone);
    if (is_skip(found.note)) return {found.nominal, offset, std::nullopt, std::move(note)};
    if (note.empty()) note = change_between(zone, before, found.instant);
    return {wall_time_at(zone, found.instant), offset, found.instant, std::move(note)};
}

using Cells = std::array<std::string, 4>;

Cells cells_of(const OccurrenceRow& row) {
    const std::string local = weekday_and_time(row.local);
    if (!row.instant) return {local, "-", "-", row.note};
    return {local, format_offset(row.offset), format_instant(*row.instant), row.note};
}

void append_line(std::string& text, const Cells& cells, const std::array<std::size_t, 4>& widths) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += cells.at(i);
        line.append(widths.at(i) + 2 - cells.at(i).size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
}

}  // namespace

std::vector<OccurrenceRow> occurrence_rows(const Recurrence& rule, const Zone& zone, Instant after,
                                           std::size_t rows) {
    std::vector<OccurrenceRow> found;
    const auto cursor = rule.after(after, Skipped::listed);
    std::optional<Instant> before;
    while (found.size() < rows) {
        const auto next = cursor->next();
        if (!next) break;
        found.push_back(row_of(*next, zone, before));
        if (found.back().instant) before = next->instant;
    }
    return found;
}

std::string as_table(const std::vector<OccurrenceRow>& rows, const Zone& zone) {
    if (rows.empty()) return "";
    std::vector<Cells> lines{{"LOCAL, " + std::string(zone.name()), "OFFSET", "UTC", "NOTE"}};
    for (const OccurrenceRow& row : rows) lines.push_back(cells_of(row));
    std::array<std::size_t, 4> widths{};
    for (const Cells& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i)
            widths.at(i) = std::max(widths.at(i), line.at(i).size());
    }
    std::string text;
    for (const Cells& line : lines) append_line(text, line, widths);
    return text;
}

std::string as_plain(const std::vector<OccurrenceRow>& rows) {
    std::string text;
    for (const OccurrenceRow& row : rows) {
        const Cells cells = cells_of(row);
        text += cells[0] + '\t' + cells[1] + '\t' + cells[2] + '\t' + cells[3] + '\n';
    }
    return text;
}

std::string as_json(const std::vector<OccurrenceRow>& rows, const Zone& zone) {
    base::JsonWriter out;
    out.begin_object().member("zone", zone.name()).key("occurrences").begin_array();
    for (const OccurrenceRow& row : rows) {
        out.begin_object().member("local", format_wall(row.local));
        if (row.instant) {
            out.member("offset", format_offset(row.offset));
            out.member("utc", format_instant(*row.instant));
        } else {
            out.key("utc").null();
        }
        if (!row.note.empty()) out.member("note", row.note);
        out.end_object();
    }
    out.end_array().end_object();
    return std::move(out).text() + '\n';
}

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

TimeResult<RequestedRule> read_members(const JsonValue::Object& members, const TimeZones& zones) {
    const auto request = Request::read(members, RequestPlace::expression);
    if (!request) return request.error();
    return read_rule(*request, zones);
}

/// The zone to show the rule's times in: its own, or for an intent in UTC the requested one.
TimeResult<std::shared_ptr<const Zone>> shown_in(const RequestedRule& rule, const std::string& zone,
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
