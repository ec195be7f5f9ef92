#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string_view>

#include "application/ports/clock.hpp"

namespace sundial::bench {

/// Prints a progress line from time to time during long work. Thread-safe.
class Progress {
public:
    Progress(std::ostream& out, const MonotonicClock& clock);
    /// "drain: 400000 of 1000000", unless a line was printed a moment ago.
    void at(std::string_view what, std::size_t done, std::size_t of);

private:
    std::ostream& out_;
    const MonotonicClock& clock_;
    std::mutex mutex_;
    std::chrono::microseconds reported_at_;
};

}  // namespace sundial::bench
