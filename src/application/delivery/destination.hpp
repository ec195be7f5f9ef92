#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/obstacle.hpp"
#include "domain/outcome.hpp"
#include "domain/retry.hpp"

namespace sundial {

/// Where a claimed event goes, and by which rules.
struct Destination {
    std::shared_ptr<const Endpoint> endpoint;  // null: the in-process handler of its type
    RetryPolicy retry_policy;
    std::chrono::microseconds timeout{};  // of one try
    std::string target_time;              // RFC 9557; of what leaves this process
    bool circuit_closed = true;           // as it was read; else only a probe may go
    bool failing = false;                 // nothing was accepted since a try that was not
};
/// It may not be sent now: given back, no try spent.
struct KeepBack {
    std::optional<std::chrono::microseconds> delay;  // empty: parked
    std::string reason;
    std::optional<Obstacle> obstacle{};
};
/// An earlier try of it was accepted, which its holder could not settle in time.
struct AcceptedBefore {
    AttemptRecord attempt;
};

/// It is over: policy has ended it, or somebody else.
struct Ended {};

/// What is to be done with one claimed event.
struct Decision {
    EventId id;
    std::variant<Destination, KeepBack, AcceptedBefore, Ended> what;
};

}  // namespace sundial
