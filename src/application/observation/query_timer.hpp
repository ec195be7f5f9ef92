#pragma once

#include <chrono>
#include <string_view>

#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"

namespace sundial {

/// Reports the duration of one storage call, whether it returns or throws. `operation` is a
/// literal.
class QueryTimer {
public:
    QueryTimer(std::string_view operation, const MonotonicClock& monotonic,
               StorageObserver& observer)
        : operation_(operation),
          monotonic_(monotonic),
          observer_(observer),
          began_(monotonic.now()) {}
    QueryTimer(const QueryTimer&) = delete;
    QueryTimer& operator=(const QueryTimer&) = delete;
    ~QueryTimer() { observer_.queried(operation_, monotonic_.now() - began_); }

private:
    const std::string_view operation_;
    const MonotonicClock& monotonic_;
    StorageObserver& observer_;
    const std::chrono::microseconds began_;
};

}  // namespace sundial
