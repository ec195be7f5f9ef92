#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <stop_token>
#include <vector>

#include "sundial/timing.hpp"

namespace sundial {

/// Sleeps by moving its own time, and draws the same numbers for the same seed. Single-threaded.
class ManualTiming final : public Timing {
public:
    explicit ManualTiming(unsigned seed = 1) : random_{seed} {}

    Moment now() override { return now_; }
    void sleep_until(Moment when, const std::stop_token& stop) override {
        sleeps.push_back(std::chrono::duration_cast<std::chrono::microseconds>(when - now_));
        if (before_sleep) before_sleep();
        if (!stop.stop_requested()) now_ = when;
    }
    double unit() override {
        return fixed_unit ? *fixed_unit : std::uniform_real_distribution<>{0.0, 1.0}(random_);
    }

    void advance(std::chrono::microseconds by) { now_ += by; }

    std::vector<std::chrono::microseconds> sleeps;
    std::function<void()> before_sleep;
    std::optional<double> fixed_unit;

private:
    Moment now_{std::chrono::hours{1}};
    std::mt19937_64 random_;
};

}  // namespace sundial
