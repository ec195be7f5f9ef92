#include "application/streams/lanes.hpp"

#include <map>
#include <utility>

namespace sundial {

Lanes::Lanes(const std::vector<std::size_t>& lane_of, Work work)
    : work_(std::move(work)), done_(lane_of.size()) {
    std::map<std::size_t, std::vector<std::size_t>> lanes;
    for (std::size_t item = 0; item < lane_of.size(); ++item) lanes[lane_of[item]].push_back(item);
    running_ = lanes.size();
    try {
        for (auto& [lane, items] : lanes) {
            threads_.emplace_back([this, of_lane = std::move(items)] { run(of_lane); });
        }
    } catch (...) {  // no thread can be created now
        stop();
        for (std::thread& thread : threads_) thread.join();
        throw;
    }
}

Lanes::~Lanes() {
    stop();
    for (std::thread& thread : threads_) thread.join();
}

void Lanes::run(const std::vector<std::size_t>& items) {
    std::exception_ptr thrown;
    try {
        for (const std::size_t item : items) {
            if (stopping()) break;
            if (!work_(item)) {
                stop();
                break;
            }
            note(item);
        }
    } catch (...) {
        thrown = std::current_exception();
    }
    end(thrown);
}

bool Lanes::stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
}

void Lanes::note(std::size_t item) {
    const std::lock_guard lock(mutex_);
    done_[item] = true;
    while (finished_ < done_.size() && done_[finished_]) ++finished_;
}

void Lanes::end(std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    --running_;
    if (thrown) {
        stopping_ = true;
        thrown_ = std::move(thrown);
    }
    changed_.notify_all();
}

bool Lanes::wait_for(std::chrono::microseconds at_most) {
    std::unique_lock lock(mutex_);
    const bool over = changed_.wait_for(lock, at_most, [this] { return running_ == 0; });
    if (over && thrown_) std::rethrow_exception(thrown_);
    return over;
}

void Lanes::stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
}

std::size_t Lanes::finished() const {
    const std::lock_guard lock(mutex_);
    return finished_;
}

}  // namespace sundial
