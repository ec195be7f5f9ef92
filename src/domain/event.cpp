#include "domain/event.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sundial {
namespace {

using namespace std::chrono_literals;

InvalidStateTransition refused(const Event& event, std::string_view action) {
    const auto* processing = std::get_if<Processing>(&event.state);
    return {event.id,         std::string{action},
            status_of(event), processing ? processing->claimed_by : std::nullopt,
            event.version,    waiting_for(event)};
}

bool is_pending(const Event& event) { return std::holds_alternative<Pending>(event.state); }
bool is_failed(const Event& event) { return std::holds_alternative<Failed>(event.state); }
bool is_cancelled_occurrence(const Event& event) {
    return event.occurrence && std::holds_alternative<Cancelled>(event.state);
}

/// Applied by every change.
Event changed(Event event, Instant now) {
    event.version = base::next(event.version);
    event.updated_at = now;
    return event;
}

Event waiting(Event event, Instant now, Instant until, std::optional<Obstacle> obstacle = {}) {
    event.state = Processing{std::nullopt};
    event.claimable_at = until;
    event.obstacle = obstacle;
    return changed(std::move(event), now);
}

Event finished(Event event, Instant now, EventState final_state) {
    event.state = std::move(final_state);
    event.claimable_at = never;
    event.obstacle.reset();
    return changed(std::move(event), now);
}

/// A new event for a finished one, with the same intent and due time. Its attempts are numbered
/// after those of `event`.
Event as_new(Event event, EventId id, Instant now) {
    event.retry_of = event.id;
    event.id = id;
    event.state = Pending{};
    event.claimable_at = std::max(now, target_of(event));
    event.version = Version{1};
    event.retry_count = 0;
    event.first_attempt_at.reset();
    event.dismissed_at.reset();
    event.dismissal_note.reset();
    event.dismissed_by.reset();
    event.created_at = event.updated_at = now;
    return event;
}

}  // namespace

EventStatus status_of(const Event& event) {
    struct Status {
        EventStatus operator()(const Pending&) const { return EventStatus::pending; }
        EventStatus operator()(const Processing&) const { return EventStatus::processing; }
        EventStatus operator()(const Completed&) const { return EventStatus::completed; }
        EventStatus operator()(const Failed&) const { return EventStatus::failed; }
        EventStatus operator()(const Cancelled&) const { return EventStatus::cancelled; }
    };
    return std::visit(Status{}, event.state);
}

bool is_final(const Event& event) {
    return !is_pending(event) && !std::holds_alternative<Processing>(event.state);
}

bool is_claimed(const Event& event) {
    const auto* processing = std::get_if<Processing>(&event.state);
    return processing && processing->claimed_by;
}

bool held_by_worker(const Event& event) {
    const auto* processing = std::get_if<Processing>(&event.state);
    return processing && processing->claimed_by && !processing->claimed_by->worker.empty();
}

std::optional<WaitReason> waiting_for(const Event& event) {
    if (is_final(event) || is_claimed(event)) return std::nullopt;
    if (event.obstacle) {
        return *event.obstacle == Obstacle::circuit ? WaitReason::circuit : WaitReason::limit;
    }
    const bool parked = event.claimable_at == never;
    if (is_pending(event)) {
        return parked && has_instant(event) ? std::optional{WaitReason::schedule} : std::nullopt;
    }
    return parked ? WaitReason::endpoint : WaitReason::retry;
}

bool claimable(const Event& event, Instant now) {
    return !is_final(event) && event.claimable_at <= now;
}

std::optional<std::chrono::microseconds> lateness(const Event& event) {
    if (!event.first_attempt_at) return std::nullopt;
    return *event.first_attempt_at - target_of(event);
}

bool missed(const Event& event, Instant then) {
    const bool attempted = event.first_attempt_at || (event.retry_of && event.attempt.value > 0);
    return !is_final(event) && !attempted && event.claimable_at != never &&
           std::max(target_of(event), event.created_at) < then;
}

bool late_execution(const Event& event) { return lateness(event).value_or(0us) > late_after; }

Result<Event, InvalidStateTransition> claim(Event event, Claimant by, Instant now,
                                            std::chrono::microseconds lease, bool left_behind) {
    if (!claimable(event, now) && !left_behind) return refused(event, "claim");
    if (is_claimed(event)) {  // its holder never reported an outcome
        ++event.retry_count;
        if (!event.first_attempt_at) event.first_attempt_at = event.updated_at;
    }
    event.state = Processing{std::move(by)};
    event.claimable_at = now + lease;
    event.obstacle.reset();
    event.attempt = base::next(event.attempt);
    return changed(std::move(event), now);  // this version outranks every earlier holder
}

// An expired lease that no other holder took does not forbid settling: fewer duplicates, the same
// safety.

Result<Event, InvalidStateTransition> complete(Event event, Instant now) {
    if (!is_claimed(event)) return refused(event, "complete");
    return finished(std::move(event), now, Completed{now});
}

Result<Event, InvalidStateTransition> fail(Event event, Instant now, std::string reason) {
    if (!is_claimed(event)) return refused(event, "fail");
    return finished(std::move(event), now, Failed{now, std::move(reason)});
}

Result<Event, InvalidStateTransition> give_up(Event event, Instant now, std::string reason) {
    if (!is_claimed(event)) return refused(event, "give up");
    ++event.retry_count;
    return finished(std::move(event), now, Failed{now, std::move(reason)});
}

Result<Event, InvalidStateTransition> wait_for_retry(Event event, Instant now, Instant next_try) {
    if (!is_claimed(event)) return refused(event, "wait for retry");
    ++event.retry_count;
    return waiting(std::move(event), now, next_try);
}

Result<Event, InvalidStateTransition> release(Event event, Instant now, Instant until,
                                              std::optional<Obstacle> obstacle) {
    if (!is_claimed(event)) return refused(event, "release");
    if (obstacle == Obstacle::limit) event.attempt = Attempt{event.attempt.value - 1};
    return waiting(std::move(event), now, until, obstacle);
}

Result<Event, InvalidStateTransition> cancel(Event event, Instant now, std::string reason) {
    if (is_final(event) || is_claimed(event)) return refused(event, "cancel");
    return finished(std::move(event), now, Cancelled{now, std::move(reason)});
}

Result<Event, InvalidStateTransition> drop(Event event, Instant now, std::string reason) {
    const bool perhaps_sent = event.first_attempt_at || event.retry_count > 0;
    if (!is_claimed(event) || perhaps_sent) return refused(event, "drop");
    return finished(std::move(event), now, Cancelled{now, std::move(reason)});
}

Result<Event, InvalidStateTransition> retarget(Event event, Intent intent, Instant due,
                                               Instant now) {
    if (!is_pending(event)) return refused(event, "retarget");
    const bool parked = event.claimable_at == never;
    event.intent = std::move(intent);
    event.due = due;
    event.claimable_at = parked ? never : target_of(event);
    event.obstacle.reset();
    return changed(std::move(event), now);
}

Result<Event, InvalidStateTransition> park(Event event, Instant now) {
    if (!is_pending(event)) return refused(event, "park");
    event.claimable_at = never;
    event.obstacle.reset();
    return changed(std::move(event), now);
}

Result<Event, InvalidStateTransition> resume(Event event, Intent intent, Instant due, Instant now) {
    if (!is_pending(event)) return refused(event, "resume");
    event.intent = std::move(intent);
    event.due = due;
    event.claimable_at = target_of(event);
    event.obstacle.reset();
    return changed(std::move(event), now);
}

Result<Event, InvalidStateTransition> reject(Event event, Instant now, std::string reason) {
    if (!is_pending(event) || has_instant(event)) return refused(event, "reject");
    return finished(std::move(event), now, Failed{now, std::move(reason)});
}

Result<Event, InvalidStateTransition> retried(const Event& finished, EventId fresh, Instant now) {
    if (!has_instant(finished) || (!is_failed(finished) && !is_cancelled_occurrence(finished))) {
        return refused(finished, "retry");
    }
    return as_new(finished, fresh, now);
}

Result<Event, InvalidStateTransition> repeated(const Event& finished, EventId fresh,
                                               IdempotencyKey key, Instant now) {
    if (!has_instant(finished) ||
        (!is_failed(finished) && !std::holds_alternative<Completed>(finished.state))) {
        return refused(finished, "repeat");
    }
    Event event = as_new(finished, fresh, now);
    event.key = std::move(key);
    event.attempt = Attempt{0};
    return event;
}

Result<Event, InvalidStateTransition> expedite(Event event, Instant now) {
    if (is_pending(event) || is_final(event) || is_claimed(event))
        return refused(event, "expedite");
    return waiting(std::move(event), now, now);
}

Result<Event, InvalidStateTransition> dismiss(Event event, bool dismissed, Instant now,
                                              std::optional<std::string> note,
                                              std::string_view actor) {
    if (!is_failed(event)) return refused(event, "dismiss");
    if (!dismissed) {
        event.dismissed_at.reset();
        event.dismissal_note.reset();
        event.dismissed_by.reset();
    } else {
        if (!event.dismissed_at) event.dismissed_at = now;
        event.dismissal_note = std::move(note);
        event.dismissed_by = actor.empty() ? std::nullopt : std::optional<std::string>{actor};
    }
    return changed(std::move(event), now);
}

}  // namespace sundial
