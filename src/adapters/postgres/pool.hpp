#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/open.hpp"
#include "base/log.hpp"

namespace sundial::postgres {

/// At most `size` connections, opened on demand and lent to callers first come, first served. Some
/// of them (`reserve`) are lent to the scheduler's threads only (SchedulerScope), which also come
/// first. Thread-safe.
class Pool {
public:
    Pool(std::string url, std::size_t size, std::chrono::milliseconds wait, base::Log& log);

    enum class Lane : std::uint8_t { scheduler, requests };

    /// A borrowed connection. At the end of its scope a broken one is closed, any other goes back
    /// to the pool.
    class Loan {
    public:
        Loan(Pool& pool, Lane lane, std::unique_ptr<Connection> connection,
             std::uint64_t generation)
            : pool_{pool},
              lane_{lane},
              connection_{std::move(connection)},
              generation_{generation} {}
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() { pool_.take_back(lane_, std::move(connection_), generation_); }
        [[nodiscard]] Connection& operator*() const { return *connection_; }
        [[nodiscard]] Connection* operator->() const { return connection_.get(); }

    private:
        Pool& pool_;
        const Lane lane_;
        std::unique_ptr<Connection> connection_;
        std::uint64_t generation_;
    };

    /// Throws Unavailable if all connections that this thread may use are in use for longer than
    /// `wait`, or none can be opened.
    [[nodiscard]] Loan borrow();
    /// One more connection for a thread that has one and would only be faster with two. Never waits
    /// for another caller: null if one waits, or if none of those for requests would stay free, or
    /// if none can be opened. It counts as a request's, so that the scheduler's stay free.
    [[nodiscard]] std::unique_ptr<Loan> borrow_extra();
    [[nodiscard]] PoolUse use() const;
    [[nodiscard]] std::vector<ServerAddress> servers() const;
    /// Closes idle connections. Called when one of them turned out to be broken.
    void close_idle();
    /// Closes all connections, borrowed ones when they come back, because they lead to the wrong
    /// server. From now on the next host of the URL is tried first.
    void close_all();

private:
    /// The caller holds the lock.
    [[nodiscard]] bool has_room(Lane lane) const;
    [[nodiscard]] bool has_extra() const;
    void wait_for_turn(std::unique_lock<std::mutex>& lock, Lane lane);
    /// Lends a connection for which there is room.
    [[nodiscard]] Loan lend(std::unique_lock<std::mutex> lock, Lane lane);
    void wake_next();
    [[nodiscard]] std::unique_ptr<Connection> connect(std::uint64_t generation);
    void take_back(Lane lane, std::unique_ptr<Connection> connection, std::uint64_t generation);

    const std::string url_;
    const std::size_t size_;
    const std::size_t reserve_;  // for the scheduler
    const std::chrono::milliseconds wait_;
    base::Log& log_;
    mutable std::mutex mutex_;
    struct Lent {
        std::deque<std::condition_variable*> waiting;  // the first is served next
        std::size_t count = 0;
    };
    std::array<Lent, 2> lanes_;  // by Lane
    // generation of the connections; it also selects the host to try first
    std::uint64_t generation_ = 0;
    // the most recently used is last, and lent first
    std::vector<std::unique_ptr<Connection>> idle_;
    std::vector<ServerAddress> servers_;  // servers connected to so far
};

}  // namespace sundial::postgres
