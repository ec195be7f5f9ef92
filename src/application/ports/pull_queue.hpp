#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "domain/ids.hpp"

namespace sundial {

struct PullRequest {
    EndpointId endpoint;
    Claimant by;
    std::uint32_t shard = 0;
    std::array<std::uint32_t, 4> shares{};  // limit for each priority, CRITICAL first
    std::chrono::microseconds lease{};
};

/// When the first event of one endpoint, shard and priority becomes claimable.
struct PullHead {
    EndpointId endpoint;
    std::uint32_t shard;
    Priority priority;
    Instant next;
    friend bool operator==(const PullHead&, const PullHead&) = default;
};
struct PullPeek {
    Instant now;                  // the database's clock
    std::vector<PullHead> heads;  // unordered; none for parked events or empty queues
};

/// The live events of PULL endpoints, as their workers see them; `EventQueue` never claims these.
/// EventQueue settles, releases and extends the claims of all events. Every call is a transaction
/// of its own and uses the database's clock. Thread-safe. Throws Unavailable if the outcome is
/// unknown: leave a claim to its lease.
class PullQueue {
public:
    virtual ~PullQueue() = default;
    virtual PullPeek peek(std::span<const EndpointId> endpoints) = 0;
    /// As EventQueue::claim_ready, for one endpoint: oldest first in each priority. An expired
    /// lease counts as a LOST attempt. Never waits for another claimer.
    virtual Claimed claim(const PullRequest& request) = 0;
    /// Number of the endpoint's events that its workers hold under a lease.
    virtual std::uint32_t held(EndpointId endpoint) = 0;
};

}  // namespace sundial
