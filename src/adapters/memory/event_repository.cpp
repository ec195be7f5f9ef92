#include "adapters/memory/event_repository.hpp"

#include <algorithm>
#include <utility>

#include "adapters/memory/claiming.hpp"
#include "adapters/memory/event_list.hpp"
#include "base/check.hpp"

namespace sundial::memory {
namespace {

template <class Wanted>
std::vector<Event> live_where(const State& state, Wanted wanted) {
    std::vector<Event> found;
    for (const auto& [id, event] : state.live.rows()) {
        if (wanted(event)) found.push_back(event);
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

}  // namespace

Result<void> MemoryEventRepository::add(const Event& event) {
    base::check(status_of(event) == EventStatus::pending);
    if (state_.keys.find(event.key)) return duplicate(event.key);
    base::check(!find(event.id));
    state_.live.insert(event.id, event);
    state_.keys.insert(event.key, event.id);
    return {};
}

std::vector<Result<void>> MemoryEventRepository::add_each(std::span<const Event> events) {
    std::vector<Result<void>> answers;
    answers.reserve(events.size());
    for (const Event& event : events) answers.push_back(add(event));
    return answers;
}

std::size_t MemoryEventRepository::add_new(std::span<const Event> events) {
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [&](const Event& event) { return add(event).has_value(); }));
}

std::optional<Event> MemoryEventRepository::find(EventId id) {
    if (const Event* event = state_.live.find(id)) return *event;
    if (const FinishedEvent* finished = state_.history.find(id)) return finished->event;
    return std::nullopt;
}

std::optional<Event> MemoryEventRepository::lock(EventId id) {
    const Event* event = state_.live.find(id);
    return event ? std::optional{*event} : std::nullopt;
}

std::vector<Event> MemoryEventRepository::lock_of_user(UserId user) {
    return live_where(state_, [&](const Event& event) { return event.user == user; });
}

std::vector<Event> MemoryEventRepository::lock_behind(ScheduleId schedule, Version version,
                                                      std::optional<EventId> after,
                                                      std::size_t limit) {
    auto found = live_where(state_, [&](const Event& event) {
        return is_behind(event, schedule, version) && (!after || event.id > *after);
    });
    if (found.size() > limit) {
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(limit), found.end());
    }
    return found;
}

std::uint64_t MemoryEventRepository::count_behind(ScheduleId schedule, Version version) {
    return live_where(state_,
                      [&](const Event& event) { return is_behind(event, schedule, version); })
        .size();
}

void MemoryEventRepository::update(const Event& changed) {
    const Event* event = state_.live.find(changed.id);
    base::check(event && !is_claimed(*event) && changed.version == base::next(event->version));
    base::check(!is_final(changed) && changed.key == event->key);
    const bool moved = changed.claimable_at != event->claimable_at;
    if (moved || state_.lines.find(changed.id)) leave_line(state_, changed.id);
    state_.live.replace(changed.id, changed);
}

Result<void> MemoryEventRepository::update_key(const Event& changed,
                                               const IdempotencyKey& old_key) {
    const Event* event = state_.live.find(changed.id);
    base::check(event && event->key == old_key);
    if (state_.keys.find(changed.key)) return duplicate(changed.key);
    state_.keys.erase(old_key);
    state_.keys.insert(changed.key, changed.id);
    state_.live.change(changed.id, [&](Event& row) { row.key = changed.key; });
    update(changed);
    return {};
}

void MemoryEventRepository::finish(const Event& finished) {
    const Event* event = state_.live.find(finished.id);
    base::check(event && is_final(finished) && finished.version == base::next(event->version));
    state_.live.erase(finished.id);
    leave_line(state_, finished.id);
    state_.history.insert(finished.id, {finished, {}});
}

void MemoryEventRepository::finish_dropped(const Event& cancelled) {
    finish(cancelled);
    const EventId* holder = state_.keys.find(cancelled.key);
    if (holder && *holder == cancelled.id) state_.keys.erase(cancelled.key);
}

Result<void> MemoryEventRepository::update_dismissed(const Event& changed, Version held) {
    const FinishedEvent* finished = state_.history.find(changed.id);
    if (!finished || finished->event.version != held) {
        const auto event = find(changed.id);
        return InvalidStateTransition{changed.id, "dismiss",
                                      event ? status_of(*event) : EventStatus::failed, std::nullopt,
                                      event ? event->version : held};
    }
    state_.history.change(changed.id, [&](FinishedEvent& row) { row.event = changed; });
    return {};
}

Result<void> MemoryEventRepository::add_retry(const Event& fresh) {
    const EventId* current = state_.keys.find(fresh.key);
    base::check(fresh.retry_of.has_value());
    if (current && *current != *fresh.retry_of) return duplicate(fresh.key);
    if (current) {
        state_.keys.replace(fresh.key, fresh.id);
    } else {
        state_.keys.insert(fresh.key, fresh.id);
    }
    state_.live.insert(fresh.id, fresh);
    return {};
}

void MemoryEventRepository::erase_of_user(UserId user) {
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

void MemoryEventRepository::forget_user(UserId user) {
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

std::size_t MemoryEventRepository::unpark(std::optional<EndpointId> endpoint, std::size_t limit) {
    return expedite_at_most(limit, live_where(state_, [&](const Event& event) {
                                return event.endpoint == endpoint && event.claimable_at == never &&
                                       status_of(event) == EventStatus::processing;
                            }));
}

std::size_t MemoryEventRepository::expedite(EndpointId endpoint, Obstacle obstacle,
                                            std::size_t limit) {
    return expedite_at_most(limit, live_where(state_, [&](const Event& event) {
                                const Obstacle* its = state_.obstacles.find(event.id);
                                return event.endpoint == endpoint && its && *its == obstacle;
                            }));
}

std::size_t MemoryEventRepository::expedite_at_most(std::size_t limit,
                                                    const std::vector<Event>& waiting) {
    const std::size_t count = std::min(limit, waiting.size());
    for (std::size_t i = 0; i < count; ++i) {
        const EventId id = waiting[i].id;
        state_.live.replace(id, sundial::expedite(waiting[i], now_).value());
        leave_line(state_, id);
    }
    return count;
}

bool MemoryEventRepository::has_live(const LiveQuery& query) {
    return std::ranges::any_of(state_.live.rows(), [&](const auto& row) {
        const Event& event = row.second;
        return event.occurrence && event.occurrence->schedule == query.schedule &&
               event.user == query.user && (!query.due_before || event.due < *query.due_before) &&
               (!query.due_after || event.due > *query.due_after) &&
               (!query.origin || event.occurrence->origin == *query.origin);
    });
}

Page<Event> MemoryEventRepository::list(const EventQuery& query) {
    return list_events(state_, query);
}

std::vector<Event> MemoryEventRepository::walk(const EventWalk& walk) {
    return walk_events(state_, walk).items;
}

std::uint64_t MemoryEventRepository::count(const EventWalk& walk) {
    EventWalk whole = walk;
    whole.page = {.limit = state_.live.rows().size() + state_.history.rows().size(),
                  .after = std::nullopt};
    return walk_events(state_, whole).items.size();
}

DeadLetters MemoryEventRepository::dead_letters(DeadLettersBy by) {
    return memory::dead_letters(state_, by);
}

std::vector<AttemptRecord> MemoryEventRepository::attempts_of(EventId id) {
    const auto& rows = state_.attempts.rows();
    std::vector<AttemptRecord> attempts;
    for (auto row = rows.lower_bound({id, Attempt{0}}); row != rows.end() && row->first.event == id;
         ++row) {
        attempts.push_back(row->second);
    }
    const FinishedEvent* finished = state_.history.find(id);
    if (finished && status_of(finished->event) == EventStatus::completed) {
        attempts.push_back(success_of(*finished));
    }
    return attempts;
}

DuplicateIdempotencyKey MemoryEventRepository::duplicate(const IdempotencyKey& key) {
    const EventId current = *state_.keys.find(key);
    const auto event = find(current);
    return {key, current, event ? status_of(*event) : EventStatus::completed};
}

void MemoryEventRepository::erase_tracks_of(EventId id) {
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

}  // namespace sundial::memory
