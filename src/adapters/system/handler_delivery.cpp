#include "adapters/system/handler_delivery.hpp"

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

HandlerDelivery::~HandlerDelivery() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    for (const Waiting& one : waiting_) one.done(given_up("given up: the process is stopping"));
}

void HandlerDelivery::start(DeliveryRequest request, std::function<void(Outcome)> done) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(request.event), std::move(done)});
    wake_one_if_needed();
}

void HandlerDelivery::start_all(std::vector<Starting> all) {
    const std::lock_guard lock(mutex_);
    for (Starting& one : all) {
        waiting_.push_back({std::move(one.request.event), std::move(one.done)});
    }
    wake_one_if_needed();
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
