#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "application/delivery/admit_events.hpp"
#include "application/delivery/deliver_event.hpp"
#include "application/delivery/handlers.hpp"
#include "application/delivery/judge_receivers.hpp"
#include "application/delivery/worker_loop.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/unpark_events.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/operations/operations.hpp"
#include "application/schedules/create_schedule.hpp"
#include "application/schedules/delete_schedule.hpp"
#include "application/schedules/edit_schedule.hpp"
#include "application/schedules/plan_successors.hpp"
#include "application/schedules/trigger_schedule.hpp"
#include "application/users/create_user.hpp"
#include "application/users/delete_user.hpp"
#include "application/users/edit_user.hpp"
#include "simulation/faulty_ports.hpp"
#include "simulation/network.hpp"
#include "support/deaf_ports.hpp"

namespace sundial::simulation {

/// One run of one instance: the real worker loop and the real use cases, on faulty ports. The
/// simulation drives it turn by turn. Within a turn, time passes for this process alone: it decides
/// at one moment, its call takes effect at another, the response arrives at a third. Most processes
/// claim and settle beside their loop; the others do so within a turn, as under `tick`.
class Process final : public Sender, public PortUser {
public:
    Process(World& world, std::uint32_t number, std::size_t slots);

    /// The first action of an instance: releases events that a crash has left parked.
    void begin();

    [[nodiscard]] std::uint32_t number() const override { return number_; }
    [[nodiscard]] bool alive() const { return alive_; }
    /// Whether it is neither dead nor frozen.
    [[nodiscard]] bool answers() const { return alive_ && world_.time.now() >= frozen_until_; }
    /// The time of its loop's next turn or of its next heartbeat, in true time; never if it is
    /// dead.
    [[nodiscard]] Time next_turn() const {
        return alive_ ? std::min(next_turn_, next_beat_) : Timeline::never;
    }
    void turn();
    /// Only ticks since its last wait, and nothing in progress.
    [[nodiscard]] bool idle() const { return idle_ && network_.idle(); }
    /// Skips its next turns, which would only look, and its heartbeats, up to a tick before
    /// `until`. After that its heartbeat begins again.
    void skip_ticks_until(Time until);
    void kill();
    /// SIGTERM: releases and settles its claims, then ends.
    void stop();
    /// Freezes the process, including its network.
    void freeze(Time how_long);

    /// A client's request to this process. False if the process died of it, or the outcome is
    /// unknown. `lost_commit`: the change that it reports as stored is not.
    [[nodiscard]] bool serve(const std::function<void(Process&)>& request,
                             bool lost_commit = false);
    /// Works on the existing operations.
    void work_on_operations();

    // Sender and PortUser.
    void when_awake(std::function<void()> what) override;
    void when_awake_at(Time when, std::function<void()> what) override {
        at(when, std::move(what));
    }
    CallFault begin_call(CallKind kind) override;
    void end_call(CallFault fault) override;
    [[nodiscard]] bool loses_commits() override;

private:
    class LocalClock final : public MonotonicClock {
    public:
        explicit LocalClock(const Process& process) : process_(process) {}
        [[nodiscard]] std::chrono::microseconds now() const override;

    private:
        const Process& process_;
    };
    /// For threads that no call keeps.
    class ThreadClock final : public MonotonicClock {
    public:
        explicit ThreadClock(const Process& process) : process_(process) {}
        [[nodiscard]] std::chrono::microseconds now() const override {
            return process_.local(process_.world_.time.now());
        }

    private:
        const Process& process_;
    };
    class LocalRandom final : public Random {
    public:
        explicit LocalRandom(Dice& dice) : dice_(dice) {}
        double unit() override { return dice_.unit(); }

    private:
        Dice& dice_;
    };
    class Hints final : public Wakeups {
    public:
        explicit Hints(Process& process) : process_(process) {}
        void due_at(Instant when) override;

    private:
        Process& process_;
    };
    /// Sees the ends of processes on its machine. There are two machines.
    class OnMachine final : public Presence {
    public:
        explicit OnMachine(Process& process) : process_(process) {}
        void show(InstanceId own) override { shown_ = own; }
        void withdraw(InstanceId /*own*/) override { shown_.reset(); }
        [[nodiscard]] bool has_ended(InstanceId other) override;
        /// The process has ended.
        void end();

    private:
        Process& process_;
        std::optional<InstanceId> shown_;
    };
    /// Takes any URL, and sends by the simulated network.
    class NetworkKind final : public EndpointKind {
    public:
        explicit NetworkKind(Delivery& network) : network_(network) {}
        [[nodiscard]] EndpointType type() const override { return webhook_type; }
        [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings&) const override {
            return {};
        }
        [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings&) const override {
            return {};
        }
        [[nodiscard]] bool signs() const override { return true; }
        [[nodiscard]] Delivery* delivery() override { return &network_; }

    private:
        Delivery& network_;
    };
    /// Nothing in the simulation verifies a signature.
    class OpenSecrets final : public Secrets {
    public:
        std::optional<std::string> seal_text(std::string_view text) override {
            return std::string{text};
        }
        Result<NewSecret, ValidationFailed> seal(const std::optional<std::string>& given) override {
            const std::string shown = given.value_or("whsec_simulated");
            return NewSecret{shown, shown, shown};
        }
        Result<NewKeyPair, ValidationFailed> new_key_pair() override {
            return NewKeyPair{"whpk_simulated", {}};
        }
        std::string open(const std::string& sealed) override { return sealed; }
        std::optional<std::string> resealed(const std::string&) override { return std::nullopt; }
    };
    /// Runs the loop's claims or settlements beside it. A call begins a little later than
    /// requested, and its result is reported a little after it is available, however much the loop
    /// does meanwhile.
    class BackgroundExecutor final : public TaskExecutor {
    public:
        explicit BackgroundExecutor(Process& process) : process_(process) {}
        void run(std::function<void()> work, std::function<void()> notify) override;

    private:
        Process& process_;
        bool under_way_ = false;
    };
    enum class Doing : std::uint8_t { nothing, turn, background, request };

    /// The present, as the process believes.
    [[nodiscard]] Time believed_now() const;
    [[nodiscard]] Mono local(Time true_time) const;
    [[nodiscard]] Time true_time_of(Mono local) const;
    void carry_out_turn(Time decided_at);
    /// Sends a heartbeat, as its thread does beside the loop.
    void beat();
    void take_beat(const InstanceHeartbeat::Beat& answer);
    void end();
    void wake();
    /// Runs `what` when the process is not frozen; never if it is dead.
    void at(Time when, std::function<void()> what);
    [[nodiscard]] Time background_wait();
    void begin_in_background(std::function<void()> work, std::function<void()> notify);
    void run_in_background(const std::function<void()>& work, const std::function<void()>& notify);
    [[nodiscard]] CallFault throw_dice();

    World& world_;
    std::uint32_t number_;
    Time started_;
    double rate_;  // rate of its clock
    bool alive_ = true;
    Doing doing_ = Doing::nothing;
    Time next_turn_;
    Time next_beat_;  // never while one is under way
    Time stopped_at_ = Timeline::never;
    Time frozen_until_{0};
    Time blocked_until_{0};      // its loop waits for a response
    Time believed_{0};           // within a turn or a call beside the loop
    std::size_t under_way_ = 0;  // calls beside the loop
    /// The loop must not see this exception, because it stores exceptions thrown by these calls.
    bool has_died_in_background_ = false;
    bool peeked_ = false, busy_ = true, idle_ = false;
    bool lost_commit_ = false;

    LocalClock monotonic_{*this};
    ThreadClock thread_clock_{*this};
    LocalRandom random_;
    NoLog log_;
    Hints hints_{*this};
    EngineObserver observer_;
    Handlers no_handlers_;
    OpenSecrets secrets_;
    SendPermit permit_;
    OnMachine presence_{*this};
    Network network_;
    EndpointKinds kinds_;
    FaultyStore store_;
    FaultyQueue queue_;
    PlanSuccessors plan_;
    DeliverEvent deliver_;
    AdmitEvents admit_;
    JudgeReceivers judge_;
    WorkerLoop loop_;
    UnparkEvents unpark_;
    Operations operations_;

public:
    // The use cases that clients call.
    ScheduleEvent schedule_event;
    CancelEvent cancel_event;
    EditEvent edit_event;
    RetryEvent retry_event;
    CreateUser create_user;
    EditUser edit_user;
    DeleteUser delete_user;
    CreateSchedule create_schedule;
    EditSchedule edit_schedule;
    DeleteSchedule delete_schedule;
    TriggerSchedule trigger_schedule;
    CreateEndpoint create_endpoint;
    EditEndpoint edit_endpoint;
};

}  // namespace sundial::simulation
