#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "domain/error.hpp"
#include "domain/event_status.hpp"
#include "domain/ids.hpp"
#include "domain/occurrence.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The requested time, unchanged: an instant (no `wall`), or a wall time in a zone with policies
/// for a gap and an overlap. `zone` is the id as given, a link included; "UTC" for a plain instant.
struct Intent {
    std::optional<WallTime> wall;
    std::string zone = "UTC";
    GapPolicy gap = GapPolicy::compatible;
    OverlapPolicy overlap = OverlapPolicy::compatible;
    friend bool operator==(const Intent&, const Intent&) = default;
};

/// A span of W3C Trace Context, and the trace that it belongs to.
struct TraceContext {
    std::string trace_id;  // 32 lower-case hex digits, not all 0
    std::string span_id;   // 16 of them, likewise
    bool sampled = false;  // whether the programs on the way record their spans
    /// The `tracestate` of the programs on the way: a valid one, handed on unchanged, or empty.
    std::string state{};
    friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

struct Pending {
    friend bool operator==(const Pending&, const Pending&) = default;
};
struct Processing {
    std::optional<Claimant> claimed_by;  // empty while it waits for a retry or for its endpoint
    friend bool operator==(const Processing&, const Processing&) = default;
};
struct Completed {
    Instant at;
    friend bool operator==(const Completed&, const Completed&) = default;
};
struct Failed {
    Instant at;
    std::string reason;  // begins with an error code of the attempt: "HTTP_STATUS 404"
    friend bool operator==(const Failed&, const Failed&) = default;
};
struct Cancelled {
    Instant at;
    std::string reason;
    friend bool operator==(const Cancelled&, const Cancelled&) = default;
};
using EventState = std::variant<Pending, Processing, Completed, Failed, Cancelled>;

/// Something to deliver at its due time. A plain value; the functions below return the next one, at
/// the next version.
///   Pending    -> Processing  claim           when claimable_at is reached
///   Processing -> Processing  claim           the retry is due, or the holder's lease has expired
///   Processing -> Processing  wait_for_retry  not accepted: unclaimed until the next attempt
///   Processing -> Processing  release         returned unsent: uses no attempt, skips its number
///   Processing -> Processing  expedite        the wait for a retry or its endpoint ends now
///   Processing -> Completed   complete        the receiver accepted
///   Processing -> Failed      fail, give_up   refused permanently; or no attempts remain
///   Pending    -> Pending     retarget, resume, park
///   Pending    -> Failed      reject          its local time has no instant
///   Pending, or Processing and not claimed -> Cancelled   cancel
///   Processing -> Cancelled   drop            claimed, not yet sent, and a policy forbids it
/// Every other pair is an error. Final states never change; only `dismiss` marks a FAILED one.
struct Event {
    EventId id;
    IdempotencyKey key;
    std::string type;  // eventType
    Priority priority = Priority::normal;
    std::optional<UserId> user;
    std::optional<EndpointId> endpoint;
    std::optional<Occurrence> occurrence;  // of a schedule; empty for a single event
    Intent intent;
    Instant due;  // the instant of the intent by the current tzdata: derived, never edited
    std::chrono::microseconds jitter{0};  // delay after `due`: spreads the load of a schedule
    std::string tz_release;               // the release of that tzdata, "2025b"
    std::string payload;   // exact bytes, sent unchanged; empty: too long once rendered
    Instant claimable_at;  // due, retry or end of lease; `never`: parked or final
    std::optional<Obstacle> obstacle{};  // that it waits for, unclaimed
    Version version{1};             // the version that a claim returned fences its holder's writes
    Attempt attempt{0};             // number of the latest attempt
    std::uint32_t retry_count = 0;  // attempts that failed or were lost
    std::optional<EventId> retry_of;
    /// Start of the first attempt. A lost attempt began when it was claimed; a released one does
    /// not count.
    std::optional<Instant> first_attempt_at;
    std::optional<Instant> dismissed_at;
    std::optional<std::string> dismissal_note{};  // only of a dismissed event
    std::optional<std::string> dismissed_by{};    // its actor: see Caller
    /// Of the request that created the event; kept by its retries. Empty: the request had none, or
    /// the event is an occurrence.
    std::optional<TraceContext> trace{};
    Instant created_at;
    Instant updated_at;  // while it is claimed: the instant of the claim
    EventState state{};
    friend bool operator==(const Event&, const Event&) = default;
};

[[nodiscard]] EventStatus status_of(const Event& event);
[[nodiscard]] bool is_final(const Event& event);
/// In PROCESSING and claimed.
[[nodiscard]] bool is_claimed(const Event& event);
/// Whether a pull worker has claimed it, not an instance for itself.
[[nodiscard]] bool held_by_worker(const Event& event);
/// Due and not claimed, because of the limits of its endpoint.
[[nodiscard]] inline bool in_line(const Event& event) { return event.obstacle == Obstacle::limit; }
/// False for an event with a local time that another program stored in the database
/// (schedule_local) and whose instant is not known yet: `due` is then the local time read as UTC,
/// and `tz_release` is empty. It is PENDING and parked.
[[nodiscard]] inline bool has_instant(const Event& event) {
    return !event.intent.wall || !event.tz_release.empty();
}
/// Empty for an event that is finished, claimed, or PENDING until its target or until its instant
/// is known.
[[nodiscard]] std::optional<WaitReason> waiting_for(const Event& event);
/// Whether it is new, due for a retry, or held under an expired lease. Not a state: no job has to
/// promote rows.
[[nodiscard]] bool claimable(const Event& event, Instant now);

/// The planned start of the delivery: due plus jitter.
[[nodiscard]] inline Instant target_of(const Event& event) { return event.due + event.jitter; }
/// Start of the first attempt minus its target; empty before that attempt.
[[nodiscard]] std::optional<std::chrono::microseconds> lateness(const Event& event);
/// A delivery that starts more than one tick after its target is late.
inline constexpr std::chrono::seconds late_after{1};
/// Whether it should have been attempted before `then` and was not. A parked event is not missed,
/// nor is the retry of an attempted one.
[[nodiscard]] bool missed(const Event& event, Instant then);
/// More than `late_after` late.
[[nodiscard]] bool late_execution(const Event& event);

/// Errors of all functions below: InvalidStateTransition, with `event` as it was given.
/// An expired lease counts as a lost attempt, which began when its holder claimed the event.
/// `left_behind`: its holder was found dead, so its lease counts as expired (domain/liveness.hpp).
[[nodiscard]] Result<Event, InvalidStateTransition> claim(Event event, Claimant by, Instant now,
                                                          std::chrono::microseconds lease,
                                                          bool left_behind = false);
[[nodiscard]] Result<Event, InvalidStateTransition> complete(Event event, Instant now);
/// Refused permanently: that attempt is not counted in retry_count.
[[nodiscard]] Result<Event, InvalidStateTransition> fail(Event event, Instant now,
                                                         std::string reason);
/// Not accepted, and no attempts remain; counts the attempt like `wait_for_retry`.
[[nodiscard]] Result<Event, InvalidStateTransition> give_up(Event event, Instant now,
                                                            std::string reason);
/// Not accepted: it waits for its retry; the attempt is used.
[[nodiscard]] Result<Event, InvalidStateTransition> wait_for_retry(Event event, Instant now,
                                                                   Instant next_try);
/// Returned unsent; `until` may be `never`. With Obstacle::limit, the claim was not allowed: the
/// number of its attempt is free again.
[[nodiscard]] Result<Event, InvalidStateTransition> release(
    Event event, Instant now, Instant until, std::optional<Obstacle> obstacle = std::nullopt);
[[nodiscard]] Result<Event, InvalidStateTransition> cancel(Event event, Instant now,
                                                           std::string reason);
/// For a claimed event that has never been sent.
[[nodiscard]] Result<Event, InvalidStateTransition> drop(Event event, Instant now,
                                                         std::string reason);
/// Moves a PENDING event to another instant. With the same instant it is the step for any other
/// change (payload, key, occurrence, …), which the caller makes on the value. A parked event stays
/// parked.
[[nodiscard]] Result<Event, InvalidStateTransition> retarget(Event event, Intent intent,
                                                             Instant due, Instant now);
/// PENDING, but not claimable: its schedule is paused.
[[nodiscard]] Result<Event, InvalidStateTransition> park(Event event, Instant now);
/// A retarget that makes a parked event claimable again.
[[nodiscard]] Result<Event, InvalidStateTransition> resume(Event event, Intent intent, Instant due,
                                                           Instant now);
/// For an event whose local time has no instant by the tz database: no such zone, or a policy that
/// leaves it out.
[[nodiscard]] Result<Event, InvalidStateTransition> reject(Event event, Instant now,
                                                           std::string reason);
/// A new event under the same key for a FAILED one, or for a CANCELLED occurrence of a schedule.
/// Claimable at its target, so a FAILED one at once. Intent and due stay the same, so its lateness
/// counts from the original instant. Attempt numbers go on: a receiver that knows the key may
/// ignore requests with a number that it has seen. Refused for a rejected event: it had no instant.
[[nodiscard]] Result<Event, InvalidStateTransition> retried(const Event& finished, EventId fresh,
                                                            Instant now);
/// A new event under another key, for a FAILED or COMPLETED event: the receiver treats it as a new
/// one. Its attempt numbers begin again.
[[nodiscard]] Result<Event, InvalidStateTransition> repeated(const Event& finished, EventId fresh,
                                                             IdempotencyKey key, Instant now);
/// Ends the wait of an unclaimed event, parked or not: claimable now.
[[nodiscard]] Result<Event, InvalidStateTransition> expedite(Event event, Instant now);
/// Marks a FAILED event as handled: no longer a dead letter. With `dismissed` false it becomes a
/// dead letter again and loses its note. A second dismissal keeps the time of the first and
/// replaces its note and its actor, which may be empty.
[[nodiscard]] Result<Event, InvalidStateTransition> dismiss(
    Event event, bool dismissed, Instant now, std::optional<std::string> note = std::nullopt,
    std::string_view actor = {});

}  // namespace sundial
