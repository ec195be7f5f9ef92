#pragma once

namespace sundial {

/// Marks this thread as the scheduler's, from construction to destruction: it claims, delivers,
/// settles or maintains. A storage with several connections keeps some for such threads, so that
/// requests cannot delay deliveries by using them all.
class SchedulerScope {
public:
    SchedulerScope() { ++depth_; }
    ~SchedulerScope() { --depth_; }
    SchedulerScope(const SchedulerScope&) = delete;
    SchedulerScope& operator=(const SchedulerScope&) = delete;

    [[nodiscard]] static bool is_open() { return depth_ > 0; }

private:
    inline static thread_local int depth_ = 0;
};

}  // namespace sundial
