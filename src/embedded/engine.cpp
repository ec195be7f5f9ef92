#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "application/transactions/after_commit.hpp"
#include "domain/time/text.hpp"
#include "embedded/answers.hpp"
#include "embedded/engine_parts.hpp"
#include "embedded/scheduling.hpp"
#include "sundial/embedding.hpp"

namespace sundial::embedding {

/// Finished events are kept as long as a server keeps them by default.
std::vector<MaintenanceJob> maintenance_jobs(Store& store, Retention* retention) {
    constexpr std::size_t at_once = 500;
    std::vector<MaintenanceJob> jobs{
        {.name = "idempotency keys", .every = std::chrono::minutes{10}, .batch = [&store] {
             std::size_t removed = 0;
             store.transact([&](sundial::Transaction& tx) {
                 removed = tx.idempotency().remove_expired(at_once);
                 return removed > 0;
             });
             return removed == at_once;
         }}};
    if (retention == nullptr) return jobs;
    jobs.push_back({.name = "retention",
                    .every = std::chrono::minutes{10},
                    .batch = [forget_old = ForgetOld{*retention, RetentionTerms{}}]() mutable {
                        return forget_old.batch();
                    }});
    jobs.push_back({.name = "history index", .every = between_summaries, .batch = [retention] {
                        return retention->summarise(ranges_of_a_batch);
                    }});
    return jobs;
}

Engine::Engine(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&& other) noexcept {
    if (this == &other) return *this;
    close(std::exchange(parts_, std::move(other.parts_)));
    return *this;
}
Engine::~Engine() { close(std::move(parts_)); }

void Engine::close(std::shared_ptr<Parts> parts) noexcept {
    if (!parts) return;
    const bool forked = parts->process.forked();
    if (!forked && !parts->in_callback()) return parts->stop();
    if (!forked) parts->request_stop();
    // In a forked child, or if no thread can be started, they stay in memory.
    auto* const left = new std::shared_ptr<Parts>(std::move(parts));
    if (forked) return;
    try {
        // Waits for the callback that contains this call.
        std::thread([left] {
            (*left)->stop();
            delete left;
        }).detach();
    } catch (const std::system_error&) {
        return;
    }
}

Result<Engine> Engine::open(const Options& options) {
    return answered<Engine>([&] { return Engine{std::make_shared<Parts>(options)}; });
}

namespace {

sundial::Handled as_domain(const Handled& handled) {
    switch (handled.verdict()) {
        case Handled::Verdict::done:
            return {Verdict::accepted, {}};
        case Handled::Verdict::retry:
            return {Verdict::retryable, handled.reason()};
        case Handled::Verdict::snoozed:
            return {Verdict::retryable, {}, std::clamp(handled.until(), Instant{}, latest_instant)};
        case Handled::Verdict::refused:
            break;
    }
    return {Verdict::permanent, handled.reason()};
}

HandlerTerms terms_of(const HandlerOptions& options) {
    return {.threads = std::min(options.threads, most_threads), .time_limit = options.time_limit};
}

}  // namespace

void Engine::on(const std::string& type, Handler handler, const HandlerOptions& options) {
    if (parts_->process.forked()) return;
    const auto work = [&callbacks = parts_->callbacks,
                       handler = std::move(handler)](const sundial::Event& event) {
        const Callbacks::Call call{callbacks};
        return as_domain(handler(shown(event)));
    };
    parts_->handlers.on(type, work, terms_of(options));
}

void Engine::on(const std::string& type, StoppableHandler handler, const HandlerOptions& options) {
    if (parts_->process.forked()) return;
    const auto work = [&callbacks = parts_->callbacks, handler = std::move(handler)](
                          const sundial::Event& event, const std::stop_token& stop) {
        const Callbacks::Call call{callbacks};
        return as_domain(handler(shown(event), stop));
    };
    parts_->handlers.on(type, work, terms_of(options));
}

Result<Done> Engine::on_queue(const std::string& queue, Handler handler,
                              const QueueOptions& options) {
    return on_queue(queue,
                    StoppableHandler{[handler = std::move(handler)](
                                         const Event& event, const std::stop_token& /*stop*/) {
                        return handler(event);
                    }},
                    options);
}

Result<Done> Engine::on_queue(const std::string& queue, StoppableHandler handler,
                              const QueueOptions& options) {
    if (auto defect = refuse_work_lease(options.lease)) {
        return error_of(ValidationFailed{{*std::move(defect)}});
    }
    if (options.time_limit.count() <= 0) {
        return error_of(invalid("/timeLimit", "out_of_range", "must be positive"));
    }
    if (options.threads < 1 || options.threads > most_threads) {
        return error_of(invalid("/threads", "out_of_range", "must be 1 to 256"));
    }
    auto created = create_queue(queue);
    if (!created) return created;
    const std::string name = "engine " + to_string(parts_->instance);
    if (!parts_->queue_pools.add(worker(queue, name), queue, std::move(handler), options)) {
        return error_of(
            invalid("/queue", "not_allowed", "needs its handler before the engine is started"));
    }
    return created;
}

Result<User> Engine::create_user(const NewUser& requested) {
    return Parts::run<User>(parts_, [&](Parts& parts) {
        return parts.users.create.run(requested_user(requested), correlation_id);
    });
}

Result<Done> Engine::delete_user(const std::string& id) {
    return Parts::run<Done>(parts_, [&](Parts& parts) {
        return parts.users.remove.run(id, UserHistory::erase, std::nullopt, correlation_id);
    });
}

PullWorker Engine::worker(const std::string& queue, const std::string& name) {
    return PullWorker{std::make_shared<PullWorker::Parts>(
        PullWorker::Parts{parts_->process, parts_->pull.pull, parts_->pull.settle,
                          parts_->pull.watch, parts_->monotonic, queue, name})};
}

Result<Event> Engine::schedule(const NewEvent& requested) {
    const auto event = requested_event(requested);
    if (!event) return error_of(event.error());
    return Parts::run<Event>(parts_,
                             [&](Parts& parts) { return parts.events.schedule.run(*event); });
}

Result<Event> Engine::find_event(const std::string& id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) { return parts.queries.event(id); });
}

Result<Event> Engine::cancel(const std::string& id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) {
        auto cancelled = parts.events.cancel.run(id, std::nullopt, correlation_id);
        after_commit([&signal = parts.outcome_signal] { signal.finished(); });
        return cancelled;
    });
}

Result<std::vector<Event>> Engine::schedule_all(const std::vector<NewEvent>& requested) {
    constexpr std::size_t most = 1'000;
    std::vector<sundial::NewEvent> events;
    if (requested.size() > most) {
        return error_of(invalid("/events", "out_of_range", "has more than 1000 events"));
    }
    events.reserve(requested.size());
    for (const NewEvent& one : requested) {
        auto event = requested_event(one);
        if (!event) return error_of(event.error());
        events.push_back(*std::move(event));
    }
    return Parts::run<std::vector<Event>>(
        parts_, [&](Parts& parts) -> sundial::Result<std::vector<sundial::Event>> {
            std::vector<sundial::Event> stored;
            if (events.empty()) return stored;
            for (auto& one : parts.events.schedule.run_all(events)) {
                if (!one) return one.error();
                stored.push_back(*std::move(one));
            }
            return stored;
        });
}

Result<EventPage> Engine::events(const EventFilter& filter, const PageOptions& page) {
    return Parts::run<EventPage>(
        parts_, [&](Parts& parts) { return list_events(parts.queries, filter, page); });
}
Result<EventPage> Engine::events(const EventFilter& filter) { return events(filter, {}); }

Result<Event> Engine::change(const std::string& id, const EventChange& change) {
    if (change.at && !in_range(*change.at)) {
        return error_of(invalid("/at", "out_of_range", "must be in the years 0001 to 9999"));
    }
    return Parts::run<Event>(parts_, [&](Parts& parts) {
        return parts.events.edit.run(id, requested_change(change), std::nullopt, correlation_id);
    });
}

Result<Event> Engine::retry(const std::string& id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) -> sundial::Result<sundial::Event> {
        auto retried = parts.events.retry.run(id, RetryKey::same, correlation_id);
        if (!retried) return retried.error();
        return std::move(retried->event);
    });
}

Result<Event> Engine::dismiss(const std::string& id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) {
        EventEdit edit;
        edit.dismissed = true;
        return parts.events.edit.run(id, edit, std::nullopt, correlation_id);
    });
}

Result<Schedule> Engine::put_schedule(const NewSchedule& requested) {
    return Parts::run<Schedule>(parts_, [&](Parts& parts) -> sundial::Result<ScheduleView> {
        const auto put = parts.schedules.put.run(requested.name, requested_schedule(requested),
                                                 std::nullopt, correlation_id);
        if (!put) return put.error();
        return parts.queries.schedule("ext:" + requested.name);
    });
}

Result<Schedule> Engine::find_schedule(const std::string& name) {
    return Parts::run<Schedule>(
        parts_, [&](Parts& parts) { return parts.queries.schedule("ext:" + name); });
}

Result<Done> Engine::delete_schedule(const std::string& name) {
    return Parts::run<Done>(parts_, [&](Parts& parts) {
        return parts.schedules.remove.run("ext:" + name, std::nullopt, correlation_id);
    });
}

Result<Event> Engine::trigger_schedule(const std::string& name, const std::string& user_id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) {
        return parts.schedules.trigger.run(
            "ext:" + name, {.user = unless_empty(user_id), .payload = {}}, correlation_id);
    });
}

Result<Preview> Engine::preview(const NewSchedule& requested, std::size_t count) {
    if (count < 1 || count > 100) {
        return error_of(invalid("/count", "out_of_range", "must be 1 to 100"));
    }
    return Parts::run<Preview>(parts_, [&](Parts& parts) {
        return parts.schedules.preview.run({.schedule = {},
                                            .fields = requested_schedule(requested),
                                            .scope = {},
                                            .from = std::nullopt,
                                            .count = count});
    });
}

Result<Done> Engine::run_transaction(const std::function<Result<Done>(Transaction&)>& work) {
    const auto parts = parts_;  // the work may destroy the engine
    return embedding::transact(parts->transactions, work);
}

CallerTransaction Engine::in(pg_conn* connection) {
    return CallerTransaction{
        std::make_unique<Transaction::Parts>(parts_->transactions, connection)};
}

Streams Engine::streams() { return Streams{parts_->streams}; }

Outcomes Engine::outcomes() {
    return Outcomes{std::make_shared<Outcomes::Parts>(
        Outcomes::Parts{parts_->streams, parts_->outcome_signal})};
}

void Engine::start() {
    const auto parts = parts_;  // a handler may destroy the engine at once
    if (parts->process.forked() || parts->test_clock || parts->delivery.loop.stopping()) return;
    const std::lock_guard lock(parts->joining);
    if (parts->worker.joinable()) return;
    parts->worker = std::thread([&loop = parts->delivery.loop] { loop.run(); });
    parts->operations_worker = std::thread([&operations = parts->operations] { operations.run(); });
    parts->queue_pools.start();
    if (!parts->maintains) return;
    parts->intake_worker = std::thread([parts = parts.get()] {
        parts->intake.watch(parts->wakeups.intake, std::chrono::seconds{1});
    });
    parts->maintainer = std::thread([&maintenance = parts->maintenance] { maintenance.run(); });
}

void Engine::stop() {
    const auto parts = parts_;  // a handler may destroy the engine meanwhile
    if (parts->process.forked()) return;
    if (parts->in_callback()) return parts->request_stop();
    parts->stop();
}

Result<std::uint64_t> Engine::advance(std::chrono::microseconds by) {
    if (parts_->test_clock && !parts_->process.forked() && parts_->in_callback()) {
        return Error{"REENTRANT_CALL",
                     "advance() was called inside a handler, a log callback or a transaction of "
                     "its engine, which it would wait for; call it from elsewhere"};
    }
    return Parts::run<std::uint64_t>(parts_, [&](Parts& parts) -> sundial::Result<std::uint64_t> {
        if (parts.delivery.loop.stopping()) return Stopped{};
        const auto advanced = parts.clock.advance.by(by);
        if (!advanced) return advanced.error();
        if (parts.delivery.loop.stopping()) return Stopped{};
        return advanced->delivered;
    });
}

Result<Instant> Engine::now() {
    return Parts::run<Instant>(parts_, [&](Parts& parts) { return parts.clock.clock.now(); });
}

}  // namespace sundial::embedding
