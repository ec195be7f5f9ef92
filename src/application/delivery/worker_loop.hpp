#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "application/delivery/admit_events.hpp"
#include "application/delivery/deliver_event.hpp"
#include "application/delivery/executor_thread.hpp"
#include "application/delivery/instance_heartbeat.hpp"
#include "application/delivery/judge_receivers.hpp"
#include "application/delivery/recover.hpp"
#include "application/delivery/worker.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/schedules/plan_successors.hpp"
#include "base/log.hpp"

namespace sundial {

/// Counters of the worker's results. `retrying`: attempts that were not accepted and will be
/// repeated.
struct TickCounters {
    std::uint64_t claimed = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t retrying = 0;
    friend TickCounters operator-(const TickCounters& a, const TickCounters& b) {
        return {a.claimed - b.claimed, a.completed - b.completed, a.failed - b.failed,
                a.retrying - b.retrying};
    }
    friend bool operator==(const TickCounters&, const TickCounters&) = default;
};

struct WorkerPorts {
    EventQueue& queue;
    PlanSuccessors& plan;
    DeliverEvent& deliver;
    AdmitEvents& admit;
    JudgeReceivers& judge;
    const MonotonicClock& monotonic;
    Random& random;
    base::Log& log;
    EngineObserver& observer;
    SendPermit& permit;  // asked by the deliveries
    Presence& presence = no_presence;
};

/// Executes the worker's commands, one at a time, and passes it the answers. The loop continues
/// whatever a port throws. run() drives the worker on its thread until stop(). take_over() lets
/// another thread drive the same worker in the meantime, so there is only one engine.
class WorkerLoop final : public Wakeups {
public:
    /// `monotonic`, `log` and all other ports outlive the loop; a delivery may end after it.
    WorkerLoop(const WorkerSettings& settings, WorkerPorts ports);
    ~WorkerLoop() override;
    WorkerLoop(const WorkerLoop&) = delete;
    WorkerLoop& operator=(const WorkerLoop&) = delete;

    /// Returns after stop(), once all claims are settled or released, or the time to drain has
    /// passed. Never throws.
    void run();
    /// Claims and settles there while the loop continues, as run() does on threads. Without them
    /// the loop makes these calls itself.
    struct TaskExecutors {
        std::unique_ptr<TaskExecutor> claims, settlements;
    };
    void use_executors(TaskExecutors executors);
    /// From now on the worker claims and sends only while the heartbeat is renewed. run() does
    /// that; without it leases alone count. No effect with a clock that stands still.
    void begin_heartbeat();
    /// Renews the heartbeat, on the caller's thread, beside the loop: sends it, and hands over its
    /// answer.
    [[nodiscard]] InstanceHeartbeat::Beat send_heartbeat() { return heartbeat_.send(); }
    struct NextBeat {
        Mono at;        // when to send the next one
        bool has_news;  // the loop must turn
    };
    [[nodiscard]] NextBeat heartbeat_answered(const InstanceHeartbeat::Beat& beat);
    /// The loop has finished.
    void end_heartbeat();
    /// From any thread, also before run().
    void stop();
    [[nodiscard]] bool stopping() const { return stopping_; }

    void due_at(Instant when) override;

    /// Claims that this instance holds, as of the latest turn.
    [[nodiscard]] std::size_t held() const { return held_; }
    /// When it last claimed events, by the database's clock. Empty: never.
    [[nodiscard]] std::optional<Instant> last_claim() const;

    /// Time since the loop turned for the last time.
    [[nodiscard]] std::chrono::microseconds age() const;
    /// The loop turned within the last two ticks.
    [[nodiscard]] bool turning() const { return age() < 2 * settings_.tick; }
    /// The loop turns, and its latest call of the database succeeded.
    [[nodiscard]] bool working() const { return turning() && !failing_; }

    /// Processes arrived input and executes one command. Returns the latest time for the next call,
    /// or nothing after the loop has finished. Only for a caller that drives the loop alone.
    [[nodiscard]] std::optional<Mono> turn();
    [[nodiscard]] const TickCounters& counters() const { return counters_; }

    /// Holds the worker: run() pauses until this is destroyed.
    class Exclusive {
    public:
        explicit Exclusive(WorkerLoop& loop);
        ~Exclusive();
        Exclusive(const Exclusive&) = delete;
        Exclusive& operator=(const Exclusive&) = delete;

        /// Claims, sends and settles on this thread until `limit` events are claimed or none is
        /// due, then waits for their outcomes. Throws Unavailable; the worker keeps the claims it
        /// made. Ends early on stop().
        TickCounters drain(std::optional<std::uint64_t> limit);
        [[nodiscard]] bool stopping() const { return loop_.stopping(); }
        /// When events that wait for a limit may get their next permit; `never` if none waits.
        [[nodiscard]] Instant next_permit() const { return loop_.worker_.next_permit(); }
        /// The lanes that the worker claims from.
        [[nodiscard]] std::vector<Lane> lanes() const { return loop_.ports_.deliver.lanes(); }

    private:
        WorkerLoop& loop_;
    };
    /// Waits for the turn under way.
    [[nodiscard]] Exclusive take_over() { return Exclusive{*this}; }

private:
    struct Mailbox;

    void turn_until_finished();
    void beat_until(const std::stop_token& stop);
    bool note_heartbeat();
    /// Returns the worker's next command that is not a Send.
    Command send_all(Send first);
    Delivery::Starting prepared(Send send);
    void collect_mail();
    void take_claimed();
    void count_claimed(std::span<const ClaimedEvent> events, Instant at,
                       std::chrono::microseconds duration);
    void take_settled();
    [[nodiscard]] base::LogLine failure_line(const Claim& command, bool transient,
                                             const char* what) const;
    template <class One>
    [[nodiscard]] base::LogLine failure_line(const One& command, bool transient,
                                             const char* what) const;
    /// The answer of one call of a port. Empty if the call threw; the worker then knows.
    template <class One, class Call>
    [[nodiscard]] auto answer_of(const One& command, Call call);
    template <class One, class Answer>
    struct BackgroundTask;
    /// Starts `call`. When it ends, `ended` is set in the mailbox, and the loop then calls `take`.
    template <class One, class Answer, class Call>
    void begin(BackgroundTask<One, Answer>& task, const One& command, Call call,
               bool Mailbox::* ended, void (WorkerLoop::*take)());
    void carry_out(const CountBacklog& command);
    void carry_out(const Peek& command);
    void carry_out(const Claim& command);
    void carry_out(const ClaimLines& command);
    void carry_out(const Plan& command);
    void carry_out(const RequestAdmission& command);
    void carry_out(const Abandon& command);
    void carry_out(const ReportResults& command);
    void carry_out(const DisableEndpoint& command);
    void carry_out(const Settle& command);
    void carry_out(const ReleaseClaims& command);
    void carry_out(const Extend& command);
    void count(const Settled& settled);
    /// Waits for the claim under way.
    void finish_claim();
    void watch_recovery();

    /// Waits until then or until input arrives. Needs no lock on `turn_`.
    void wait(Mono until);
    [[nodiscard]] Mono now() const { return ports_.monotonic.now(); }

    WorkerSettings settings_;
    WorkerPorts ports_;
    Worker worker_;
    InstanceHeartbeat heartbeat_;
    Recovery recovery_;
    TickCounters counters_;
    std::exception_ptr failure_;         // of the latest call of a port
    std::optional<Mono> failing_since_;  // all calls since then have failed
    std::shared_ptr<Mailbox> mailbox_;
    // The latest state of the heartbeat that woke the loop; guarded by the mailbox's mutex.
    Mono alive_since_ = Mono::min();
    std::vector<InstanceId> known_dead_;
    struct ClaimAnswer {
        std::vector<Claimed> claims;
        Mono asked, answered;
    };
    /// A call that may be under way while the loop continues.
    template <class One, class Answer>
    struct BackgroundTask {
        std::optional<One> command;  // the latest
        std::future<Answer> answer;
        std::unique_ptr<TaskExecutor> executor;
    };
    BackgroundTask<Claim, ClaimAnswer> claim_;
    Mono claim_asked_{};  // when the latest claim began
    BackgroundTask<Settle, ClaimResults> settle_;
    std::mutex turn_;                 // held by the thread that drives the worker
    std::atomic<int> taken_over_{0};  // how many threads hold it or wait for it, besides run()
    std::atomic<bool> stopping_{false};
    std::atomic<bool> failing_{true};  // the latest call of a port failed, or there was none
    std::atomic<Mono::rep> last_turn_{0};
    std::atomic<std::size_t> held_{0};
    static constexpr Instant::rep no_claim = std::numeric_limits<Instant::rep>::min();
    std::atomic<Instant::rep> last_claim_{no_claim};
};

}  // namespace sundial
