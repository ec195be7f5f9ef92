#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "domain/event.hpp"
#include "domain/obstacle.hpp"
#include "domain/outcome.hpp"

namespace sundial {

struct ClaimRequest {
    InstanceId by;
    std::uint32_t shard = 0;
    std::array<std::uint32_t, 4> shares{};  // at most so many of each priority, CRITICAL first
    std::chrono::microseconds lease{};
};
struct ClaimedEvent {
    Event event;
    bool rescued =
        false;  // an earlier holder's lease was found expired; the LOST try is counted and recorded
};
struct Claimed {
    std::vector<ClaimedEvent> events;  // unordered
    Instant now;                       // the database's clock at the claim
};

struct Accepted {};
struct RetryIn {
    std::chrono::microseconds delay;
};
struct Refused {
    std::string reason;
};
/// What became of one claim.
struct Settlement {
    EventId id;
    Version held;    // the version that the claim returned
    Attempt number;  // of this try, from the claim too
    Claimant by;
    std::variant<Accepted, RetryIn, Refused> result;
    std::optional<Instant> started_at;  // of this try; empty: never sent (its tries were lost)
    std::chrono::microseconds duration{0};
    std::optional<int> status_code;
    /// For what is worth reading: every try that was sent and not accepted. RETRYABLE with Refused
    /// says that the tries are used up: that try counts (give_up); otherwise it does not (fail).
    std::optional<AttemptRecord> attempt;
};
/// A claim given back unsent: no try is spent, its number is not used again, a RELEASED attempt is
/// recorded.
struct GivenBack {
    EventId id;
    Version held;
    Attempt number;
    Claimant by;
    std::optional<std::chrono::microseconds> delay;  // from the database's now; empty: parked
    std::string reason;
    std::optional<Obstacle> obstacle{};  // that it waits for meanwhile
};
struct Held {
    EventId id;
    Version held;
};

/// The database's clock and, for each shard, the next instant at which something is claimable
/// (`never`: nothing).
struct Horizon {
    Instant now;
    std::vector<Instant> next;
};
/// Claimable more than 1 s ago; PostgreSQL counts 10,000 of a shard and priority at most.
struct Backlog {
    std::uint64_t missed = 0;
    Instant oldest{}, newest{};  // due instants; meaningless if missed is 0
};
struct QueueDepth {
    std::array<std::uint64_t, 5> stored{};        // by EventStatus, finished ones included
    std::uint64_t due = 0;                        // claimable now
    std::chrono::microseconds oldest_due_age{0};  // how long the first of them has been claimable
    std::uint64_t waiting_for_retry = 0;          // PROCESSING, held by nobody, not parked
    std::uint64_t waiting_for_circuit = 0;        // the same, given back for that
    std::uint64_t waiting_for_limit = 0;          // the same, given back for that
    std::uint64_t waiting_for_endpoint = 0;       // PROCESSING, claimable_at = never
    std::uint64_t waiting_for_schedule = 0;       // PENDING, claimable_at = never
    std::uint64_t dead_letters = 0;               // FAILED and not dismissed; 100,000 at most
};

/// The live events as scheduler instances see them. Every call is a transaction of its own, judged
/// by the database's clock. Thread-safe. Throws Unavailable if the outcome is unknown: leave a
/// claim to its lease; repeat settle and give_back, which answer success again if they had
/// happened.
class EventQueue {
public:
    virtual ~EventQueue() = default;
    /// How many shards there are; fixed for the life of the database.
    [[nodiscard]] virtual std::uint32_t shards() const = 0;
    /// Something may be claimable at `due`, though no look has seen it. For who remembers what
    /// looks have seen; changes nothing, and never throws.
    virtual void hint(Instant /*due*/) {}
    virtual Horizon look() = 0;
    /// Claims claimable events of one shard, oldest first in each priority; one that was lost is as
    /// old as it was when it was claimed, or as the end of its lease. Never waits for another
    /// claimer.
    virtual Claimed claim_ready(const ClaimRequest& request) = 0;
    /// Answer by answer. Errors: LeaseLost if the row is past `held`; then nothing of it has
    /// changed, but its LOST attempt of that number tells now, as LATE, what became of it.
    virtual std::vector<Result<void>> settle(std::span<const Settlement> settlements) = 0;
    /// Answer by answer. Errors: LeaseLost; then nothing has changed.
    virtual std::vector<Result<void>> give_back(std::span<const GivenBack> given_back) = 0;
    /// Leases last `lease` from now. Returns those that are lost. Changes no version.
    virtual std::vector<EventId> extend(std::span<const Held> held,
                                        std::chrono::microseconds lease) = 0;
    virtual Backlog backlog() = 0;
    virtual QueueDepth depth() = 0;
};

}  // namespace sundial
