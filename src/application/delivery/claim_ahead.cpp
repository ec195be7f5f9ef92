#include "application/delivery/claim_ahead.hpp"

#include <algorithm>

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr Mono window = 100ms;
/// Bounds the events that other instances cannot claim if this instance stops responding.
constexpr std::size_t max_ahead = 1000;

}  // namespace

void ClaimAhead::ended(Mono now) {
    if (now >= window_began_ + window) {
        const bool next_to_it = now < window_began_ + 2 * window;
        in_window_before_ = next_to_it ? in_window_ : 0;
        in_window_ = 0;
        window_began_ = now;
    }
    ++in_window_;
}

std::size_t ClaimAhead::events(Mono now) const {
    if (now >= window_began_ + 2 * window) return 0;
    const bool over = now >= window_began_ + window;
    return std::min((over ? in_window_ : in_window_before_) / 2, max_ahead);
}

}  // namespace sundial
