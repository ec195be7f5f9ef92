#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "application/ports/clock.hpp"
#include "base/log.hpp"
#include "embedded/call_checks.hpp"
#include "sundial/embedding.hpp"

namespace sundial::embedding {

/// The threads on which an engine handles events of queues: each claims one event, calls the
/// handler and reports its outcome. Two more threads serve all of them. One extends the leases of
/// running handlers. The other asks handlers to stop, so that an extension without an answer does
/// not delay that.
class QueuePools {
public:
    QueuePools(const Callbacks& callbacks, const MonotonicClock& monotonic, base::Log& log)
        : callbacks_(callbacks), monotonic_(monotonic), log_(log) {}
    /// `join` must have returned.
    ~QueuePools() = default;
    QueuePools(const QueuePools&) = delete;
    QueuePools& operator=(const QueuePools&) = delete;

    /// Replaces an earlier handler of the queue. False after `start`: threads use the pools then.
    bool add(PullWorker worker, std::string queue, StoppableHandler handler,
             const QueueOptions& options);
    void start();
    /// Asks handlers to stop that still run after `grace`. The workers claim nothing more by then.
    void stop_handlers_after(std::chrono::microseconds grace);
    /// From any thread. Events that are claimed from now on are returned unfinished.
    void request_stop();
    /// Waits for the threads, and so for running handlers. Not from a handler.
    void join();

private:
    struct Pool {
        PullWorker worker;
        std::string queue;
        StoppableHandler handler;
        QueueOptions options;
    };
    /// An event whose handler runs, or whose outcome is being stored.
    struct Running {
        const Pool& pool;
        Event event;
        Mono lease_end;
        Mono extend_at;
        Mono limit;
        std::stop_source stop{};
        bool asked = false;
    };
    using Task = std::shared_ptr<Running>;

    void work(const Pool& pool);
    void handle(const Pool& pool, const Event& event);
    [[nodiscard]] Handled call(const Running& task) const;
    void report(const Running& task, const Handled& handled);
    [[nodiscard]] Task begin(const Pool& pool, const Event& event);
    void end(const Task& task);
    /// Returns false if a stop was requested.
    bool pause();
    void begin_thread(std::vector<std::thread>& threads, std::function<void()> its_work);
    void warn(const Pool& pool, const std::string& what);

    void extend_leases();
    void ask_to_stop();
    void sleep_until(std::unique_lock<std::mutex>& lock, Mono until);

    const Callbacks& callbacks_;
    const MonotonicClock& monotonic_;
    base::Log& log_;
    std::mutex mutex_;       // guards all below
    std::list<Pool> pools_;  // does not change once it is started, so threads read it without
    bool started_ = false;
    std::condition_variable changed_;
    std::list<Task> running_;
    bool stopping_ = false;
    bool ended_ = false;
    Mono stop_handlers_at_ = Mono::max();
    std::vector<std::thread> workers_;  // set by start, joined by join
    std::vector<std::thread> servants_;
};

}  // namespace sundial::embedding
