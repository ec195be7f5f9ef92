#include "adapters/postgres/pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "application/ports/failures.hpp"
#include "application/ports/store.hpp"

namespace sundial::postgres {
namespace {

/// One each for the loop, which plans, and for the threads that claim, settle and send heartbeats.
constexpr std::size_t threads_of_scheduler = 4;

}  // namespace

Pool::Pool(std::string url, std::size_t size, std::chrono::milliseconds wait, base::Log& log)
    : url_{std::move(url)},
      size_{size},
      reserve_{std::min(threads_of_scheduler, size / 2)},
      wait_{wait},
      log_{log} {}

Pool::Loan Pool::borrow() {
    const Lane lane = SchedulerScope::is_open() ? Lane::scheduler : Lane::requests;
    std::unique_lock lock{mutex_};
    if (!has_room(lane) || !lanes_.at(static_cast<std::size_t>(lane)).waiting.empty()) {
        wait_for_turn(lock, lane);
    }
    return lend(std::move(lock), lane);
}

std::unique_ptr<Pool::Loan> Pool::borrow_extra() {
    std::unique_lock lock{mutex_};
    if (!has_extra()) return nullptr;
    try {
        return std::unique_ptr<Loan>{new Loan{lend(std::move(lock), Lane::requests)}};
    } catch (const Unavailable&) {
        return nullptr;
    }
}

Pool::Loan Pool::lend(std::unique_lock<std::mutex> lock, Lane lane) {
    ++lanes_.at(static_cast<std::size_t>(lane)).count;
    wake_next();
    const std::uint64_t generation = generation_;
    std::unique_ptr<Connection> connection;
    while (!connection && !idle_.empty()) {
        connection = std::move(idle_.back());
        idle_.pop_back();
        if (!connection->is_quiet()) connection.reset();
    }
    lock.unlock();
    try {
        if (!connection) connection = connect(generation);
    } catch (...) {
        take_back(lane, nullptr, generation);
        throw;
    }
    return {*this, lane, std::move(connection), generation};
}

bool Pool::has_room(Lane lane) const {
    const std::size_t of_scheduler = lanes_[0].count, of_requests = lanes_[1].count;
    if (of_scheduler + of_requests >= size_) return false;
    if (lane == Lane::scheduler) return true;
    return lanes_[0].waiting.empty() && of_requests < size_ - reserve_;
}

bool Pool::has_extra() const {
    const auto& [of_scheduler, of_requests] = lanes_;
    return of_scheduler.waiting.empty() && of_requests.waiting.empty() &&
           of_requests.count + 1 < size_ - reserve_ &&
           of_scheduler.count + of_requests.count + 1 < size_;
}

void Pool::wait_for_turn(std::unique_lock<std::mutex>& lock, Lane lane) {
    auto& waiting = lanes_.at(static_cast<std::size_t>(lane)).waiting;
    std::condition_variable turn;
    waiting.push_back(&turn);
    const bool has_come =
        turn.wait_for(lock, wait_, [&] { return has_room(lane) && waiting.front() == &turn; });
    std::erase(waiting, &turn);
    if (has_come) return;
    wake_next();
    if (lane == Lane::scheduler) {
        throw Unavailable{"all " + std::to_string(size_) +
                          " PostgreSQL connections (storage.pool_size) are in use"};
    }
    throw Unavailable{"all " + std::to_string(size_ - reserve_) +
                      " PostgreSQL connections for requests are in use (storage.pool_size, less " +
                      std::to_string(reserve_) + " for the scheduler)"};
}

void Pool::wake_next() {
    for (const Lane lane : {Lane::scheduler, Lane::requests}) {
        const auto& waiting = lanes_.at(static_cast<std::size_t>(lane)).waiting;
        if (has_room(lane) && !waiting.empty()) return waiting.front()->notify_one();
    }
}

std::unique_ptr<Connection> Pool::connect(std::uint64_t generation) {
    auto connection = std::make_unique<Connection>(url_, log_, generation);
    if (const auto server = connection->server()) {
        const std::lock_guard lock{mutex_};
        if (std::ranges::find(servers_, *server) == servers_.end()) servers_.push_back(*server);
    }
    return connection;
}

void Pool::take_back(Lane lane, std::unique_ptr<Connection> connection, std::uint64_t generation) {
    const std::lock_guard lock{mutex_};
    --lanes_.at(static_cast<std::size_t>(lane)).count;
    const bool usable = connection && !connection->is_broken() && generation == generation_;
    if (usable) idle_.push_back(std::move(connection));
    wake_next();
}

PoolUse Pool::use() const {
    const std::lock_guard lock{mutex_};
    return {.idle = idle_.size(),
            .in_use = lanes_[0].count + lanes_[1].count,
            .waiting = lanes_[0].waiting.size() + lanes_[1].waiting.size()};
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
