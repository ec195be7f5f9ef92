#pragma once

#include <atomic>
#include <functional>

#include "base/log.hpp"
#include "domain/time/types.hpp"

namespace sundial::sqlite {

/// What time it is for the database: CLOCK_REALTIME, never below any time it told before, in this
/// process or an earlier one; or a test clock, which stands still. Thread-safe.
class Time {
public:
    enum class Mode : std::uint8_t { system, test };
    /// `latest` is the latest time stored; of a test clock, the time that it shows.
    Time(Mode mode, Instant latest, std::function<Instant()> real_time, base::Log& log);

    Instant now();
    [[nodiscard]] bool is_test() const { return mode_ == Mode::test; }
    /// Of a test clock; not back.
    void move(Instant now) { latest_ = now; }

private:
    void tell_of_step(std::chrono::microseconds back);

    const Mode mode_;
    std::atomic<Instant> latest_;
    const std::function<Instant()> real_time_;
    base::Log& log_;
    std::atomic<bool> behind_{false};  // a step back was told of, and time has not caught up yet
};

}  // namespace sundial::sqlite
