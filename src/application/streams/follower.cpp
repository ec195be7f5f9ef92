#include "application/streams/follower.hpp"

#include <utility>

#include "domain/outcome.hpp"

namespace sundial {

Follower::Follower(std::string name, Timing& timing, std::optional<std::string> defect)
    : name_(std::move(name)), timing_(timing), why_(std::move(defect)) {}

std::optional<std::string> Follower::why() const {
    const std::lock_guard lock(why_mutex_);
    return why_;
}

void Follower::stop_because(std::string why) {
    const std::lock_guard lock(why_mutex_);
    why_ = std::move(why);
}

void Follower::run_turns(const std::stop_token& stop, base::Log& log,
                         const std::function<void()>& rest) {
    const auto report = [&](const std::string& message) {
        log.write({.level = base::LogLevel::warn,
                   .event_name = {},
                   .message = "subscription " + name_ + ": " + message,
                   .correlation_id = {},
                   .fields = {}});
    };
    while (!stop.stop_requested()) {
        try {
            const State state = turn(stop);
            if (state == State::stopped) return report(why().value_or(""));
            if (state == State::caught_up) rest();
            if (state == State::elsewhere) timing_.sleep_until(timing_.now() + resting_time, stop);
        } catch (const std::exception& error) {
            report(std::string{"tries again soon: "} + error.what());
            timing_.sleep_until(timing_.now() + resting_time, stop);
        }
    }
    try {
        release();
    } catch (const std::exception& error) {
        report(std::string{"the next follower waits until its lease expires: "} + error.what());
    }
}

HandlingFailure storable(HandlingFailure failure) {
    if (failure) failure = storable_reason(*failure);
    return failure;
}

}  // namespace sundial
