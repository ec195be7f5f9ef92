#pragma once

#include <chrono>

namespace sundial {

/// A moment of the monotonic clock.
using Mono = std::chrono::microseconds;

}  // namespace sundial
