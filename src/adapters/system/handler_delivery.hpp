#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "application/delivery/handlers.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/send_permit.hpp"
#include "base/log.hpp"

namespace sundial::system {

/// Runs in-process handlers on threads: those of their own, of types that have some, and those that
/// all others share. The worker bounds how many events can wait for each.
class HandlerDelivery final : public Delivery {
public:
    /// Begins a thread, or throws std::system_error.
    using NewThread = std::function<std::thread(std::function<void()>)>;
    static std::thread begin_thread(std::function<void()> work) {
        return std::thread(std::move(work));
    }

    /// All but `threads`, the number of shared ones, must outlive this object. A running handler
    /// cannot be aborted, only asked to stop. No handler starts without `permit`. If the system
    /// refuses a thread, the others do its work. Without any thread the event gets an outcome that
    /// says that nothing has begun, `log` gets one line until threads start again, and the next
    /// event tries to start them.
    HandlerDelivery(const Handlers& handlers, const MonotonicClock& clock, std::size_t threads,
                    const SendPermit& permit = always_permitted, base::Log* log = nullptr,
                    NewThread new_thread = begin_thread);
    ~HandlerDelivery() override { stop(); }
    HandlerDelivery(const HandlerDelivery&) = delete;
    HandlerDelivery& operator=(const HandlerDelivery&) = delete;

    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;
    void start_all(std::vector<Starting> all) override;
    /// Asks its handler to stop, if one runs.
    void abandon(const Event& event) override;
    /// Starts no more handlers. Events that wait or arrive later get an outcome that says so. From
    /// any thread, also from a handler's.
    void request_stop();
    /// The same, and waits for running handlers; after `grace` it asks them to stop. Not from a
    /// handler.
    void stop(Mono grace = Mono::max());
    [[nodiscard]] bool stopping() const;
    /// Asks handlers whose time limit has passed to stop. Runs on a thread of its own. Returns when
    /// to look again, unless a handler begins that has an earlier limit; empty: not before.
    std::optional<Mono> stop_overdue();

private:
    struct Waiting {
        SharedEvent event;
        std::optional<std::chrono::microseconds> claimed;  // as in DeliveryRequest
        std::function<void(Outcome)> done;
    };
    /// Threads, and the events that wait for them.
    struct Pool {
        std::deque<Waiting> waiting;
        std::condition_variable arrived;
        std::size_t idle = 0;    // number of idle threads
        bool one_comes = false;  // a thread was woken and has not checked the queue yet
        std::size_t wanted = 0;  // threads
        bool refused = false;    // the latest attempt to begin them; logged when that changes
        std::vector<std::thread> threads;
    };
    struct Running {
        Waiting attempt;
        Mono began;
        Mono limit;
        std::stop_source stop{};
        bool asked = false;
    };

    // Callers hold the lock.
    /// Wakes a thread if one is idle and none is waking up. Each thread that wakes up calls the
    /// next.
    static void wake_one_if_needed(Pool& pool);
    [[nodiscard]] Pool& pool_of(const std::string& type);
    /// Starts threads up to the wanted number, if the system allows. Otherwise returns the system's
    /// reason.
    [[nodiscard]] std::optional<std::string> add_threads(Pool& pool);
    /// The next attempt of a pool that has one.
    [[nodiscard]] Running take_next(Pool& pool);
    void begin(Running& running);
    void end(Running& running);

    void run(Pool& pool);
    void watch_limits(const std::stop_token& stop);
    [[nodiscard]] Outcome handle(const Running& running);
    void send_back_waiting();

    const Handlers& handlers_;
    const MonotonicClock& clock_;
    const SendPermit& permit_;
    base::Log* const log_;
    const NewThread new_thread_;
    mutable std::mutex mutex_;  // guards all below
    bool stopping_ = false;
    Pool shared_;
    std::map<std::string, std::unique_ptr<Pool>> own_;  // by type, made for its first event
    std::vector<Running*> running_;                     // each on the stack of its thread
    std::condition_variable_any ended_;                 // all handlers, after a stop
    Mono next_limit_ = Mono::max();                     // no handler that runs has an earlier one
    std::condition_variable_any limited_;               // `next_limit_` is earlier than before
    std::jthread watch_;                                // last: uses all above
};

}  // namespace sundial::system
