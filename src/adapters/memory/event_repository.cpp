#include "application/ports/event_repository.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"
#include "base/check.hpp"

namespace sundial::memory {
namespace {

std::optional<Instant> executed_at(const Event& event) {
    if (const auto* completed = std::get_if<Completed>(&event.state)) return completed->at;
    if (const auto* failed = std::get_if<Failed>(&event.state)) return failed->at;
    return std::nullopt;
}

std::optional<Instant> ended_at(const Event& event) {
    if (const auto* cancelled = std::get_if<Cancelled>(&event.state)) return cancelled->at;
    return executed_at(event);
}

std::string reason_of(const Event& event) {
    if (const auto* failed = std::get_if<Failed>(&event.state)) return failed->reason;
    if (const auto* cancelled = std::get_if<Cancelled>(&event.state)) return cancelled->reason;
    return {};
}

bool matches(const Event& event, const EventQuery& query) {
    return any_of(query.statuses, status_of(event)) && any_of(query.priorities, event.priority) &&
           any_of(query.types, event.type) && any_of(query.zones, event.intent.zone) &&
           is(query.user, event.user) &&
           is(query.schedule,
              event.occurrence ? std::optional{event.occurrence->schedule} : std::nullopt) &&
           is(query.endpoint, event.endpoint) &&
           within(query.target_from, query.target_to, std::optional{event.due}) &&
           within(query.executed_from, query.executed_to, executed_at(event)) &&
           is(query.late_execution, late_execution(event)) &&
           is(query.dismissed, event.dismissed_at.has_value()) && is(query.key, event.key) &&
           any_starts(query.prefix, {to_string(event.id), event.key.value}) &&
           any_starts(query.reason, {reason_of(event)}) &&
           (query.waiting_for.empty() ||
            (waiting_for(event) && any_of(query.waiting_for, *waiting_for(event))));
}

std::optional<std::int64_t> sort_value_of(const Event& event, EventQuery::Sort sort) {
    const auto microseconds = [](const auto& time) -> std::optional<std::int64_t> {
        if (!time) return std::nullopt;
        return microseconds_of(*time);
    };
    switch (sort) {
        case EventQuery::Sort::executed_at:
            return microseconds(executed_at(event));
        case EventQuery::Sort::created_at:
            return std::nullopt;  // ids are ordered by creation
        case EventQuery::Sort::lateness:
            return microseconds(lateness(event));
        case EventQuery::Sort::target:
            break;
    }
    return microseconds_of(event.due);
}

/// Removes the events beyond `max_page_bytes`.
void end_when_full(Page<Event>& page) {
    std::size_t bytes = 0;
    const auto end = std::ranges::find_if(page.items, [&](const Event& event) {
        return std::exchange(bytes, bytes + event.payload.size()) >= max_page_bytes;
    });
    if (end == page.items.end()) return;
    page.items.erase(end, page.items.end());
    page.has_more = true;
}

/// Planned by the rule of a schedule, without a user.
bool is_of_rule(const Event& event) {
    return event.occurrence && event.occurrence->origin == Origin::rule && !event.user;
}

/// Live and finished events that match `query`, in its order.
Page<Event> list_events(const State& state, const EventQuery& query) {
    std::vector<Event> events;
    const bool bounded = query.max_passed && passes_rows(query);
    for (const auto& [id, event] : state.live.rows()) {
        if (bounded || matches(event, query)) events.push_back(event);
    }
    for (const auto& [id, finished] : state.history.rows()) {
        if (bounded || matches(finished.event, query)) events.push_back(finished.event);
    }
    const auto value_of = [&](const Event& event) { return sort_value_of(event, query.sort); };
    std::optional<PageKey> passed;
    if (bounded) {
        PageRequest all = query.page;
        all.limit = *query.max_passed;
        Page<Event> read = page_of<std::int64_t>(std::move(events), all, value_of);
        if (read.items.size() == all.limit) {
            const auto value = value_of(read.items.back());
            passed = PageKey{value ? std::to_string(*value) : "", read.items.back().id.value};
        }
        events = std::move(read.items);
        std::erase_if(events, [&](const Event& event) { return !matches(event, query); });
    }
    Page<Event> page = page_of<std::int64_t>(std::move(events), query.page, value_of);
    end_when_full(page);
    if (passed && !page.has_more) {
        page.has_more = true;
        page.passed = std::move(passed);
    }
    return page;
}

PlannedCounts count_planned(const State& state, const PlannedQuery& query) {
    std::vector<const Event*> planned;
    for (const auto& [id, event] : state.live.rows()) {
        if (status_of(event) == EventStatus::pending && event.due >= query.from &&
            event.due < query.to) {
            planned.push_back(&event);
        }
    }
    std::ranges::sort(planned, {},
                      [](const Event* event) { return std::pair{event->due, event->id}; });
    PlannedCounter counter{query};
    for (const Event* event : planned) {
        counter.add({.id = event->id,
                     .due = event->due,
                     .target = target_of(*event),
                     .paused = waiting_for(*event) == WaitReason::schedule,
                     .of_rule = is_of_rule(*event),
                     .zone = event->intent.zone,
                     .endpoint = event->endpoint});
    }
    return std::move(counter).result();
}

/// One part of `walk`; `has_more` says whether others follow.
Page<Event> walk_events(const State& state, const EventWalk& walk) {
    std::vector<Event> events;
    if (walk.through == EventWalk::Through::live) {
        for (const auto& [id, event] : state.live.rows()) {
            if (event.created_at <= walk.until && matches(event, walk.filter)) {
                events.push_back(event);
            }
        }
        return page_of<std::int64_t>(std::move(events), walk.page,
                                     [](const Event&) { return std::optional<std::int64_t>{}; });
    }
    for (const auto& [id, finished] : state.history.rows()) {
        const auto* failed = std::get_if<Failed>(&finished.event.state);
        if (failed && failed->at <= walk.until && matches(finished.event, walk.filter)) {
            events.push_back(finished.event);
        }
    }
    return page_of<std::int64_t>(std::move(events), walk.page, [](const Event& event) {
        return microseconds_of(std::get<Failed>(event.state).at);
    });
}

DeadLetters dead_letters(const State& state, DeadLettersBy by) {
    std::vector<const Event*> letters;
    for (const auto& [id, finished] : state.history.rows()) {
        const Event& event = finished.event;
        if (std::holds_alternative<Failed>(event.state) && !event.dismissed_at) {
            letters.push_back(&event);
        }
    }
    const auto newest_first = [](const Event* a, const Event* b) {
        return std::pair{std::get<Failed>(a->state).at, a->id} >
               std::pair{std::get<Failed>(b->state).at, b->id};
    };
    std::ranges::sort(letters, newest_first);
    DeadLetterCounters counters{by};
    for (const Event* event : letters) {
        const auto& failed = std::get<Failed>(event->state);
        counters.add(failed.reason, event->endpoint, failed.at, event->id);
    }
    return std::move(counters).result();
}

template <class Predicate>
std::vector<Event> live_where(const State& state, Predicate matches) {
    std::vector<Event> found;
    for (const auto& [id, event] : state.live.rows()) {
        if (matches(event)) found.push_back(event);
    }
    return found;
}

bool is_behind(const Event& event, ScheduleId schedule, Version version) {
    return event.occurrence && event.occurrence->schedule == schedule &&
           event.occurrence->schedule_version < version && !is_claimed(event);
}

AttemptRecord success_of(const FinishedEvent& completed) {
    const auto& [event, last_attempt] = completed;
    return {.event = event.id,
            .number = event.attempt,
            .outcome = AttemptOutcome::succeeded,
            .endpoint = event.endpoint,
            .started_at = last_attempt.started_at,
            .duration = last_attempt.duration,
            .status_code = last_attempt.status_code,
            .error_code = {},
            .error_text = {},
            .response_body = {},
            .instance = last_attempt.settled_by,
            .held = Version{event.version.value - 1}};
}

bool matches(const AttemptRecord& attempt, const AttemptQuery& query) {
    return any_of(query.outcomes, attempt.outcome) && is(query.endpoint, attempt.endpoint) &&
           (query.status_codes.empty() ||
            (attempt.status_code && any_of(query.status_codes, *attempt.status_code)));
}

/// The part of `all` that ended in [from, to).
AttemptStretch stretch_of(const std::vector<EndedAttempt>& all, const AttemptQuery& query,
                          Instant from, Instant to) {
    using Place = std::pair<std::int64_t, Uuid>;
    const auto place_of = [](const EndedAttempt& one) {
        return Place{microseconds_of(one.ended_at), one.record.event.value};
    };
    std::optional<Place> last;
    if (const auto& after = query.page.after) {
        last = Place{sort_value<std::int64_t>(after->value).value(), after->id};
    }
    AttemptStretch stretch;
    for (const EndedAttempt& one : all) {
        if (one.ended_at < from || one.ended_at >= to) continue;
        ++stretch.passed;
        const bool beyond = !last || place_of(one) < *last;
        if (beyond && matches(one.record, query)) stretch.matches.push_back(one);
    }
    std::ranges::sort(stretch.matches, std::greater{}, place_of);
    if (stretch.matches.size() > query.page.limit) {
        const auto most = static_cast<std::ptrdiff_t>(query.page.limit) + 1;
        stretch.matches.erase(stretch.matches.begin() + most, stretch.matches.end());
    }
    return stretch;
}

class MemoryEventRepository final : public EventRepository {
public:
    /// `now` is the time of the transaction.
    MemoryEventRepository(State& state, Instant now) : state_{state}, now_{now} {}

    Result<Attempt, DuplicateIdempotencyKey> add(const Event& event) override {
        base::check(status_of(event) == EventStatus::pending);
        const KeyRow* known = state_.keys.find(event.key);
        if (known && !known->free) return duplicate(event.key);
        base::check(!find(event.id));
        Event added = event;
        added.attempt = known ? known->attempt : Attempt{0};
        const Attempt attempt = added.attempt;
        put_key(event.key, {.event = event.id, .attempt = attempt});
        state_.live.insert(event.id, std::move(added));
        return attempt;
    }

    Result<AddedEvent, DuplicateIdempotencyKey> add_now(const Event& event) override {
        Event created = event;
        created.created_at = created.updated_at = now_;
        const auto added = add(created);
        if (!added) return added.error();
        return AddedEvent{*added, created.created_at};
    }

    std::optional<Event> find(EventId id) override {
        if (const Event* event = state_.live.find(id)) return *event;
        if (const FinishedEvent* finished = state_.history.find(id)) return finished->event;
        return std::nullopt;
    }

    std::optional<Event> lock(EventId id) override {
        const Event* event = state_.live.find(id);
        return event ? std::optional{*event} : std::nullopt;
    }
    std::vector<Event> lock_of_user(UserId user) override {
        return live_where(state_, [&](const Event& event) { return event.user == user; });
    }

    std::vector<Event> lock_behind(ScheduleId schedule, Version version,
                                   std::optional<EventId> after, std::size_t limit) override {
        auto found = live_where(state_, [&](const Event& event) {
            return is_behind(event, schedule, version) && (!after || event.id > *after);
        });
        if (found.size() > limit) {
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(limit), found.end());
        }
        return found;
    }

    std::uint64_t count_behind(ScheduleId schedule, Version version) override {
        return live_where(state_,
                          [&](const Event& event) { return is_behind(event, schedule, version); })
            .size();
    }

    std::vector<Event> unclaimed_of_endpoint(EndpointId endpoint, std::size_t limit) override {
        auto found = live_where(state_, [&](const Event& event) {
            return event.endpoint == endpoint && !is_claimed(event);
        });
        if (found.size() > limit) {
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(limit), found.end());
        }
        return found;
    }

    std::uint64_t count_live_of_endpoint(EndpointId endpoint) override {
        return live_where(state_, [&](const Event& event) { return event.endpoint == endpoint; })
            .size();
    }

    void update(const Event& changed) override {
        const Event* event = state_.live.find(changed.id);
        base::check(event && !is_claimed(*event) && changed.version == base::next(event->version));
        base::check(!is_final(changed) && changed.key == event->key);
        state_.live.replace(changed.id, changed);
    }

    Result<void, DuplicateIdempotencyKey> update_key(const Event& changed,
                                                     const IdempotencyKey& old_key) override {
        const Event* event = state_.live.find(changed.id);
        base::check(event && event->key == old_key);
        if (state_.keys.find(changed.key)) return duplicate(changed.key);
        state_.keys.erase(old_key);
        state_.keys.insert(changed.key, {.event = changed.id});
        state_.live.change(changed.id, [&](Event& row) { row.key = changed.key; });
        update(changed);
        return {};
    }

    void finish(const Event& finished) override {
        const Event* event = state_.live.find(finished.id);
        base::check(event && is_final(finished) && finished.version == base::next(event->version));
        state_.live.erase(finished.id);
        state_.finish({finished, {}});
        if (status_of(finished) == EventStatus::cancelled) set_key_free(finished, true);
    }

    void finish_dropped(const Event& cancelled) override {
        finish(cancelled);
        const KeyRow* key = state_.keys.find(cancelled.key);
        if (key && key->event == cancelled.id) state_.keys.erase(cancelled.key);
    }

    Result<void, InvalidStateTransition> update_dismissed(const Event& changed,
                                                          Version held) override {
        const FinishedEvent* finished = state_.history.find(changed.id);
        if (!finished || finished->event.version != held) {
            const auto event = find(changed.id);
            return InvalidStateTransition{changed.id, "dismiss",
                                          event ? status_of(*event) : EventStatus::failed,
                                          std::nullopt, event ? event->version : held};
        }
        state_.history.change(changed.id, [&](FinishedEvent& row) { row.event = changed; });
        set_key_free(changed, changed.dismissed_at.has_value());
        return {};
    }

    Result<void, DuplicateIdempotencyKey> add_retry(const Event& fresh) override {
        const KeyRow* current = state_.keys.find(fresh.key);
        base::check(fresh.retry_of.has_value());
        if (current && current->event != *fresh.retry_of) return duplicate(fresh.key);
        put_key(fresh.key, {.event = fresh.id});
        state_.live.insert(fresh.id, fresh);
        return {};
    }

    void erase_of_user(UserId user) override {
        for (const Event& event : lock_of_user(user)) {
            if (is_claimed(event)) continue;
            state_.live.erase(event.id);
            erase_tracks_of(event.id);
        }
        std::vector<EventId> finished;
        for (const auto& [id, row] : state_.history.rows()) {
            if (row.event.user == user) finished.push_back(id);
        }
        for (const EventId& id : finished) {
            state_.history.erase(id);
            erase_tracks_of(id);
        }
        forget_user(user);
    }

    void forget_user(UserId user) override {
        for (const Event& event : lock_of_user(user)) {
            if (!is_claimed(event)) continue;
            state_.live.change(event.id, [](Event& row) { row.user.reset(); });
        }
        std::vector<EventId> finished;
        for (const auto& [id, row] : state_.history.rows()) {
            if (row.event.user == user) finished.push_back(id);
        }
        for (const EventId& id : finished) {
            state_.history.change(id, [](FinishedEvent& row) { row.event.user.reset(); });
        }
    }

    std::size_t unpark(std::optional<EndpointId> endpoint, std::size_t limit) override {
        return expedite_at_most(limit, live_where(state_, [&](const Event& event) {
                                    return event.endpoint == endpoint &&
                                           event.claimable_at == never &&
                                           status_of(event) == EventStatus::processing;
                                }));
    }

    std::size_t expedite(EndpointId endpoint, WaitReason reason, std::size_t limit) override {
        return expedite_at_most(limit, live_where(state_, [&](const Event& event) {
                                    return event.endpoint == endpoint &&
                                           waiting_for(event) == reason &&
                                           event.claimable_at > now_;
                                }));
    }

    std::vector<Event> planned_by_rule(std::span<const ScheduleId> schedules) override {
        return live_where(state_, [&](const Event& event) {
            return is_of_rule(event) && status_of(event) == EventStatus::pending &&
                   std::ranges::find(schedules, event.occurrence->schedule) != schedules.end();
        });
    }

    PlannedCounts count_planned(const PlannedQuery& query) override {
        return memory::count_planned(state_, query);
    }

    bool has_live(const LiveQuery& query) override {
        return std::ranges::any_of(state_.live.rows(), [&](const auto& row) {
            const Event& event = row.second;
            return event.occurrence && event.occurrence->schedule == query.schedule &&
                   event.user == query.user &&
                   (!query.due_before || event.due < *query.due_before) &&
                   (!query.due_after || event.due > *query.due_after) &&
                   (!query.origin || event.occurrence->origin == *query.origin);
        });
    }

    Page<Event> list(const EventQuery& query) override { return list_events(state_, query); }
    std::vector<Event> walk(const EventWalk& walk) override {
        return walk_events(state_, walk).items;
    }

    std::uint64_t count(const EventWalk& walk) override {
        EventWalk whole = walk;
        whole.page = {.limit = state_.live.rows().size() + state_.history.rows().size(),
                      .after = std::nullopt};
        return walk_events(state_, whole).items.size();
    }

    DeadLetters dead_letters(DeadLettersBy by) override { return memory::dead_letters(state_, by); }

    std::vector<AttemptRecord> attempts_of(EventId id) override {
        const auto& rows = state_.attempts.rows();
        std::vector<AttemptRecord> attempts;
        for (auto row = rows.lower_bound({id, Attempt{0}});
             row != rows.end() && row->first.event == id; ++row) {
            attempts.push_back(row->second.record);
        }
        const FinishedEvent* finished = state_.history.find(id);
        if (finished && status_of(finished->event) == EventStatus::completed) {
            attempts.push_back(success_of(*finished));
        }
        return attempts;
    }

    BoundedCount count_like(const EventQuery& query, std::size_t most) override {
        const Page<Event> page = list_events(state_, to_count(query, most));
        return {page.items.size(), !page.has_more};
    }
    std::size_t count_ended(Instant from, std::optional<Instant> to, std::size_t most) override {
        const auto ended = std::ranges::count_if(state_.history.rows(), [&](const auto& row) {
            return within(std::optional{from}, to, ended_at(row.second.event));
        });
        return std::min(static_cast<std::size_t>(ended), most + 1);
    }
    std::size_t count_executed(Instant from, std::optional<Instant> to, std::size_t most) override {
        const auto executed = std::ranges::count_if(state_.history.rows(), [&](const auto& row) {
            return within(std::optional{from}, to, executed_at(row.second.event));
        });
        return std::min(static_cast<std::size_t>(executed), most + 1);
    }
    Page<EndedAttempt> list_attempts(const AttemptQuery& query) override {
        std::vector<EndedAttempt> all;
        for (const auto& [key, row] : state_.attempts.rows()) {
            all.push_back({row.record, row.recorded_at});
        }
        for (const auto& [id, finished] : state_.history.rows()) {
            const auto* completed = std::get_if<Completed>(&finished.event.state);
            if (completed) all.push_back({success_of(finished), completed->at});
        }
        if (query.event) {
            std::erase_if(all, [&](const auto& one) { return one.record.event != *query.event; });
        }
        return latest_attempts(query, now_, [&](Instant from, Instant to, std::size_t /*most*/) {
            return stretch_of(all, query, from, to);
        });
    }

private:
    [[nodiscard]] DuplicateIdempotencyKey duplicate(const IdempotencyKey& key) {
        const EventId current = state_.keys.find(key)->event;
        const auto event = find(current);
        return {key, current, event ? status_of(*event) : EventStatus::completed};
    }

    /// Erases its attempts and moves.
    void put_key(const IdempotencyKey& key, KeyRow row) {
        if (state_.keys.find(key)) {
            state_.keys.replace(key, row);
        } else {
            state_.keys.insert(key, row);
        }
    }

    /// Does nothing if the event is an occurrence, or if another event has its key.
    void set_key_free(const Event& finished, bool free) {
        const KeyRow* key = state_.keys.find(finished.key);
        if (finished.occurrence || !key || key->event != finished.id) return;
        state_.keys.replace(finished.key, {finished.id, free, finished.attempt});
    }

    void erase_tracks_of(EventId id) {
        const auto& moves = state_.moves.rows();
        for (auto row = moves.lower_bound({id, Version{0}});
             row != moves.end() && row->first.event == id;) {
            state_.moves.erase(MoveKey{(row++)->first});
        }
        for (const AttemptRecord& attempt : attempts_of(id)) {
            const AttemptKey key{id, attempt.number};
            if (state_.attempts.find(key)) state_.attempts.erase(key);
        }
    }

    std::size_t expedite_at_most(std::size_t limit, const std::vector<Event>& waiting) {
        const std::size_t count = std::min(limit, waiting.size());
        for (std::size_t i = 0; i < count; ++i) {
            state_.live.replace(waiting[i].id, sundial::expedite(waiting[i], now_).value());
        }
        return count;
    }

    State& state_;
    Instant now_;
};

}  // namespace

std::unique_ptr<EventRepository> make_event_repository(Session& session) {
    return std::make_unique<MemoryEventRepository>(session.state, session.now);
}

}  // namespace sundial::memory
