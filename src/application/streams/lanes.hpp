#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sundial {

/// Processes items in lanes. The items of one lane run in order, on a thread of its own. Counts how
/// many items from the front are finished, across all lanes.
class Lanes {
public:
    /// Returns whether the item is finished. If not, or if it throws, no lane begins another item.
    using Work = std::function<bool(std::size_t item)>;

    /// `lane_of[i]` is the lane of item i. Begins at once; `work` runs on several threads.
    Lanes(const std::vector<std::size_t>& lane_of, Work work);
    /// Waits for items under way.
    ~Lanes();
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    /// Whether all lanes have ended. Rethrows an exception of `work`.
    [[nodiscard]] bool wait_for(std::chrono::microseconds at_most);
    /// No lane begins another item.
    void stop();
    /// All items before this one are finished.
    [[nodiscard]] std::size_t finished() const;

private:
    void run(const std::vector<std::size_t>& items);
    [[nodiscard]] bool stopping() const;
    void note(std::size_t item);
    void end(std::exception_ptr thrown);

    const Work work_;
    mutable std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::vector<bool> done_;
    std::size_t finished_ = 0;
    std::size_t running_ = 0;
    bool stopping_ = false;
    std::exception_ptr thrown_;
    std::vector<std::thread> threads_;
};

}  // namespace sundial
