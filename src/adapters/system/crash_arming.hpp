#pragma once

namespace sundial::system {

/// Arms the crash point that the environment names (CRASH_POINT=NAME:COUNT). Does nothing in builds
/// without crash points, such as the product. Call it before other threads run.
void arm_crash_points();

}  // namespace sundial::system
