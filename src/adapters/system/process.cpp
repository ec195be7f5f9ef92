#include "adapters/system/process.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/crash_point.hpp"

namespace sundial::system {

std::int64_t process_id() { return ::getpid(); }

std::optional<std::string> environment_variable(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

void arm_crash_points() {
#ifdef SUNDIAL_CRASH_POINTS
    if (const char* armed = std::getenv("CRASH_POINT")) base::arm_crash_point(armed);
#endif
}

}  // namespace sundial::system
