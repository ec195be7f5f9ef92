#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/circuit.hpp"
#include "domain/ids.hpp"
#include "domain/limits.hpp"
#include "domain/obstacle.hpp"

/// What an instance and all the others agree on about an endpoint.
namespace sundial {

/// Leave to send `waiting` events to an endpoint, beside the `in_flight` that it sends to already.
/// Without any waiting: how many slots it still needs.
struct AdmissionAsked {
    EndpointId endpoint;
    LimitRules rules;
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;
    std::chrono::microseconds mean_try{0};
    bool may_probe = true;  // none of its probes is under way
};
struct Admission {
    EndpointId endpoint;
    std::uint32_t admitted = 0;  // of those that wait
    bool probe = false;          // the one that is admitted shows whether the receiver is back
    std::uint32_t slots = 0;     // as in LimitGrant
    std::uint32_t share = 0;
    std::optional<Obstacle> obstacle{};              // of those that are not admitted
    std::vector<std::chrono::microseconds> waits{};  // of each of them, from now
};

/// An event that was given back since its endpoint's circuit was not closed.
struct HeldUp {
    EventId event;
    Version held;  // when it was
    EndpointId endpoint;
};

/// What an instance has seen of one receiver since it told last.
struct ReceiverTold {
    EndpointId endpoint;
    CallResults results{};
    std::optional<CallResult> probe{};
};
/// What that has changed for all.
struct ReceiverChange {
    EndpointId endpoint;
    CircuitState before, after;
    double failure_ratio = 0;
    std::optional<std::string> given_up{};  // why it is to be disabled
};

}  // namespace sundial
