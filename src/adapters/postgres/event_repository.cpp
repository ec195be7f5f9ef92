#include "application/ports/event_repository.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/event_batches.hpp"
#include "adapters/postgres/event_list.hpp"
#include "adapters/postgres/event_sql.hpp"
#include "adapters/postgres/event_values.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/retention.hpp"
#include "domain/time/types.hpp"

namespace sundial::postgres {
namespace {

class PostgresEventRepository final : public EventRepository {
public:
    explicit PostgresEventRepository(Session& session) : session_{session} {}
    Result<Attempt, DuplicateIdempotencyKey> add(const Event& event) override {
        return add_each({&event, 1}).front();
    }
    Result<AddedEvent, DuplicateIdempotencyKey> add_now(const Event& event) override {
        // Not earlier than the transaction's other changes.
        return add_one(event, session_.has_begun() ? std::optional{session_.now()} : std::nullopt);
    }

    std::vector<Result<Attempt, DuplicateIdempotencyKey>> add_each(
        std::span<const Event> events) override {
        std::vector<Result<Attempt, DuplicateIdempotencyKey>> answers(events.size(), Attempt{0});
        if (events.empty()) return answers;
        if (events.size() == 1) {
            const auto added = add_one(events.front(), events.front().created_at);
            if (added) return {added->attempt};
            return {added.error()};
        }
        if (session_.distributed()) {
            for (const std::size_t i : in_order_of_keys(events)) {
                const auto added = add_one(events[i], events[i].created_at);
                if (added) {
                    answers[i] = added->attempt;
                } else {
                    answers[i] = added.error();
                }
            }
            return answers;
        }
        const Answer added = insert_all(events);
        std::unordered_map<EventId, Attempt> fresh;
        for (std::size_t row = 0; row < added.size(); ++row) {
            fresh.emplace(added.get<EventId>(row, 0), added.get<Attempt>(row, 2));
        }

        std::vector<std::size_t> refused;
        std::vector<IdempotencyKey> known;
        for (std::size_t i = 0; i < events.size(); ++i) {
            // Only the first of two with the same id and key was added.
            if (const auto its = fresh.extract(events[i].id)) {
                answers[i] = its.mapped();
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

    std::size_t add_new(std::span<const Event> events) override {
        if (events.empty()) return 0;
        if (events.size() == 1) return insert(events.front(), events.front().created_at) ? 1 : 0;
        if (!session_.distributed()) return insert_all(events).size();
        const auto order = in_order_of_keys(events);
        return static_cast<std::size_t>(std::ranges::count_if(order, [&](std::size_t i) {
            return insert(events[i], events[i].created_at).has_value();
        }));
    }
    std::optional<Event> find(EventId id) override {
        return first_of(events_in(session_.run(sql::find_event, session_.shard_of(id), id)));
    }
    std::optional<Event> lock(EventId id) override {
        return first_of(events_in(session_.run(sql::lock_event, session_.shard_of(id), id)));
    }
    std::vector<Event> lock_of_user(UserId user) override {
        return lock_events_of_user(session_, user);
    }

    std::vector<Event> lock_behind(ScheduleId schedule, Version version,
                                   std::optional<EventId> after, std::size_t limit) override {
        return lock_events_behind(session_, schedule, version, {after, limit});
    }

    std::uint64_t count_behind(ScheduleId schedule, Version version) override {
        return session_.run(sql::count_events_behind, schedule, version).get<std::uint64_t>(0, 0);
    }

    std::vector<Event> unclaimed_of_endpoint(EndpointId endpoint, std::size_t limit) override {
        return events_in(
            session_.run(sql::unclaimed_of_endpoint, endpoint, static_cast<std::int64_t>(limit)));
    }

    std::uint64_t count_live_of_endpoint(EndpointId endpoint) override {
        return session_.run(sql::count_live_of_endpoint, endpoint).get<std::uint64_t>(0, 0);
    }

    void update(const Event& changed) override {
        base::check(!is_final(changed) && !is_claimed(changed));
        const Identity identity = identity_of(changed);
        std::vector<Call> calls{
            Call{sql::extend_key, session_.shard_of(changed.key), changed.key, changed.id,
                 expiry_after(changed.due)},
            Call{sql::update_event,
                 session_.shard_of(changed.id),
                 changed.id,
                 version_before(changed),
                 to_string(status_of(changed)),
                 changed.version,
                 changed.claimable_at,
                 changed.attempt,
                 changed.retry_count,
                 changed.key,
                 changed.type,
                 number_of(changed.priority),
                 changed.user,
                 changed.endpoint,
                 of_occurrence(changed, &Occurrence::schedule),
                 of_occurrence(changed, &Occurrence::schedule_version),
                 identity.date,
                 changed.intent.wall,
                 changed.intent.zone,
                 to_string(changed.intent.gap),
                 to_string(changed.intent.overlap),
                 changed.due,
                 changed.tz_release,
                 changed.payload,
                 changed.first_attempt_at,
                 changed.updated_at,
                 changed.jitter,
                 identity.time,
                 identity.second_pass,
                 changed.obstacle ? std::optional{to_string(*changed.obstacle)} : std::nullopt}};
        append_writer_of(calls, changed);
        const auto answers = session_.run(calls);
        base::check(answers[1].changed() == 1);
        add_change_evidence(changed, changed.updated_at, std::span{answers}.subspan(2),
                            sql::lock_version);
    }

    Result<void, DuplicateIdempotencyKey> update_key(const Event& changed,
                                                     const IdempotencyKey& old_key) override {
        const auto added = session_.run(sql::add_key, session_.shard_of(changed.key), changed.key,
                                        changed.id, expiry_of_key(changed));
        if (added.changed() == 0) return duplicate(changed.key);
        base::check(remove_key(old_key, changed.id) == 1);
        update(changed);
        return {};
    }

    void finish(const Event& finished) override {
        const End end = end_of(finished);
        const auto shard = session_.shard_of(finished.id);
        std::vector<Call> calls{
            Call{sql::keep_finished, shard, finished.id, version_before(finished), finished.version,
                 to_string(status_of(finished)), end.at, end.reason, finished.user},
            Call{sql::remove_finished, shard, finished.id, version_before(finished)}};
        append_writer_of(calls, finished);
        if (std::holds_alternative<Cancelled>(finished.state) && !finished.occurrence) {
            calls.push_back(freeing_key_of(finished, true));
        }
        const auto answers = session_.run(calls);
        base::check(answers[0].changed() == 1 && answers[1].changed() == 1);
        add_change_evidence(finished, end.at, std::span{answers}.subspan(2), sql::lock_version);
    }

    void finish_dropped(const Event& cancelled) override {
        finish(cancelled);
        (void)remove_key(cancelled.key, cancelled.id);
    }

    Result<void, InvalidStateTransition> update_dismissed(const Event& changed,
                                                          Version held) override {
        const auto updated = session_.run(
            sql::update_dismissed, session_.shard_of(changed.id), changed.id, held, changed.version,
            changed.dismissed_at, changed.updated_at, changed.dismissal_note, changed.dismissed_by);
        if (updated.changed() == 1) {
            std::vector<Call> calls;
            append_writer_of(calls, changed);
            if (!changed.occurrence) {
                calls.push_back(freeing_key_of(changed, changed.dismissed_at.has_value()));
            }
            const auto answers = session_.run(calls);
            add_change_evidence(changed, changed.updated_at, answers, sql::lock_finished_version);
            return {};
        }
        const auto event = find(changed.id);
        return InvalidStateTransition{changed.id, "dismiss",
                                      event ? status_of(*event) : EventStatus::failed, std::nullopt,
                                      event ? event->version : held};
    }

    Result<void, DuplicateIdempotencyKey> add_retry(const Event& fresh) override {
        base::check(fresh.retry_of.has_value());
        const Call moving{sql::move_key, session_.shard_of(fresh.key), fresh.key,
                          fresh.id,      expiry_of_key(fresh),         *fresh.retry_of};
        if (!insert_with(moving, fresh, fresh.created_at, fresh.attempt))
            return duplicate(fresh.key);
        return {};
    }

    void erase_of_user(UserId user) override { erase_events_of_user(session_, user); }
    void forget_user(UserId user) override { forget_user_of_events(session_, user); }
    std::size_t unpark(std::optional<EndpointId> endpoint, std::size_t limit) override {
        return unpark_events(session_, endpoint, limit);
    }
    std::size_t expedite(EndpointId endpoint, WaitReason reason, std::size_t limit) override {
        return expedite_events(session_, endpoint, reason, limit);
    }

    std::vector<Event> planned_by_rule(std::span<const ScheduleId> schedules) override {
        return events_in(session_.run(sql::planned_by_rule, schedules));
    }

    PlannedCounts count_planned(const PlannedQuery& query) override {
        return postgres::count_planned(session_, query);
    }

    bool has_live(const LiveQuery& query) override {
        std::optional<std::string_view> origin;
        if (query.origin) origin = to_string(*query.origin);
        const auto rows = query.user ? session_.run(sql::live_of_user, query.schedule, *query.user,
                                                    origin, query.due_before, query.due_after)
                                     : session_.run(sql::live_without_user, query.schedule, origin,
                                                    query.due_before, query.due_after);
        return !rows.empty();
    }

    Page<Event> list(const EventQuery& query) override { return list_events(session_, query); }
    std::vector<Event> walk(const EventWalk& walk) override { return walk_events(session_, walk); }
    std::uint64_t count(const EventWalk& walk) override { return count_events(session_, walk); }
    DeadLetters dead_letters(DeadLettersBy by) override {
        return postgres::dead_letters(session_, by);
    }
    std::vector<AttemptRecord> attempts_of(EventId id) override {
        return attempts_in(session_.run(sql::attempts_of, session_.shard_of(id), id), id);
    }
    BoundedCount count_like(const EventQuery& query, std::size_t most) override {
        return postgres::count_like(session_, query, most);
    }
    std::size_t count_ended(Instant from, std::optional<Instant> to, std::size_t most) override {
        return postgres::count_ended(session_, from, to, most);
    }
    std::size_t count_executed(Instant from, std::optional<Instant> to, std::size_t most) override {
        return postgres::count_executed(session_, from, to, most);
    }
    Page<EndedAttempt> list_attempts(const AttemptQuery& query) override {
        return postgres::list_attempts(session_, query);
    }

private:
    /// The order in which transactions take keys, so that two of them cannot deadlock. Of equal
    /// keys, the first wins.
    [[nodiscard]] static std::vector<std::size_t> in_order_of_keys(std::span<const Event> events) {
        std::vector<std::size_t> order(events.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [&](std::size_t i) {
            return std::pair{std::string_view{events[i].key.value}, i};
        });
        return order;
    }

    [[nodiscard]] Result<AddedEvent, DuplicateIdempotencyKey> add_one(
        const Event& event, std::optional<Instant> created_at) {
        if (const auto added = insert(event, created_at)) return *added;
        return duplicate(event.key);
    }

    /// Adds an event with its key, created at that time or now. Empty if another event has the key.
    [[nodiscard]] std::optional<AddedEvent> insert(const Event& event,
                                                   std::optional<Instant> created_at) {
        const Instant known = created_at ? std::max(event.due, *created_at) : event.due;
        std::optional<std::chrono::microseconds> from_now;
        if (!created_at) from_now = key_kept_for;
        const Call taking{sql::take_key, session_.shard_of(event.key), event.key,
                          event.id,      expiry_after(known),          from_now};
        return insert_with(taking, event, created_at, Attempt{0});
    }

    /// The same with a call that gives the event its key; the attempt number is `at_least` that. A
    /// new key is in the shard of its event, so that one round trip to one shard adds both.
    [[nodiscard]] std::optional<AddedEvent> insert_with(const Call& getting_key, const Event& event,
                                                        std::optional<Instant> created_at,
                                                        Attempt at_least) {
        base::check(status_of(event) == EventStatus::pending);
        const bool together = session_.shard_of(event.key) == session_.shard_of(event.id);
        std::vector<Call> calls{getting_key};
        if (together) append_adding(calls, sql::add_event, event, created_at, at_least);
        auto answers = session_.run(calls);
        if (answers[0].empty()) {
            // The key of this event, which was added before and has ended: it is not in `events`.
            if (together && !answers[1].empty()) {
                session_.run(sql::remove_added, session_.shard_of(event.id), event.id);
            }
            return std::nullopt;
        }
        AddedEvent added{std::max(at_least, answers[0].get<Attempt>(0, 0)),
                         created_at ? *created_at : session_.now()};
        if (together) {
            added = {answers.at(1).get<Attempt>(0, 0), answers[1].get<Instant>(0, 1)};
            if (!created_at) session_.advance_to(added.created_at);
        } else {
            std::vector<Call> others;
            append_adding(others, sql::add_event_with_key, event, added.created_at, added.attempt);
            answers = session_.run(others);
        }
        add_evidence(event, answers.back().get<std::string>(0, 0));
        return added;
    }

    /// Adds an event by `statement`. The last call returns the transaction id.
    void append_adding(std::vector<Call>& calls, const Statement& statement, const Event& event,
                       std::optional<Instant> created_at, Attempt attempt) const {
        calls.push_back(adding(statement, event, created_at, attempt));
        if (event.endpoint) {
            calls.emplace_back(sql::leave_to_workers, session_.shard_of(event.id), event.id,
                               *event.endpoint);
        }
        calls.emplace_back(sql::transaction_id);
    }

    [[nodiscard]] Call adding(const Statement& statement, const Event& event,
                              std::optional<Instant> created_at, Attempt attempt) const {
        const Identity identity = identity_of(event);
        return Call{statement,
                    session_.shard_of(event.id),
                    event.id,
                    event.key,
                    event.type,
                    number_of(event.priority),
                    event.user,
                    event.endpoint,
                    of_occurrence(event, &Occurrence::schedule),
                    of_occurrence(event, &Occurrence::schedule_version),
                    identity.date,
                    event.intent.wall,
                    event.intent.zone,
                    to_string(event.intent.gap),
                    to_string(event.intent.overlap),
                    event.due,
                    event.tz_release,
                    event.payload,
                    event.claimable_at,
                    event.version,
                    event.retry_of,
                    created_at,
                    event.jitter,
                    identity.time,
                    identity.second_pass,
                    identity.origin,
                    attempt,
                    trace_of(event)};
    }

    /// Frees the key of a finished event for another one, or takes it back.
    [[nodiscard]] Call freeing_key_of(const Event& finished, bool free) const {
        return Call{sql::free_key, session_.shard_of(finished.key),
                    finished.key,  finished.id,
                    free,          finished.attempt};
    }

    std::size_t remove_key(const IdempotencyKey& key, EventId holder) {
        return session_.run(sql::remove_key, session_.shard_of(key), key, holder).changed();
    }

    /// Adds several events in one statement. Returns one row for each new event: its id, the
    /// transaction id and the attempt number.
    [[nodiscard]] Answer insert_all(std::span<const Event> events) {
        for (const Event& event : events) base::check(status_of(event) == EventStatus::pending);
        const auto occurrence = [](auto member) {
            return [member](const Event& event) { return of_occurrence(event, member); };
        };
        const auto identity = [](auto member) {
            return [member](const Event& event) { return identity_of(event).*member; };
        };
        return session_.run(
            sql::add_events,
            column(events, [&](const Event& event) { return session_.shard_of(event.id); }),
            column(events, &Event::id),
            column(events, [](const Event& event) { return std::string_view{event.key.value}; }),
            short_column(events, &Event::type),
            short_column(events, [](const Event& event) { return number_of(event.priority); }),
            short_column(events, &Event::user), short_column(events, &Event::endpoint),
            short_column(events, occurrence(&Occurrence::schedule)),
            short_column(events, occurrence(&Occurrence::schedule_version)),
            short_column(events, identity(&Identity::date)),
            short_column(events, [](const Event& event) { return event.intent.wall; }),
            short_column(events,
                         [](const Event& event) { return std::string_view{event.intent.zone}; }),
            short_column(events, [](const Event& event) { return to_string(event.intent.gap); }),
            short_column(events,
                         [](const Event& event) { return to_string(event.intent.overlap); }),
            column(events, &Event::due), short_column(events, &Event::tz_release),
            short_column(events, &Event::payload), column(events, &Event::claimable_at),
            short_column(events, &Event::version), short_column(events, &Event::retry_of),
            short_column(events, &Event::created_at), session_.shards(),
            short_column(events, &Event::jitter), short_column(events, identity(&Identity::time)),
            short_column(events, identity(&Identity::second_pass)),
            short_column(events, identity(&Identity::origin)), short_column(events, trace_of),
            std::chrono::microseconds{key_kept_for});
    }

    /// Leaves evidence: the key of `added` exists only if the transaction committed.
    void add_evidence(const Event& added, std::string transaction) {
        const auto shard = session_.shard_of(added.key);
        std::optional<Call> before;
        if (session_.distributed()) {
            before.emplace(sql::lock_key_of_other, shard, added.key, added.id);
        }
        session_.add_evidence({std::move(transaction),
                               Call{sql::find_key, shard, added.key, added.id}, std::move(before)});
    }

    /// The id of the transaction, and on a distributed database its id on the machine of `changed`,
    /// whose change comes before.
    void append_writer_of(std::vector<Call>& calls, const Event& changed) const {
        calls.emplace_back(sql::transaction_id);
        if (!session_.distributed()) return;
        calls.emplace_back(sql::written_by, session_.shard_of(changed.id), changed.id,
                           changed.version);
    }

    /// Leaves evidence: the row of `changed` with this content, as long as no other transaction
    /// changes it further. `writer` begins with the answers of append_writer_of, and `lock` finds
    /// the row as it was on a distributed database.
    void add_change_evidence(const Event& changed, Instant updated_at,
                             std::span<const Answer> writer, const Statement& lock) {
        const auto shard = session_.shard_of(changed.id);
        const bool distributed = session_.distributed();
        session_.add_evidence({writer[0].get<std::string>(0, 0),
                               Call{sql::find_change, shard, changed.id, changed.version,
                                    updated_at, writer[distributed ? 1 : 0].get<std::string>(0, 0)},
                               Call{distributed ? lock : sql::find_version, shard, changed.id,
                                    version_before(changed)}});
    }

    [[nodiscard]] DuplicateIdempotencyKey duplicate(const IdempotencyKey& key) {
        return duplicates({&key, 1}).front();
    }

    /// The same for many keys, in two round trips: a key and its event may be in different shards.
    [[nodiscard]] std::vector<DuplicateIdempotencyKey> duplicates(
        std::span<const IdempotencyKey> keys) {
        std::vector<DuplicateIdempotencyKey> answers;
        if (keys.empty()) return answers;
        std::vector<Call> calls;
        for (const IdempotencyKey& key : keys) {
            calls.emplace_back(sql::holder_of_key, session_.shard_of(key), key);
        }
        const auto holders = session_.run(calls);
        calls.clear();
        std::vector<std::size_t> elsewhere;  // keys whose event is in another shard
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (holders[i].empty()) {
                throw conflict("the key of that event has just changed");
            }
            const auto holder = holders[i].get<EventId>(0, 0);
            const auto status = holders[i].get<std::optional<std::string>>(0, 1);
            // A purged or erased event counts as done.
            answers.push_back(
                {keys[i], holder, status ? event_status(*status) : EventStatus::completed});
            if (status || session_.shard_of(holder) == session_.shard_of(keys[i])) continue;
            calls.emplace_back(sql::status_of_event, session_.shard_of(holder), holder);
            elsewhere.push_back(i);
        }
        if (calls.empty()) return answers;
        const auto statuses = session_.run(calls);
        for (std::size_t i = 0; i < elsewhere.size(); ++i) {
            if (statuses[i].empty()) continue;
            answers[elsewhere[i]].status = event_status(statuses[i].get<std::string>(0, 0));
        }
        return answers;
    }

    Session& session_;
};

}  // namespace

std::unique_ptr<EventRepository> make_event_repository(Session& session) {
    return std::make_unique<PostgresEventRepository>(session);
}

}  // namespace sundial::postgres
