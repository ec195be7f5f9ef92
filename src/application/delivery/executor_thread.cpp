#include "application/delivery/executor_thread.hpp"

#include <utility>

#include "application/ports/store.hpp"
#include "base/check.hpp"

namespace sundial {

ExecutorThread::ExecutorThread() : thread_([this] { work_until_stopped(); }) {}

ExecutorThread::~ExecutorThread() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
}

void ExecutorThread::run(std::function<void()> work, std::function<void()> notify) {
    {
        const std::lock_guard lock(mutex_);
        base::check(!work_);
        work_ = std::move(work);
        notify_ = std::move(notify);
    }
    arrived_.notify_one();
}

void ExecutorThread::work_until_stopped() {
    const SchedulerScope scheduler;
    std::unique_lock lock(mutex_);
    for (;;) {
        arrived_.wait(lock, [this] { return stopping_ || work_; });
        if (!work_) return;
        const auto work = std::exchange(work_, nullptr);
        const auto notify = std::exchange(notify_, nullptr);
        lock.unlock();
        work();
        notify();
        lock.lock();
    }
}

}  // namespace sundial
