#include <algorithm>

#include "base/text.hpp"
#include "cli/imports/imported_file.hpp"

namespace sundial::cli {
namespace {

/// A line of iCalendar after unfolding: a line break before a blank continues the line.
struct ContentLine {
    std::size_t number = 0;
    std::string text{};
};

std::vector<ContentLine> unfolded(std::string_view text) {
    std::vector<ContentLine> lines;
    std::size_t number = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        const bool continues = !lines.empty() && (line.starts_with(' ') || line.starts_with('\t'));
        if (continues) {
            lines.back().text += line.substr(1);
        } else {
            lines.push_back({number, std::string(line)});
        }
    }
    return lines;
}

/// `DTSTART` of `DTSTART;TZID=Europe/Paris:20270101T090000`, in capitals.
std::string property_of(const std::string& line) {
    std::string name = line.substr(0, line.find_first_of(";:"));
    std::ranges::transform(name, name.begin(), base::upper);
    return name;
}

std::string value_of(const std::string& line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] == ':' && !quoted) return line.substr(i + 1);
    }
    return "";
}

std::string parameter_of(const std::string& line, std::string_view name) {
    const auto colon = std::min(line.find(':'), line.size());
    const std::string wanted = ';' + std::string(name) + '=';
    const auto at = line.find(wanted);
    if (at == std::string::npos || at > colon) return "";
    const auto begin = at + wanted.size();
    std::string value = line.substr(begin, line.find_first_of(";:", begin) - begin);
    std::erase(value, '"');
    return value;
}

/// A text of iCalendar, `\,` for a comma.
std::string without_escapes(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            plain += text[i];
            continue;
        }
        ++i;
        plain += text[i] == 'n' || text[i] == 'N' ? '\n' : text[i];
    }
    return plain;
}

struct CalendarEvent {
    std::size_t line = 0;
    std::string rule{};  // the lines DTSTART, RRULE, RDATE, EXDATE
    std::string start{}, zone{}, uid{}, summary{}, description{}, location{};
    bool recurs = false, moved = false, whole_day = false, cancelled = false;
};

class IcsReader {
public:
    explicit IcsReader(const ReadOptions& options) : options_(options) {}

    ImportedFile read(std::string_view text) {
        std::optional<CalendarEvent> event;
        unsigned inner = 0;  // components in the event, such as alarms
        for (const ContentLine& line : unfolded(text)) {
            const std::string name = property_of(line.text);
            const std::string value = value_of(line.text);
            if (name == "BEGIN" && base::same_ignoring_case(value, "VEVENT")) {
                event = CalendarEvent{.line = line.number};
            } else if (name == "END" && base::same_ignoring_case(value, "VEVENT")) {
                if (event) add(*event);
                event.reset();
            } else if (event && name == "BEGIN") {
                ++inner;
            } else if (event && name == "END") {
                if (inner > 0) --inner;
            } else if (event && inner == 0) {
                read_property(*event, name, line.text, value);
            } else if (name == "X-WR-TIMEZONE") {
                calendar_zone_ = value;
            }
        }
        if (used_default_)
            file_.notes.emplace_back(
                "Events without a time zone are read in UTC. Their times are local: give "
                "--timezone.");
        number_equal_ids(file_);
        return std::move(file_);
    }

private:
    static void read_property(CalendarEvent& event, const std::string& name,
                              const std::string& line, const std::string& value) {
        if (name == "DTSTART") {
            event.start = value;
            event.whole_day = value.find('T') == std::string::npos;
            event.zone = value.ends_with('Z') ? "UTC" : parameter_of(line, "TZID");
        }
        if (name == "RRULE" || name == "RDATE") event.recurs = true;
        if (name == "RECURRENCE-ID") event.moved = true;
        if (name == "STATUS") event.cancelled = base::same_ignoring_case(value, "CANCELLED");
        if (name == "UID") event.uid = value;
        if (name == "SUMMARY") event.summary = without_escapes(value);
        if (name == "DESCRIPTION") event.description = without_escapes(value);
        if (name == "LOCATION") event.location = without_escapes(value);
        if (name == "DTSTART" || name == "RRULE" || name == "RDATE" || name == "EXDATE")
            event.rule += (event.rule.empty() ? "" : "\n") + line;
    }

    void add(const CalendarEvent& event) {
        const std::string text = event.summary.empty() ? event.uid : event.summary;
        const auto refuse = [&](std::string reason) {
            file_.refused.push_back({event.line, text, std::move(reason)});
        };
        if (event.cancelled) return;
        if (event.start.empty()) return refuse("the event has no DTSTART");
        if (event.moved)
            return refuse(
                "RECURRENCE-ID moves one occurrence of another event: add an EXDATE to "
                "that one, and schedule this one with `sundial event add`");
        if (event.whole_day) return refuse("the event lasts whole days and has no time of day");
        if (!event.recurs)
            return refuse("the event happens once: `sundial event add` schedules a single event");
        ImportedEntry entry{.line = event.line, .text = text};
        entry.trigger = "rrule";
        entry.rule = event.rule;
        entry.zone = zone_of(event);
        entry.external_id = event.uid.empty() ? derived_id("ics", event.summary, {event.rule})
                                              : derived_id("ics", event.uid, {event.uid});
        entry.gap = "skip";
        entry.overlap = "earlier";
        entry.clock = OldClock::icalendar;
        entry.payload = payload_of({{"uid", event.uid},
                                    {"summary", event.summary},
                                    {"description", event.description},
                                    {"location", event.location}});
        file_.entries.push_back(std::move(entry));
    }

    /// The zone of the start; --timezone is for events that name none.
    std::string zone_of(const CalendarEvent& event) {
        if (!event.zone.empty()) return event.zone;
        if (!options_.zone.empty()) return options_.zone;
        if (!calendar_zone_.empty()) return calendar_zone_;
        used_default_ = true;
        return "UTC";
    }

    const ReadOptions& options_;
    ImportedFile file_{};
    std::string calendar_zone_{};
    bool used_default_ = false;
};

}  // namespace

ImportedFile read_ics(std::string_view text, const ReadOptions& options) {
    return IcsReader(options).read(text);
}

}  // namespace sundial::cli
