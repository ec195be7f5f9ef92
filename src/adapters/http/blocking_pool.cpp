#include "adapters/http/blocking_pool.hpp"

#include <utility>

namespace sundial::http {

BlockingPool::BlockingPool(std::size_t threads, std::size_t max_waiting)
    : max_waiting_(max_waiting), idle_(threads) {
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

BlockingPool::~BlockingPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

bool BlockingPool::try_run(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() >= idle_ + max_waiting_) return false;
        waiting_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

bool BlockingPool::wait_for_none(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return none_.wait_for(lock, at_most,
                          [this] { return waiting_.empty() && idle_ == threads_.size(); });
}

void BlockingPool::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (stopping_) return;
        const std::function<void()> job = std::move(waiting_.front());
        waiting_.pop_front();
        --idle_;
        lock.unlock();
        job();
        lock.lock();
        ++idle_;
        if (waiting_.empty() && idle_ == threads_.size()) none_.notify_all();
    }
}

}  // namespace sundial::http
