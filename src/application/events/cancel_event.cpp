#include "application/events/cancel_event.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "application/requests/edits.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/chain_planner.hpp"
#include "base/crash_point.hpp"

namespace sundial {
namespace {

/// The data to plan the successor of a recurring event.
struct Chain {
    std::optional<User> user;
    Schedule schedule;
};

/// Empty for a single event, an event made by hand, or an event whose user is deleted. Shares user
/// and schedule.
std::optional<Chain> share_chain(Transaction& tx, const Event& event) {
    if (!event.occurrence || event.occurrence->origin != Origin::rule) return std::nullopt;
    const auto users =
        event.user ? tx.users().share(std::vector{*event.user}) : std::vector<User>{};
    const auto schedules = tx.schedules().share(std::vector{event.occurrence->schedule});
    if (schedules.empty() || (schedules.front().per_user && users.empty())) return std::nullopt;
    return Chain{users.empty() ? std::nullopt : std::optional{users.front()}, schedules.front()};
}

/// The successor is unknown if its zone is not in the tz database.
std::optional<ValidationFailed> refuse_zone(const Chain& chain, const TzData& zones) {
    const auto zone =
        zones.find(chain.user ? chain.user->timezone : chain.schedule.timezone.value_or("UTC"));
    if (zone) return std::nullopt;
    return invalid("", std::string{to_string(zone.error().code)},
                   "the zone that it runs in: " + zone.error().message);
}

EventResult<Event> cancel_alone(Transaction& tx, const Event& event, const std::string& reason,
                                const ChangedBy& by) {
    auto cancelled = cancel(event, tx.now(), reason);
    if (cancelled) {
        tx.events().finish(*cancelled);
        record_cancelled(tx, event, by);
    }
    CRASH_POINT("cancel: before commit");
    return cancelled;
}

}  // namespace

void share_owners(Transaction& tx, std::span<const Event> events) {
    std::set<UserId> users;
    std::set<ScheduleId> schedules;
    for (const Event& event : events) {
        if (event.user) users.insert(*event.user);
        if (event.occurrence) schedules.insert(event.occurrence->schedule);
    }
    if (!users.empty()) tx.users().share(std::vector(users.begin(), users.end()));
    if (!schedules.empty()) tx.schedules().share(std::vector(schedules.begin(), schedules.end()));
}

// Shares the user and the schedule, then locks the event.
EventResult<Event> cancel_in(Transaction& tx, const TzData& zones, Ids& ids, EventId id,
                             std::optional<Version> expected, Instant& earliest,
                             const ChangedBy& by, const std::string& reason) {
    const auto missing = NotFound{Noun::event, to_string(id)};
    const auto seen = tx.events().find(id);
    if (!seen) return missing;
    const auto chain = share_chain(tx, *seen);
    const auto live = tx.events().lock(id);
    const auto event = live ? live : tx.events().find(id);
    if (!event) return missing;
    if (status_of(*event) == EventStatus::cancelled) return *event;
    if (auto refused = refuse_version(Noun::event, missing.id, expected, event->version)) {
        return *refused;
    }
    if (!chain) return cancel_alone(tx, *event, reason, by);
    if (auto refused = refuse_zone(*chain, zones)) return *std::move(refused);

    ChainPlanner planner{tx, chain->user ? &*chain->user : nullptr, zones, ids};
    auto cancelled = planner.cancel_and_go_on(&chain->schedule, *event, reason);
    earliest = std::min(earliest, planner.earliest());
    if (cancelled) record_cancelled(tx, *event, by);
    return cancelled;
}

EventResult<Event> CancelEvent::run(std::string_view id, std::optional<Version> expected,
                                    const Caller& caller) {
    Instant earliest = never;
    auto result = in_transaction(store_, [&](Transaction& tx) -> EventResult<Event> {
        earliest = never;  // the work may run again
        const auto parsed = event_id(id);
        if (!parsed) return parsed.error();
        return cancel_in(tx, *zones_.current(), ids_, *parsed, expected, earliest,
                         {caller, ids_.fresh()});
    });
    CRASH_POINT("cancel: after commit");
    if (result) wakeups_.due_at(earliest);
    return result;
}

}  // namespace sundial
