#include "application/delivery/worker_loop.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/observation/engine_log.hpp"
#include "application/ports/failures.hpp"
#include "application/ports/store.hpp"
#include "base/crash_point.hpp"

namespace sundial {

using base::LogLevel;

namespace {

/// How long the loop waits for more outcomes after the first.
constexpr Mono gathering = std::chrono::microseconds{500};

}  // namespace

/// Input from other threads. Outlives the loop while deliveries are under way; holds at most one
/// outcome for each slot.
struct WorkerLoop::Mailbox {
    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<std::pair<EventId, Outcome>> outcomes;
    Instant hint = never;
    Instant awake_at = never;  // events due then or later need no wake-up
    // Whether the claim or the settlement that runs on another thread has returned.
    bool claimed = false, settled = false;
    bool stop = false;
    std::optional<Alive> alive;    // of the heartbeat
    bool alive_is_urgent = false;  // silence has ended, or another instance has died
    /// The attempts under way when the loop went to sleep. Once all their outcomes have arrived,
    /// there is nothing more to wait for.
    std::size_t expected = 0;

    [[nodiscard]] bool is_urgent() const {
        return stop || claimed || settled || alive_is_urgent || hint < awake_at;
    }
    [[nodiscard]] bool has_news() const { return is_urgent() || !outcomes.empty(); }
    [[nodiscard]] bool has_all() const { return is_urgent() || outcomes.size() >= expected; }
};

WorkerLoop::WorkerLoop(const WorkerSettings& settings, WorkerPorts ports)
    : settings_(settings),
      ports_(ports),
      worker_(settings),
      heartbeat_(settings.instance, {.queue = ports.queue,
                                     .monotonic = ports.monotonic,
                                     .log = ports.log,
                                     .permit = ports.permit,
                                     .presence = ports.presence}),
      recovery_(ports.log),
      mailbox_(std::make_shared<Mailbox>()) {}

WorkerLoop::~WorkerLoop() = default;

void WorkerLoop::run() {
    {
        const std::lock_guard turn_lock(turn_);
        use_executors({std::make_unique<ExecutorThread>(), std::make_unique<ExecutorThread>()});
    }
    begin_heartbeat();
    std::jthread heart;
    if (!settings_.clock_stands_still) {
        heart = std::jthread([this](const std::stop_token& stop) { beat_until(stop); });
    }
    turn_until_finished();
    heart = {};  // waits for the call under way
    const std::lock_guard turn_lock(turn_);
    use_executors({});
    end_heartbeat();
}

void WorkerLoop::begin_heartbeat() {
    if (settings_.clock_stands_still) return;
    heartbeat_.begin();
    note_heartbeat();
}

WorkerLoop::NextBeat WorkerLoop::heartbeat_answered(const InstanceHeartbeat::Beat& beat) {
    const Mono next = heartbeat_.answered(beat);
    return {next, note_heartbeat()};
}

void WorkerLoop::end_heartbeat() {
    if (settings_.clock_stands_still) return;
    heartbeat_.end(worker_.held() == 0);
    note_heartbeat();
}

void WorkerLoop::beat_until(const std::stop_token& stop) {
    const SchedulerScope scheduler;
    std::mutex mutex;
    std::condition_variable_any stopped;
    while (!stop.stop_requested()) {
        const Mono next = heartbeat_answered(send_heartbeat()).at;
        if (next == Mono::max()) return;
        std::unique_lock lock(mutex);
        stopped.wait_for(lock, stop, next - now(), [] { return false; });
    }
}

bool WorkerLoop::note_heartbeat() {
    Alive alive = heartbeat_.state();
    const std::lock_guard lock(mailbox_->mutex);
    const bool has_news = alive.since != alive_since_ || alive.dead.ids != known_dead_;
    if (has_news) {
        alive_since_ = alive.since;
        known_dead_ = alive.dead.ids;
        mailbox_->alive_is_urgent = true;
        mailbox_->arrived.notify_all();
    }
    mailbox_->alive = std::move(alive);
    return has_news;
}

void WorkerLoop::use_executors(TaskExecutors executors) {
    claim_.executor = std::move(executors.claims);
    settle_.executor = std::move(executors.settlements);
}

void WorkerLoop::turn_until_finished() {
    for (;;) {
        for (int taken = taken_over_; taken > 0; taken = taken_over_) taken_over_.wait(taken);
        std::optional<Mono> until;
        try {
            const std::lock_guard turn_lock(turn_);
            until = turn();
        } catch (const std::exception& exception) {
            ports_.log.write(
                {.level = LogLevel::error,
                 .event_name = {},
                 .message = std::string{"one turn of the scheduler failed: "} + exception.what(),
                 .correlation_id = {},
                 .fields = {}});
            until = now() + settings_.tick;
        }
        if (!until) return;
        wait(*until);
    }
}

void WorkerLoop::stop() {
    stopping_ = true;
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->stop = true;
    mailbox_->arrived.notify_all();
}

void WorkerLoop::due_at(Instant when) {
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->hint = std::min(mailbox_->hint, when);
    if (mailbox_->has_news()) mailbox_->arrived.notify_all();
}

std::chrono::microseconds WorkerLoop::age() const { return now() - Mono{last_turn_.load()}; }

std::optional<Instant> WorkerLoop::last_claim() const {
    const Instant::rep at = last_claim_;
    if (at == no_claim) return std::nullopt;
    return Instant{Instant::duration{at}};
}

std::optional<Mono> WorkerLoop::turn() {
    const SchedulerScope scheduler;
    last_turn_ = now().count();
    held_ = worker_.held();
    collect_mail();
    Command command = worker_.next(now());
    if (auto* const send = std::get_if<Send>(&command)) command = send_all(std::move(*send));
    watch_recovery();
    if (std::holds_alternative<Finished>(command)) return std::nullopt;
    if (const auto* wait_until = std::get_if<WaitUntil>(&command)) {
        const std::lock_guard lock(mailbox_->mutex);
        // A test clock may have been moved, so every hint counts.
        mailbox_->awake_at =
            settings_.clock_stands_still ? never : worker_.reached(wait_until->when);
        mailbox_->expected = worker_.sending();
        return wait_until->when;
    }
    std::visit(
        [this](const auto& one) {
            using One = std::decay_t<decltype(one)>;
            if constexpr (!std::is_same_v<One, WaitUntil> && !std::is_same_v<One, Finished> &&
                          !std::is_same_v<One, Send>) {
                carry_out(one);
            }
        },
        command);
    return now();
}

void WorkerLoop::wait(Mono until) {
    Mailbox& mailbox = *mailbox_;
    std::unique_lock lock(mailbox.mutex);
    const auto left = [&](Mono longest) { return std::clamp(until - now(), Mono{0}, longest); };
    mailbox.arrived.wait_for(lock, left(settings_.tick), [&] { return mailbox.has_news(); });
    if (mailbox.outcomes.empty()) return;
    // More outcomes usually follow the first one; the loop takes them together.
    mailbox.arrived.wait_for(lock, left(gathering), [&] { return mailbox.has_all(); });
}

void WorkerLoop::collect_mail() {
    std::vector<std::pair<EventId, Outcome>> outcomes;
    Instant hint = never;
    bool stop_asked = false;
    bool claimed = false, settled = false;
    std::optional<Alive> alive;
    {
        const std::lock_guard lock(mailbox_->mutex);
        outcomes.swap(mailbox_->outcomes);
        alive.swap(mailbox_->alive);
        mailbox_->alive_is_urgent = false;
        std::swap(hint, mailbox_->hint);
        stop_asked = mailbox_->stop;
        claimed = std::exchange(mailbox_->claimed, false);
        settled = std::exchange(mailbox_->settled, false);
    }
    if (alive) worker_.heartbeat(*alive, now());
    if (settled) take_settled();
    if (claimed) take_claimed();
    const Mono arrived = now();
    for (auto& [id, outcome] : outcomes) {
        CRASH_POINT("answer: before commit");
        const auto over = worker_.delivered(id, std::move(outcome), ports_.random.unit(), arrived);
        if (!over) continue;
        const Instant first = over->event.first_attempt_at.value_or(over->started_at);
        ports_.observer.delivered({over->event, over->destination.endpoint.get(), over->outcome,
                                   over->started_at, first - target_of(over->event)});
    }
    if (hint != never) {
        ports_.queue.hint(hint);
        worker_.wake(hint);
    }
    if (stop_asked) worker_.stop(now());
}

base::LogLine WorkerLoop::failure_line(const Claim& /*command*/, bool transient,
                                       const char* what) const {
    return claim_failed_line(transient ? LogLevel::warn : LogLevel::error, what,
                             now() - claim_asked_, settings_.instance);
}

template <class One>
base::LogLine WorkerLoop::failure_line(const One& /*command*/, bool transient,
                                       const char* what) const {
    return {.level = transient ? LogLevel::warn : LogLevel::error,
            .event_name = {},
            .message = std::string{"the scheduler tries again: "} + what,
            .correlation_id = {},
            .fields = {}};
}

template <class One, class Call>
auto WorkerLoop::answer_of(const One& command, Call call) {
    using Answer = std::invoke_result_t<Call>;
    const auto failed = [&](bool transient, const char* what) {
        failure_ = std::current_exception();
        failing_ = true;
        if (!failing_since_) failing_since_ = now();
        worker_.failed(Command{command}, transient, ports_.random.unit(), now());
        ports_.log.write(failure_line(command, transient, what));
        return std::optional<Answer>{};
    };
    try {
        std::optional<Answer> answer{call()};
        failing_ = false;
        failing_since_.reset();
        return answer;
    } catch (const Unavailable& unavailable) {
        return failed(true, unavailable.what());
    } catch (const std::exception& exception) {
        return failed(false, exception.what());
    }
}

void WorkerLoop::carry_out(const CountBacklog& command) {
    const auto backlog =
        answer_of(command, [&] { return ports_.queue.backlog(ports_.deliver.lanes()); });
    if (!backlog) return;
    worker_.backlog_counted();
    recovery_.start(*backlog, worker_.database_now(now()), now());
}

void WorkerLoop::carry_out(const Peek& command) {
    const auto peeked =
        answer_of(command, [&] { return ports_.queue.peek(ports_.deliver.lanes(), command.dead); });
    if (!peeked) return;
    worker_.limit(ports_.deliver.pools());
    worker_.peeked(*peeked, now());
}

template <class One, class Answer, class Call>
void WorkerLoop::begin(BackgroundTask<One, Answer>& task, const One& command, Call call,
                       bool Mailbox::* ended, void (WorkerLoop::*take)()) {
    task.command = command;
    const auto work = std::make_shared<std::packaged_task<Answer()>>(std::move(call));
    task.answer = work->get_future();
    if (!task.executor) {
        (*work)();
        (this->*take)();
        return;
    }
    task.executor->run([work] { (*work)(); },
                       [mailbox = mailbox_, ended] {
                           const std::lock_guard lock(mailbox->mutex);
                           (*mailbox).*ended = true;
                           mailbox->arrived.notify_all();
                       });
}

void WorkerLoop::carry_out(const Claim& command) {
    claim_asked_ = now();
    if (ports_.log.wants(LogLevel::debug)) {
        ports_.log.write(claim_started_line(settings_.instance));
    }
    const auto call = [this] {
        const Mono asked = now();
        auto claims = ports_.queue.claim_ready(claim_.command->requests);
        return ClaimAnswer{std::move(claims), asked, now()};
    };
    begin(claim_, command, call, &Mailbox::claimed, &WorkerLoop::take_claimed);
}

void WorkerLoop::take_claimed() {
    auto answer = answer_of(*claim_.command, [this] { return claim_.answer.get(); });
    if (!answer) return;
    auto& [claims, asked, answered] = *answer;
    for (const Claimed& claimed : claims) {
        if (claimed.events.empty()) continue;
        count_claimed(claimed.events, claimed.now, answered - asked);
    }
    worker_.claimed(std::move(claims), answered);
}

void WorkerLoop::carry_out(const ClaimLines& command) {
    const Mono asked = now();
    auto answers = answer_of(command, [&] {
        return ports_.admit.claim_from_lines(ports_.queue, settings_.instance, command.asked,
                                             settings_.lease, command.ahead);
    });
    if (!answers) return;
    for (const LineAnswer& answer : *answers) {
        if (answer.events.empty()) continue;
        count_claimed(answer.events, answer.now, now() - asked);
    }
    worker_.lines_claimed(*std::move(answers), now());
}

void WorkerLoop::count_claimed(std::span<const ClaimedEvent> events, Instant at,
                               std::chrono::microseconds duration) {
    counters_.claimed += events.size();
    last_claim_ = at.time_since_epoch().count();
    report_claim(events, duration, settings_.instance, ports_.log, ports_.observer);
}

void WorkerLoop::carry_out(const Plan& command) {
    Planning planning;
    auto decisions = answer_of(command, [&] {
        planning = ports_.plan.run(command.events);
        return ports_.deliver.decide(command.events, planning);
    });
    report_plan(planning, command.events, ports_.log, ports_.observer);  // even if it threw later
    if (planning.earliest != never) ports_.queue.hint(planning.earliest);
    if (decisions) worker_.planned(*std::move(decisions), planning.earliest, now());
}

void WorkerLoop::carry_out(const RequestAdmission& command) {
    const auto admissions = answer_of(command, [&] {
        return ports_.admit.run(settings_.instance, command.asked, settings_.lease);
    });
    if (admissions) worker_.admitted(*admissions);
}

Command WorkerLoop::send_all(Send first) {
    std::vector<Delivery::Starting> attempts;
    attempts.reserve(settings_.slots - worker_.sending() + 1);  // the first one counts already
    const Mono began = now();                                   // the start of all of them
    Command command = std::move(first);
    for (; auto* const send = std::get_if<Send>(&command); command = worker_.next(began)) {
        attempts.push_back(prepared(std::move(*send)));
    }
    ports_.deliver.start(std::move(attempts));
    return command;
}

Delivery::Starting WorkerLoop::prepared(Send send) {
    const Event& event = send.event;
    const Instant first = event.first_attempt_at.value_or(send.now);
    ports_.observer.started(
        {event, send.endpoint.get(), send.now, !event.first_attempt_at, first - target_of(event)});
    auto done = [mailbox = mailbox_, id = event.id](Outcome outcome) {
        const std::lock_guard lock(mailbox->mutex);
        mailbox->outcomes.emplace_back(id, std::move(outcome));
        const std::size_t count = mailbox->outcomes.size();
        if (count == 1 || count >= mailbox->expected) mailbox->arrived.notify_all();
    };
    CRASH_POINT("claim: before send");
    return {{.event = std::move(send.event),
             .endpoint = std::move(send.endpoint),
             .target_time = std::move(send.target_time),
             .now = send.now,
             .claimed = send.claimed},
            std::move(done)};
}

void WorkerLoop::carry_out(const Abandon& command) {
    ports_.log.write(lease_expired_line(command.event, "send", settings_.instance));
    ports_.deliver.abandon(command.event);
}

void WorkerLoop::carry_out(const ReportResults& command) {
    const auto changes =
        answer_of(command, [&] { return ports_.judge.run(settings_.instance, command.reports); });
    if (!changes) return;
    worker_.results_reported(*changes);
    for (const ReceiverChange& change : *changes) {
        if (auto line = circuit_line(change)) ports_.log.write(*std::move(line));
    }
}

void WorkerLoop::carry_out(const DisableEndpoint& command) {
    const auto disabled = answer_of(
        command, [&] { return ports_.deliver.disable(command.endpoint, command.reason); });
    if (!disabled) return;
    worker_.endpoint_disabled();
    if (*disabled) ports_.log.write(endpoint_disabled_line(command.endpoint, command.reason));
}

void WorkerLoop::carry_out(const Settle& command) {
    // A call that something waits for must not wait for others: the loop waits if it makes the call
    // itself, and so do passes and stops.
    const bool awaited = !settle_.executor || taken_over_ > 0 || stopping_;
    const auto call = [this, awaited]() -> ClaimResults {
        const auto& batch = settle_.command->batch;
        try {
            return {awaited ? ports_.queue.settle(batch) : ports_.queue.settle_soon(batch)};
        } catch (const PartlyUnavailable& partly) {
            return partly.known;
        }
    };
    begin(settle_, command, call, &Mailbox::settled, &WorkerLoop::take_settled);
}

void WorkerLoop::take_settled() {
    const auto results = answer_of(*settle_.command, [this] { return settle_.answer.get(); });
    if (!results) return;
    const std::vector<Settled> all = worker_.settled(*results, ports_.random.unit(), now());
    report_settled(all, worker_.database_now(now()), ports_.log, ports_.observer);
    for (const Settled& settled : all) count(settled);
}

void WorkerLoop::count(const Settled& settled) {
    if (settled.late) return;
    const auto& result = settled.settlement.result;
    if (std::holds_alternative<Accepted>(result)) {
        ++counters_.completed;
    } else if (std::holds_alternative<Refused>(result)) {
        ++counters_.failed;
    } else {
        ++counters_.retrying;
    }
}

void WorkerLoop::carry_out(const ReleaseClaims& command) {
    ClaimResults released;
    const auto freed = answer_of(command, [&] {
        auto parked = command.parked;
        auto blocked = command.blocked;
        try {
            // A claim whose lease is lost has nothing to release.
            released = {ports_.queue.release_claims(command.batch)};
        } catch (const PartlyUnavailable& partly) {
            released = partly.known;
            std::set<EventId> left;
            for (std::size_t i = 0; i < command.batch.size(); ++i) {
                if (!released.has(i)) left.insert(command.batch[i].id);
            }
            if (left.size() == command.batch.size()) throw;
            std::erase_if(parked, [&](const SharedEvent& one) { return left.contains(one->id); });
            std::erase_if(blocked,
                          [&](const BlockedEvent& one) { return left.contains(one.event); });
        }
        return ports_.deliver.release_if_possible(parked) + ports_.admit.release_if_closed(blocked);
    });
    if (freed) worker_.claims_released(released, *freed, ports_.random.unit(), now());
}

void WorkerLoop::carry_out(const Extend& command) {
    const auto answer = answer_of(command, [&]() -> ExtendAnswer {
        try {
            return {.lost = ports_.queue.extend(command.held, command.lease)};
        } catch (const PartlyUnavailable& partly) {
            ExtendAnswer some{.lost = {}, .only = std::vector<EventId>{}};
            for (std::size_t i = 0; i < command.held.size(); ++i) {
                if (!partly.known.has(i)) continue;
                (partly.known.results[i] ? *some.only : some.lost).push_back(command.held[i].id);
            }
            if (some.only->empty()) throw;
            return some;
        }
    });
    if (!answer) return;
    const auto events = worker_.extended(*answer, ports_.random.unit(), now());
    for (const Event& event : events) {
        ports_.log.write(lease_expired_line(event, "extend", settings_.instance));
        ports_.observer.lease_lost(event);
        ports_.deliver.abandon(event);
    }
}

void WorkerLoop::finish_claim() {
    if (!worker_.claiming()) return;
    {
        std::unique_lock lock(mailbox_->mutex);
        mailbox_->arrived.wait(lock, [this] { return mailbox_->claimed; });
    }
    collect_mail();
}

void WorkerLoop::watch_recovery() {
    const auto window = recovery_.window();
    if (!window || !recovery_.check_due(now()) || !worker_.caught_up_to(window->until)) return;
    try {
        recovery_.checked(
            ports_.queue.first_missed(window->from, window->until, ports_.deliver.lanes()), now());
    } catch (const Unavailable&) {
        recovery_.check_failed(now());
    }
}

WorkerLoop::Exclusive::Exclusive(WorkerLoop& loop) : loop_(loop) {
    ++loop_.taken_over_;
    loop_.turn_.lock();
}

WorkerLoop::Exclusive::~Exclusive() {
    loop_.turn_.unlock();
    --loop_.taken_over_;
    loop_.taken_over_.notify_all();
}

TickCounters WorkerLoop::Exclusive::drain(std::optional<std::uint64_t> limit) {
    struct Pass {
        Worker& worker;
        ~Pass() { worker.end_pass(); }
    };
    loop_.finish_claim();  // the pass counts only its own claims
    const TickCounters before = loop_.counters_;
    loop_.worker_.begin_pass(limit);
    const Pass pass{loop_.worker_};
    loop_.failing_since_.reset();
    for (;;) {
        const auto until = loop_.turn();
        if (!until || loop_.worker_.pass_over()) break;
        if (const auto since = loop_.failing_since_) {
            const bool hopeless =
                loop_.worker_.held() == 0 || loop_.now() - *since > loop_.settings_.drain;
            if (hopeless) std::rethrow_exception(loop_.failure_);
        }
        loop_.wait(*until);
    }
    return loop_.counters_ - before;
}

}  // namespace sundial
