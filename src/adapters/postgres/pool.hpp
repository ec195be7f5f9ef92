#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/open.hpp"

namespace sundial::postgres {

/// At most `size` connections, opened when they are needed and lent one at a time, first come,
/// first served. Thread-safe.
class Pool {
public:
    Pool(std::string url, std::size_t size, std::chrono::milliseconds wait, base::Log& log);

    /// A connection for the time of its life. A broken one is closed, any other kept for the next.
    class Loan {
    public:
        Loan(Pool& pool, std::unique_ptr<Connection> connection, std::uint64_t generation)
            : pool_{pool}, connection_{std::move(connection)}, generation_{generation} {}
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() { pool_.take_back(std::move(connection_), generation_); }
        [[nodiscard]] Connection& operator*() const { return *connection_; }
        [[nodiscard]] Connection* operator->() const { return connection_.get(); }

    private:
        Pool& pool_;
        std::unique_ptr<Connection> connection_;
        std::uint64_t generation_;
    };

    /// Throws Unavailable when all are in use for longer than `wait`, or none can be opened.
    [[nodiscard]] Loan borrow();
    [[nodiscard]] PoolUse use() const;
    [[nodiscard]] std::vector<ServerAddress> servers() const;
    /// Closes those that nobody uses: one of their kind turned out to be gone.
    void close_idle();
    /// Closes all of them, those that are lent when they come back: they lead to the wrong server.
    /// Of several in the URL the next one is tried first from now on.
    void close_all();

private:
    /// With the lock held.
    void wait_for_turn(std::unique_lock<std::mutex>& lock);
    void wake_the_next();
    [[nodiscard]] std::unique_ptr<Connection> connect(std::uint64_t generation);
    void take_back(std::unique_ptr<Connection> connection, std::uint64_t generation);

    const std::string url_;
    const std::size_t size_;
    const std::chrono::milliseconds wait_;
    base::Log& log_;
    mutable std::mutex mutex_;
    std::deque<std::condition_variable*> waiting_;  // the first has the next turn
    std::size_t lent_ = 0;
    std::uint64_t generation_ = 0;  // of the connections; by it goes, too, which host is first
    std::vector<std::unique_ptr<Connection>> idle_;  // the latest used last, and used first
    std::vector<ServerAddress> servers_;             // connected to so far
};

}  // namespace sundial::postgres
