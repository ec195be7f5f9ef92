#include "application/events/retry_event.hpp"

#include <optional>
#include <string>
#include <vector>

#include "application/requests/queries.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

/// The same for each retry of one event, so that a second retry is refused as a duplicate.
IdempotencyKey key_after(const Event& event) {
    std::string digits = to_string(event.id);
    std::erase(digits, '-');
    return IdempotencyKey{"event-" + digits};
}

/// An id in the event's own shard. Event, first key and retries share a shard.
EventId id_for_retry(const Event& event, Ids& ids) {
    EventId id = ids.event_id(event.key);
    id.value.bytes.back() = event.id.value.bytes.back();
    return id;
}

/// The event, with its user shared so that the user cannot be deleted meanwhile. Otherwise the
/// retry would survive the erasure.
std::optional<Event> find_with_user(Transaction& tx, EventId id) {
    auto event = tx.events().find(id);
    if (!event || !event->user) return event;
    tx.users().share(std::vector{*event->user});
    return tx.events().find(id);
}

/// Dismisses a retried event, which is no longer a dead letter. Another caller may be dismissing it
/// too.
void put_away(Transaction& tx, std::optional<Event> event, const Caller& caller) {
    while (event && status_of(*event) == EventStatus::failed && !event->dismissed_at) {
        const auto dismissed = dismiss(*event, true, tx.now(), std::nullopt, caller.actor);
        base::check(dismissed.has_value());
        if (tx.events().update_dismissed(*dismissed, event->version)) return;
        event = tx.events().find(event->id);
    }
}

/// The locked event, which waits for its next attempt, made claimable at once.
Event expedited(Transaction& tx, const Event& waiting, std::chrono::microseconds delay) {
    const Instant at = tx.now() + delay;
    if (waiting.claimable_at <= at) return waiting;
    auto sooner = expedite(waiting, tx.now());
    base::check(sooner.has_value());
    sooner->claimable_at = at;
    tx.events().update(*sooner);
    return *sooner;
}

/// Stores the new event.
EventResult<Event> add_retry_event(Transaction& tx, Ids& ids, const Event& event, RetryKey key,
                                   std::chrono::microseconds delay) {
    const IdempotencyKey fresh_key = key == RetryKey::fresh ? key_after(event) : event.key;
    auto fresh = key == RetryKey::fresh
                     ? repeated(event, ids.event_id(fresh_key), fresh_key, tx.now())
                     : retried(event, id_for_retry(event, ids), tx.now());
    if (!fresh) return fresh;
    if (event.endpoint && tx.endpoints().share(std::vector{*event.endpoint}).empty()) {
        return NotFound{Noun::endpoint, to_string(*event.endpoint)};
    }
    fresh->claimable_at += delay;
    if (key == RetryKey::fresh) {
        const auto added = tx.events().add(*fresh);
        if (!added) return added.error();
        fresh->attempt = *added;
    } else if (const auto moved = tx.events().add_retry(*fresh); !moved) {
        return moved.error();
    }
    return fresh;
}

}  // namespace

EventResult<RetriedEvent> retry_in(Transaction& tx, Ids& ids, EventId id, RetryKey key,
                                   const ChangedBy& by, std::chrono::microseconds delay) {
    auto event = find_with_user(tx, id);
    if (event && key == RetryKey::same && waiting_for(*event) == WaitReason::retry) {
        const auto live = tx.events().lock(id);
        if (live && waiting_for(*live) == WaitReason::retry) {
            const Event again = expedited(tx, *live, delay);
            record_retried(tx, *live, again, by);
            return RetriedEvent{again};
        }
        event = live ? live : tx.events().find(id);  // it was claimed meanwhile
    }
    if (!event) return NotFound{Noun::event, to_string(id)};
    auto fresh = add_retry_event(tx, ids, *event, key, delay);
    if (!fresh) return fresh.error();
    put_away(tx, event, by.caller);
    record_retried(tx, *event, *fresh, by);
    return RetriedEvent{*std::move(fresh), true};
}

EventResult<RetriedEvent> RetryEvent::run(std::string_view id, RetryKey key, const Caller& caller) {
    auto result = in_transaction(store_, [&](Transaction& tx) -> EventResult<RetriedEvent> {
        const auto parsed = event_id(id);
        if (!parsed) return parsed.error();
        return retry_in(tx, ids_, *parsed, key, {caller, ids_.fresh()});
    });
    if (result) wakeups_.due_at(result->event.claimable_at);
    return result;
}

}  // namespace sundial
