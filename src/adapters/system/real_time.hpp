#pragma once

#include "domain/time/types.hpp"

namespace sundial::system {

/// CLOCK_REALTIME, cut to the microsecond. Only a database that has no clock of its own decides by
/// it what is due.
[[nodiscard]] Instant real_time();

}  // namespace sundial::system
