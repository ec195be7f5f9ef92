#include "adapters/http/blocking_pool.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace sundial::http {
namespace {

/// On Linux each thread has a priority of its own. If the system refuses, the priority stays.
void lower_priority_of_this_thread(int nice) {
    if (nice == 0) return;
    const auto thread = static_cast<id_t>(::gettid());
    ::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + nice);
}

}  // namespace

BlockingPool::BlockingPool(std::size_t threads, std::size_t max_waiting, int nice)
    : max_waiting_(max_waiting), idle_(threads) {
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this, nice] {
            lower_priority_of_this_thread(nice);
            work();
        });
    }
}

BlockingPool::~BlockingPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

bool BlockingPool::try_run(std::function<void()> job, const std::string& client) {
    {
        const std::lock_guard lock(mutex_);
        const auto queue = waiting_.find(client);
        const std::size_t queued = queue == waiting_.end() ? 0 : queue->second.size();
        if (queued >= idle_ + max_waiting_) return false;
        if (queued == 0) turns_.push_back(client);
        waiting_[client].push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

bool BlockingPool::wait_for_none(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return none_.wait_for(lock, at_most,
                          [this] { return waiting_.empty() && idle_ == threads_.size(); });
}

BlockingPool::Job BlockingPool::take_next() {
    std::string client = std::move(turns_.front());
    turns_.pop_front();
    const auto queue = waiting_.find(client);
    Job job = std::move(queue->second.front());
    queue->second.pop_front();
    if (queue->second.empty()) {
        waiting_.erase(queue);
    } else {
        turns_.push_back(std::move(client));
    }
    return job;
}

void BlockingPool::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (stopping_) return;
        const Job job = take_next();
        --idle_;
        lock.unlock();
        job();
        lock.lock();
        ++idle_;
        if (waiting_.empty() && idle_ == threads_.size()) none_.notify_all();
    }
}

std::size_t InFlight::count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(count_);
}

bool InFlight::wait_for_none(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return none_.wait_for(lock, at_most, [this] { return count_ == 0; });
}

void InFlight::add(int change) {
    const std::lock_guard lock(mutex_);
    count_ += change;
    if (count_ == 0) none_.notify_all();
}

}  // namespace sundial::http
