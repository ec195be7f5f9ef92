#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sundial::http {

/// A fixed number of threads on which handlers may block, and a bounded queue for each client in
/// front of them. Clients with queued jobs take turns.
class BlockingPool {
public:
    /// `nice`: how much lower than the process's the priority of the threads is, 0 to 19.
    BlockingPool(std::size_t threads, std::size_t max_waiting, int nice = 0);
    /// Waits for running jobs; drops queued ones.
    ~BlockingPool();
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;

    /// False if the client's queue is full; `job` then does not run. Jobs must not throw.
    [[nodiscard]] bool try_run(std::function<void()> job, const std::string& client = {});
    /// Waits until no job is queued or running; false if `at_most` passes first.
    [[nodiscard]] bool wait_for_none(std::chrono::milliseconds at_most);

private:
    using Job = std::function<void()>;
    void work();
    [[nodiscard]] Job take_next();

    const std::size_t max_waiting_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable none_;                    // no job is queued or running
    std::map<std::string, std::deque<Job>> waiting_;  // by client; no queue is empty
    std::deque<std::string> turns_;                   // the clients in `waiting_`, the next first
    std::size_t idle_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

/// Counts the requests in progress and can wait for the last one. Thread-safe.
class InFlight {
public:
    /// One request in progress, from construction to destruction.
    class Entry {
    public:
        explicit Entry(InFlight& all) : all_(all) { all_.add(1); }
        ~Entry() { all_.add(-1); }
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

    private:
        InFlight& all_;
    };

    [[nodiscard]] std::size_t count() const;
    /// False if requests remain after `at_most`.
    [[nodiscard]] bool wait_for_none(std::chrono::milliseconds at_most);

private:
    void add(int change);

    mutable std::mutex mutex_;
    std::condition_variable none_;
    int count_ = 0;
};

}  // namespace sundial::http
