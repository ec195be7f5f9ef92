#include "application/calendars/read_calendar.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "application/calendars/calendar_rule.hpp"
#include "application/calendars/ical_text.hpp"
#include "application/calendars/vtimezone.hpp"
#include "application/schedules/occurrences.hpp"
#include "domain/time/effort.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/rrule.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

/// The content of a feed, read in one transaction.
struct CalendarContent {
    Calendar calendar;
    Instant today;  // the last midnight, UTC
    std::optional<User> user{};
    std::vector<Schedule> schedules{};
    std::vector<Event> events{};  // PENDING, of these schedules and single ones of the user
};

/// Empty for an unknown token.
std::optional<CalendarContent> read_content(Transaction& tx, const std::string& token_hash,
                                            unsigned days) {
    const auto calendar = tx.calendars().with_token(token_hash);
    if (!calendar || expired(*calendar, tx.now())) return std::nullopt;
    CalendarContent content{.calendar = *calendar,
                            .today = std::chrono::floor<std::chrono::days>(tx.now())};
    if (calendar->user) {
        content.user = tx.users().find(*calendar->user);
        if (!content.user) return std::nullopt;
    }
    if (calendar->schedule) {
        const auto schedule = tx.schedules().find(*calendar->schedule);
        if (!schedule) return std::nullopt;
        if (schedule->enabled) content.schedules.push_back(*schedule);
    } else {
        ScheduleQuery query;
        query.enabled = true;
        query.per_user = true;
        query.page.limit = max_calendar_schedules;
        content.schedules = tx.schedules().list(query).items;
    }
    EventQuery query;
    query.statuses = {EventStatus::pending};
    query.user = calendar->user;
    query.schedule = calendar->schedule;
    query.target_to = content.today + std::chrono::days{days};
    query.page.limit = max_calendar_events;
    content.events = tx.events().list(query).items;
    return content;
}

class FeedWriter {
public:
    FeedWriter(const CalendarContent& content, const TzData& zones, unsigned days)
        : content_(content), zones_(zones), until_(content.today + std::chrono::days{days}) {}

    std::string text() {
        for (const Schedule& schedule : content_.schedules) write_schedule(schedule);
        for (const Event& event : content_.events) {
            if (!event.occurrence) write_single(event);
        }
        IcalText whole;
        whole.line("BEGIN:VCALENDAR").line("VERSION:2.0").line("PRODID:-//Sundial//Sundial//EN");
        whole.line("CALSCALE:GREGORIAN").line("METHOD:PUBLISH");
        whole.text("NAME", content_.calendar.name);
        whole.text("X-WR-CALNAME", content_.calendar.name);
        whole.line("REFRESH-INTERVAL;VALUE=DURATION:PT1H").line("X-PUBLISHED-TTL:PT1H");
        for (const auto& [name, from] : used_zones_) {
            if (const auto zone = zones_.find(name)) write_timezone(whole, **zone, from);
        }
        std::string lines = std::move(whole).take() + std::move(entries_).take();
        return lines + "END:VCALENDAR\r\n";
    }

private:
    void write_schedule(const Schedule& schedule) {
        const User* const user = content_.user ? &*content_.user : nullptr;
        const auto rule = rule_of_schedule(schedule, user, zones_);
        if (!rule) return;  // it never fires again, or the person lacks the date
        const Instant made =
            user ? std::max(schedule.created_at, user->created_at) : schedule.created_at;
        const auto find_zone = [this](std::string_view name) { return zones_.find(name); };
        if (const auto said = calendar_rule(*rule, made, find_zone)) {
            write_rule(*rule, *said);
        } else {
            // Starts a day early, so that today's events stay listed until tomorrow.
            list_occurrences(*rule, content_.today - std::chrono::days{1});
        }
    }

    void write_rule(const ScheduleRule& rule, const CalendarRule& said) {
        const std::string uid = uid_of(rule);
        begin_entry(rule, uid);
        entries_.line(local_time("DTSTART", said.dtstart, rule, said.utc));
        for (const std::string& line : said.lines) {
            entries_.line(line);
            note_zone(line, said.dtstart);
        }
        end_entry();
        for (const Event& event : content_.events) {
            if (!is_moved(rule, event)) continue;
            begin_entry(rule, uid);
            entries_.line(local_time("RECURRENCE-ID", place_of(rule, event), rule, said.utc));
            entries_.line("DTSTART:" + ical_utc(event.due));
            end_entry();
        }
    }

    void list_occurrences(const ScheduleRule& rule, Instant from) {
        const std::string uid = uid_of(rule);
        const auto cursor = rule.recurrence().after(from);
        for (std::size_t i = 0; i < max_listed_occurrences; ++i) {
            const auto next = cursor->next();
            if (!next || next->instant >= until_) return;
            begin_entry(rule, ical_utc(next->instant) + '-' + uid);
            entries_.line("DTSTART:" + ical_utc(instant_of(rule, *next)));
            end_entry();
        }
    }

    /// The instant of its event, if a caller has moved it.
    [[nodiscard]] Instant instant_of(const ScheduleRule& rule, const RuleOccurrence& at) const {
        for (const Event& event : content_.events) {
            if (is_moved(rule, event) && event.occurrence->nominal == rule.nominal_of(at))
                return event.due;
        }
        return at.instant;
    }

    static bool is_moved(const ScheduleRule& rule, const Event& event) {
        return event.occurrence && event.occurrence->schedule == rule.schedule().id &&
               event.occurrence->origin == Origin::rule && rule.moved_by_hand(event);
    }
    /// The local time at which the rule has the event.
    static WallTime place_of(const ScheduleRule& rule, const Event& event) {
        const Nominal& nominal = event.occurrence->nominal;
        const auto* yearly = std::get_if<YearlyTrigger>(&rule.schedule().trigger);
        if (yearly != nullptr) return std::chrono::local_days{nominal.date} + yearly->at;
        return wall_of(nominal);
    }

    void write_single(const Event& event) {
        entries_.line("BEGIN:VEVENT").line("UID:" + to_string(event.id) + "@sundial");
        entries_.line("DTSTAMP:" + ical_utc(event.updated_at));
        entries_.line("DTSTART:" + ical_utc(event.due));
        entries_.text("SUMMARY", event.type);
        end_entry();
    }

    [[nodiscard]] std::string uid_of(const ScheduleRule& rule) const {
        const std::string person = rule.user() ? '-' + to_string(rule.user()->id) : "";
        return to_string(rule.schedule().id) + person + "@sundial";
    }

    void begin_entry(const ScheduleRule& rule, const std::string& uid) {
        const Schedule& schedule = rule.schedule();
        const User* const user = rule.user();
        const Instant changed =
            user ? std::max(schedule.updated_at, user->updated_at) : schedule.updated_at;
        entries_.line("BEGIN:VEVENT").line("UID:" + uid).line("DTSTAMP:" + ical_utc(changed));
        entries_.text("SUMMARY", schedule.event_type +
                                     (user ? ": " + user->first_name + ' ' + user->last_name : ""));
        entries_.text("DESCRIPTION", describe(schedule));
    }
    /// An entry without an end has no duration and does not block time.
    void end_entry() { entries_.line("TRANSP:TRANSPARENT").line("END:VEVENT"); }

    std::string local_time(const std::string& name, WallTime wall, const ScheduleRule& rule,
                           bool utc) {
        const auto whole = std::chrono::floor<std::chrono::seconds>(wall);
        if (utc || rule.zone().name() == "UTC")
            return name + ':' + format_compact_time(whole) + 'Z';
        use_zone(std::string(rule.zone().name()), whole);
        return name + ";TZID=" + std::string(rule.zone().name()) + ':' + format_compact_time(whole);
    }

    /// Of RDATE and EXDATE, which may name other zones.
    void note_zone(const std::string& line, WallTime dtstart) {
        constexpr std::string_view mark = ";TZID=";
        const auto at = line.find(mark);
        if (at == std::string::npos) return;
        const auto begin = at + mark.size();
        const std::string zone = line.substr(begin, line.find(':', begin) - begin);
        const auto time = read_compact_time(line.substr(line.find(':', begin) + 1));
        use_zone(zone, time ? time->wall : std::chrono::floor<std::chrono::seconds>(dtstart));
    }
    /// A zone's definition begins before its earliest time.
    void use_zone(const std::string& name, std::chrono::local_seconds wall) {
        const Instant from{wall.time_since_epoch() - std::chrono::days{2}};
        const auto [zone, fresh] = used_zones_.try_emplace(name, from);
        if (!fresh) zone->second = std::min(zone->second, from);
    }

    const CalendarContent& content_;
    const TzData& zones_;
    const Instant until_;
    IcalText entries_;
    std::map<std::string, Instant> used_zones_;
};

}  // namespace

CalendarResult<CalendarFeed> ReadCalendar::run(std::string_view token, unsigned days) {
    const auto secret = secret_of_calendar_token(token);
    if (!secret) return NotFound{Noun::calendar, ""};
    const std::string token_hash = secrets_.hash(*secret);
    std::optional<CalendarContent> content;
    store_.read([&](Transaction& tx) { content = read_content(tx, token_hash, days); });
    if (!content) return NotFound{Noun::calendar, ""};
    const auto zones = zones_.current();
    CalendarFeed feed;
    const bool computed = within_effort(
        max_steps_of_request, [&] { feed.text = FeedWriter{*content, *zones, days}.text(); });
    if (!computed) {
        const TimeError error = too_expensive();
        return invalid("?days", std::string{to_string(error.code)}, error.message);
    }
    feed.digest = digest_.sha256(feed.text);
    return feed;
}

}  // namespace sundial
