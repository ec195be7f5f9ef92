#pragma once

#include "domain/time/types.hpp"

namespace sundial::system {

/// CLOCK_REALTIME, truncated to the microsecond. Decides due times only for a database without a
/// clock of its own.
[[nodiscard]] Instant real_time();

}  // namespace sundial::system
