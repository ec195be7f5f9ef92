#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "application/delivery/handlers.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"

namespace sundial::system {

/// Runs in-process handlers on threads of their own. The worker's slots bound how much can wait.
class HandlerDelivery final : public Delivery {
public:
    /// `handlers` and `clock` outlive this.
    HandlerDelivery(const Handlers& handlers, const MonotonicClock& clock, std::size_t threads);
    ~HandlerDelivery() override { stop(); }
    HandlerDelivery(const HandlerDelivery&) = delete;
    HandlerDelivery& operator=(const HandlerDelivery&) = delete;

    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;
    void start_all(std::vector<Starting> all) override;
    /// Waits for handlers that run; no further one begins. What waits or comes later is told so.
    void stop();
    [[nodiscard]] bool stopping() const;

private:
    /// If one is idle and none is on its way: whoever comes calls the next.
    void wake_one_if_needed();
    struct Waiting {
        Event event;
        std::function<void(Outcome)> done;
    };
    void run();
    [[nodiscard]] Outcome handle(const Event& event) const;
    void send_back_waiting();

    const Handlers& handlers_;
    const MonotonicClock& clock_;
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Waiting> waiting_;
    std::size_t idle_ = 0;    // threads
    bool one_comes_ = false;  // that was woken, and has not looked yet
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace sundial::system
