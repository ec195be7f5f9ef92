#pragma once

namespace sundial::system {

/// Arms the crash point that the environment names (CRASH_POINT=NAME:COUNT). Nothing where there
/// are no crash points: in the product. Before any other thread runs.
void arm_crash_points();

}  // namespace sundial::system
