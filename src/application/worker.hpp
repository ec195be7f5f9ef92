#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "application/backoff.hpp"
#include "application/claim_rota.hpp"
#include "application/destination.hpp"
#include "application/mono.hpp"
#include "application/ports/event_queue.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

struct WorkerSettings {
    InstanceId instance;
    std::uint32_t shards = 1;
    std::size_t slots = 64;         // tries under way at once
    std::size_t claim_batch = 100;  // most events of one claim
    std::chrono::microseconds tick{std::chrono::seconds{1}};
    std::chrono::microseconds lease{std::chrono::seconds{30}};
    bool clock_stands_still = false;  // a test clock: the database's time does not pass by itself
    bool count_backlog = true;        // tell what was missed before the first claim
    std::chrono::microseconds drain{std::chrono::seconds{25}};  // longest wait after stop()
};

/// What the worker wants done next. Exactly one is under way at a time; its answer goes to the
/// method named with it, or to failed().
struct CountBacklog {};  // EventQueue::backlog -> backlog_counted()
struct Look {};          // EventQueue::look -> horizon()
struct Claim {           // EventQueue::claim_ready -> claimed()
    ClaimRequest request;
};
struct Plan {  // successors and destinations of what was claimed -> planned()
    std::vector<Event> events;
};
struct Send {  // start one try; no answer now, but one delivered() later
    Event event;
    Destination destination;
    Instant now;
};
struct DisableEndpoint {  // its receiver said 410 -> endpoint_disabled()
    EndpointId endpoint;
};
struct Settle {  // EventQueue::settle -> settled()
    std::vector<Settlement> batch;
};
struct GiveBack {  // EventQueue::give_back, then release what needs not be parked -> given_back()
    std::vector<GivenBack> batch;
    std::vector<Event> parked;
};
struct Extend {  // EventQueue::extend -> extended()
    std::vector<Held> held;
    std::chrono::microseconds lease;
};
struct WaitUntil {  // or until anything arrives
    Mono when;
};
struct Finished {};  // after stop(): nothing is held any more, or the time to drain is over
using Command = std::variant<CountBacklog, Look, Claim, Plan, Send, DisableEndpoint, Settle,
                             GiveBack, Extend, WaitUntil, Finished>;

/// A claim that is over for this instance.
struct Settled {
    Event event;  // as claimed
    Settlement settlement;
    bool late;  // somebody else had claimed it since; nothing of it has changed
};

/// One instance's part in the queue: claims what is due, has its successors planned, sends it and
/// settles what became of it, so that no event is lost and none is sent by two at once
/// (reliability 3). A state machine without I/O, clock or thread: told what happened and the
/// monotonic time `now`, it says what to do next. The database's time is estimated from its last
/// answer, never too late, so nothing is claimed early.
class Worker {
public:
    explicit Worker(WorkerSettings settings);

    [[nodiscard]] Command next(Mono now);

    // Answers to commands.
    void backlog_counted();
    void horizon(const Horizon& horizon, Mono now);
    void claimed(const Claimed& claimed, Mono now);
    void planned(std::vector<Decision> decisions, Instant earliest_successor);
    void endpoint_disabled();
    [[nodiscard]] std::vector<Settled> settled(std::span<const Result<void>> results, Mono now);
    void given_back(std::size_t released);
    /// Returns the events whose lease was lost.
    std::vector<Event> extended(std::span<const EventId> lost, Mono now);
    /// The command's port threw. `transient`: Unavailable, so trying again may help; otherwise one
    /// of a batch may be to blame, and they are tried one by one. `random` in [0, 1).
    void failed(const Command& command, bool transient, double random, Mono now);

    // What happens by itself.
    struct Try {
        const Event& event;
        const Destination& destination;
        Instant started_at;
        Outcome outcome;  // judged
    };
    /// The outcome of a Send. The references live until the next call of any method.
    Try delivered(EventId id, Outcome outcome, double random, Mono now);
    /// Something may be claimable at `due`.
    void wake(Instant due);
    void stop(Mono now);

    /// From here on claim at most `limit` events, and none once nothing is due, until end_pass().
    void begin_pass(std::optional<std::uint64_t> limit);
    /// The pass has claimed all that it will, and nothing is held any more.
    [[nodiscard]] bool pass_over() const;
    void end_pass();

    [[nodiscard]] std::size_t held() const { return held_.size(); }
    /// Everything that was claimable at `then` has been claimed, and is settled if it was claimed
    /// here.
    [[nodiscard]] bool caught_up_to(Instant then) const;
    /// The database's time, as well as it is known: never ahead of it.
    [[nodiscard]] Instant database_now(Mono now) const;

private:
    enum class Stage : std::uint8_t { claimed, ready, sending, settling, giving_back };
    struct HeldClaim {
        Event event;
        Instant claimed_at;
        Mono deadline{};  // no send whose time-out ends later; of the last extension
        Stage stage = Stage::claimed;
        bool lost = false;
        Destination destination{};
        Instant started_at{};
    };
    struct PendingSettlement {
        Settlement settlement;
        Mono since{};
    };

    [[nodiscard]] std::optional<Command> next_extension(Mono now);
    [[nodiscard]] std::optional<Command> next_write(Mono now);
    [[nodiscard]] std::optional<Command> next_plan(Mono now);
    [[nodiscard]] std::optional<Command> next_send(Mono now);
    [[nodiscard]] std::optional<Command> next_read(Mono now);
    [[nodiscard]] Mono wait_until(Mono now) const;

    [[nodiscard]] bool claims_open() const;
    [[nodiscard]] std::size_t free_slots() const;
    [[nodiscard]] Mono settle_at(Mono now) const;
    void accept(const ClaimedEvent& claimed, Instant claimed_at);
    void give_back(HeldClaim& claim, std::optional<std::chrono::microseconds> delay,
                   std::string reason);
    void settle(HeldClaim& claim, Settlement settlement, Mono now);

    WorkerSettings settings_;
    std::unordered_map<EventId, HeldClaim> held_;
    std::deque<EventId> to_plan_, ready_;
    std::size_t sending_ = 0;
    std::deque<PendingSettlement> to_settle_;
    std::vector<PendingSettlement> settling_;  // under way
    std::deque<std::pair<GivenBack, std::optional<Event>>> to_give_back_;
    std::vector<std::pair<GivenBack, std::optional<Event>>> giving_back_;  // under way
    std::deque<EndpointId> to_disable_;

    ClaimRota rota_;
    ClaimRequest claiming_;     // under way
    Mono issued_at_{};          // of the claim or extension under way
    std::size_t planning_ = 0;  // events under way

    Mono extend_at_{};
    unsigned extensions_failed_ = 0;
    Backoff extending_backoff_, settle_backoff_, give_back_backoff_, plan_backoff_, read_backoff_,
        disable_backoff_;
    std::size_t settle_limit_, plan_limit_;
    bool backlog_counted_;
    bool stopping_ = false;
    Mono drain_until_{};
    struct Pass {
        std::optional<std::uint64_t> left;
        bool closed = false;  // claims no more
        bool looked = false;
    };
    std::optional<Pass> pass_;
};

}  // namespace sundial
