#include "simulation/process.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "application/operations/operation_tasks.hpp"
#include "base/check.hpp"

namespace sundial::simulation {
namespace {

using namespace std::chrono_literals;

constexpr Time tick = 1s;
constexpr Time drain = 25s;
/// Share of the processes that do everything within their turns.
constexpr double works_alone = 0.2;
/// Share of the calls beside the loop that take long, so that the loop does much meanwhile.
constexpr double waits_long = 0.05;

}  // namespace

std::chrono::microseconds Process::LocalClock::now() const {
    return process_.local(process_.believed_now());
}

void Process::Hints::due_at(Instant when) {
    process_.loop_.due_at(when);
    process_.wake();
}

Process::Process(World& world, std::uint32_t number, std::size_t slots)
    : world_(world),
      number_(number),
      started_(world.time.now()),
      rate_(1 + world.rates.drift * (2 * world.dice.unit() - 1)),
      next_turn_(started_),
      next_beat_(started_),
      random_(world.dice),
      network_(world, *this, thread_clock_, permit_),
      store_(world, *this),
      queue_(world, *this),
      plan_(store_, world.zones, world.ids),
      deliver_(store_, world.zones, world.ids, {kinds_, nullptr, no_handlers_}),
      admit_(store_, random_),
      judge_(store_, {}),
      loop_({.instance = InstanceId{world.ids.fresh()},
             .shards = queue_.shards(),
             .claims_at_once = queue_.claims_at_once(),
             .slots = slots,
             .tick = tick,
             .drain = drain},
            {queue_, plan_, deliver_, admit_, judge_, monotonic_, random_, log_, observer_, permit_,
             presence_}),
      unpark_(store_, hints_),
      operations_({.instance = InstanceId{world.ids.fresh()}},
                  {.store = store_,
                   .ids = world.ids,
                   .wakeups = hints_,
                   .monotonic = monotonic_,
                   .log = log_,
                   .make_task = operation_tasks(store_, world.zones, world.ids, hints_)}),
      schedule_event(store_, world.zones, world.ids, hints_),
      cancel_event(store_, world.zones, world.ids, hints_),
      edit_event(store_, world.zones, world.ids, hints_),
      retry_event(store_, world.ids, hints_),
      create_user(store_, world.zones, world.ids, hints_),
      edit_user(store_, world.zones, world.ids, hints_),
      delete_user(store_, world.ids),
      create_schedule(store_, world.zones, world.ids, hints_, operations_),
      edit_schedule(store_, world.zones, world.ids, operations_),
      delete_schedule(store_, world.ids),
      trigger_schedule(store_, world.zones, world.ids, hints_),
      create_endpoint(store_, secrets_, kinds_, world.ids),
      edit_endpoint(store_, secrets_, kinds_, world.ids, unpark_, log_) {
    kinds_.add(std::make_unique<NetworkKind>(network_));
    loop_.begin_heartbeat();
    if (world.dice.chance(works_alone)) return;
    loop_.use_executors(
        {std::make_unique<BackgroundExecutor>(*this), std::make_unique<BackgroundExecutor>(*this)});
}

// Time of the process.

Time Process::believed_now() const {
    const bool waits = doing_ == Doing::turn || doing_ == Doing::background;
    return waits ? believed_ : world_.time.now();
}

Mono Process::local(Time true_time) const {
    constexpr Mono origin = 1000s;
    const auto elapsed = static_cast<double>((true_time - started_).count());
    return origin + Mono{std::llround(elapsed * rate_)};
}

Time Process::true_time_of(Mono local_time) const {
    const auto elapsed = static_cast<double>((local_time - local(started_)).count());
    return started_ + Time{static_cast<std::int64_t>(std::ceil(elapsed / rate_))};
}

// Turns.

void Process::turn() {
    const Time now = world_.time.now();
    if (next_beat_ <= std::min(now, next_turn_)) return beat();
    if (const Time free_at = std::max(blocked_until_, frozen_until_); now < free_at) {
        next_turn_ = free_at;
        return;
    }
    if (world_.faults_happen && !idle_ && world_.dice.chance(world_.rates.freeze)) {
        // Freezes between a decision and its execution.
        freeze(world_.dice.chance(0.5) ? world_.dice.between(1s, 29s)
                                       : world_.dice.between(30s, 120s));
        next_turn_ = Timeline::never;
        world_.time.at(frozen_until_, [this, now] { carry_out_turn(now); });
        return;
    }
    carry_out_turn(now);
}

void Process::carry_out_turn(Time decided_at) {
    if (!alive_) return;
    ++world_.counts.turns;
    doing_ = Doing::turn;
    believed_ = decided_at;
    std::optional<Mono> until;
    try {
        until = loop_.turn();
    } catch (const ProcessDied&) {
        return kill();
    }
    doing_ = Doing::nothing;
    blocked_until_ = std::max(believed_, world_.time.now());
    if (!until) return end();
    const bool waits = *until > local(believed_);
    next_turn_ = std::max(blocked_until_, true_time_of(*until));
    if (waits) {
        idle_ = peeked_ && !busy_ && under_way_ == 0;
        peeked_ = busy_ = false;
    }
}

void Process::beat() {
    const Time now = world_.time.now();
    if (now < frozen_until_) {
        next_beat_ = frozen_until_;
        return;
    }
    next_beat_ = Timeline::never;
    doing_ = Doing::background;
    believed_ = now;
    try {
        auto answer = loop_.send_heartbeat();
        doing_ = Doing::nothing;
        at(believed_, [this, answer = std::move(answer)] { take_beat(answer); });
    } catch (const ProcessDied&) {
        kill();
    }
}

void Process::take_beat(const InstanceHeartbeat::Beat& answer) {
    const auto next = loop_.heartbeat_answered(answer);
    next_beat_ = true_time_of(next.at);
    if (next.has_news) wake();
}

void Process::wake() {
    busy_ = true;
    idle_ = false;
    if (doing_ != Doing::turn) next_turn_ = std::min(next_turn_, world_.time.now());
}

void Process::skip_ticks_until(Time until) {
    const auto ticks = (until - next_turn_) / tick - 1;
    if (ticks <= 0) return;
    next_turn_ += ticks * tick;
    next_beat_ = std::max(next_beat_, next_turn_);
}

void Process::freeze(Time how_long) {
    const Time now = world_.time.now();
    frozen_until_ = std::max(frozen_until_, now + how_long);
    world_.record_fault("freeze", number_, now, now + how_long);
}

void Process::stop() {
    stopped_at_ = std::min(stopped_at_, world_.time.now());
    loop_.stop();
    wake();
}

void Process::end() {
    if (local(believed_) < local(stopped_at_) + drain) {
        Step step;
        step.source = number_;
        step.op = Op::stop;
        world_.record(std::move(step));
    }
    doing_ = Doing::request;
    try {
        loop_.end_heartbeat();
    } catch (const ProcessDied&) {  // NOLINT(bugprone-empty-catch): it ends anyway
    }
    kill();
}

void Process::kill() {
    doing_ = Doing::nothing;
    if (std::exchange(alive_, false)) {
        presence_.end();
        Step step;
        step.source = number_;
        step.op = Op::gone;
        world_.record(std::move(step));
    }
    network_.cut();
}

bool Process::OnMachine::has_ended(InstanceId other) {
    const auto found = process_.world_.ended.find(other);
    return found != process_.world_.ended.end() && found->second == process_.number_ % 2;
}

void Process::OnMachine::end() {
    if (shown_) process_.world_.ended.emplace(*shown_, process_.number_ % 2);
}

void Process::when_awake(std::function<void()> what) {
    at(world_.time.now(), [this, what = std::move(what)] {
        what();
        wake();
    });
}

void Process::at(Time when, std::function<void()> what) {
    world_.time.at(std::max(when, frozen_until_), [this, what = std::move(what)] {
        if (!alive_) return;
        if (world_.time.now() < frozen_until_) return at(frozen_until_, what);
        what();
    });
}

// Calls beside the turns.

void Process::BackgroundExecutor::run(std::function<void()> work, std::function<void()> notify) {
    base::check(!under_way_);
    under_way_ = true;
    process_.begin_in_background(std::move(work), [this, notify = std::move(notify)] {
        under_way_ = false;
        notify();
    });
}

Time Process::background_wait() {
    return world_.dice.chance(waits_long) ? world_.dice.between(4ms, 500ms)
                                          : world_.dice.between(0ms, 4ms);
}

void Process::begin_in_background(std::function<void()> work, std::function<void()> notify) {
    ++under_way_;
    busy_ = true;
    idle_ = false;
    if (world_.faults_happen && world_.dice.chance(world_.rates.stops)) {
        ++world_.counts.faults["stop"];
        stop();
    }
    const Time now = world_.time.now();
    Time wait = background_wait();
    if (world_.faults_happen && world_.dice.chance(world_.rates.late)) {
        wait = world_.dice.between(100ms, 10s);
        world_.record_fault("late request", number_, now, now + wait);
    }
    at(now + wait, [this, work = std::move(work), notify = std::move(notify)] {
        run_in_background(work, notify);
    });
}

void Process::run_in_background(const std::function<void()>& work,
                                const std::function<void()>& notify) {
    doing_ = Doing::background;
    believed_ = world_.time.now();
    work();
    doing_ = Doing::nothing;
    if (has_died_in_background_) return kill();
    at(believed_ + background_wait(), [this, notify] {
        --under_way_;
        notify();
        wake();
    });
}

// Port calls.

CallFault Process::throw_dice() {
    if (world_.time.now() < world_.away_until) return CallFault::database_away;
    if (!world_.faults_happen) return CallFault::none;
    const Rates& rates = world_.rates;
    if (rates.away > 0 && world_.dice.chance(rates.away)) {
        world_.send_database_away(world_.dice.between(1s, 15s));
        return CallFault::database_away;
    }
    double dice = world_.dice.unit();
    const auto is = [&](double probability) { return (dice -= probability) < 0; };
    if (is(rates.dies / 2)) return CallFault::dies_before;
    if (is(rates.dies / 2)) return CallFault::dies_after;
    if (is(rates.lost_request)) return CallFault::lost_request;
    if (is(rates.lost_reply)) return CallFault::lost_reply;
    return CallFault::none;
}

CallFault Process::begin_call(CallKind kind) {
    ++world_.counts.calls;
    const Time now = world_.time.now();
    if (doing_ != Doing::request) believed_ = std::max(believed_, now);
    if (kind == CallKind::other) idle_ = false;
    // A process that only looks while nothing happens has nothing to lose, so it needs no faults.
    const CallFault fault = idle_ ? CallFault::none : throw_dice();
    if (kind == CallKind::other || fault != CallFault::none) {
        busy_ = true;
    } else if (kind == CallKind::peek) {
        peeked_ = true;
    }
    switch (fault) {
        case CallFault::dies_before:
            world_.record_fault("crash before a call", number_, now, now);
            has_died_in_background_ = doing_ == Doing::background;
            break;
        case CallFault::dies_after:
            world_.record_fault("crash after a call", number_, now, now);
            has_died_in_background_ = doing_ == Doing::background;
            break;
        case CallFault::database_away:
        case CallFault::lost_request:
        case CallFault::lost_reply:
        case CallFault::none:
            break;
    }
    return fault;
}

void Process::end_call(CallFault fault) {
    const Time now = world_.time.now();
    Time latency = world_.dice.between(200us, 4ms);
    if (fault == CallFault::database_away) {
        latency = std::min(world_.dice.between(1ms, 10s), world_.away_until - now);
    } else if (fault == CallFault::lost_request || fault == CallFault::lost_reply) {
        latency = world_.dice.between(1ms, 10s);
        world_.record_fault(fault == CallFault::lost_request ? "lost request" : "lost reply",
                            number_, now, now + latency);
    } else if (world_.faults_happen && !idle_ && world_.dice.chance(world_.rates.late)) {
        latency = world_.dice.between(100ms, 10s);
        world_.record_fault("late reply", number_, now, now + latency);
    }
    if (doing_ != Doing::request) believed_ += latency;
}

bool Process::loses_commits() {
    if (doing_ == Doing::turn) return world_.defective(Defect::successor_forgotten);
    if (lost_commit_) return true;
    return doing_ == Doing::request && world_.defective(Defect::acked_before_commit) &&
           world_.dice.chance(0.1);
}

bool Process::serve(const std::function<void(Process&)>& request, bool lost_commit) {
    doing_ = Doing::request;
    lost_commit_ = lost_commit;
    bool known = true;
    try {
        request(*this);
    } catch (const ProcessDied&) {
        kill();
        known = false;
    } catch (const Unavailable&) {
        known = false;
    }
    doing_ = Doing::nothing;
    lost_commit_ = false;
    return known;
}

void Process::begin() {
    static_cast<void>(serve([](Process& process) { process.unpark_.run_all(); }));
}

void Process::work_on_operations() {
    static_cast<void>(serve([](Process& process) { process.operations_.drain(); }));
}

}  // namespace sundial::simulation
