#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// An attempt that begins.
struct AttemptStarted {
    const Event& event;        // as claimed
    const Endpoint* endpoint;  // null: an in-process handler
    Instant at;
    bool first;                          // of this event: only the first attempt's lateness counts
    std::chrono::microseconds lateness;  // of the event's first attempt
};

/// An attempt that has ended. Its effect on the event is reported by `settled`.
struct AttemptEnded {
    const Event& event;        // as claimed
    const Endpoint* endpoint;  // null: an in-process handler
    const Outcome& outcome;
    Instant started_at;
    std::chrono::microseconds lateness;  // of the event's first attempt
};

/// An attempt whose effect on its event is stored.
struct AttemptSettled {
    const Event& event;  // as claimed
    EventStatus
        status;  // of the event now: COMPLETED, FAILED, or PROCESSING until its next attempt
    std::chrono::microseconds duration;
    Instant at;                           // an estimate of the database's time
    std::optional<Instant> started_at{};  // of the attempt; empty: it was never sent
};

/// Observes storage, for metrics. Called from any thread.
class StorageObserver {
public:
    virtual ~StorageObserver() = default;
    /// `count` events came into `status` by the actions of users and of planning: PENDING,
    /// CANCELLED.
    virtual void transition(std::string_view /*event_type*/, EventStatus /*status*/,
                            std::size_t /*count*/) {}
    /// `count` events were appended to streams of that type.
    virtual void appended(std::string_view /*aggregate_type*/, std::size_t /*count*/) {}
    /// `count` occurrences of schedules did not fire, for that reason.
    virtual void skipped(std::string_view /*reason*/, std::uint64_t /*count*/) {}
    /// One call has ended, successfully or not.
    virtual void queried(std::string_view /*operation*/, std::chrono::microseconds /*duration*/) {}
    /// `count` writes of that kind were refused: another version than expected was there.
    virtual void conflicted(std::string_view /*operation*/, std::size_t /*count*/) {}
    /// No answer came to a COMMIT.
    virtual void outcome_unknown(std::string_view /*operation*/) {}
};

/// Observes the engine and pull workers, for metrics and for displays. Called on the working
/// threads, several at once, so it must be quick. An observer overrides only the calls that it
/// needs.
class EngineObserver {
public:
    virtual ~EngineObserver() = default;
    /// One claim that returned events, by the database's clock at `at`; `lost_attempts` of them
    /// after another holder's lease expired.
    virtual void claimed(std::size_t /*events*/, std::size_t /*lost_attempts*/, Instant /*at*/,
                         std::chrono::microseconds /*duration*/) {}
    /// `count` events came into `status`: successors PENDING, claims PROCESSING, settled ones.
    virtual void transition(std::string_view /*event_type*/, EventStatus /*status*/,
                            std::size_t /*count*/) {}
    virtual void started(const AttemptStarted& /*attempt_started*/) {}
    /// The first attempt of `event`, which this instance has just claimed, was lost: its holder
    /// never reported it. That holder may have died before it could count the attempt's lateness.
    virtual void first_attempt_lost(const Event& /*event*/) {}
    virtual void delivered(const AttemptEnded& /*attempt_ended*/) {}
    virtual void settled(const AttemptSettled& /*attempt_settled*/) {}
    /// An attempt's result came after another instance had claimed the event.
    virtual void settled_late(const Event& /*event*/) {}
    /// A lease of this instance was lost before its work was settled.
    virtual void lease_lost(const Event& /*event*/) {}
};

}  // namespace sundial
