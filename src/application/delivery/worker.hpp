#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/delivery/claim_ahead.hpp"
#include "application/delivery/claim_scheduler.hpp"
#include "application/delivery/destination.hpp"
#include "application/delivery/handlers.hpp"
#include "application/delivery/held_claims.hpp"
#include "application/delivery/instance_heartbeat.hpp"
#include "application/delivery/receivers.hpp"
#include "application/delivery/waiting_lines.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/shared_event.hpp"
#include "application/transactions/retrying.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

struct WorkerSettings {
    InstanceId instance;
    std::uint32_t shards = 1;
    std::uint32_t claims_at_once = 1;  // EventQueue::claims_at_once
    std::size_t slots = 64;            // attempts under way at once
    std::size_t claim_batch = 500;     // maximum number of events in one claim
    std::chrono::microseconds tick{std::chrono::seconds{1}};
    std::chrono::microseconds lease{std::chrono::seconds{30}};
    bool clock_stands_still = false;  // a test clock: the database's time does not pass by itself
    bool count_backlog = true;        // report the missed events before the first claim
    std::chrono::microseconds drain{std::chrono::seconds{25}};  // maximum wait after stop()
};

/// The worker's commands. One is under way at a time. A Claim and a Settle may run beside it, and
/// their answers may arrive before or after those to later commands. Pass each answer to the method
/// named with the command, or call failed().
struct CountBacklog {};  // EventQueue::backlog -> backlog_counted()
struct Peek {            // EventQueue::peek -> peeked()
    DeadInstances dead;
};
struct Claim {  // EventQueue::claim_ready -> claimed()
    std::vector<ClaimRequest> requests;
};
struct ClaimLines {  // AdmitEvents::claim_from_lines -> lines_claimed()
    std::vector<LineClaim> asked;
    std::chrono::microseconds ahead;
};
struct Plan {  // successors and destinations of claimed events -> planned()
    std::vector<SharedEvent> events;
};
struct RequestAdmission {  // AdmitEvents -> admitted()
    std::vector<AdmissionRequest> asked;
};
struct Send {  // start one attempt; no answer now, but one delivered() later
    SharedEvent event;
    std::shared_ptr<const Endpoint> endpoint;  // null: the in-process handler of its type
    std::string target_time;                   // as in Destination
    Instant now;
    Mono claimed;  // the request of its claim
};
struct Abandon {  // abort an attempt whose lease may have expired; its outcome still arrives
    SharedEvent event;
};
struct ReportResults {  // JudgeReceivers -> results_reported()
    std::vector<ReceiverReport> reports;
};
struct DisableEndpoint {  // its receiver answered 410, or nothing for days -> endpoint_disabled()
    EndpointId endpoint;
    std::string reason;
};
struct Settle {                         // EventQueue::settle -> settled()
    std::span<const Settlement> batch;  // lives until its answer
};
struct ReleaseClaims {  // EventQueue::release_claims, then free events that need not wait ->
                        // claims_released()
    std::vector<ReleasedClaim> batch;
    std::vector<SharedEvent> parked;
    std::vector<BlockedEvent> blocked;
};
struct Extend {  // EventQueue::extend -> extended()
    std::vector<Held> held;
    std::chrono::microseconds lease;
};
struct WaitUntil {  // or until any input arrives
    Mono when;
};
struct Finished {};  // after stop(): nothing is held any more, or the time to drain has passed
using Command = std::variant<CountBacklog, Peek, Claim, ClaimLines, Plan, RequestAdmission, Send,
                             Abandon, ReportResults, DisableEndpoint, Settle, ReleaseClaims, Extend,
                             WaitUntil, Finished>;

struct ExtendAnswer {
    std::vector<EventId> lost;
    /// The leases that were extended, if nothing is known of the others. Those keep their
    /// deadlines, and all are extended again soon. Empty: all but the lost ones were extended.
    std::optional<std::vector<EventId>> only{};
};

/// A claim that this instance has settled.
struct Settled {
    SharedEvent event;
    Settlement settlement;
    bool late;  // another instance had claimed it since; the event is unchanged
};

/// One instance's part in the queue. It claims due events, has their successors planned, sends them
/// and settles the outcomes, so that no event is lost and no event is sent by two instances at once
/// (reliability 3). A state machine without I/O, clock or thread: the driver passes inputs and the
/// monotonic time `now`, and the worker returns its next command. It estimates the database's time
/// from the last answer and never runs ahead of it, so it claims nothing early.
class Worker {
public:
    explicit Worker(WorkerSettings settings);

    [[nodiscard]] Command next(Mono now);

    // Answers to commands.
    void backlog_counted();
    void peeked(const QueuePeek& peeked, Mono now);
    /// From now on holds at most that many events of the lanes of each pool. Other lanes have no
    /// limit of their own.
    void limit(std::vector<HandlerPool> pools);
    /// One for each request.
    void claimed(std::vector<Claimed> claims, Mono answered);
    /// One answer for each requested line.
    void lines_claimed(std::vector<LineAnswer> answers, Mono now);
    /// One decision for each event, and when the first of the successors is claimable.
    void planned(std::vector<Decision> decisions, Instant earliest_successor, Mono now);
    /// One answer for each requested endpoint.
    void admitted(std::span<const Admission> admissions);
    void results_reported(std::span<const ReceiverChange> changes);
    void endpoint_disabled();
    /// Settlements whose result is unknown, because a machine of a distributed database failed, are
    /// repeated apart from all others, which do not wait for that machine. `random` in [0, 1).
    [[nodiscard]] std::vector<Settled> settled(const ClaimResults& answer, double random, Mono now);
    /// Releases whose result is unknown are repeated. `freed` events need not wait after all.
    /// `random` in [0, 1).
    void claims_released(const ClaimResults& answer, std::size_t freed, double random, Mono now);
    /// Returns the events whose lease was lost. `random` in [0, 1).
    std::vector<SharedEvent> extended(const ExtendAnswer& answer, double random, Mono now);
    /// The command's port threw. If `transient` (Unavailable), the command is repeated, except a
    /// claim, which is left to its lease. Otherwise one event of the batch may be the cause:
    /// smaller batches isolate it, and it is left to its lease or deferred. `random` in [0, 1).
    void failed(const Command& command, bool transient, double random, Mono now);

    // Inputs that answer no command.
    struct EndedAttempt {
        const Event& event;
        const Destination& destination;
        Instant started_at;
        Outcome outcome;  // judged
    };
    /// The outcome of a Send. Empty if the attempt never began; then the event is released. The
    /// references live until the next call of any method.
    std::optional<EndedAttempt> delivered(EventId id, Outcome outcome, double random, Mono now);
    /// An event may be claimable at `due`.
    void wake(Instant due);
    /// The state of this instance's heartbeat. After `alive.until` it claims and sends nothing and
    /// aborts its attempts; what it claimed before `alive.since` is void, too.
    void heartbeat(const Alive& alive, Mono now);
    void stop(Mono now);

    /// Until end_pass(), claims at most `limit` events, and none after the due events run out.
    void begin_pass(std::optional<std::uint64_t> limit);
    /// The pass claims nothing more, and no event is held.
    [[nodiscard]] bool pass_over() const;
    void end_pass();

    [[nodiscard]] std::size_t held() const { return held_.size(); }
    /// A claim is under way.
    [[nodiscard]] bool claiming() const { return claiming_.has_value(); }
    /// Number of attempts under way.
    [[nodiscard]] std::size_t sending() const { return held_.sending(); }
    /// All events that were claimable at `then` have been claimed, and those claimed here are
    /// settled.
    [[nodiscard]] bool caught_up_to(Instant then) const;
    /// When events that wait for a limit may get their next permit; `never` if none waits.
    [[nodiscard]] Instant next_permit() const { return lines_.next_ask(); }
    /// Estimate of the database's time, never ahead of it.
    [[nodiscard]] Instant database_now(Mono now) const;
    /// Estimate of the database's clock at the arrival of a call that is sent now.
    [[nodiscard]] Instant reached(Mono now) const;

private:
    struct PendingSettlement {
        Settlement settlement;
        Mono since{};
    };
    struct PendingReturn {
        ReleasedClaim released;
        std::optional<SharedEvent> parked{};
        std::optional<BlockedEvent> blocked{};
        std::optional<LineHead> joins{};
        Lane lane = endpoint_lane;
    };
    /// Claims at most `left` more events, and none once closed.
    struct Pass {
        std::optional<std::uint64_t> left;
        bool closed = false;
    };

    // Each returns its next command, if any.
    [[nodiscard]] std::optional<Command> next_extension(Mono now);
    [[nodiscard]] std::optional<Command> next_admission(Mono now);
    [[nodiscard]] std::optional<Command> next_send(Mono now);
    [[nodiscard]] std::optional<Command> next_lines(Mono now);
    [[nodiscard]] std::optional<Command> next_claim(Mono now);
    [[nodiscard]] std::optional<Command> next_report(Mono now);
    [[nodiscard]] std::optional<Command> next_write(Mono now);
    [[nodiscard]] std::optional<Command> next_plan(Mono now);
    [[nodiscard]] std::optional<Command> next_read(Mono now);
    [[nodiscard]] Peek peek(Mono now);
    void update_rooms(Mono now);
    /// Of the settlement at that place of the batch.
    [[nodiscard]] Settled settled_one(std::size_t place, bool late, Mono now);
    void released_one(const PendingReturn& one, Mono now);
    /// Marks their leases as lost.
    std::vector<SharedEvent> lost_of(std::span<const EventId> lost);
    /// An event of that lane becomes claimable after `delay`.
    void expect(EventId id, const Lane& lane, std::chrono::microseconds delay, Mono now);
    [[nodiscard]] Mono next_moment(Mono now) const;
    [[nodiscard]] bool all_done() const;
    /// Nothing more will be sent: reports that other instances wait for are not delayed.
    [[nodiscard]] bool draining() const;
    /// No probe of this instance is under way or has yet to be reported.
    [[nodiscard]] bool may_probe(EndpointId endpoint);

    [[nodiscard]] bool may_read(Mono now) const;
    [[nodiscard]] bool may_claim(Mono now) const;
    /// Gives up all claims: other instances may take them.
    void fall_silent(Mono now);
    /// Work under a lease claimed or extended at `issued_at` must end by then.
    [[nodiscard]] Deferral too_short_for(std::chrono::microseconds timeout) const;
    [[nodiscard]] Mono deadline_of(Mono issued_at) const;
    /// Two extensions failed, so held leases may be lost.
    [[nodiscard]] bool in_doubt() const;
    /// Maximum number of held events without an outcome.
    [[nodiscard]] std::size_t capacity(Mono now) const;
    [[nodiscard]] std::size_t room(Mono now) const;
    [[nodiscard]] Mono settle_at(Mono now) const;
    void close_pass_if_done(Mono now);
    /// Releases events that were claimed ahead once attempts become slow.
    void release_if_stuck(Mono now);

    /// The lease of a claim that was sent at `issued_at` must be extended in time.
    void expect_extension(Mono issued_at);
    void take_from_line(LineAnswer answer, Mono now);
    /// `starts`: it has a permit from then on.
    void accept(ClaimedEvent claimed, Instant claimed_at, Mono sent_at,
                std::optional<Mono> starts = std::nullopt);
    /// Ready, or as soon as its permit begins.
    void make_ready(HeldClaim& claim, Mono now);
    /// Sends it, requests admission, or defers it.
    void let_through(HeldClaim& claim, Mono now);
    /// Its circuit has opened: admitted events must be admitted again.
    void request_admission_again(EndpointId endpoint);
    void disable(EndpointId endpoint, std::string reason);
    void defer(HeldClaim& claim, const Deferral& why);
    void finish(HeldClaim& claim, Settlement settlement, Mono now);
    /// The settlement under way failed: its batch is the first of the next one.
    void put_back_settlements();

    static constexpr std::size_t largest_write = 500;

    WorkerSettings settings_;
    ClaimScheduler scheduler_;
    HeldClaims held_;
    ClaimAhead ahead_;
    Receivers receivers_;
    WaitingLines lines_;
    std::vector<Lane> lanes_{endpoint_lane};  // as in the latest peek
    std::vector<HandlerPool> pools_;
    /// The room of each pool as the scheduler knows it; empty: not known yet.
    std::vector<std::optional<std::uint32_t>> pool_rooms_;
    // Queues of ids. An id whose claim has left the stage is skipped.
    std::deque<EventId> to_plan_, ready_;
    std::multimap<Mono, EventId> to_start_;  // ready; by the beginning of their permits
    std::set<EventId> to_admit_;  // each once; may still contain an event that was claimed again
    std::deque<PendingSettlement> to_settle_;
    std::deque<PendingSettlement> apart_;  // to settle, once apart_backoff_ is over
    std::deque<PendingReturn> to_release_;
    std::deque<DisableEndpoint> to_disable_;
    // State of the command under way.
    std::vector<EventId> planning_;
    std::vector<std::vector<EventId>> asking_;  // events that wait, by requested endpoint
    std::vector<ReceiverReport> reporting_;
    std::vector<Settlement> settling_;
    std::vector<Mono> settling_since_;  // of each of them
    std::vector<PendingReturn> releasing_;
    Mono issued_at_{};
    struct ClaimUnderWay {
        std::vector<ClaimScheduler::Turn> turns;
        Mono issued_at;
    };
    std::optional<ClaimUnderWay> claiming_;

    Alive alive_;
    bool silent_ = false;  // has given up its claims, and its heartbeat was not renewed since
    Mono extend_at_{};
    unsigned extensions_failed_ = 0;
    Backoff extend_backoff_, settle_backoff_, apart_backoff_, release_backoff_, plan_backoff_,
        read_backoff_, disable_backoff_, admit_backoff_, report_backoff_;
    std::size_t plan_limit_;
    std::size_t settle_limit_;
    bool backlog_counted_;
    bool stopping_ = false;
    Mono drain_until_{};
    std::optional<Pass> pass_;
    /// Since when more is held than the slots and the pace of attempts allow.
    std::optional<Mono> too_many_since_;
};

}  // namespace sundial
