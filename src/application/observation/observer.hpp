#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A try that begins.
struct TryStarted {
    const Event& event;        // as claimed
    const Endpoint* endpoint;  // null: an in-process handler
    Instant at;
    bool first;  // of this event: only then its lateness counts
    std::chrono::microseconds lateness;
};

/// A try that is over. What it means for the event is told by `settled`.
struct TryOver {
    const Event& event;        // as claimed
    const Endpoint* endpoint;  // null: an in-process handler
    const Outcome& outcome;
    Instant started_at;
    std::chrono::microseconds lateness;  // of the event's first try
};

/// What happens in storage, for metrics. Called from any thread.
class StorageObserver {
public:
    virtual ~StorageObserver() = default;
    /// `count` events came into `status` by what people and plans did: PENDING, CANCELLED.
    virtual void transition(std::string_view /*event_type*/, EventStatus /*status*/,
                            std::size_t /*count*/) {}
    /// `count` events were appended to streams of that type.
    virtual void appended(std::string_view /*aggregate_type*/, std::size_t /*count*/) {}
    /// One call is over, well or not.
    virtual void queried(std::string_view /*operation*/, std::chrono::microseconds /*duration*/) {}
    /// No answer came to a COMMIT.
    virtual void outcome_unknown(std::string_view /*operation*/) {}
};

/// What the engine does, and pull workers do, for metrics and for people who watch. Called on the
/// threads that do it, several at once, so it must be quick; what does not interest an observer it
/// leaves out.
class EngineObserver {
public:
    virtual ~EngineObserver() = default;
    /// One claim that found something; `rescued` of them after another holder's lease was over.
    virtual void claimed(std::size_t /*events*/, std::size_t /*rescued*/,
                         std::chrono::microseconds /*duration*/) {}
    /// `count` events came into `status`: successors PENDING, claims PROCESSING, settled ones.
    virtual void transition(std::string_view /*event_type*/, EventStatus /*status*/,
                            std::size_t /*count*/) {}
    virtual void started(const TryStarted& /*try_started*/) {}
    virtual void delivered(const TryOver& /*try_over*/) {}
    /// A try's result came after somebody else had claimed the event.
    virtual void settled_late(const Event& /*event*/) {}
    /// A lease of this instance was found lost before its work was settled.
    virtual void lease_lost(const Event& /*event*/) {}
};

}  // namespace sundial
