#pragma once

#include <atomic>
#include <functional>

#include "base/log.hpp"
#include "domain/time/types.hpp"

namespace sundial::sqlite {

/// The database's clock: CLOCK_REALTIME, but never before any time returned earlier, by this
/// process or a previous one; or a test clock, which stands still. Thread-safe.
class Time {
public:
    enum class Mode : std::uint8_t { system, test };
    /// `latest` is the latest stored time; for a test clock, the time that it shows.
    Time(Mode mode, Instant latest, std::function<Instant()> real_time, base::Log& log);

    Instant now();
    [[nodiscard]] bool is_test() const { return mode_ == Mode::test; }
    /// For a test clock; never backwards.
    void move(Instant now) { latest_ = now; }

private:
    void log_step(std::chrono::microseconds back);

    const Mode mode_;
    std::atomic<Instant> latest_;
    const std::function<Instant()> real_time_;
    base::Log& log_;
    // a step back was logged, and the time has not caught up yet
    std::atomic<bool> behind_{false};
};

}  // namespace sundial::sqlite
