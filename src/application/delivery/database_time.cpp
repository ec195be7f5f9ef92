#include "application/delivery/database_time.hpp"

#include <algorithm>

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// Clocks drift apart by fractions of a millisecond in that time.
constexpr Mono stretch = 2s;

}  // namespace

void DatabaseTime::read(Instant then, Mono asked, Mono answered) {
    then_ = then;
    answered_ = answered;
    const Offset ahead = then.time_since_epoch() - asked;
    // When the answer arrived, the database's clock was ahead by at least this much.
    const bool set_forward =
        since_ && then.time_since_epoch() - answered > std::min(least_, least_before_);
    if (!since_ || set_forward) {
        since_ = answered;
        least_ = least_before_ = ahead;
    } else if (answered - *since_ >= stretch) {
        since_ = answered;
        least_before_ = least_;
        least_ = ahead;
    } else {
        least_ = std::min(least_, ahead);
    }
}

Instant DatabaseTime::for_a_call(Mono now) const {
    return std::max(at(now), Instant{now + std::min(least_, least_before_)});
}

}  // namespace sundial
