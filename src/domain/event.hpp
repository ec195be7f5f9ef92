#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "domain/claimant.hpp"
#include "domain/error.hpp"
#include "domain/event_status.hpp"
#include "domain/ids.hpp"
#include "domain/occurrence.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// What was asked, kept as it was asked: an instant (no `wall`), or a wall time in a zone with what
/// to do in a gap or an overlap. `zone` is the id as written, a link included; "UTC" for a bare
/// instant.
struct Intent {
    std::optional<WallTime> wall;
    std::string zone = "UTC";
    GapPolicy gap = GapPolicy::compatible;
    OverlapPolicy overlap = OverlapPolicy::compatible;
    friend bool operator==(const Intent&, const Intent&) = default;
};

struct Pending {
    friend bool operator==(const Pending&, const Pending&) = default;
};
struct Processing {
    std::optional<Claimant> claimed_by;  // empty while it waits for its next try, or is parked
    friend bool operator==(const Processing&, const Processing&) = default;
};
struct Completed {
    Instant at;
    friend bool operator==(const Completed&, const Completed&) = default;
};
struct Failed {
    Instant at;
    std::string reason;  // head: an error code of the attempt, "HTTP_STATUS 404"
    friend bool operator==(const Failed&, const Failed&) = default;
};
struct Cancelled {
    Instant at;
    std::string reason;
    friend bool operator==(const Cancelled&, const Cancelled&) = default;
};
using EventState = std::variant<Pending, Processing, Completed, Failed, Cancelled>;

/// Something to deliver once its time has come. A plain value; the functions below return the next
/// one, at the next version.
///   Pending    -> Processing  claim           when claimable_at is reached
///   Processing -> Processing  claim           the next try is due, or the holder's lease is over
///   Processing -> Processing  wait_for_retry  not accepted: nobody holds it until the next try
///   Processing -> Processing  release         given back unsent: no try spent, its number gone
///   Processing -> Processing  hasten          its next try, or what it waited for, is now
///   Processing -> Completed   complete        the receiver accepted
///   Processing -> Failed      fail, give_up   refused for good; or the tries are used up
///   Pending    -> Pending     retarget, resume, park
///   Pending, or Processing that waits -> Cancelled   cancel
///   Processing -> Cancelled   drop            claimed and not yet sent: policy says that it must
///   not fire
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
    Instant due;  // what the intent means under the tzdata in force: derived, never edited
    std::chrono::microseconds jitter{0};  // after due it is sent: so its schedule spreads its load
    std::string tz_release;               // that tzdata's release, "2025b"
    std::string payload;   // exact bytes, sent unchanged; empty: too long once rendered
    Instant claimable_at;  // when a scheduler must look again: due, next try or end of lease;
                           // `never` = parked, or final
    Version version{1};    // the one that a claim returned fences all that its holder writes
    Attempt attempt{0};    // number of the latest try
    std::uint32_t retry_count = 0;  // tries that failed or were lost
    std::optional<EventId> retry_of;
    std::optional<Instant> first_attempt_at;  // start of the first try
    std::optional<Instant> dismissed_at;
    Instant created_at;
    Instant updated_at;
    EventState state{};
    friend bool operator==(const Event&, const Event&) = default;
};

[[nodiscard]] EventStatus status_of(const Event& event);
[[nodiscard]] bool is_final(const Event& event);
/// Processing and held by somebody.
[[nodiscard]] bool is_claimed(const Event& event);
/// New, retried and rescued work in one question. Not a state: no job has to promote rows.
[[nodiscard]] bool claimable(const Event& event, Instant now);

/// When it should be sent: due, and the jitter.
[[nodiscard]] inline Instant target_of(const Event& event) { return event.due + event.jitter; }
/// Start of the first attempt minus its target, once there was one.
[[nodiscard]] std::optional<std::chrono::microseconds> lateness(const Event& event);
/// What starts more than this after its moment is late: one tick.
inline constexpr std::chrono::seconds late_after{1};
/// More than `late_after` late.
[[nodiscard]] bool late_execution(const Event& event);

/// Errors of all: InvalidStateTransition, with `event` as it was given.
/// A lease found expired counts as a lost try.
[[nodiscard]] Result<Event> claim(Event event, Claimant by, Instant now,
                                  std::chrono::microseconds lease);
[[nodiscard]] Result<Event> complete(Event event, Instant now);
/// Refused for good: that try is no part of retry_count.
[[nodiscard]] Result<Event> fail(Event event, Instant now, std::string reason);
/// Not accepted, and there is no next try; this one counts as in `wait_for_retry`.
[[nodiscard]] Result<Event> give_up(Event event, Instant now, std::string reason);
/// Not accepted: it waits for its next try; the try is spent.
[[nodiscard]] Result<Event> wait_for_retry(Event event, Instant now, Instant next_try);
/// Given back unsent; `until` may be `never`.
[[nodiscard]] Result<Event> release(Event event, Instant now, Instant until);
[[nodiscard]] Result<Event> cancel(Event event, Instant now, std::string reason);
/// A claimed one that has never been sent.
[[nodiscard]] Result<Event> drop(Event event, Instant now, std::string reason);
/// Another moment for what is still PENDING, or with the same moment the step for any other change
/// of it (payload, key, occurrence, …), which the caller makes on the value. What is parked stays
/// parked.
[[nodiscard]] Result<Event> retarget(Event event, Intent intent, Instant due, Instant now);
/// PENDING, but not to be claimed: its schedule is paused.
[[nodiscard]] Result<Event> park(Event event, Instant now);
/// A retarget that makes what was parked claimable again.
[[nodiscard]] Result<Event> resume(Event event, Intent intent, Instant due, Instant now);
/// A fresh event under the same key for one that FAILED. Claimable at once; what was asked for and
/// when it was due stay as they were, so its lateness is the true one.
[[nodiscard]] Result<Event> retried(const Event& failed, EventId fresh, Instant now);
/// The same under another key, for one that FAILED or COMPLETED: to its receiver it is a new one.
[[nodiscard]] Result<Event> repeated(const Event& finished, EventId fresh, IdempotencyKey key,
                                     Instant now);
/// What waits need wait no longer, parked or not: claimable now.
[[nodiscard]] Result<Event> hasten(Event event, Instant now);
/// FAILED and looked at: no longer a dead letter. Or, if not `dismissed`, one again.
[[nodiscard]] Result<Event> dismiss(Event event, bool dismissed, Instant now);

}  // namespace sundial
