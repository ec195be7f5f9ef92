#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "application/ports/failures.hpp"
#include "domain/event.hpp"
#include "domain/event_status.hpp"
#include "domain/ids.hpp"
#include "domain/liveness.hpp"
#include "domain/outcome.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A hint to this instance's worker: an event may be claimable at `when`, which may be past. A lost
/// hint costs at most one tick. Thread-safe, never blocks.
class Wakeups {
public:
    virtual ~Wakeups() = default;
    virtual void due_at(Instant when) = 0;
};

/// Events are claimed in lanes: those with an endpoint in one, `endpoint_lane`, and those without
/// one in the lane of their type, by engines that have a handler for it. So events that an engine
/// cannot deliver are never in front of those that it can.
using Lane = base::Strong<struct LaneTag, std::string>;
inline const Lane endpoint_lane{""};  // no type is empty
[[nodiscard]] Lane lane_of(const Event& event);

/// A claim of events of one shard and lane.
struct ClaimRequest {
    InstanceId by;
    std::uint32_t shard = 0;
    std::array<std::uint32_t, 4> shares{};  // limit for each priority, CRITICAL first
    std::chrono::microseconds lease{};
    /// Unclaimed events of these endpoints are not claimed: they join the line of their endpoint,
    /// where they wait for its limits, apart from the queue of all others.
    std::vector<EndpointId> limited{};
    Lane lane = endpoint_lane;
    DeadInstances dead{};    // whose claims count as expired
    bool with_next = false;  // report Claimed::next, if that takes no further round trip
};
/// A claim of events in the line of an endpoint.
struct LineRequest {
    InstanceId by;
    EndpointId endpoint;
    std::uint32_t shard = 0;
    std::array<std::uint32_t, 4> shares{};  // limit for each priority, CRITICAL first
    std::chrono::microseconds lease{};
};
struct ClaimedEvent {
    Event event;
    /// The lease of an earlier holder had expired. The LOST attempt is counted and recorded.
    bool previous_lost = false;
};
/// The first event in the line of an endpoint, in one shard and priority.
struct LineHead {
    EndpointId endpoint;
    std::uint32_t shard;
    Priority priority;
    Instant next;  // when it was claimable
    friend bool operator==(const LineHead&, const LineHead&) = default;
};
struct Claimed {
    std::vector<ClaimedEvent> events;  // unordered
    Instant now;                       // the database's clock at the claim
    std::vector<LineHead> lined_up{};  // one for each event that joined a line
    /// When an event of the shard and lane becomes claimable next, as a peek after the claim finds
    /// it: in the past if claimable events are left, `never` if there is none. Empty unless
    /// requested, and if the queue has not looked.
    std::optional<Instant> next{};
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
    /// The obstacle that it waits for meanwhile. A claim that a limit did not allow is undone: the
    /// event waits in line, the number of its attempt is free again, and there is no record.
    std::optional<Obstacle> obstacle{};
};
struct Held {
    EventId id;
    Version held;
};

/// The database's clock and, for each shard of each lane, the next instant at which an event
/// outside all lines is claimable (`never`: none).
struct QueuePeek {
    Instant now;
    std::vector<Instant> next;          // all shards of the first lane, then of the second, …
    std::vector<LineHead> lines{};      // unordered
    std::vector<EndpointId> limited{};  // the endpoints that have limits and no pull workers
    std::vector<Lane> lanes{endpoint_lane};
};
/// The result of renewing a heartbeat.
struct Renewal {
    DeadInstances dead{};
    /// Other instances that are not found dead.
    std::vector<InstanceId> alive{};
    /// How long from now another instance is found dead unless it renews its heartbeat before.
    /// Empty: there is no other.
    std::optional<std::chrono::microseconds> next_death{};
};
/// Events that were missed more than 1 s ago. A claimed event counts once its lease has expired.
/// PostgreSQL counts at most 100,000, the oldest ones.
struct Backlog {
    std::uint64_t missed = 0;
    Instant oldest{}, newest{};  // due instants; meaningless if missed is 0
};
struct QueueDepth {
    std::array<std::uint64_t, 5> stored{};        // by EventStatus, finished ones included
    std::uint64_t due = 0;                        // claimable now with an endpoint, in no line
    std::chrono::microseconds oldest_due_age{0};  // how long the oldest of them has been claimable
    std::uint64_t waiting_for_retry = 0;          // PROCESSING, not claimed, not parked
    std::uint64_t waiting_for_circuit = 0;        // the same, released because of a circuit
    std::uint64_t waiting_for_limit = 0;          // not claimed because of a limit
    std::uint64_t waiting_for_endpoint = 0;       // PROCESSING, claimable_at = never
    std::uint64_t without_endpoint = 0;           // claimable now, but only for a handler
    std::uint64_t waiting_for_schedule = 0;       // PENDING, claimable_at = never
    std::uint64_t dead_letters = 0;               // FAILED and not dismissed; 100,000 at most
};

/// The results of one call about many claims.
struct ClaimResults {
    std::vector<Result<void, LeaseLost>> results;  // one for each claim
    /// For each claim, whether its result is unknown and its place in `results` means nothing.
    /// Empty: all are known.
    std::vector<bool> unknown{};
    [[nodiscard]] bool has(std::size_t claim) const { return unknown.empty() || !unknown[claim]; }
};

/// Some machines of a distributed database failed, and others did not.
class PartlyUnavailable : public Unavailable {
public:
    PartlyUnavailable(const std::string& why, ClaimResults those_known)
        : Unavailable{why}, known{std::move(those_known)} {}

    ClaimResults known;  // some are unknown
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
    /// Maximum number of requests in a call of claim_ready.
    [[nodiscard]] virtual std::uint32_t claims_at_once() const = 0;
    /// An event may be claimable at `due`, although no call of peek() has returned that instant.
    /// For implementations that cache the results of peek(). Changes no data and never throws.
    virtual void hint(Instant /*due*/) {}
    /// `dead`: instances whose claims count as expired.
    virtual QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead) = 0;
    QueuePeek peek(std::span<const Lane> lanes) { return peek(lanes, {}); }
    /// Claims claimable events, oldest first in each priority. A lost event has the age that it had
    /// before the lost claim, or that of the end of its lease. Never waits for another claimer.
    /// All requests are one transaction: if it throws, the outcome of all of them is unknown.
    /// Returns one result for each request.
    virtual std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) = 0;
    Claimed claim_ready(const ClaimRequest& request) {
        return std::move(claim_ready({&request, 1}).front());
    }
    /// Claims events of one line in one shard, oldest first in each priority. Never waits for
    /// another claimer.
    virtual Claimed claim_from_line(const LineRequest& request) = 0;
    /// One result per settlement. Errors: LeaseLost if the row has a later version than `held`.
    /// Then the event is unchanged, but its LOST attempt of that number becomes LATE and records
    /// the outcome. A claim that is named twice is settled once. May throw PartlyUnavailable, as
    /// release_claims may.
    virtual std::vector<Result<void, LeaseLost>> settle(
        std::span<const Settlement> settlements) = 0;
    /// As settle, while no caller waits for the results: a queue may wait some milliseconds for
    /// other writes, to commit them together.
    virtual std::vector<Result<void, LeaseLost>> settle_soon(
        std::span<const Settlement> settlements) {
        return settle(settlements);
    }
    /// One result per claim. Errors: LeaseLost; then the event is unchanged.
    virtual std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) = 0;
    /// Extends the leases to `lease` from now. Returns the events whose lease is lost. Changes no
    /// version. May throw PartlyUnavailable, as settle.
    virtual std::vector<EventId> extend(std::span<const Held> held,
                                        std::chrono::microseconds lease) = 0;
    virtual Backlog backlog(std::span<const Lane> lanes) = 0;
    /// The due instant of the first event of the lanes, due at `from` or later, that was missed
    /// before `until`: also of an event whose first attempt is under way. Empty if there is none.
    virtual std::optional<Instant> first_missed(Instant from, Instant until,
                                                std::span<const Lane> lanes) = 0;
    virtual QueueDepth depth() = 0;

    /// Renews the heartbeat of `own` (domain/liveness.hpp). Empty if only one instance can use the
    /// database, which then needs no heartbeat.
    virtual std::optional<Renewal> renew(InstanceId /*own*/) { return std::nullopt; }
    /// Ends the heartbeat of `own`, which holds no claim: it will not be found dead.
    virtual void retire(InstanceId /*own*/) {}
};

/// The next state of a claimed event by the domain's rules, and the attempt to record, for queues
/// that change rows one by one. The SQL queues give the same results (contract tests).

/// The event after its settlement. It must be claimed.
[[nodiscard]] Event settled(const Event& event, const Settlement& settlement, Instant now);
/// The attempt that a holder never settled, of an event that is claimed again after its lease
/// expired. It began when that holder claimed the event.
[[nodiscard]] AttemptRecord lost_attempt(const Event& event);
/// The attempt of a claim released unsent.
[[nodiscard]] AttemptRecord released_attempt(const Event& event, const ReleasedClaim& claim);
/// Whether a claim of version `held` was undone because of a limit: only its holder puts a claimed
/// event in line.
[[nodiscard]] bool is_undone(const Event& event, Version held);
/// Whether a claim puts the event in its line instead. An expired lease is claimed: its attempt is
/// lost.
[[nodiscard]] bool joins_line(const Event& event, std::span<const EndpointId> limited);

/// One step in the life of a claim, as its holder saw it; a renewal of the heartbeat on which all
/// its claims depend; or an update of an event between two claims.
struct ClaimStep {
    enum class Op : std::uint8_t { claim, send, extend, settle, release, heartbeat, update };
    /// Begun; done; refused, because the lease is lost; or unknown, because no answer came.
    enum class Answer : std::uint8_t { begun, done, refused, unknown };

    Op op;
    Answer answer;
    std::chrono::microseconds took{0};  // duration of the call, answered or not
    /// Empty: a heartbeat, or a claim without an answer, whose events are unknown.
    std::optional<EventId> id{};
    /// The one that the claim returned; of an update, the new one.
    std::optional<Version> version{};
    std::optional<Attempt> attempt{};
    const Event* event = nullptr;            // as claimed; for claim and send
    const Settlement* settlement = nullptr;  // for settle
    bool previous_lost = false;              // claimed after another holder's lease expired
};

/// Records each step of each claim, so that a later check can prove that no two instances held the
/// same event, and that each version of an event has one author. Never throws.
class ClaimLog {
public:
    virtual ~ClaimLog() = default;
    /// Steps of one call, in order. They outlive the process once this returns.
    virtual void write(std::span<const ClaimStep> steps) = 0;
};

}  // namespace sundial
