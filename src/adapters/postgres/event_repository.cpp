#include "adapters/postgres/event_repository.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "adapters/postgres/columns.hpp"
#include "adapters/postgres/event_list.hpp"
#include "adapters/postgres/event_statements.hpp"
#include "adapters/postgres/rows.hpp"
#include "domain/time/policies.hpp"

namespace sundial::postgres {
namespace {

/// One member of an event's occurrence, as a row has it; null without an occurrence.
template <class Member>
auto of_occurrence(const Event& event, Member member) {
    using Value = std::remove_cvref_t<decltype(std::declval<Occurrence>().*member)>;
    if (!event.occurrence) return std::optional<Value>{};
    return std::optional<Value>{(*event.occurrence).*member};
}

/// Identifies an occurrence within its schedule; empty for a single event.
struct Identity {
    std::optional<Date> date;
    std::chrono::microseconds time{0};
    bool second_pass = false;
    std::string_view origin = to_string(Origin::rule);
};
Identity identity_of(const Event& event) {
    if (!event.occurrence) return {};
    const auto& [date, time, second_pass] = event.occurrence->nominal;
    return {date, time, second_pass, to_string(event.occurrence->origin)};
}

std::int16_t number_of(Priority priority) { return static_cast<std::int16_t>(priority); }

/// New events, column by column. Keeps references to them.
struct NewEvents {
    explicit NewEvents(const Session& session, std::span<const Event> events) {
        for (const Event& event : events) {
            base::check(status_of(event) == EventStatus::pending);
            shards.push_back(session.shard_of(event.id));
            ids.push_back(event.id);
            keys.push_back(event.key.value);
            types.push_back(event.type);
            priorities.push_back(number_of(event.priority));
            users.push_back(event.user);
            endpoints.push_back(event.endpoint);
            schedules.push_back(of_occurrence(event, &Occurrence::schedule));
            schedule_versions.push_back(of_occurrence(event, &Occurrence::schedule_version));
            const Identity identity = identity_of(event);
            nominals.push_back(identity.date);
            nominal_times.push_back(identity.time);
            second_passes.push_back(identity.second_pass);
            origins.push_back(identity.origin);
            jitters.push_back(event.jitter);
            walls.push_back(event.intent.wall);
            zones.push_back(event.intent.zone);
            gaps.push_back(to_string(event.intent.gap));
            overlaps.push_back(to_string(event.intent.overlap));
            due.push_back(event.due);
            tz_releases.push_back(event.tz_release);
            payloads.push_back(event.payload);
            claimable_at.push_back(event.claimable_at);
            versions.push_back(event.version);
            retry_of.push_back(event.retry_of);
            created_at.push_back(event.created_at);
        }
        shorten_each(types, priorities, users, endpoints, schedules, schedule_versions, nominals,
                     nominal_times, jitters, second_passes, origins, walls, zones, gaps, overlaps,
                     tz_releases, payloads, versions, retry_of, created_at);
    }

    std::vector<std::int16_t> shards;
    std::vector<EventId> ids;
    std::vector<std::string_view> keys, types;
    std::vector<std::int16_t> priorities;
    std::vector<std::optional<UserId>> users;
    std::vector<std::optional<EndpointId>> endpoints;
    std::vector<std::optional<ScheduleId>> schedules;
    std::vector<std::optional<Version>> schedule_versions;
    std::vector<std::optional<Date>> nominals;
    std::vector<std::chrono::microseconds> nominal_times, jitters;
    std::vector<bool> second_passes;
    std::vector<std::string_view> origins;
    std::vector<std::optional<WallTime>> walls;
    std::vector<std::string_view> zones, gaps, overlaps;
    std::vector<Instant> due;
    std::vector<std::string_view> tz_releases, payloads;
    std::vector<Instant> claimable_at;
    std::vector<Version> versions;
    std::vector<std::optional<EventId>> retry_of;
    std::vector<Instant> created_at;
};

/// A key is kept for 400 days after this instant.
Instant key_matters_until(const Event& event) { return std::max(event.due, event.created_at); }

Version version_before(const Event& event) { return Version{event.version.value - 1}; }

/// When and why an event ended.
struct End {
    Instant at;
    std::optional<std::string> reason;
};
End end_of(const Event& event) {
    if (const auto* completed = std::get_if<Completed>(&event.state)) return {completed->at, {}};
    if (const auto* failed = std::get_if<Failed>(&event.state)) return {failed->at, failed->reason};
    const auto& cancelled = std::get<Cancelled>(event.state);
    return {cancelled.at, cancelled.reason};
}

}  // namespace

Result<void> PostgresEventRepository::add(const Event& event) {
    return add_each({&event, 1}).front();
}

std::vector<Result<void>> PostgresEventRepository::add_each(std::span<const Event> events) {
    std::vector<Result<void>> answers(events.size());
    if (events.empty()) return answers;
    const Answer added = insert(events);
    std::unordered_set<EventId> fresh;
    for (std::size_t row = 0; row < added.size(); ++row) fresh.insert(added.get<EventId>(row, 0));

    std::vector<std::size_t> refused;
    std::vector<IdempotencyKey> known;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (fresh.contains(events[i].id)) {
            add_evidence(events[i], added.get<std::string>(0, 1));
        } else {
            refused.push_back(i);
            known.push_back(events[i].key);
        }
    }
    auto why = duplicates(known);
    for (std::size_t i = 0; i < refused.size(); ++i) answers[refused[i]] = std::move(why[i]);
    return answers;
}

std::size_t PostgresEventRepository::add_new(std::span<const Event> events) {
    return events.empty() ? 0 : insert(events).size();
}

Answer PostgresEventRepository::insert(std::span<const Event> events) {
    const NewEvents given{session_, events};
    return session_.run(
        sql::add_events, given.shards, given.ids, given.keys, given.types, given.priorities,
        given.users, given.endpoints, given.schedules, given.schedule_versions, given.nominals,
        given.walls, given.zones, given.gaps, given.overlaps, given.due, given.tz_releases,
        given.payloads, given.claimable_at, given.versions, given.retry_of, given.created_at,
        session_.shards(), given.jitters, given.nominal_times, given.second_passes, given.origins);
}

void PostgresEventRepository::add_evidence(const Event& added, std::string transaction) {
    session_.add_evidence(
        {std::move(transaction), Call{sql::find_key, added.key, added.id, session_.shards()}});
}

void PostgresEventRepository::add_change_evidence(const Event& changed, Instant updated_at,
                                                  std::string transaction) {
    const auto shard = session_.shard_of(changed.id);
    Call row{sql::find_change, shard, changed.id, changed.version, updated_at, transaction};
    session_.add_evidence({std::move(transaction), std::move(row),
                           Call{sql::find_version, shard, changed.id, version_before(changed)}});
}

Result<void> PostgresEventRepository::duplicate(const IdempotencyKey& key) {
    return duplicates({&key, 1}).front();
}

std::vector<Result<void>> PostgresEventRepository::duplicates(
    std::span<const IdempotencyKey> keys) {
    std::vector<Result<void>> answers;
    if (keys.empty()) return answers;
    std::vector<Call> calls;
    for (const IdempotencyKey& key : keys) {
        calls.emplace_back(sql::holder_of_key, key, session_.shards());
    }
    const auto holders = session_.run(calls);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (holders[i].empty()) {
            throw conflict("the event with that key has just got another one");
        }
        answers.emplace_back(
            DuplicateIdempotencyKey{keys[i], holders[i].get<EventId>(0, 0),
                                    event_status(holders[i].get<std::string>(0, 1))});
    }
    return answers;
}

std::optional<Event> PostgresEventRepository::find(EventId id) {
    return first_of(events_in(session_.run(sql::find_event, session_.shard_of(id), id)));
}

std::optional<Event> PostgresEventRepository::lock(EventId id) {
    return first_of(events_in(session_.run(sql::lock_event, session_.shard_of(id), id)));
}

std::vector<Event> PostgresEventRepository::lock_of_user(UserId user) {
    return events_in(session_.run(sql::lock_events_of_user, user));
}

std::vector<Event> PostgresEventRepository::lock_behind(ScheduleId schedule, Version version,
                                                        std::optional<EventId> after,
                                                        std::size_t limit) {
    return events_in(session_.run(sql::lock_events_behind, schedule, version, after,
                                  static_cast<std::int64_t>(limit)));
}

std::uint64_t PostgresEventRepository::count_behind(ScheduleId schedule, Version version) {
    return session_.run(sql::count_events_behind, schedule, version).get<std::uint64_t>(0, 0);
}

void PostgresEventRepository::update(const Event& changed) {
    base::check(!is_final(changed) && !is_claimed(changed));
    const Identity identity = identity_of(changed);
    const auto updated = session_.run(
        sql::update_event, session_.shard_of(changed.id), changed.id, version_before(changed),
        to_string(status_of(changed)), changed.version, changed.claimable_at, changed.attempt,
        changed.retry_count, changed.key, changed.type, number_of(changed.priority), changed.user,
        changed.endpoint, of_occurrence(changed, &Occurrence::schedule),
        of_occurrence(changed, &Occurrence::schedule_version), identity.date, changed.intent.wall,
        changed.intent.zone, to_string(changed.intent.gap), to_string(changed.intent.overlap),
        changed.due, changed.tz_release, changed.payload, changed.first_attempt_at,
        changed.updated_at, changed.jitter, identity.time, identity.second_pass, session_.shards());
    base::check(updated.changed() == 1);
    add_change_evidence(changed, changed.updated_at, updated.get<std::string>(0, 0));
}

Result<void> PostgresEventRepository::update_key(const Event& changed,
                                                 const IdempotencyKey& old_key) {
    const auto added = session_.run(sql::add_key, changed.key, changed.id,
                                    key_matters_until(changed), session_.shards());
    if (added.changed() == 0) return duplicate(changed.key);
    base::check(session_.run(sql::remove_key, old_key, changed.id, session_.shards()).changed() ==
                1);
    update(changed);
    return {};
}

void PostgresEventRepository::finish(const Event& finished) {
    const End end = end_of(finished);
    const auto moved = session_.run(
        sql::finish_event, session_.shard_of(finished.id), finished.id, version_before(finished),
        finished.version, to_string(status_of(finished)), end.at, end.reason, finished.user);
    base::check(moved.changed() == 1);
    add_change_evidence(finished, end.at, moved.get<std::string>(0, 0));
}

void PostgresEventRepository::finish_dropped(const Event& cancelled) {
    finish(cancelled);
    session_.run(sql::remove_key, cancelled.key, cancelled.id, session_.shards());
}

Result<void> PostgresEventRepository::update_dismissed(const Event& changed, Version held) {
    const auto updated =
        session_.run(sql::update_dismissed, session_.shard_of(changed.id), changed.id, held,
                     changed.version, changed.dismissed_at, changed.updated_at);
    if (updated.changed() == 1) {
        add_change_evidence(changed, changed.updated_at, updated.get<std::string>(0, 0));
        return {};
    }
    const auto event = find(changed.id);
    return InvalidStateTransition{changed.id, "dismiss",
                                  event ? status_of(*event) : EventStatus::failed, std::nullopt,
                                  event ? event->version : held};
}

Result<void> PostgresEventRepository::add_retry(const Event& fresh) {
    base::check(fresh.retry_of.has_value());
    const auto moved = session_.run(sql::move_key, fresh.key, fresh.id, *fresh.retry_of,
                                    session_.shard_of(*fresh.retry_of), key_matters_until(fresh),
                                    session_.shards());
    if (moved.changed() == 0) return duplicate(fresh.key);
    const Identity identity = identity_of(fresh);
    const auto added = session_.run(
        sql::add_event_with_key, session_.shard_of(fresh.id), fresh.id, fresh.key, fresh.type,
        number_of(fresh.priority), fresh.user, fresh.endpoint,
        of_occurrence(fresh, &Occurrence::schedule),
        of_occurrence(fresh, &Occurrence::schedule_version), identity.date, fresh.intent.wall,
        fresh.intent.zone, to_string(fresh.intent.gap), to_string(fresh.intent.overlap), fresh.due,
        fresh.tz_release, fresh.payload, fresh.claimable_at, fresh.version, fresh.retry_of,
        fresh.created_at, fresh.jitter, identity.time, identity.second_pass, identity.origin);
    base::check(added.changed() == 1);
    add_evidence(fresh, added.get<std::string>(0, 0));
    return {};
}

// Both lock first and then change: a single statement that waited for a claim would not see the row
// as the claim left it.

void PostgresEventRepository::erase_of_user(UserId user) {
    session_.run(sql::lock_events_of_user, user);
    session_.run(sql::erase_events_of_user, user);
    session_.run(sql::forget_user_of_events, user);
}

void PostgresEventRepository::forget_user(UserId user) {
    session_.run(sql::lock_events_of_user, user);
    session_.run(sql::forget_user_of_events, user);
}

std::size_t PostgresEventRepository::unpark(std::optional<EndpointId> endpoint, std::size_t limit) {
    const auto at_most = static_cast<std::int64_t>(limit);
    const auto unparked =
        endpoint ? session_.run(sql::unpark_of_endpoint, *endpoint, at_most, session_.now())
                 : session_.run(sql::unpark_of_none, at_most, session_.now(),
                                static_cast<std::int32_t>(session_.shards()));
    return unparked.changed();
}

std::size_t PostgresEventRepository::expedite(EndpointId endpoint, Obstacle obstacle,
                                              std::size_t limit) {
    return session_
        .run(sql::expedite, endpoint, to_string(obstacle), static_cast<std::int64_t>(limit),
             session_.now())
        .changed();
}

bool PostgresEventRepository::has_live(const LiveQuery& query) {
    const auto origin = query.origin ? std::optional{to_string(*query.origin)} : std::nullopt;
    const auto rows = query.user ? session_.run(sql::live_of_user, query.schedule, *query.user,
                                                origin, query.due_before, query.due_after)
                                 : session_.run(sql::live_without_user, query.schedule, origin,
                                                query.due_before, query.due_after);
    return !rows.empty();
}

Page<Event> PostgresEventRepository::list(const EventQuery& query) {
    return list_events(session_, query);
}

std::vector<Event> PostgresEventRepository::walk(const EventWalk& walk) {
    return walk_events(session_, walk);
}

std::uint64_t PostgresEventRepository::count(const EventWalk& walk) {
    return count_events(session_, walk);
}

DeadLetters PostgresEventRepository::dead_letters(DeadLettersBy by) {
    return postgres::dead_letters(session_, by);
}

std::vector<AttemptRecord> PostgresEventRepository::attempts_of(EventId id) {
    return attempts_in(session_.run(sql::attempts_of, session_.shard_of(id), id), id);
}

}  // namespace sundial::postgres
