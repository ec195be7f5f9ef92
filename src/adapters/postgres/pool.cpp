#include "adapters/postgres/pool.hpp"

#include <algorithm>
#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::postgres {

Pool::Pool(std::string url, std::size_t size, std::chrono::milliseconds wait, base::Log& log)
    : url_{std::move(url)}, size_{size}, wait_{wait}, log_{log} {}

Pool::Loan Pool::borrow() {
    std::unique_ptr<Connection> connection;
    std::uint64_t generation = 0;
    {
        std::unique_lock lock{mutex_};
        if (!returned_.wait_for(lock, wait_, [&] { return lent_ < size_; })) {
            throw Unavailable{"every one of the " + std::to_string(size_) +
                              " PostgreSQL connections (storage.pool_size) is in use"};
        }
        ++lent_;
        generation = generation_;
        while (!connection && !idle_.empty()) {
            connection = std::move(idle_.back());
            idle_.pop_back();
            if (!connection->is_quiet()) connection.reset();
        }
    }
    try {
        if (!connection) connection = connect(generation);
    } catch (...) {
        take_back(nullptr, generation);
        throw;
    }
    return {*this, std::move(connection), generation};
}

std::unique_ptr<Connection> Pool::connect(std::uint64_t generation) {
    auto connection = std::make_unique<Connection>(url_, log_, generation);
    if (const auto server = connection->server()) {
        const std::lock_guard lock{mutex_};
        if (std::ranges::find(servers_, *server) == servers_.end()) servers_.push_back(*server);
    }
    return connection;
}

void Pool::take_back(std::unique_ptr<Connection> connection, std::uint64_t generation) {
    {
        const std::lock_guard lock{mutex_};
        --lent_;
        const bool usable = connection && !connection->is_broken() && generation == generation_;
        if (usable) idle_.push_back(std::move(connection));
    }
    returned_.notify_one();
}

PoolUse Pool::use() const {
    const std::lock_guard lock{mutex_};
    return {idle_.size(), lent_};
}

std::vector<ServerAddress> Pool::servers() const {
    const std::lock_guard lock{mutex_};
    return servers_;
}

void Pool::close_idle() {
    std::vector<std::unique_ptr<Connection>> closing;  // outside the lock
    {
        const std::lock_guard lock{mutex_};
        closing.swap(idle_);
    }
}

void Pool::close_all() {
    {
        const std::lock_guard lock{mutex_};
        ++generation_;
    }
    close_idle();
}

}  // namespace sundial::postgres
