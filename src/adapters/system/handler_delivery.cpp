#include "adapters/system/handler_delivery.hpp"

#include <utility>

namespace sundial::system {
namespace {

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
                                 std::size_t threads, const SendPermit& permit)
    : handlers_(handlers), clock_(clock), permit_(permit) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

void HandlerDelivery::request_stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_all();
    send_back_waiting();
}

void HandlerDelivery::stop() {
    request_stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
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
            waiting_.push_back(
                {std::move(one.request.event), one.request.claimed, std::move(one.done)});
        }
        too_late = stopping_;
        if (!too_late) wake_one_if_needed();
    }
    if (too_late) send_back_waiting();
}

void HandlerDelivery::send_back_waiting() {
    std::deque<Waiting> waiting;
    {
        const std::lock_guard lock(mutex_);
        waiting.swap(waiting_);
    }
    for (const Waiting& one : waiting) one.done(not_begun());
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
        one.done(handle(one));
        lock.lock();
    }
}

Outcome HandlerDelivery::handle(const Waiting& one) const {
    const Handler* const handler = handlers_.find(one.event.type);
    if (handler == nullptr) return without_handler(one.event.type);
    const auto began = clock_.now();
    if (!permit_.allows(one.claimed, began)) return not_begun();
    Outcome outcome = run_handler(*handler, one.event);
    outcome.duration = clock_.now() - began;
    return outcome;
}

}  // namespace sundial::system
