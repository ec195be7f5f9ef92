#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/event_status.hpp"
#include "domain/outcome.hpp"
#include "domain/retry.hpp"

namespace sundial {

/// The destination of a claimed event, and the rules for it.
struct Destination {
    std::shared_ptr<const Endpoint> endpoint;  // null: the in-process handler of its type
    RetryPolicy retry_policy;
    std::chrono::microseconds timeout{};  // of one attempt
    std::string target_time;              // RFC 9557; empty for handlers
    bool circuit_closed = true;           // as it was read; if false, only a probe may be sent
    bool failing = false;                 // no attempt was accepted since a failed one
};
/// The event may not be sent now: it is deferred and uses no attempt.
struct Deferral {
    std::optional<std::chrono::microseconds> delay;  // empty: parked
    std::string reason;
    std::optional<Obstacle> obstacle{};
};
/// An earlier attempt was accepted, but its holder could not settle it in time.
struct AcceptedBefore {
    AttemptRecord attempt;
};

/// The event has ended, by policy or by another caller.
struct Ended {};

/// The decision about one claimed event.
struct Decision {
    EventId id;
    std::variant<Destination, Deferral, AcceptedBefore, Ended> what;
};

}  // namespace sundial
