#include "embedded/queue_pools.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "base/saturate.hpp"

namespace sundial::embedding {
namespace {

/// Longest wait of one claim: a stop ends it, and events wake it.
constexpr std::chrono::microseconds longest_claim = std::chrono::hours{1};
/// Delay before a call that failed temporarily is repeated.
constexpr std::chrono::microseconds try_again = std::chrono::seconds{1};
/// A condition variable counts in nanoseconds, in which not every wait can be counted.
constexpr std::chrono::microseconds longest_pause = std::chrono::hours{24};

/// Whether an error is temporary: repeating the call can succeed.
bool passes(const Error& error) {
    return error.code == "COMMIT_OUTCOME_UNKNOWN" || error.repeat() == Repeat::later;
}

Result<Event> settled(PullWorker worker, const Event& event, const Handled& handled) {
    switch (handled.verdict()) {
        case Handled::Verdict::done:
            return worker.complete(event);
        case Handled::Verdict::retry:
            return worker.fail(event, handled.reason());
        case Handled::Verdict::snoozed:
            return worker.snooze(event, handled.until());
        case Handled::Verdict::refused:
            break;
    }
    return worker.refuse(event, handled.reason());
}

}  // namespace

bool QueuePools::add(PullWorker worker, std::string queue, StoppableHandler handler,
                     const QueueOptions& options) {
    const std::lock_guard lock(mutex_);
    if (started_) return false;
    std::erase_if(pools_, [&](const Pool& pool) { return pool.queue == queue; });
    pools_.push_back({std::move(worker), std::move(queue), std::move(handler), options});
    return true;
}

void QueuePools::start() {
    {
        const std::lock_guard lock(mutex_);
        started_ = true;
    }
    if (pools_.empty()) return;
    begin_thread(servants_, [this] { extend_leases(); });
    begin_thread(servants_, [this] { ask_to_stop(); });
    for (const Pool& pool : pools_) {
        for (std::size_t i = 0; i < pool.options.threads; ++i) {
            begin_thread(workers_, [this, &pool] { work(pool); });
        }
    }
}

void QueuePools::begin_thread(std::vector<std::thread>& threads, std::function<void()> its_work) {
    try {
        threads.emplace_back(std::move(its_work));
    } catch (const std::system_error& error) {
        log_.write({.level = base::LogLevel::error,
                    .event_name = {},
                    .message = std::string{"a thread for queues cannot begin: "} + error.what(),
                    .correlation_id = {},
                    .fields = {}});
    }
}

void QueuePools::stop_handlers_after(std::chrono::microseconds grace) {
    const std::lock_guard lock(mutex_);
    stop_handlers_at_ = base::later(monotonic_.now(), grace);
    changed_.notify_all();
}

void QueuePools::request_stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
}

void QueuePools::join() {
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }
    for (std::thread& servant : servants_) servant.join();
    servants_.clear();
}

void QueuePools::work(const Pool& pool) {
    PullWorker worker = pool.worker;
    std::string logged;  // the last error
    for (;;) {
        const auto claimed =
            worker.claim({.limit = 1, .lease = pool.options.lease, .wait = longest_claim});
        if (claimed) {
            logged.clear();
            for (const Event& event : *claimed) handle(pool, event);
            continue;
        }
        const Error& error = claimed.error();
        if (error.code == "STOPPED" || error.code == "WRONG_PROCESS") return;
        if (std::exchange(logged, error.code) != error.code) warn(pool, "cannot be claimed from");
        if (!pause()) return;
    }
}

void QueuePools::handle(const Pool& pool, const Event& event) {
    const bool stopping = [&] {
        const std::lock_guard lock(mutex_);
        return stopping_;
    }();
    if (stopping) {
        PullWorker worker = pool.worker;
        (void)worker.release(event);  // otherwise its lease ends
        return;
    }
    const Task task = begin(pool, event);
    report(*task, call(*task));
    end(task);
}

Handled QueuePools::call(const Running& task) const {
    const Callbacks::Call call{callbacks_};
    try {
        return task.pool.handler(task.event, task.stop.get_token());
    } catch (const std::exception& thrown) {
        return Handled::retry(thrown.what());
    } catch (...) {
        return Handled::retry("the handler threw an exception of unknown type");
    }
}

void QueuePools::report(const Running& task, const Handled& handled) {
    for (;;) {
        const auto stored = settled(task.pool.worker, task.event, handled);
        if (stored) return;
        const bool again = passes(stored.error()) && pause();
        const bool held = [&] {
            const std::lock_guard lock(mutex_);
            return monotonic_.now() < task.lease_end;
        }();
        if (again && held) continue;
        warn(task.pool, "lost the outcome of event " + task.event.id + " (" + stored.error().code +
                            "), which is handled again");
        return;
    }
}

QueuePools::Task QueuePools::begin(const Pool& pool, const Event& event) {
    const Mono now = monotonic_.now();
    auto task =
        std::make_shared<Running>(Running{.pool = pool,
                                          .event = event,
                                          .lease_end = base::later(now, pool.options.lease),
                                          .extend_at = base::later(now, pool.options.lease / 3),
                                          .limit = base::later(now, pool.options.time_limit)});
    const std::lock_guard lock(mutex_);
    running_.push_back(task);
    changed_.notify_all();
    return task;
}

void QueuePools::end(const Task& task) {
    const std::lock_guard lock(mutex_);
    running_.remove(task);
}

bool QueuePools::pause() {
    std::unique_lock lock(mutex_);
    const Mono until = base::later(monotonic_.now(), try_again);
    while (!stopping_ && monotonic_.now() < until) sleep_until(lock, until);
    return !stopping_;
}

void QueuePools::warn(const Pool& pool, const std::string& what) {
    log_.write({.level = base::LogLevel::warn,
                .event_name = {},
                .message = "the queue '" + pool.queue + "' " + what,
                .correlation_id = {},
                .fields = {}});
}

void QueuePools::sleep_until(std::unique_lock<std::mutex>& lock, Mono until) {
    changed_.wait_for(lock, std::clamp(until - monotonic_.now(), Mono{0}, longest_pause));
}

void QueuePools::extend_leases() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
        const auto next = std::ranges::min_element(
            running_, {}, [](const Task& task) { return task->extend_at; });
        if (next == running_.end() || (*next)->extend_at > monotonic_.now()) {
            sleep_until(lock, next == running_.end() ? Mono::max() : (*next)->extend_at);
            continue;
        }
        const Task task = *next;
        task->extend_at = Mono::max();
        lock.unlock();
        PullWorker worker = task->pool.worker;
        const std::chrono::microseconds lease = task->pool.options.lease;
        const Mono asked = monotonic_.now();
        const auto extended = worker.extend(task->event, lease);
        lock.lock();
        if (extended) {
            task->lease_end = base::later(asked, lease);
            task->extend_at = base::later(asked, lease / 3);
        } else if (passes(extended.error())) {
            task->extend_at = base::later(monotonic_.now(), std::min(lease / 10, try_again));
        } else {
            task->lease_end = asked;  // lost, or settled meanwhile
        }
        changed_.notify_all();
    }
}

void QueuePools::ask_to_stop() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
        const Mono now = monotonic_.now();
        Mono next = Mono::max();
        std::vector<std::stop_source> due;
        for (const Task& task : running_) {
            if (task->asked) continue;
            const Mono lost = task->lease_end - task->pool.options.lease / 10;
            const Mono at = std::min({task->limit, lost, stop_handlers_at_});
            task->asked = at <= now;
            if (task->asked) due.push_back(task->stop);
            if (!task->asked) next = std::min(next, at);
        }
        if (due.empty()) {
            sleep_until(lock, next);
            continue;
        }
        // Without the lock, because a stop runs the program's callbacks.
        lock.unlock();
        for (std::stop_source& stop : due) stop.request_stop();
        lock.lock();
    }
}

}  // namespace sundial::embedding
