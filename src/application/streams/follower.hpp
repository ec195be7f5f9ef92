#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/log.hpp"
#include "sundial/retry.hpp"

namespace sundial {

/// Why an event could not be handled, for people; empty on success.
using HandlingFailure = std::optional<std::string>;

/// Passes events on, in order and from where it stopped, under a name that one follower at a time
/// holds (concurrency 1). Driven by one thread.
class Follower {
public:
    enum class State : std::uint8_t {
        moved,      // there may be more at once
        caught_up,  // no new events
        elsewhere,  // another follower holds the lease
        stopped     // permanently: why() returns the reason
    };
    virtual ~Follower() = default;
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    /// Handles one page. Throws Unavailable: the next turn continues from there.
    virtual State turn(const std::stop_token& stop) = 0;
    /// Releases the lease for another follower, until a turn takes it again. Throws Unavailable.
    virtual void release() = 0;
    /// Why it stopped by itself. Thread-safe.
    [[nodiscard]] std::optional<std::string> why() const;

protected:
    /// With a `defect` of its settings it is stopped from the beginning.
    Follower(std::string name, Timing& timing, std::optional<std::string> defect);
    /// Turns until a stop is requested or it stops by itself; then releases the lease. Never
    /// throws. `rest` waits until there may be new events.
    void run_turns(const std::stop_token& stop, base::Log& log, const std::function<void()>& rest);
    void stop_because(std::string why);

    /// Pause while there are no new events, another follower holds the lease, or the database is
    /// unavailable. A hint ends it early.
    static constexpr std::chrono::microseconds resting_time = std::chrono::seconds{1};

private:
    const std::string name_;  // for people
    Timing& timing_;
    mutable std::mutex why_mutex_;
    std::optional<std::string> why_;
};

/// The failure in the form that is stored with a parked event.
[[nodiscard]] HandlingFailure storable(HandlingFailure failure);

/// The failure of `handle`, or the text of its exception.
template <class HandleIt>
[[nodiscard]] HandlingFailure failure_of(HandleIt handle) {
    try {
        return storable(handle());
    } catch (const std::exception& error) {
        return storable(std::string{error.what()});
    }
}

}  // namespace sundial
