#include "application/delivery/side_thread.hpp"

#include <utility>

#include "base/check.hpp"

namespace sundial {

SideThread::SideThread() : thread_([this] { work_until_stopped(); }) {}

SideThread::~SideThread() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
}

void SideThread::run(std::function<void()> work, std::function<void()> tell) {
    {
        const std::lock_guard lock(mutex_);
        base::check(!work_);
        work_ = std::move(work);
        tell_ = std::move(tell);
    }
    arrived_.notify_one();
}

void SideThread::work_until_stopped() {
    std::unique_lock lock(mutex_);
    for (;;) {
        arrived_.wait(lock, [this] { return stopping_ || work_; });
        if (!work_) return;
        const auto work = std::exchange(work_, nullptr);
        const auto tell = std::exchange(tell_, nullptr);
        lock.unlock();
        work();
        tell();
        lock.lock();
    }
}

}  // namespace sundial
