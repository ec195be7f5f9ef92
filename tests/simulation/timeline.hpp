#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <utility>

#include "simulation/history.hpp"

namespace sundial::simulation {

/// True time and the planned actions. Time jumps from one action to the next.
class Timeline {
public:
    static constexpr Time never = Time::max();

    [[nodiscard]] const Time& now() const { return now_; }
    void at(Time when, std::function<void()> what) { later_.emplace(when, std::move(what)); }
    void after(Time wait, std::function<void()> what) { at(now_ + wait, std::move(what)); }
    [[nodiscard]] Time next_at() const { return later_.empty() ? never : later_.begin()->first; }

    void advance_to(Time when) { now_ = std::max(now_, when); }
    /// Runs the first action; of several at one time, the one planned first.
    void do_next() {
        const auto first = later_.begin();
        advance_to(first->first);
        const auto what = std::move(first->second);
        later_.erase(first);
        what();
    }

private:
    Time now_{0};
    std::multimap<Time, std::function<void()>> later_;
};

}  // namespace sundial::simulation
