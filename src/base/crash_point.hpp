#pragma once

#include <string>
#include <string_view>

/// CRASH_POINT("claim: after commit"): a place where a test kills the process, as if by kill -9, to
/// check that nothing is lost there. Only the files that CMake lists (sundial_crash_points) have
/// crash points, and only if SUNDIAL_CRASH_POINTS is on; the product has none.
#ifdef SUNDIAL_CRASH_POINTS
#define CRASH_POINT(name) ::sundial::base::reach_crash_point(name)
#else
#define CRASH_POINT(name) static_cast<void>(0)
#endif

namespace sundial::base {

/// Arms "NAME:COUNT": the process dies when it reaches that point for the COUNTth time. Call before
/// any other thread runs.
void arm_crash_point(const std::string& name_and_count);
/// Dies if this call is the armed one. Thread-safe.
void reach_crash_point(std::string_view name);

}  // namespace sundial::base
