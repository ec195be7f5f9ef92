#include "application/ports/event_repository.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>
#include <tuple>

#include "adapters/sqlite/event_list.hpp"
#include "adapters/sqlite/event_sql.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/tz_sql.hpp"
#include "application/ports/retention.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

Instant key_expires(const Event& event) {
    return std::max(event.due, event.created_at) + key_kept_for;
}

/// Only one connection writes, so every row that it reads is already locked.
class SqliteEventRepository final : public EventRepository {
public:
    explicit SqliteEventRepository(Session& session) : session_{session} {}

    Result<Attempt, DuplicateIdempotencyKey> add(const Event& event) override {
        base::check(status_of(event) == EventStatus::pending);
        auto& connection = session_.connection;
        if (connection.execute(sql::add_key, event.key, event.id, key_expires(event)) == 1) {
            add_live(session_, event);
            return Attempt{0};
        }
        if (connection.execute(sql::take_key, event.key, event.id, key_expires(event)) == 0) {
            return duplicate(event.key);
        }
        Event added = event;
        added.attempt = first_of(connection.query(sql::attempt_of_key, event.key), [](Cursor& row) {
                            return row.get<Attempt>(0);
                        }).value();
        add_live(session_, added);
        return added.attempt;
    }

    Result<AddedEvent, DuplicateIdempotencyKey> add_now(const Event& event) override {
        Event created = event;
        created.created_at = created.updated_at = session_.now;
        const auto added = add(created);
        if (!added) return added.error();
        return AddedEvent{*added, created.created_at};
    }

    std::optional<Event> find(EventId id) override {
        return first_of(session_.connection.query(sql::event, id), read_event);
    }
    std::optional<Event> lock(EventId id) override { return live_event(session_.connection, id); }
    std::vector<Event> lock_of_user(UserId user) override {
        return all_of(session_.connection.query(sql::live_events_of_user, user), read_event);
    }

    std::vector<Event> lock_behind(ScheduleId schedule, Version version,
                                   std::optional<EventId> after, std::size_t limit) override {
        return all_of(
            session_.connection.query(sql::live_events_behind, schedule, version, after, limit),
            read_event);
    }

    std::uint64_t count_behind(ScheduleId schedule, Version version) override {
        return count_in(session_.connection.query(sql::count_events_behind, schedule, version));
    }

    std::vector<Event> unclaimed_of_endpoint(EndpointId endpoint, std::size_t limit) override {
        return all_of(session_.connection.query(sql::unclaimed_of_endpoint, endpoint, limit),
                      read_event);
    }

    std::uint64_t count_live_of_endpoint(EndpointId endpoint) override {
        return count_in(session_.connection.query(sql::count_live_of_endpoint, endpoint));
    }

    void update(const Event& changed) override {
        const auto before = lock(changed.id);
        base::check(before && changed.key == before->key);
        replace(*before, changed);
    }

    Result<void, DuplicateIdempotencyKey> update_key(const Event& changed,
                                                     const IdempotencyKey& old_key) override {
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

    void finish(const Event& finished) override {
        const auto before = lock(finished.id);
        base::check(before && is_final(finished) &&
                    finished.version == base::next(before->version));
        finish_live(session_, *before, finished, {});
        if (status_of(finished) == EventStatus::cancelled) set_key_free(finished, true);
    }

    void finish_dropped(const Event& cancelled) override {
        finish(cancelled);
        session_.connection.execute(sql::free_key, cancelled.key, cancelled.id);
    }

    Result<void, InvalidStateTransition> update_dismissed(const Event& changed,
                                                          Version held) override {
        const auto dismissed = session_.connection.execute(
            sql::dismiss, changed.id, held, changed.dismissed_at, changed.version,
            changed.updated_at, changed.dismissal_note, changed.dismissed_by);
        if (dismissed == 1) {
            set_key_free(changed, changed.dismissed_at.has_value());
            return {};
        }
        const auto event = find(changed.id);
        return InvalidStateTransition{changed.id, "dismiss",
                                      event ? status_of(*event) : EventStatus::failed, std::nullopt,
                                      event ? event->version : held};
    }

    Result<void, DuplicateIdempotencyKey> add_retry(const Event& fresh) override {
        base::check(fresh.retry_of.has_value());
        if (session_.connection.execute(sql::move_key, fresh.key, fresh.id, key_expires(fresh),
                                        *fresh.retry_of) == 0) {
            return duplicate(fresh.key);
        }
        add_live(session_, fresh);
        return {};
    }

    void erase_of_user(UserId user) override {
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

    void forget_user(UserId user) override {
        session_.connection.execute(sql::forget_user_live, user);
        session_.connection.execute(sql::forget_user_finished, user);
    }

    std::size_t unpark(std::optional<EndpointId> endpoint, std::size_t limit) override {
        auto parked =
            endpoint ? session_.connection.query(sql::parked_of_endpoint, *endpoint, never, limit)
                     : session_.connection.query(sql::parked_of_none, never, limit);
        return expedite_all(all_of(std::move(parked), read_event));
    }

    std::size_t expedite(EndpointId endpoint, WaitReason reason, std::size_t limit) override {
        const Instant now = session_.now;
        auto waiting =
            reason == WaitReason::retry
                ? session_.connection.query(sql::events_to_retry, endpoint, now, never, limit)
                : session_.connection.query(sql::held_up_events, endpoint, to_string(reason), now,
                                            limit);
        return expedite_all(all_of(std::move(waiting), read_event));
    }

    std::vector<Event> planned_by_rule(std::span<const ScheduleId> schedules) override {
        std::vector<Event> all;
        for (const ScheduleId& schedule : std::set<ScheduleId>{schedules.begin(), schedules.end()})
            std::ranges::move(
                all_of(session_.connection.query(sql::planned_by_rule, schedule), read_event),
                std::back_inserter(all));
        return all;
    }

    PlannedCounts count_planned(const PlannedQuery& query) override {
        return sqlite::count_planned(session_.connection, query);
    }
    bool has_live(const LiveQuery& query) override {
        auto row = session_.connection.query(
            query.user ? sql::has_live_of_user : sql::has_live_without_user, query.schedule,
            query.user, query.origin, query.due_before, query.due_after);
        return row.next() && row.get<bool>(0);
    }

    Page<Event> list(const EventQuery& query) override { return list_events(session_, query); }
    std::vector<Event> walk(const EventWalk& walk) override {
        return walk_events(session_.connection, walk);
    }
    std::uint64_t count(const EventWalk& walk) override {
        return count_events(session_.connection, walk);
    }
    DeadLetters dead_letters(DeadLettersBy by) override {
        return sqlite::dead_letters(session_.connection, by);
    }

    std::vector<AttemptRecord> attempts_of(EventId id) override {
        auto attempts = all_of(session_.connection.query(sql::attempts, id), read_attempt);
        const auto success = first_of(session_.connection.query(sql::success, id), read_attempt);
        if (success) attempts.push_back(*success);
        return attempts;
    }
    BoundedCount count_like(const EventQuery& query, std::size_t most) override {
        return sqlite::count_like(session_, query, most);
    }
    std::size_t count_ended(Instant from, std::optional<Instant> to, std::size_t most) override {
        return sqlite::count_ended(session_.connection, from, to, most);
    }
    std::size_t count_executed(Instant from, std::optional<Instant> to, std::size_t most) override {
        return sqlite::count_executed(session_.connection, from, to, most);
    }
    Page<EndedAttempt> list_attempts(const AttemptQuery& query) override {
        return sqlite::list_attempts(session_, query);
    }

private:
    void replace(const Event& before, const Event& changed) {
        base::check(!is_claimed(before) && !is_final(changed) &&
                    changed.version == base::next(before.version));
        std::apply(
            [&](const auto&... body) {
                session_.connection.execute(sql::update_event, changed.id, status_of(changed),
                                            changed.priority, changed.claimable_at,
                                            claimed_by(changed), body..., changed.obstacle);
            },
            body_of(changed));
        if (changed.due > before.due) {
            session_.connection.execute(sql::keep_key, changed.key, changed.id,
                                        key_expires(changed));
        }
        session_.ledger.moved(before, changed);
    }

    std::size_t expedite_all(const std::vector<Event>& waiting) {
        for (const Event& event : waiting) {
            move_live(session_, event, sundial::expedite(event, session_.now).value());
        }
        return waiting.size();
    }

    /// Unless the event is an occurrence or another event has its key.
    void set_key_free(const Event& finished, bool free) {
        if (finished.occurrence) return;
        session_.connection.execute(sql::set_key_free, finished.key, finished.id, free,
                                    finished.attempt);
    }

    [[nodiscard]] DuplicateIdempotencyKey duplicate(const IdempotencyKey& key) {
        const auto holder = id_of<EventId>(session_.connection.query(sql::key_holder, key));
        base::check(holder.has_value());
        return {key, *holder, status(*holder).value_or(EventStatus::completed)};
    }

    [[nodiscard]] std::optional<EventStatus> status(EventId id) {
        return first_of(session_.connection.query(sql::event_status, id),
                        [](Cursor& row) { return row.get<EventStatus>(0); });
    }

    Session& session_;
};

}  // namespace

std::unique_ptr<EventRepository> make_event_repository(Session& session) {
    return std::make_unique<SqliteEventRepository>(session);
}

}  // namespace sundial::sqlite
