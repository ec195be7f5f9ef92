#pragma once

#include <cstdint>

namespace sundial::system {

/// The number of this process. A forked child has another one.
[[nodiscard]] std::int64_t process_id();

/// Arms the crash point that the environment names (CRASH_POINT=NAME:COUNT). Does nothing in builds
/// without crash points, such as the product. Call it before other threads run.
void arm_crash_points();

}  // namespace sundial::system
