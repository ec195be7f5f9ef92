#include "adapters/memory/manual_clock.hpp"

#include "base/check.hpp"

namespace sundial::memory {

ManualClock::ManualClock(Instant now) : now_{now} {}

Instant ManualClock::now() {
    const std::lock_guard lock{mutex_};
    return now_;
}

Result<void> ManualClock::set(Instant now) {
    const std::lock_guard lock{mutex_};
    if (now < now_) return invalid("/now", "out_of_range", "the clock never moves backward");
    now_ = now;
    return {};
}

void ManualClock::advance(std::chrono::microseconds by) {
    base::check(by.count() >= 0);
    const std::lock_guard lock{mutex_};
    now_ += by;
}

}  // namespace sundial::memory
