#pragma once

#include <string>
#include <string_view>

/// CRASH_POINT("claim: after commit"): a place where a test lets the process die, as if by kill -9,
/// to see that nothing is lost there. Only the files that CMake names (sundial_crash_points) have
/// any, and only where SUNDIAL_CRASH_POINTS is on; in the product there is nothing.
#ifdef SUNDIAL_CRASH_POINTS
#define CRASH_POINT(name) ::sundial::base::reach_crash_point(name)
#else
#define CRASH_POINT(name) static_cast<void>(0)
#endif

namespace sundial::base {

/// From "NAME:COUNT": the process dies when it comes to that point for the COUNTth time. Before any
/// other thread runs.
void arm_crash_point(const std::string& name_and_count);
/// Dies if it is its turn. Thread-safe.
void reach_crash_point(std::string_view name);

}  // namespace sundial::base
