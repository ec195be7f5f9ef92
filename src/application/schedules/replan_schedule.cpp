#include "application/schedules/replan_schedule.hpp"

#include <algorithm>
#include <utility>

#include "application/schedules/chain_planner.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

std::optional<Schedule> shared(Transaction& tx, ScheduleId id) {
    const auto schedules = tx.schedules().share(std::vector{id});
    return schedules.empty() ? std::nullopt : std::optional{schedules.front()};
}

/// Why an operation has nothing left to do, given the current `schedule`.
std::optional<std::string> moot(const Operation& operation,
                                const std::optional<Schedule>& schedule) {
    if (!schedule) return "the schedule has been deleted";
    if (schedule->version == operation.schedule_version) return std::nullopt;
    return "the schedule was edited again; the operation of that edit replaces this one";
}

/// The event came due during a pause, or waited for a handler and no attempt began. Now it has an
/// endpoint and can be sent.
bool may_go(const Schedule& schedule, const Event& event) {
    const bool waits_for_handler = !event.endpoint && !event.first_attempt_at;
    return schedule.enabled && (schedule.endpoint || event.endpoint) &&
           status_of(event) == EventStatus::processing &&
           (event.claimable_at == never || waits_for_handler);
}

void expedite_event(Transaction& tx, const Schedule& schedule, const Event& event, Batch& batch) {
    auto gone = expedite(event, tx.now());
    base::check(gone.has_value());
    if (!gone->endpoint) gone->endpoint = schedule.endpoint;
    gone->occurrence->schedule_version = schedule.version;
    tx.events().update(*gone);
    ++batch.done;
    batch.earliest = std::min(batch.earliest, gone->claimable_at);
}

/// An event that a caller or a backfill requested does not move with the rule, but gets the
/// endpoint that it lacked.
void give_endpoint(Transaction& tx, const Schedule& schedule, const Event& event, Batch& batch) {
    Event next = retarget(event, event.intent, event.due, tx.now()).value();
    next.endpoint = schedule.endpoint;
    next.occurrence->schedule_version = schedule.version;
    tx.events().update(next);
    ++batch.done;
    batch.earliest = std::min(batch.earliest, next.claimable_at);
}

/// Whether the user, if it needs one, and the zone exist. If the zone has left the tz database, the
/// planned instant is the best one known.
bool has_place(const Schedule& schedule, const User* user, const TzData& zones) {
    if (schedule.per_user) return user && zones.find(user->timezone);
    return zones.find(schedule.timezone.value_or("UTC")).has_value();
}

/// The failure for an event without user or zone.
OperationFailure no_place(OperationSubject subject, Uuid id, const Schedule& schedule,
                          const User* user) {
    if (!user && schedule.per_user)
        return {subject, id, "USER_NOT_FOUND", "its user has been deleted"};
    return unknown_zone(subject, id, user ? user->timezone : schedule.timezone.value_or("UTC"));
}

/// The step after the last user. Locks the schedule, which it must not share before.
Batch finish(Transaction& tx, const Operation& operation) {
    Batch batch;
    auto schedule = tx.schedules().lock(operation.schedule.value());
    batch.moot = moot(operation, schedule);
    if (batch.moot) return batch;
    schedule->planned_version = schedule->version;
    tx.schedules().update(*schedule);
    batch.last = true;
    return batch;
}

std::optional<UserId> last_user(const Operation& operation) {
    if (!operation.cursor) return std::nullopt;
    const auto id = base::parse_uuid(*operation.cursor);
    base::check(id.has_value());
    return UserId{*id};
}

}  // namespace

std::uint64_t ReplanSchedule::count(Transaction& tx, const Operation& operation) {
    const ScheduleId id = operation.schedule.value();
    const auto schedule = tx.schedules().find(id);
    const std::uint64_t users = schedule && schedule->per_user ? tx.users().count() : 0;
    return users + tx.events().count_behind(id, operation.schedule_version.value());
}

Batch ReplanSchedule::run(Transaction& tx, const Operation& operation) {
    next_ = progress_;
    next_.to_drop.clear();
    if (progress_.users_done) return finish(tx, operation);
    const bool has_events = operation.kind == OperationKind::replan_schedule;
    const bool events_done = !has_events || progress_.events_done || operation.cursor;
    return events_done ? next_users(tx, operation) : next_events(tx, operation);
}

void ReplanSchedule::committed() {
    progress_ = std::move(next_);
    for (const EventId event : progress_.to_drop) drop(event);
}

/// Shares the schedule, locks events, and only reads their users. A transaction that changes a user
/// moves the user's events afterwards: it waits for this one, and its result stays.
Batch ReplanSchedule::next_events(Transaction& tx, const Operation& operation) {
    Batch batch;
    const auto schedule = shared(tx, operation.schedule.value());
    batch.moot = moot(operation, schedule);
    if (batch.moot) return batch;
    const auto events =
        tx.events().lock_behind(schedule->id, schedule->version, progress_.last, batch_size);
    for (const Event& event : events) bring(tx, *schedule, event, batch);
    if (!events.empty()) next_.last = events.back().id;
    next_.events_done = events.size() < batch_size;
    return batch;
}

/// Shares users, then the schedule. Users without a next event get one.
Batch ReplanSchedule::next_users(Transaction& tx, const Operation& operation) {
    Batch batch;
    const auto users = tx.users().share_after(last_user(operation), batch_size);
    const auto schedule = shared(tx, operation.schedule.value());
    batch.moot = moot(operation, schedule);
    if (batch.moot) return batch;
    if (!schedule->per_user) {
        begin(tx, *schedule, nullptr, batch);
        next_.users_done = true;
        return batch;
    }
    for (const User& user : users) begin(tx, *schedule, &user, batch);
    if (!users.empty()) batch.cursor = to_string(users.back().id);
    next_.users_done = users.size() < batch_size;
    return batch;
}

void ReplanSchedule::bring(Transaction& tx, const Schedule& schedule, const Event& event,
                           Batch& batch) {
    if (may_go(schedule, event)) {
        expedite_event(tx, schedule, event, batch);
    } else if (status_of(event) == EventStatus::pending && !event.retry_of &&
               event.occurrence->origin == Origin::rule) {
        follow(tx, schedule, event, batch);
    } else if (status_of(event) == EventStatus::pending && event.claimable_at != never &&
               !event.endpoint && schedule.endpoint) {
        give_endpoint(tx, schedule, event, batch);
    }
}

void ReplanSchedule::follow(Transaction& tx, const Schedule& schedule, const Event& event,
                            Batch& batch) {
    const auto found = event.user ? tx.users().find(*event.user) : std::nullopt;
    const User* user = found ? &*found : nullptr;
    const auto zones = zones_.current();
    if (!has_place(schedule, user, *zones)) {
        batch.failures.push_back(no_place(OperationSubject::event, event.id.value, schedule, user));
        return;
    }
    ++batch.done;
    ChainPlanner planner{tx, user, *zones, ids_};
    if (planner.follow_rule(schedule, event) == PlanChange::dropped) {
        next_.to_drop.push_back(event.id);
    }
    batch.earliest = std::min(batch.earliest, planner.earliest());
}

void ReplanSchedule::begin(Transaction& tx, const Schedule& schedule, const User* user,
                           Batch& batch) {
    const auto zones = zones_.current();
    if (!has_place(schedule, user, *zones)) {
        batch.failures.push_back(
            user ? no_place(OperationSubject::user, user->id.value, schedule, user)
                 : no_place(OperationSubject::schedule, schedule.id.value, schedule, user));
        return;
    }
    ++batch.done;
    ChainPlanner planner{tx, user, *zones, ids_};
    planner.begin_again(schedule);
    batch.earliest = std::min(batch.earliest, planner.earliest());
}

/// Shares the user and the schedule, then locks the event, because this plans a new one.
void ReplanSchedule::drop(EventId id) {
    Instant earliest = never;
    store_.transact([&](Transaction& tx) {
        earliest = never;
        const auto seen = tx.events().find(id);
        if (!seen || !seen->occurrence) return false;
        const auto users =
            seen->user ? tx.users().share(std::vector{*seen->user}) : std::vector<User>{};
        const auto schedule = shared(tx, seen->occurrence->schedule);
        const auto event = tx.events().lock(id);
        if (!schedule || !event || status_of(*event) != EventStatus::pending) return false;
        const User* user = users.empty() ? nullptr : &users.front();
        const auto zones = zones_.current();
        if (!has_place(*schedule, user, *zones)) return false;
        ChainPlanner planner{tx, user, *zones, ids_};
        if (planner.follow_rule(*schedule, *event) == PlanChange::dropped) {
            planner.drop(&*schedule, *event);
        }
        earliest = planner.earliest();
        return true;
    });
    if (earliest != never) wakeups_.due_at(earliest);
}

}  // namespace sundial
