#pragma once

#include <cstdlib>
#include <string>

#include "adapters/zones/cctz_time_zones.hpp"

namespace sundial::zones {

/// The tz database that tests use: TZDIR (to test another release without installing it), or else
/// the system's.
[[nodiscard]] inline std::string zoneinfo_directory() {
    const char* chosen = std::getenv("TZDIR");
    return chosen != nullptr ? chosen : std::string(system_directory);
}

}  // namespace sundial::zones
