#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/strong.hpp"
#include "base/uuid.hpp"
#include "domain/event.hpp"
#include "domain/obstacle.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// The name of a line: due events that may only be claimed after a permit, apart from the queue of
/// all others, so that neither delays the other.
using Line = base::Strong<struct LineTag, std::string>;
/// The line of events that wait for the limits of their endpoint.
[[nodiscard]] inline Line line_of(EndpointId endpoint) { return Line{to_string(endpoint)}; }
/// The line of events without an endpoint that wait for an instance with a handler for their type.
[[nodiscard]] inline Line line_of_type(std::string_view event_type) {
    return Line{"type:" + std::string{event_type}};
}
/// Empty for other lines.
[[nodiscard]] inline std::optional<EndpointId> endpoint_of(const Line& line) {
    const auto id = base::parse_uuid(line.value);
    return id ? std::optional{EndpointId{*id}} : std::nullopt;
}

struct ClaimRequest {
    InstanceId by;
    std::uint32_t shard = 0;
    std::array<std::uint32_t, 4> shares{};  // limit for each priority, CRITICAL first
    std::chrono::microseconds lease{};
    /// Unclaimed events of these endpoints are not claimed: they join the line of their endpoint.
    std::vector<EndpointId> limited{};
    /// Nor are those without an endpoint that have one of these types: other instances handle them.
    std::vector<std::string> types_of_others{};
};
/// A claim of events that wait in a line.
struct LineRequest {
    InstanceId by;
    Line line;
    std::uint32_t shard = 0;
    std::array<std::uint32_t, 4> shares{};  // limit for each priority, CRITICAL first
    std::chrono::microseconds lease{};
};
struct ClaimedEvent {
    Event event;
    /// The lease of an earlier holder had expired. The LOST attempt is counted and recorded.
    bool previous_lost = false;
};
/// The first event of a line, in one shard and priority.
struct LineHead {
    Line line;
    std::uint32_t shard;
    Priority priority;
    Instant next;  // when it was claimable
    friend bool operator==(const LineHead&, const LineHead&) = default;
};
struct Claimed {
    std::vector<ClaimedEvent> events;  // unordered
    Instant now;                       // the database's clock at the claim
    std::vector<LineHead> lined_up{};  // one for each event that joined a line
};

struct Accepted {};
struct RetryIn {
    std::chrono::microseconds delay;
};
struct Refused {
    std::string reason;
};
/// The outcome of one claim.
struct Settlement {
    EventId id;
    Version held;    // the version that the claim returned
    Attempt number;  // of this attempt, from the claim too
    Claimant by;
    std::variant<Accepted, RetryIn, Refused> result;
    /// Of this attempt; empty: never sent (its attempts were lost).
    std::optional<Instant> started_at;
    std::chrono::microseconds duration{0};
    std::optional<int> status_code;
    /// Present if the attempt was sent and not accepted. RETRYABLE with Refused means that
    /// no attempts remain: that attempt counts (give_up); otherwise it does not (fail).
    std::optional<AttemptRecord> attempt;
};
/// A claim released unsent. It uses no attempt, its number is not reused, and a RELEASED attempt is
/// recorded.
struct ReleasedClaim {
    EventId id;
    Version held;
    Attempt number;
    Claimant by;
    std::optional<std::chrono::microseconds> delay;  // from the database's now; empty: parked
    std::string reason;
    std::optional<Obstacle> obstacle{};  // the obstacle that it waits for meanwhile
    std::optional<Line> line{};          // it waits there
};
struct Held {
    EventId id;
    Version held;
};

/// The database's clock and, for each shard, the next instant at which an event outside all lines
/// is claimable (`never`: none).
struct QueuePeek {
    Instant now;
    std::vector<Instant> next;
    std::vector<LineHead> lines{};       // unordered
    std::vector<EndpointId> limited{};   // the endpoints that have limits and no pull workers
    std::vector<std::string> handled{};  // the event types that instances have announced, in order
};
/// Events that became claimable more than 1 s ago. PostgreSQL counts at most 10,000 for each shard
/// and priority, and as many in the lines of a shard.
struct Backlog {
    std::uint64_t missed = 0;
    Instant oldest{}, newest{};  // due instants; meaningless if missed is 0
};
struct QueueDepth {
    std::array<std::uint64_t, 5> stored{};        // by EventStatus, finished ones included
    std::uint64_t due = 0;                        // claimable now, and not waiting for a limit
    std::chrono::microseconds oldest_due_age{0};  // how long the oldest of them has been claimable
    std::uint64_t waiting_for_retry = 0;          // PROCESSING, not claimed, not parked
    std::uint64_t waiting_for_circuit = 0;        // the same, released because of a circuit
    std::uint64_t waiting_for_limit = 0;          // not claimed because of a limit
    std::uint64_t waiting_for_endpoint = 0;       // PROCESSING, claimable_at = never
    std::uint64_t waiting_for_schedule = 0;       // PENDING, claimable_at = never
    std::uint64_t dead_letters = 0;               // FAILED and not dismissed; 100,000 at most
};

/// The live events as scheduler instances see them. Every call is a transaction of its own and uses
/// the database's clock. Thread-safe. Throws Unavailable if the outcome is unknown. Then leave a
/// claim to its lease, but repeat settle and release_claims: they report success again if they had
/// taken effect.
class EventQueue {
public:
    virtual ~EventQueue() = default;
    /// Number of shards, fixed for the life of the database.
    [[nodiscard]] virtual std::uint32_t shards() const = 0;
    /// An event may be claimable at `due`, although no call of peek() has returned that instant.
    /// For implementations that cache the results of peek(). Changes no data and never throws.
    virtual void hint(Instant /*due*/) {}
    virtual QueuePeek peek() = 0;
    /// Claims claimable events of one shard, oldest first in each priority. A lost event
    /// has the age that it had before the lost claim, or that of the end of its lease. Never waits
    /// for another claimer.
    virtual Claimed claim_ready(const ClaimRequest& request) = 0;
    /// Claims events of one line in one shard, oldest first in each priority. Never waits for
    /// another claimer.
    virtual Claimed claim_from_line(const LineRequest& request) = 0;
    /// One result per settlement. Errors: LeaseLost if the row has a later version than `held`.
    /// Then the event is unchanged, but its LOST attempt of that number becomes LATE and records
    /// the outcome.
    virtual std::vector<Result<void>> settle(std::span<const Settlement> settlements) = 0;
    /// One result per claim. Errors: LeaseLost; then the event is unchanged.
    virtual std::vector<Result<void>> release_claims(std::span<const ReleasedClaim> released) = 0;
    /// Extends the leases to `lease` from now. Returns the events whose lease is lost. Changes no
    /// version.
    virtual std::vector<EventId> extend(std::span<const Held> held,
                                        std::chrono::microseconds lease) = 0;
    /// For `valid`, other instances leave events of these types without an endpoint to `by`, which
    /// has handlers for them. Replaces what it announced before.
    virtual void announce(InstanceId by, std::span<const std::string> event_types,
                          std::chrono::microseconds valid) = 0;
    /// The event types that instances have announced, in order.
    [[nodiscard]] virtual std::vector<std::string> announced() = 0;
    virtual Backlog backlog() = 0;
    virtual QueueDepth depth() = 0;
};

}  // namespace sundial
