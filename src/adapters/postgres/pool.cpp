#include "adapters/postgres/pool.hpp"

#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::postgres {

Pool::Pool(std::string url, std::size_t size, std::chrono::milliseconds wait, base::Log& log)
    : url_{std::move(url)}, size_{size}, wait_{wait}, log_{log} {}

Pool::Loan Pool::borrow() {
    std::unique_ptr<Connection> connection;
    {
        std::unique_lock lock{mutex_};
        if (!returned_.wait_for(lock, wait_, [&] { return lent_ < size_; })) {
            throw Unavailable{"every one of the " + std::to_string(size_) +
                              " PostgreSQL connections (storage.pool_size) is in use"};
        }
        ++lent_;
        while (!connection && !idle_.empty()) {
            connection = std::move(idle_.back());
            idle_.pop_back();
            if (!connection->is_quiet()) connection.reset();
        }
    }
    try {
        if (!connection) connection = std::make_unique<Connection>(url_, log_);
    } catch (...) {
        take_back(nullptr);
        throw;
    }
    return {*this, std::move(connection)};
}

void Pool::take_back(std::unique_ptr<Connection> connection) {
    {
        const std::lock_guard lock{mutex_};
        --lent_;
        if (connection && !connection->is_broken()) idle_.push_back(std::move(connection));
    }
    returned_.notify_one();
}

PoolUse Pool::use() const {
    const std::lock_guard lock{mutex_};
    return {idle_.size(), lent_};
}

void Pool::close_idle() {
    std::vector<std::unique_ptr<Connection>> closing;  // outside the lock
    {
        const std::lock_guard lock{mutex_};
        closing.swap(idle_);
    }
}

}  // namespace sundial::postgres
