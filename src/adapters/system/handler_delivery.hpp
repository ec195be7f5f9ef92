#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "application/delivery/handlers.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/send_permit.hpp"

namespace sundial::system {

/// Runs in-process handlers on threads of their own. The worker's slots bound how much can wait.
class HandlerDelivery final : public Delivery {
public:
    /// All but `threads` must outlive this object. A handler that runs cannot be aborted, but none
    /// begins that `permit` does not allow.
    HandlerDelivery(const Handlers& handlers, const MonotonicClock& clock, std::size_t threads,
                    const SendPermit& permit = always_permitted);
    ~HandlerDelivery() override { stop(); }
    HandlerDelivery(const HandlerDelivery&) = delete;
    HandlerDelivery& operator=(const HandlerDelivery&) = delete;

    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;
    void start_all(std::vector<Starting> all) override;
    /// Starts no more handlers. Events that wait or arrive later get an outcome that says so. From
    /// any thread, also from a handler's.
    void request_stop();
    /// The same, and waits for running handlers. Not from a handler.
    void stop();
    [[nodiscard]] bool stopping() const;

private:
    /// Wakes a thread if one is idle and none is waking up. Each thread that wakes up calls the
    /// next.
    void wake_one_if_needed();
    struct Waiting {
        Event event;
        std::optional<std::chrono::microseconds> claimed;  // as in DeliveryRequest
        std::function<void(Outcome)> done;
    };
    void run();
    [[nodiscard]] Outcome handle(const Waiting& one) const;
    void send_back_waiting();

    const Handlers& handlers_;
    const MonotonicClock& clock_;
    const SendPermit& permit_;
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Waiting> waiting_;
    std::size_t idle_ = 0;    // number of idle threads
    bool one_comes_ = false;  // a thread was woken and has not checked the queue yet
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace sundial::system
