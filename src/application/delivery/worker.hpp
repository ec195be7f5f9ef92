#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/delivery/claim_ahead.hpp"
#include "application/delivery/claim_rota.hpp"
#include "application/delivery/destination.hpp"
#include "application/delivery/held_claims.hpp"
#include "application/delivery/receivers.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/mono.hpp"
#include "application/transactions/backoff.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

struct WorkerSettings {
    InstanceId instance;
    std::uint32_t shards = 1;
    std::size_t slots = 64;         // tries under way at once
    std::size_t claim_batch = 500;  // most events of one claim
    std::chrono::microseconds tick{std::chrono::seconds{1}};
    std::chrono::microseconds lease{std::chrono::seconds{30}};
    bool clock_stands_still = false;  // a test clock: the database's time does not pass by itself
    bool count_backlog = true;        // tell what was missed before the first claim
    std::chrono::microseconds drain{std::chrono::seconds{25}};  // longest wait after stop()
};

/// What the worker wants done next. One is under way at a time, and beside it a Claim and a Settle,
/// whose answers may come before or after those to what came later. The answer goes to the method
/// named with it, or to failed().
struct CountBacklog {};  // EventQueue::backlog -> backlog_counted()
struct Look {};          // EventQueue::look -> horizon()
struct Claim {           // EventQueue::claim_ready -> claimed()
    ClaimRequest request;
};
struct Plan {  // successors and destinations of what was claimed -> planned()
    std::vector<Event> events;
};
struct AskLeave {  // AdmitEvents -> admitted()
    std::vector<AdmissionAsked> asked;
};
struct Send {  // start one try; no answer now, but one delivered() later
    Event event;
    Destination destination;
    Instant now;
};
struct Abandon {  // end a try whose lease may be over; its outcome comes all the same
    Event event;
};
struct TellResults {  // JudgeReceivers -> results_told()
    std::vector<ReceiverTold> told;
};
struct DisableEndpoint {  // its receiver said 410, or nothing for days -> endpoint_disabled()
    EndpointId endpoint;
    std::string reason;
};
struct Settle {  // EventQueue::settle -> settled()
    std::vector<Settlement> batch;
};
struct GiveBack {  // EventQueue::give_back, then release what need not wait -> given_back()
    std::vector<GivenBack> batch;
    std::vector<Event> parked;
    std::vector<HeldUp> held_up;
};
struct Extend {  // EventQueue::extend -> extended()
    std::vector<Held> held;
    std::chrono::microseconds lease;
};
struct WaitUntil {  // or until anything arrives
    Mono when;
};
struct Finished {};  // after stop(): nothing is held any more, or the time to drain is over
using Command = std::variant<CountBacklog, Look, Claim, Plan, AskLeave, Send, Abandon, TellResults,
                             DisableEndpoint, Settle, GiveBack, Extend, WaitUntil, Finished>;

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
    void claimed(Claimed claimed, Mono answered);
    /// One decision for each event, and when the first of the successors is claimable.
    void planned(std::vector<Decision> decisions, Instant earliest_successor, Mono now);
    /// One for each endpoint asked about.
    void admitted(std::span<const Admission> admissions);
    void results_told(std::span<const ReceiverChange> changes);
    void endpoint_disabled();
    [[nodiscard]] std::vector<Settled> settled(std::span<const Result<void>> results, Mono now);
    void given_back(std::size_t released, Mono now);
    /// Returns the events whose lease was lost.
    std::vector<Event> extended(std::span<const EventId> lost);
    /// The command's port threw. `transient`: Unavailable, so it is repeated, but for a claim,
    /// which is left to its lease. Otherwise one of its batch may be to blame: smaller batches find
    /// it, and it is left to its lease, or put off. `random` in [0, 1).
    void failed(const Command& command, bool transient, double random, Mono now);

    // What happens by itself.
    struct Try {
        const Event& event;
        const Destination& destination;
        Instant started_at;
        Outcome outcome;  // judged
    };
    /// The outcome of a Send; nothing if it was never begun, and is given back. The references live
    /// until the next call of any method.
    std::optional<Try> delivered(EventId id, Outcome outcome, double random, Mono now);
    /// Something may be claimable at `due`.
    void wake(Instant due);
    void stop(Mono now);

    /// From here on claim at most `limit` events, and none once nothing is due, until end_pass().
    void begin_pass(std::optional<std::uint64_t> limit);
    /// The pass has claimed all that it will, and nothing is held any more.
    [[nodiscard]] bool pass_over() const;
    void end_pass();

    [[nodiscard]] std::size_t held() const { return held_.size(); }
    /// What a claim brings is not known yet.
    [[nodiscard]] bool claiming() const { return claiming_.has_value(); }
    /// How many tries are under way.
    [[nodiscard]] std::size_t sending() const { return held_.sending(); }
    /// Everything that was claimable at `then` has been claimed, and is settled if it was claimed
    /// here.
    [[nodiscard]] bool caught_up_to(Instant then) const;
    /// The database's time, as well as it is known: never ahead of it.
    [[nodiscard]] Instant database_now(Mono now) const;
    /// What the database's clock shows when a call that is sent now arrives, as far as is known.
    [[nodiscard]] Instant reached(Mono now) const;

private:
    struct PendingSettlement {
        Settlement settlement;
        Mono since{};
    };
    struct PendingReturn {
        GivenBack given_back;
        std::optional<Event> parked{};
        std::optional<HeldUp> held_up{};
    };
    /// Claims no more than `left`, and nothing once it is closed.
    struct Pass {
        std::optional<std::uint64_t> left;
        bool closed = false;
    };

    // Each says what it has to do now, if anything.
    [[nodiscard]] std::optional<Command> next_extension(Mono now);
    [[nodiscard]] std::optional<Command> next_admission(Mono now);
    [[nodiscard]] std::optional<Command> next_send(Mono now);
    [[nodiscard]] std::optional<Command> next_claim(Mono now);
    [[nodiscard]] std::optional<Command> next_telling(Mono now);
    [[nodiscard]] std::optional<Command> next_write(Mono now);
    [[nodiscard]] std::optional<Command> next_plan(Mono now);
    [[nodiscard]] std::optional<Command> next_read(Mono now);
    [[nodiscard]] Look look(Mono now);
    [[nodiscard]] Mono next_moment(Mono now) const;
    [[nodiscard]] bool all_done() const;
    /// Nothing more will be sent: what others wait for is not put off.
    [[nodiscard]] bool winding_up() const;

    [[nodiscard]] bool may_read(Mono now) const;
    [[nodiscard]] bool may_claim(Mono now) const;
    /// What was claimed or extended at `issued_at` must be over then.
    [[nodiscard]] KeepBack too_short_for(std::chrono::microseconds timeout) const;
    [[nodiscard]] Mono deadline_of(Mono issued_at) const;
    /// Two extensions failed: what is held may be lost.
    [[nodiscard]] bool in_doubt() const;
    /// How many events it may hold that have no outcome yet.
    [[nodiscard]] std::size_t capacity(Mono now) const;
    [[nodiscard]] std::size_t room(Mono now) const;
    [[nodiscard]] Mono settle_at(Mono now) const;
    void close_pass_if_done(Mono now);
    /// What was claimed ahead while tries were fast does not wait here once they are slow.
    void give_back_if_stuck(Mono now);

    void accept(ClaimedEvent claimed, Instant claimed_at, Mono deadline);
    /// Sends it, asks for leave, or keeps it back.
    void let_through(HeldClaim& claim, Mono now);
    /// Its circuit has opened: what was let through is so no longer.
    void ask_leave_anew(EndpointId endpoint);
    void disable(EndpointId endpoint, std::string reason);
    void keep_back(HeldClaim& claim, const KeepBack& why);
    void finish(HeldClaim& claim, Settlement settlement, Mono now);

    static constexpr std::size_t largest_write = 500;

    WorkerSettings settings_;
    ClaimRota rota_;
    HeldClaims held_;
    ClaimAhead ahead_;
    Receivers receivers_;
    // Ids wait in line; one that has left its stage meanwhile is passed over.
    std::deque<EventId> to_plan_, ready_;
    std::set<EventId> to_admit_;  // each once: what is claimed anew may be among them still
    std::deque<PendingSettlement> to_settle_;
    std::deque<PendingReturn> to_give_back_;
    std::deque<DisableEndpoint> to_disable_;
    // Of the command under way.
    std::vector<EventId> planning_;
    std::vector<std::vector<EventId>> asking_;  // those that wait, by endpoint asked about
    std::vector<ReceiverTold> telling_;
    std::vector<PendingSettlement> settling_;
    std::vector<PendingReturn> giving_back_;
    Mono issued_at_{};
    struct ClaimUnderWay {
        ClaimRequest request;
        Mono issued_at;
    };
    std::optional<ClaimUnderWay> claiming_;

    Mono extend_at_{};
    unsigned extensions_failed_ = 0;
    Backoff extend_backoff_, settle_backoff_, give_back_backoff_, plan_backoff_, read_backoff_,
        disable_backoff_, admit_backoff_, tell_backoff_;
    std::size_t plan_limit_;
    std::size_t settle_limit_;
    bool backlog_counted_;
    bool stopping_ = false;
    Mono drain_until_{};
    std::optional<Pass> pass_;
    std::optional<Mono> too_many_since_;  // held, for what it sends at once and its tries' pace
};

}  // namespace sundial
