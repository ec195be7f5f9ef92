#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/rrule.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"

namespace sundial {
namespace {

using Defect = std::optional<TimeError>;

TimeError bad_set(std::string why) { return {TimeErrorCode::bad_rrule, std::move(why)}; }
TimeError bad_request(std::string why) { return {TimeErrorCode::bad_request, std::move(why)}; }

/// `name` in the spelling of messages.
TimeError bad_time(std::string_view name, std::string_view text, std::string_view why) {
    return {TimeErrorCode::bad_time,
            std::string(name) + " " + quoted(text) + ": " + std::string(why)};
}

/// `1997-09-02T09:00[:00][Z]`.
TimeResult<CompactTime> read_long_time(std::string_view name, std::string_view text) {
    const bool utc = text.ends_with('Z') || text.ends_with('z');
    const auto local = parse_local(text.substr(0, text.size() - (utc ? 1 : 0)));
    if (!local)
        return TimeError{local.error().code, std::string(name) + " " + local.error().message};
    if (local->offset || local->zone)
        return bad_time(name, text, "write it without offset and zone; give the zone separately");
    const auto whole = std::chrono::floor<std::chrono::seconds>(local->wall);
    if (whole != local->wall)
        return bad_time(name, text, "recurrences have no fractions of a second");
    return CompactTime{whole, utc};
}

TimeResult<CompactTime> read_time(std::string_view name, std::string_view text) {
    constexpr std::string_view no_time_of_day =
        "a date alone has no due instant; add the time of day, as 19970902T090000";
    if (text.size() > 4 && text[4] == '-') {
        if (parse_date(text)) return bad_time(name, text, no_time_of_day);
        return read_long_time(name, text);
    }
    if (const auto time = read_compact_time(text)) return *time;
    if (read_compact_date(text)) return bad_time(name, text, no_time_of_day);
    if (text.starts_with("0000"))
        return TimeError{TimeErrorCode::out_of_range,
                         std::string(name) + " " + quoted(text) + ": years are 0001 to 9999"};
    if (text.find("TZID") != std::string_view::npos)
        return bad_time(name, text,
                        "write the time alone, as 19970902T090000; give its zone separately");
    return bad_time(name, text,
                    "write an existing date and time as 19970902T090000 or 1997-09-02T09:00:00, "
                    "with Z at its end when it is UTC");
}

/// The zones that the times name, without duplicates.
class ZoneNames {
public:
    std::size_t index_of(std::string_view name) {
        const auto known = indices_.find(name);
        if (known != indices_.end()) return known->second;
        names_.emplace_back(name);
        return indices_.emplace(name, names_.size() - 1).first->second;
    }
    std::vector<std::string> take() && { return std::move(names_); }

private:
    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> indices_;
};

bool is_utc(std::string_view zone) { return zone == "UTC" || zone == "Etc/UTC"; }

/// The zone of DTSTART from its text and the separate zone field.
TimeResult<std::string_view> zone_of_start(std::string_view name, std::string_view text, bool utc,
                                           std::optional<std::string_view> own,
                                           std::optional<std::string_view> given_zone) {
    if (utc) {
        if (given_zone && !is_utc(*given_zone))
            return bad_request(std::string(name) + " " + quoted(text) +
                               " is UTC by its Z, and the zone " + quoted(*given_zone) +
                               " is another; leave out one of them");
        return given_zone.value_or("UTC");
    }
    if (own && given_zone && *own != *given_zone)
        return bad_request(std::string(name) + " has the zone " + quoted(*own) + ", and the zone " +
                           quoted(*given_zone) +
                           " given separately is another; leave out one of them");
    if (own) return *own;
    if (given_zone) return *given_zone;
    return bad_request(std::string(name) + " " + quoted(text) +
                       " needs a zone, as Europe/Rome, or Z at its end when it is UTC");
}

Defect read_list(std::string_view name, const std::vector<std::string_view>& texts,
                 ZoneNames& zones, std::vector<SetTime>& times) {
    for (const std::string_view text : texts) {
        const auto time = read_time(name, text);
        if (!time) return time.error();
        times.push_back({time->wall, time->utc ? zones.index_of("UTC") : 0});
    }
    return std::nullopt;
}

// --- iCalendar ----------------------------------------------------------------------------------

/// Reads the lines of a text, unfolded: a line that begins with a blank continues the previous one
/// (RFC 5545, 3.1).
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}

    std::optional<std::string> next() {
        if (rest_.empty()) return std::nullopt;
        std::string line(take());
        while (rest_.starts_with(' ') || rest_.starts_with('\t')) line += take().substr(1);
        return line;
    }

private:
    std::string_view take() {
        const auto end = std::min(rest_.find('\n'), rest_.size());
        std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }
    std::string_view rest_;
};

/// `NAME;PARAMETER=VALUE:VALUE`, with the two parameters that dates have.
struct ContentLine {
    std::string_view name, value;
    std::optional<std::string_view> zone, value_type;
    bool has_parameters = false;
};

TimeError malformed_line(std::string_view line) {
    return bad_set("the line " + quoted(line) +
                   " is not iCalendar; write NAME:VALUE or NAME;TZID=Europe/Rome:VALUE");
}

/// Takes `NAME=VALUE` from the front; VALUE may be in double quotes.
std::optional<std::pair<std::string_view, std::string_view>> take_parameter(
    std::string_view& rest) {
    const auto equals = rest.find_first_of("=:;");
    if (equals == std::string_view::npos || rest[equals] != '=') return std::nullopt;
    const std::string_view name = rest.substr(0, equals);
    rest.remove_prefix(equals + 1);
    const bool in_quotes = rest.starts_with('"');
    if (in_quotes) rest.remove_prefix(1);
    const auto end = in_quotes ? rest.find('"') : rest.find_first_of(":;,\"");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view value = rest.substr(0, end);
    rest.remove_prefix(end + (in_quotes ? 1 : 0));
    return std::pair(name, value);
}

TimeResult<ContentLine> read_line(std::string_view line) {
    ContentLine read;
    std::string_view rest = line;
    const auto end = rest.find_first_of(":;");
    if (end == std::string_view::npos || end == 0) return malformed_line(line);
    read.name = rest.substr(0, end);
    rest.remove_prefix(end);
    while (rest.starts_with(';')) {
        rest.remove_prefix(1);
        read.has_parameters = true;
        const auto parameter = take_parameter(rest);
        if (!parameter) return malformed_line(line);
        const bool is_zone = base::same_ignoring_case(parameter->first, "TZID");
        if (!is_zone && !base::same_ignoring_case(parameter->first, "VALUE"))
            return bad_set("unknown parameter " + quoted(parameter->first) + " of " +
                           quoted(read.name) + ": there are TZID and VALUE=DATE-TIME");
        auto& place = is_zone ? read.zone : read.value_type;
        if (place)
            return bad_set("the parameter " + quoted(parameter->first) + " of " +
                           quoted(read.name) + " is given twice; give it once");
        place = parameter->second;
    }
    if (!rest.starts_with(':')) return malformed_line(line);
    read.value = rest.substr(1);
    return read;
}

/// Collects the lines of one event.
class EventReader {
public:
    Defect read(const std::string& text) {
        const auto line = read_line(text);
        if (!line) return line.error();
        if (base::same_ignoring_case(line->name, "RRULE")) return read_rule(*line, text);
        if (base::same_ignoring_case(line->name, "DTSTART")) return read_start(*line);
        if (base::same_ignoring_case(line->name, "RDATE"))
            return read_dates("RDATE", *line, rdates_);
        if (base::same_ignoring_case(line->name, "EXDATE"))
            return read_dates("EXDATE", *line, exdates_);
        return bad_set("the line " + quoted(line->name) +
                       " does not belong here: there are DTSTART, RRULE, RDATE and EXDATE");
    }

    TimeResult<RecurrenceSet> finish(std::optional<std::string_view> zone) && {
        if (!start_)
            return bad_set(
                "DTSTART is missing; write for example "
                "DTSTART;TZID=Europe/Rome:19970902T090000");
        const auto own = start_zone_ ? std::optional<std::string_view>(*start_zone_) : std::nullopt;
        const auto of_start = zone_of_start("DTSTART", start_text_, start_->utc, own, zone);
        if (!of_start) return of_start.error();
        ZoneNames names;
        names.index_of(*of_start);
        RecurrenceSet set{.zones = {},
                          .dtstart = start_->wall,
                          .rule = std::move(rule_),
                          .rdates = in_zones(rdates_, names),
                          .exdates = in_zones(exdates_, names)};
        set.zones = std::move(names).take();
        return set;
    }

private:
    /// A time whose zone may be known only after the whole text is read.
    struct DateLine {
        std::optional<std::string> zone;  // "UTC" for Z; empty: DTSTART's
        std::vector<std::chrono::local_seconds> times;
    };

    static Defect defect_of_type(std::string_view name, const ContentLine& line) {
        if (!line.value_type || base::same_ignoring_case(*line.value_type, "DATE-TIME"))
            return std::nullopt;
        return bad_time(name, line.value,
                        "only VALUE=DATE-TIME, as 19970902T090000, has due instants");
    }

    Defect read_rule(const ContentLine& line, std::string_view text) {
        if (rule_) return bad_set("RRULE is given twice; give one rule");
        if (line.has_parameters)
            return bad_set("RRULE takes no parameters; write RRULE:FREQ=DAILY");
        auto rule = parse_rrule(text);
        if (!rule) return rule.error();
        rule_ = *std::move(rule);
        return std::nullopt;
    }

    Defect read_start(const ContentLine& line) {
        if (start_) return bad_set("DTSTART is given twice; give one");
        if (auto defect = defect_of_type("DTSTART", line)) return defect;
        const auto time = read_time("DTSTART", line.value);
        if (!time) return time.error();
        if (auto defect = defect_of_zone("DTSTART", line, time->utc)) return defect;
        start_ = *time;
        start_text_ = line.value;
        if (line.zone) start_zone_ = *line.zone;
        return std::nullopt;
    }

    static Defect defect_of_zone(std::string_view name, const ContentLine& line, bool utc) {
        if (!utc || !line.zone) return std::nullopt;
        return bad_time(name, line.value, "a time with Z is UTC and has no TZID");
    }

    static Defect read_dates(std::string_view name, const ContentLine& line,
                             std::vector<DateLine>& lines) {
        if (auto defect = defect_of_type(name, line)) return defect;
        DateLine local{.zone = {}, .times = {}};
        if (line.zone) local.zone = *line.zone;
        DateLine in_utc{.zone = "UTC", .times = {}};
        for (std::string_view rest = line.value;;) {
            const auto comma = rest.find(',');
            const auto time = read_time(name, rest.substr(0, comma));
            if (!time) return time.error();
            if (auto defect = defect_of_zone(name, line, time->utc)) return defect;
            (time->utc ? in_utc : local).times.push_back(time->wall);
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
        for (DateLine& read : {std::ref(local), std::ref(in_utc)}) {
            if (!read.times.empty()) lines.push_back(std::move(read));
        }
        return std::nullopt;
    }

    static std::vector<SetTime> in_zones(const std::vector<DateLine>& lines, ZoneNames& names) {
        std::vector<SetTime> times;
        for (const DateLine& line : lines) {
            const std::size_t zone = line.zone ? names.index_of(*line.zone) : 0;
            for (const auto wall : line.times) times.push_back({wall, zone});
        }
        return times;
    }

    std::optional<CompactTime> start_;
    std::string start_text_;
    std::optional<std::string> start_zone_;
    std::optional<RruleRule> rule_;
    std::vector<DateLine> rdates_, exdates_;
};

}  // namespace

TimeResult<RecurrenceSet> read_recurrence(const RecurrenceFields& fields) {
    const auto start = read_time("dtstart", fields.dtstart);
    if (!start) return start.error();
    const auto zone = zone_of_start("dtstart", fields.dtstart, start->utc, {}, fields.zone);
    if (!zone) return zone.error();
    RecurrenceSet set{.zones = {}, .dtstart = start->wall, .rule = {}, .rdates = {}, .exdates = {}};
    if (fields.rrule) {
        auto rule = parse_rrule(*fields.rrule);
        if (!rule) return rule.error();
        set.rule = *std::move(rule);
    }
    ZoneNames names;
    names.index_of(*zone);
    if (auto defect = read_list("rdate", fields.rdates, names, set.rdates))
        return *std::move(defect);
    if (auto defect = read_list("exdate", fields.exdates, names, set.exdates))
        return *std::move(defect);
    set.zones = std::move(names).take();
    return set;
}

TimeResult<RecurrenceSet> read_icalendar(std::string_view text,
                                         std::optional<std::string_view> zone) {
    EventReader reader;
    Lines lines(text);
    while (const auto line = lines.next()) {
        if (line->empty()) continue;
        if (auto defect = reader.read(*line)) return *std::move(defect);
    }
    return std::move(reader).finish(zone);
}

}  // namespace sundial
