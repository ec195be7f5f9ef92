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

/// Items worked on in lanes: those of one lane one after the other, on a thread of its own. Knows
/// up to where all of them are finished, whichever lane they are in.
class Lanes {
public:
    /// Whether the item is finished; if not, or if it throws, no lane begins another one.
    using Work = std::function<bool(std::size_t item)>;

    /// `lane_of[i]` is the lane of item i. Begins at once; `work` runs on several threads.
    Lanes(const std::vector<std::size_t>& lane_of, Work work);
    /// Waits for what is under way.
    ~Lanes();
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;

    /// Whether all lanes have come to their end. Throws what `work` threw.
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
    mutable std::mutex mutex_;  // of all below
    std::condition_variable changed_;
    std::vector<bool> done_;
    std::size_t finished_ = 0;
    std::size_t running_ = 0;
    bool stopping_ = false;
    std::exception_ptr thrown_;
    std::vector<std::thread> threads_;
};

}  // namespace sundial
