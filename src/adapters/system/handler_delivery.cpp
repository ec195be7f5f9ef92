#include "adapters/system/handler_delivery.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/saturate.hpp"

namespace sundial::system {
namespace {

/// A condition variable counts in nanoseconds, in which not every wait can be counted.
constexpr Mono longest_sleep = std::chrono::hours{24};
/// Delay before an event is tried again if no thread was available: the worker's own delay after a
/// failure.
constexpr std::chrono::microseconds pause_without_threads = std::chrono::seconds{1};

Outcome not_begun() {
    Outcome outcome;
    outcome.begun = false;
    return outcome;
}

Outcome without_handler(const std::string& type) {
    Outcome outcome;
    outcome.error = DeliveryErrorCode::worker;
    outcome.error_text = "no handler for events of type '" + type + "' in this process";
    return outcome;
}

}  // namespace

HandlerDelivery::HandlerDelivery(const Handlers& handlers, const MonotonicClock& clock,
                                 std::size_t threads, const SendPermit& permit, base::Log* log,
                                 NewThread new_thread)
    : handlers_(handlers),
      clock_(clock),
      permit_(permit),
      log_(log),
      new_thread_(std::move(new_thread)) {
    shared_.wanted = threads;
    // First, because handlers cannot run without it: if the system refuses this thread, no other
    // may start.
    watch_ = std::jthread([this](const std::stop_token& stop) { watch_limits(stop); });
    const std::lock_guard lock(mutex_);
    static_cast<void>(add_threads(shared_));
}

void HandlerDelivery::request_stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        shared_.arrived.notify_all();
        for (const auto& [type, pool] : own_) pool->arrived.notify_all();
    }
    send_back_waiting();
}

void HandlerDelivery::stop(Mono grace) {
    request_stop();
    std::vector<std::thread> threads;
    std::vector<std::stop_source> asked;
    {
        std::unique_lock lock(mutex_);
        const auto none_runs = [this] { return running_.empty(); };
        if (grace >= longest_sleep) {
            ended_.wait(lock, none_runs);
        } else if (!ended_.wait_for(lock, grace, none_runs)) {
            for (const Running* one : running_) asked.push_back(one->stop);
        }
        threads = std::move(shared_.threads);
        shared_.threads.clear();
        for (const auto& [type, pool] : own_) {
            std::ranges::move(pool->threads, std::back_inserter(threads));
            pool->threads.clear();
        }
    }
    for (std::stop_source& one : asked) one.request_stop();
    for (std::thread& thread : threads) thread.join();
}

bool HandlerDelivery::stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
}

void HandlerDelivery::start(DeliveryRequest request, std::function<void(Outcome)> done) {
    std::vector<Starting> one;
    one.push_back({std::move(request), std::move(done)});
    start_all(std::move(one));
}

void HandlerDelivery::start_all(std::vector<Starting> all) {
    bool too_late = false;
    std::optional<std::string> refused;
    std::vector<Starting> returned;
    {
        const std::lock_guard lock(mutex_);
        for (Starting& one : all) {
            Pool& pool = pool_of(one.request.event->type);
            auto why = stopping_ ? std::nullopt : add_threads(pool);
            const bool was_refused = std::exchange(pool.refused, why.has_value());
            if (why && !was_refused) refused = std::move(why);
            if (!stopping_ && pool.threads.empty()) {
                returned.push_back(std::move(one));
                continue;
            }
            pool.waiting.push_back(
                {std::move(one.request.event), one.request.claimed, std::move(one.done)});
            if (!stopping_) wake_one_if_needed(pool);
        }
        too_late = stopping_;
    }
    if (refused && log_ != nullptr) {
        log_->write({.level = base::LogLevel::warn,
                     .event_name = {},
                     .message = "the system refuses threads for handlers: " + *refused + "; " +
                                std::to_string(returned.size()) + " events wait",
                     .correlation_id = {},
                     .fields = {}});
    }
    for (const Starting& one : returned) {
        Outcome outcome = not_begun();
        outcome.again_at = one.request.now + pause_without_threads;
        one.done(std::move(outcome));
    }
    if (too_late) send_back_waiting();
}

void HandlerDelivery::abandon(const Event& event) {
    std::vector<std::stop_source> asked;
    {
        const std::lock_guard lock(mutex_);
        for (const Running* one : running_) {
            const Event& its = one->attempt.event;
            if (its.id == event.id && its.version == event.version) asked.push_back(one->stop);
        }
    }
    for (std::stop_source& one : asked) one.request_stop();
}

void HandlerDelivery::send_back_waiting() {
    std::deque<Waiting> waiting;
    {
        const std::lock_guard lock(mutex_);
        waiting.swap(shared_.waiting);
        for (const auto& [type, pool] : own_) {
            std::ranges::move(pool->waiting, std::back_inserter(waiting));
            pool->waiting.clear();
        }
    }
    for (const Waiting& one : waiting) one.done(not_begun());
}

HandlerDelivery::Pool& HandlerDelivery::pool_of(const std::string& type) {
    const std::size_t threads = handlers_.terms(type).threads;
    if (threads == 0) return shared_;
    auto& pool = own_[type];
    if (!pool) {
        pool = std::make_unique<Pool>();
        pool->wanted = threads;
    }
    return *pool;
}

std::optional<std::string> HandlerDelivery::add_threads(Pool& pool) {
    pool.threads.reserve(pool.wanted);  // so that no thread is lost to a failed allocation
    try {
        while (pool.threads.size() < pool.wanted) {
            pool.threads.push_back(new_thread_([this, &pool] { run(pool); }));
        }
    } catch (const std::system_error& error) {
        return error.what();
    }
    return std::nullopt;
}

void HandlerDelivery::wake_one_if_needed(Pool& pool) {
    if (pool.waiting.empty() || pool.idle == 0 || pool.one_comes) return;
    pool.one_comes = true;
    pool.arrived.notify_one();
}

void HandlerDelivery::run(Pool& pool) {
    std::unique_lock lock(mutex_);
    while (true) {
        ++pool.idle;
        pool.arrived.wait(lock, [&] { return stopping_ || !pool.waiting.empty(); });
        --pool.idle;
        if (stopping_) return;
        Running running = take_next(pool);
        begin(running);
        lock.unlock();
        running.attempt.done(handle(running));
        lock.lock();
        end(running);
    }
}

HandlerDelivery::Running HandlerDelivery::take_next(Pool& pool) {
    Waiting next = std::move(pool.waiting.front());
    pool.waiting.pop_front();
    pool.one_comes = false;
    wake_one_if_needed(pool);
    const Mono began = clock_.now();
    const Mono limit = base::later(began, handlers_.terms(next.event->type).time_limit);
    return {.attempt = std::move(next), .began = began, .limit = limit};
}

void HandlerDelivery::begin(Running& running) {
    running_.push_back(&running);
    // A later limit wakes no thread: the watch looks again at the earlier one.
    if (running.limit >= next_limit_) return;
    next_limit_ = running.limit;
    limited_.notify_one();
}

void HandlerDelivery::end(Running& running) {
    std::erase(running_, &running);
    if (stopping_ && running_.empty()) ended_.notify_all();
}

Outcome HandlerDelivery::handle(const Running& running) {
    const Event& event = running.attempt.event;
    const Handler* const handler = handlers_.find(event.type);
    if (handler == nullptr) return without_handler(event.type);
    if (!permit_.allows(running.attempt.claimed, running.began)) return not_begun();
    Outcome outcome = run_handler(*handler, event, running.stop.get_token());
    outcome.duration = clock_.now() - running.began;
    return outcome;
}

std::optional<Mono> HandlerDelivery::stop_overdue() {
    // Outside of the lock, because a stop runs callbacks of the handler.
    std::vector<std::stop_source> asked;
    std::optional<Mono> next;
    {
        const std::lock_guard lock(mutex_);
        const Mono now = clock_.now();
        for (Running* one : running_) {
            if (one->limit > now) {
                next = std::min(next.value_or(one->limit), one->limit);
            } else if (!std::exchange(one->asked, true)) {
                asked.push_back(one->stop);
            }
        }
        // While no handler runs, the last limit stays: the watch sleeps until then, and the
        // next handlers, whose limits are later, do not wake it.
        const bool stays = running_.empty() && now < next_limit_ && next_limit_ != Mono::max();
        if (stays) next = next_limit_;
        next_limit_ = next.value_or(Mono::max());
    }
    for (std::stop_source& one : asked) one.request_stop();
    return next;
}

void HandlerDelivery::watch_limits(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const Mono next = stop_overdue().value_or(Mono::max());
        const Mono left =
            next == Mono::max() ? longest_sleep : std::min(next - clock_.now(), longest_sleep);
        std::unique_lock lock(mutex_);
        limited_.wait_for(lock, stop, left, [&] { return next_limit_ < next; });
    }
}

}  // namespace sundial::system
