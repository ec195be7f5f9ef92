#include "embedded/scheduling.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "base/uuid.hpp"
#include "domain/time/text.hpp"

namespace sundial::embedding {
namespace {

/// About how many rows that do not match a page may pass.
constexpr std::size_t max_passed = 10'000;
constexpr std::size_t max_page = 500;

sundial::Priority as_domain(Priority priority) { return static_cast<sundial::Priority>(priority); }
static_assert(static_cast<int>(Priority::critical) ==
                  static_cast<int>(sundial::Priority::critical) &&
              static_cast<int>(Priority::high) == static_cast<int>(sundial::Priority::high) &&
              static_cast<int>(Priority::normal) == static_cast<int>(sundial::Priority::normal) &&
              static_cast<int>(Priority::low) == static_cast<int>(sundial::Priority::low));
static_assert(static_cast<int>(Gap::skip) == static_cast<int>(GapPolicy::skip) &&
              static_cast<int>(Gap::boundary) == static_cast<int>(GapPolicy::boundary) &&
              static_cast<int>(Overlap::skip) == static_cast<int>(OverlapPolicy::skip) &&
              static_cast<int>(Overlap::both) == static_cast<int>(OverlapPolicy::both) &&
              static_cast<int>(Leap::skip) == static_cast<int>(LeapPolicy::skip) &&
              static_cast<int>(Misfire::skip) == static_cast<int>(MisfirePolicy::skip));

/// Public policies have the numbers of the internal ones (above).
template <class Domain, class Public>
std::optional<Domain> policy_of(const std::optional<Public>& policy) {
    return policy ? std::optional{static_cast<Domain>(*policy)} : std::nullopt;
}

struct ToTrigger {
    TriggerFields operator()(const Cron& rule) const { return {.cron = rule.expression}; }
    TriggerFields operator()(const Rrule& rule) const {
        return {.rrule = RruleTrigger{.ical = {},
                                      .dtstart = rule.dtstart,
                                      .rrule = rule.rrule,
                                      .rdate = {},
                                      .exdate = {}}};
    }
    TriggerFields operator()(const Every& rule) const {
        return {.every = "PT" + std::to_string(rule.interval.count()) + "S"};
    }
    TriggerFields operator()(const Yearly& rule) const {
        return {.yearly = YearlyFields{.on = rule.on, .at = rule.at}};
    }
};

std::optional<std::string> instant_text(const std::optional<Instant>& instant) {
    return instant ? std::optional{format_instant(*instant)} : std::nullopt;
}

/// A cursor is the due time of the last event in microseconds, and its id.
std::string cursor_of(const PageKey& key) { return key.value + ' ' + base::to_string(key.id); }

std::optional<PageKey> key_of(std::string_view cursor) {
    const auto blank = cursor.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    const std::string_view digits = cursor.substr(0, blank);
    std::int64_t micros = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), micros);
    const auto id = base::parse_uuid(cursor.substr(blank + 1));
    const bool sound = error == std::errc{} && end == digits.data() + digits.size() &&
                       in_range(Instant{std::chrono::microseconds{micros}});
    if (!sound || !id) return std::nullopt;
    return PageKey{std::string{digits}, *id};
}

}  // namespace

ScheduleFields requested_schedule(const NewSchedule& requested) {
    ScheduleFields fields;
    fields.event_type = requested.event_type;
    fields.priority = as_domain(requested.priority);
    fields.enabled = requested.enabled;
    fields.trigger = std::visit(ToTrigger{}, requested.rule);
    fields.per_user = requested.per_user;
    if (!requested.timezone.empty()) {
        fields.timezone = requested.timezone;
    } else if (!requested.per_user) {
        fields.timezone = "UTC";
    }
    if (!requested.queue.empty()) fields.endpoint = std::optional{"ext:" + requested.queue};
    fields.payload = requested.payload;
    fields.gap = policy_of<GapPolicy>(requested.gap);
    fields.overlap = policy_of<OverlapPolicy>(requested.overlap);
    fields.leap = policy_of<LeapPolicy>(requested.leap);
    fields.misfire = policy_of<MisfirePolicy>(requested.misfire);
    if (requested.starts_at) fields.starts_at = instant_text(requested.starts_at);
    if (requested.ends_at) fields.ends_at = instant_text(requested.ends_at);
    return fields;
}

EventEdit requested_change(const EventChange& change) {
    EventEdit edit;
    edit.target.utc = instant_text(change.at);
    edit.target.local = unless_empty(change.local_time);
    edit.target.zone = unless_empty(change.timezone);
    edit.payload = change.payload;
    if (change.priority) edit.priority = as_domain(*change.priority);
    return edit;
}

sundial::Result<EventPage> list_events(Queries& queries, const EventFilter& filter,
                                       const PageOptions& page) {
    EventQuery query;
    for (const std::string& name : filter.statuses) {
        const auto status = parse_event_status(name);
        if (!status) return invalid("/statuses", "not_allowed", "'" + name + "' names no status");
        query.statuses.push_back(*status);
    }
    for (const Priority priority : filter.priorities) {
        query.priorities.push_back(as_domain(priority));
    }
    query.types = filter.types;
    if (!filter.user_id.empty()) {
        const auto user = queries.user_id(filter.user_id);
        if (!user) return user.error();
        query.user = *user;
    }
    if (!filter.schedule.empty()) {
        const auto schedule = queries.schedule_id("ext:" + filter.schedule);
        if (!schedule) return schedule.error();
        query.schedule = *schedule;
    }
    if (!filter.queue.empty()) {
        const auto queue = queries.endpoint_id("ext:" + filter.queue);
        if (!queue) return queue.error();
        query.endpoint = *queue;
    }
    query.target_from = filter.due_from;
    query.target_to = filter.due_to;
    if (filter.dead_letters) {
        query.statuses = {EventStatus::failed};
        query.dismissed = false;
    }
    if (page.limit < 1 || page.limit > max_page) {
        return invalid("/limit", "out_of_range", "must be 1 to 500");
    }
    query.page.limit = page.limit;
    query.page.descending = page.latest_first;
    if (!page.after.empty()) {
        query.page.after = key_of(page.after);
        if (!query.page.after) return InvalidCursor{};
    }
    if (passes_rows(query)) query.max_passed = max_passed;
    const Page<sundial::Event> found = queries.events(query);
    EventPage result{.events = shown(found.items), .next = {}};
    if (found.passed) {
        result.next = cursor_of(*found.passed);
    } else if (found.has_more) {
        const sundial::Event& last = found.items.back();
        result.next =
            cursor_of({std::to_string(last.due.time_since_epoch().count()), last.id.value});
    }
    return result;
}

Schedule shown(const ScheduleView& view) {
    const sundial::Schedule& schedule = view.schedule;
    return {.id = to_string(schedule.id),
            .name = schedule.external_id.value_or(""),
            .event_type = schedule.event_type,
            .description = describe(schedule),
            .enabled = schedule.enabled,
            .per_user = schedule.per_user,
            .version = schedule.version.value,
            .next = view.next_at};
}

Preview shown(const sundial::Preview& preview) {
    Preview result{
        .description = preview.description, .warnings = preview.warnings, .occurrences = {}};
    result.occurrences.reserve(preview.occurrences.size());
    for (const PreviewedOccurrence& one : preview.occurrences) {
        result.occurrences.push_back({one.target, one.local, one.note});
    }
    return result;
}

}  // namespace sundial::embedding
