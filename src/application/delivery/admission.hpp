#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "domain/circuit.hpp"
#include "domain/event_status.hpp"
#include "domain/ids.hpp"
#include "domain/limits.hpp"

/// Admission: how many events an instance may send to an endpoint, given the limits and the circuit
/// that all instances share.
namespace sundial {

/// A request to send `waiting` events to an endpoint, in addition to the `in_flight` ones. If none
/// wait, it only states how many slots are still needed.
struct AdmissionRequest {
    EndpointId endpoint;
    LimitRules rules;
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;
    bool may_probe = true;  // no probe of this instance is under way
};
struct Admission {
    EndpointId endpoint;
    std::uint32_t admitted = 0;  // of the waiting events
    bool probe = false;          // the admitted event tests whether the receiver works again
    std::uint32_t slots = 0;     // as in LimitGrant
    std::uint32_t share = 0;
    std::optional<Obstacle> obstacle{};  // the reason why others are deferred
    /// Delay from now of each event that a circuit defers. Those that a limit defers wait in line.
    std::vector<std::chrono::microseconds> waits{};
};

/// When the first event of each priority was claimable, CRITICAL first (`never`: none).
using Heads = std::array<Instant, 4>;
inline constexpr Heads no_heads{never, never, never, never};
/// Where the events of one line wait, by shard.
using LinePlaces = std::map<std::uint32_t, Heads>;

/// A request to claim at most `requested` events in the line of an endpoint, in addition to the
/// `in_flight` ones.
struct LineClaim {
    EndpointId endpoint;
    LinePlaces places;
    std::uint32_t in_flight = 0;
    std::uint32_t requested = 0;
    bool may_probe = true;  // no probe of this instance is under way
};
struct LineAnswer {
    EndpointId endpoint;
    std::vector<ClaimedEvent> events{};
    std::vector<Instant> starts{};  // of each event: no earlier
    Instant now{};                  // the database's clock at the claim
    LimitRules rules{};
    std::uint32_t slots = 0;  // as in LimitGrant
    std::uint32_t share = 0;
    bool probe = false;  // the event tests whether the receiver works again
    LinePlaces left{};   // where more events may wait
    bool full = false;   // more events may go once a request has ended
    /// When it makes sense to ask for more, if not at once.
    std::optional<Instant> retry{};
};

/// An event that was released because its endpoint's circuit was not closed.
struct BlockedEvent {
    EventId event;
    Version held;  // the version of the released claim
    EndpointId endpoint;
};

/// The results of one receiver that an instance has collected since its last report.
struct ReceiverReport {
    EndpointId endpoint;
    CallResults results{};
    std::optional<CallResult> probe{};
};
/// The resulting change of the shared circuit.
struct ReceiverChange {
    EndpointId endpoint;
    CircuitState before, after;
    double failure_ratio = 0;
    std::optional<std::string> given_up{};  // why the endpoint is to be disabled
};

}  // namespace sundial
