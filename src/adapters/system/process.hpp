#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sundial::system {

/// The number of this process. A forked child has another one.
[[nodiscard]] std::int64_t process_id();

/// The value of an environment variable. Empty if it is not set.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

/// Arms the crash point that the environment names (CRASH_POINT=NAME:COUNT). Does nothing in builds
/// without crash points, such as the product. Call it before other threads run.
void arm_crash_points();

}  // namespace sundial::system
