#include "bench/progress.hpp"

#include <ostream>

namespace sundial::bench {

using namespace std::chrono_literals;

Progress::Progress(std::ostream& out, const MonotonicClock& clock)
    : out_(out), clock_(clock), reported_at_(clock.now()) {}

void Progress::at(std::string_view what, std::size_t done, std::size_t of) {
    constexpr auto often_enough = 5s;
    const std::lock_guard lock(mutex_);
    if (clock_.now() - reported_at_ < often_enough) return;
    reported_at_ = clock_.now();
    out_ << what << ": " << done << " of " << of << '\n' << std::flush;
}

}  // namespace sundial::bench
