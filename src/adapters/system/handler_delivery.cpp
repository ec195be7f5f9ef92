#include "adapters/system/handler_delivery.hpp"

#include <utility>

namespace sundial::system {
namespace {

Outcome given_up(std::string why) {
    Outcome outcome;
    outcome.error = DeliveryErrorCode::worker;
    outcome.error_text = std::move(why);
    return outcome;
}

}  // namespace

HandlerDelivery::HandlerDelivery(const Handlers& handlers, const MonotonicClock& clock,
                                 std::size_t threads)
    : handlers_(handlers), clock_(clock) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

void HandlerDelivery::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    give_up_waiting();
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
    {
        const std::lock_guard lock(mutex_);
        for (Starting& one : all) {
            waiting_.push_back({std::move(one.request.event), std::move(one.done)});
        }
        too_late = stopping_;
        if (!too_late) wake_one_if_needed();
    }
    if (too_late) give_up_waiting();
}

void HandlerDelivery::give_up_waiting() {
    std::deque<Waiting> waiting;
    {
        const std::lock_guard lock(mutex_);
        waiting.swap(waiting_);
    }
    for (const Waiting& one : waiting) one.done(given_up("given up: the process is stopping"));
}

void HandlerDelivery::wake_one_if_needed() {
    if (waiting_.empty() || idle_ == 0 || one_comes_) return;
    one_comes_ = true;
    arrived_.notify_one();
}

void HandlerDelivery::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        arrived_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        --idle_;
        if (stopping_) return;
        const Waiting one = std::move(waiting_.front());
        waiting_.pop_front();
        one_comes_ = false;
        wake_one_if_needed();
        lock.unlock();
        one.done(handle(one.event));
        lock.lock();
    }
}

Outcome HandlerDelivery::handle(const Event& event) const {
    const Handler* const handler = handlers_.find(event.type);
    if (handler == nullptr)
        return given_up("no handler for events of type '" + event.type + "' in this process");
    const auto began = clock_.now();
    Outcome outcome = run_handler(*handler, event);
    outcome.duration = clock_.now() - began;
    return outcome;
}

}  // namespace sundial::system
