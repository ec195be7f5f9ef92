#include "adapters/sqlite/event_repository.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "adapters/sqlite/event_list.hpp"
#include "adapters/sqlite/event_rows.hpp"
#include "adapters/sqlite/event_statements.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/tz_statements.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

/// How long a key is kept after its event is due or was created, whichever is later (design.md 3).
constexpr std::chrono::days keys_live_on{400};

Instant key_expires(const Event& event) {
    return std::max(event.due, event.created_at) + keys_live_on;
}

}  // namespace

Result<void> SqliteEventRepository::add(const Event& event) {
    base::check(status_of(event) == EventStatus::pending);
    if (session_.connection.execute(sql::add_key, event.key, event.id, key_expires(event)) == 0) {
        return duplicate(event.key);
    }
    add_live(session_, event);
    return {};
}

std::vector<Result<void>> SqliteEventRepository::add_each(std::span<const Event> events) {
    std::vector<Result<void>> answers;
    answers.reserve(events.size());
    for (const Event& event : events) answers.push_back(add(event));
    return answers;
}

std::size_t SqliteEventRepository::add_new(std::span<const Event> events) {
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [&](const Event& event) { return add(event).has_value(); }));
}

std::optional<Event> SqliteEventRepository::find(EventId id) {
    return first_of(session_.connection.query(sql::event, id), read_event);
}

std::optional<Event> SqliteEventRepository::lock(EventId id) {
    return live_event(session_.connection, id);
}

std::vector<Event> SqliteEventRepository::lock_of_user(UserId user) {
    return all_of(session_.connection.query(sql::live_events_of_user, user), read_event);
}

std::vector<Event> SqliteEventRepository::lock_behind(ScheduleId schedule, Version version,
                                                      std::optional<EventId> after,
                                                      std::size_t limit) {
    return all_of(
        session_.connection.query(sql::live_events_behind, schedule, version, after, limit),
        read_event);
}

std::uint64_t SqliteEventRepository::count_behind(ScheduleId schedule, Version version) {
    return count_in(session_.connection.query(sql::count_events_behind, schedule, version));
}

void SqliteEventRepository::update(const Event& changed) {
    const auto before = lock(changed.id);
    base::check(before && changed.key == before->key);
    replace(*before, changed);
}

Result<void> SqliteEventRepository::update_key(const Event& changed,
                                               const IdempotencyKey& old_key) {
    const auto before = lock(changed.id);
    base::check(before && before->key == old_key);
    auto& connection = session_.connection;
    if (connection.execute(sql::add_key, changed.key, changed.id, key_expires(changed)) == 0) {
        return duplicate(changed.key);
    }
    connection.execute(sql::remove_key, old_key);
    replace(*before, changed);
    return {};
}

void SqliteEventRepository::replace(const Event& before, const Event& changed) {
    base::check(!is_claimed(before) && !is_final(changed) &&
                changed.version == base::next(before.version));
    std::apply(
        [&](const auto&... body) {
            session_.connection.execute(sql::update_event, changed.id, status_of(changed),
                                        changed.priority, changed.claimable_at, claimed_by(changed),
                                        body...);
        },
        body_of(changed));
    if (changed.due > before.due) {
        session_.connection.execute(sql::keep_key, changed.key, changed.id, key_expires(changed));
    }
    session_.ledger.moved(before, changed);
}

void SqliteEventRepository::finish(const Event& finished) {
    const auto before = lock(finished.id);
    base::check(before && is_final(finished) && finished.version == base::next(before->version));
    finish_live(session_, *before, finished, {});
}

void SqliteEventRepository::finish_dropped(const Event& cancelled) {
    finish(cancelled);
    session_.connection.execute(sql::free_key, cancelled.key, cancelled.id);
}

Result<void> SqliteEventRepository::update_dismissed(const Event& changed, Version held) {
    const auto dismissed = session_.connection.execute(
        sql::dismiss, changed.id, held, changed.dismissed_at, changed.version, changed.updated_at);
    if (dismissed == 1) return {};
    const auto event = find(changed.id);
    return InvalidStateTransition{changed.id, "dismiss",
                                  event ? status_of(*event) : EventStatus::failed, std::nullopt,
                                  event ? event->version : held};
}

Result<void> SqliteEventRepository::add_retry(const Event& fresh) {
    base::check(fresh.retry_of.has_value());
    if (session_.connection.execute(sql::move_key, fresh.key, fresh.id, key_expires(fresh),
                                    *fresh.retry_of) == 0) {
        return duplicate(fresh.key);
    }
    add_live(session_, fresh);
    return {};
}

void SqliteEventRepository::erase_of_user(UserId user) {
    auto& connection = session_.connection;
    for (const Event& event : lock_of_user(user)) {
        if (is_claimed(event)) continue;  // it is delivered as planned
        connection.execute(sql::remove_attempts, event.id);
        connection.execute(sql::remove_moves, event.id);
        connection.execute(sql::remove_event, event.id);
        session_.ledger.removed(event);
    }
    {
        auto row = connection.query(sql::count_finished_of_user, user);
        while (row.next()) {
            session_.ledger.removed(standing_of_finished(row.get<EventStatus>(0)),
                                    row.get<std::int64_t>(1));
        }
    }
    connection.execute(sql::erase_attempts_of_user, user);
    connection.execute(sql::erase_moves_of_user, user);
    connection.execute(sql::erase_finished_of_user, user);
    forget_user(user);
}

void SqliteEventRepository::forget_user(UserId user) {
    session_.connection.execute(sql::forget_user_live, user);
    session_.connection.execute(sql::forget_user_finished, user);
}

std::size_t SqliteEventRepository::unpark(std::optional<EndpointId> endpoint, std::size_t limit) {
    auto parked = endpoint
                      ? session_.connection.query(sql::parked_of_endpoint, *endpoint, never, limit)
                      : session_.connection.query(sql::parked_of_none, never, limit);
    return expedite_all(all_of(std::move(parked), read_event));
}

std::size_t SqliteEventRepository::expedite(EndpointId endpoint, Obstacle obstacle,
                                            std::size_t limit) {
    return expedite_all(all_of(
        session_.connection.query(sql::held_up_events, endpoint, obstacle, limit), read_event));
}

std::size_t SqliteEventRepository::expedite_all(const std::vector<Event>& waiting) {
    for (const Event& event : waiting) {
        move_live(session_, event, sundial::expedite(event, session_.now).value());
    }
    return waiting.size();
}

bool SqliteEventRepository::has_live(const LiveQuery& query) {
    auto row = session_.connection.query(
        query.user ? sql::has_live_of_user : sql::has_live_without_user, query.schedule, query.user,
        query.origin, query.due_before, query.due_after);
    return row.next() && row.get<bool>(0);
}

Page<Event> SqliteEventRepository::list(const EventQuery& query) {
    return list_events(session_, query);
}

std::vector<Event> SqliteEventRepository::walk(const EventWalk& walk) {
    return walk_events(session_.connection, walk);
}

std::uint64_t SqliteEventRepository::count(const EventWalk& walk) {
    return count_events(session_.connection, walk);
}

DeadLetters SqliteEventRepository::dead_letters(DeadLettersBy by) {
    return sqlite::dead_letters(session_.connection, by);
}

std::vector<AttemptRecord> SqliteEventRepository::attempts_of(EventId id) {
    auto attempts = all_of(session_.connection.query(sql::attempts, id), read_attempt);
    const auto success = first_of(session_.connection.query(sql::success, id), read_attempt);
    if (success) attempts.push_back(*success);
    return attempts;
}

DuplicateIdempotencyKey SqliteEventRepository::duplicate(const IdempotencyKey& key) {
    const auto holder = id_of<EventId>(session_.connection.query(sql::key_holder, key));
    base::check(holder.has_value());
    return {key, *holder, status(*holder).value_or(EventStatus::completed)};
}

std::optional<EventStatus> SqliteEventRepository::status(EventId id) {
    return first_of(session_.connection.query(sql::event_status, id),
                    [](Cursor& row) { return row.get<EventStatus>(0); });
}

}  // namespace sundial::sqlite
