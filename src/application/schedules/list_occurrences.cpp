#include "application/schedules/list_occurrences.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>
#include <utility>

#include "application/schedules/occurrences.hpp"
#include "domain/time/calendar_duration.hpp"
#include "domain/time/effort.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

/// Every chain of a yearly schedule has its next event, so a shorter time lacks none.
constexpr microseconds one_year = std::chrono::days{366};

ValidationFailed refused_moment(const char* pointer, const TimeError& error) {
    return invalid(pointer, std::string{to_string(error.code)}, error.message);
}

Instant instant_of_place(const PageKey& place) {
    return Instant{microseconds{std::stoll(place.value)}};
}

std::pair<Instant, Uuid> future_order(const FutureOccurrence& one) {
    return {one.at, one.event ? one.event->value : one.schedule.value().value};
}

FutureOccurrence planned_future(const Event& event, const TzData& zones) {
    FutureOccurrence one{.at = event.due,
                         .zone = event.intent.zone,
                         .local = {},
                         .event_type = event.type,
                         .event = event.id,
                         .user = event.user,
                         .endpoint = event.endpoint,
                         .paused = waiting_for(event) == WaitReason::schedule};
    if (event.occurrence) one.schedule = event.occurrence->schedule;
    if (const auto zone = zones.find(event.intent.zone)) {
        one.local = format_local_millis(event.due, **zone);
    }
    return one;
}

/// Read in one transaction; later occurrences are computed after it.
struct FutureRead {
    Instant from, to;
    std::vector<Event> events;
    bool more_events = false;
    std::vector<Schedule> schedules{};       // enabled, without users
    std::vector<Schedule> of_users{};        // enabled, per user
    std::set<ScheduleId> planned_at_from{};  // their event at the very start is on the page before
};

std::vector<Schedule> enabled_schedules(Transaction& tx) {
    ScheduleQuery query;
    query.enabled = true;
    query.page.limit = max_future_schedules;
    return tx.schedules().list(query).items;
}

void read_schedules(Transaction& tx, const FutureRequest& request, FutureRead& read) {
    for (Schedule& schedule : enabled_schedules(tx)) {
        if (schedule.per_user) {
            read.of_users.push_back(std::move(schedule));
            continue;
        }
        const LiveQuery at_from{.schedule = schedule.id,
                                .user = std::nullopt,
                                .due_before = read.from + microseconds{1},
                                .due_after = read.from - microseconds{1}};
        if (request.page.after && tx.events().has_live(at_from)) {
            read.planned_at_from.insert(schedule.id);
        }
        read.schedules.push_back(std::move(schedule));
    }
}

/// Adds the occurrences of `schedule` that are not planned and belong to this page.
void add_computed(const Schedule& schedule, const FutureRead& read, const FutureRequest& request,
                  const TzData& zones, std::vector<FutureOccurrence>& all) {
    const auto rule = rule_of_schedule(schedule, nullptr, zones);
    if (!rule) return;  // it never fires again
    std::set<Instant> has_event;
    for (const Event& event : read.events) {
        if (event.occurrence && event.occurrence->schedule == schedule.id) {
            has_event.insert(event.due);
        }
    }
    ListedOccurrences occurrences{rule->recurrence(), rule->zone(), read.from - microseconds{1}};
    std::size_t added = 0;
    while (const auto next = occurrences.next()) {
        const Instant at = next->occurrence.instant;
        // An occurrence after the last event of a full page belongs to the next one.
        const bool beyond = read.more_events && at > read.events.back().due;
        if (at >= read.to || beyond || added > request.page.limit) break;
        const bool on_page_before = at == read.from && read.planned_at_from.contains(schedule.id);
        if (is_skip(next->occurrence.note) || has_event.contains(at) || on_page_before) continue;
        FutureOccurrence one{.at = at,
                             .zone = schedule.timezone.value_or("UTC"),
                             .local = format_local_millis(at, rule->zone()),
                             .event_type = schedule.event_type,
                             .schedule = schedule.id,
                             .endpoint = schedule.endpoint};
        if (request.page.after &&
            future_order(one) <=
                std::pair{instant_of_place(*request.page.after), request.page.after->id}) {
            continue;
        }
        if (read.more_events &&
            future_order(one) > std::pair{read.events.back().due, read.events.back().id.value}) {
            continue;
        }
        all.push_back(std::move(one));
        ++added;
    }
}

}  // namespace

ScheduleResult<Future> ListOccurrences::run(const FutureRequest& request) {
    const auto zones = zones_.current();
    const auto read = in_read(store_, [&](Transaction& tx) -> ScheduleResult<FutureRead> {
        const auto from = parse_moment(request.from, tx.now());
        if (!from) return refused_moment("?from", from.error());
        const auto to = parse_moment(request.to, tx.now());
        if (!to) return refused_moment("?to", to.error());
        if (*from >= *to) return invalid("?from", "out_of_range", "must be before to");
        FutureRead read{.from = std::max(*from, tx.now()), .to = *to, .events = {}};
        if (request.page.after)
            read.from = std::max(read.from, instant_of_place(*request.page.after));
        EventQuery query;
        query.statuses = {EventStatus::pending};
        query.target_from = read.from;
        query.target_to = read.to;
        query.page = request.page;
        auto page = tx.events().list(query);
        read.events = std::move(page.items);
        read.more_events = page.has_more;
        read_schedules(tx, request, read);
        return read;
    });
    if (!read) return read.error();

    Future future{.tz_release = std::string{zones->release()}};
    for (const Event& event : read->events)
        future.occurrences.push_back(planned_future(event, *zones));
    const bool computed = within_effort(max_steps_of_request, [&] {
        for (const Schedule& schedule : read->schedules) {
            add_computed(schedule, *read, request, *zones, future.occurrences);
        }
    });
    if (!computed) return refused_moment("?to", too_expensive());
    for (const Schedule& schedule : read->of_users) {
        const bool once = kind_of(schedule.trigger) == TriggerKind::yearly;
        if (!once || read->to - read->from > one_year) future.only_next.push_back(schedule.id);
    }
    std::ranges::sort(future.occurrences, {}, future_order);
    future.has_more = read->more_events || future.occurrences.size() > request.page.limit;
    if (future.occurrences.size() > request.page.limit) {
        const auto limit = static_cast<std::ptrdiff_t>(request.page.limit);
        future.occurrences.erase(future.occurrences.begin() + limit, future.occurrences.end());
    }
    return future;
}

}  // namespace sundial
