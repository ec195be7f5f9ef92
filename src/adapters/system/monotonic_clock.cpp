#include "adapters/system/monotonic_clock.hpp"

#include <ctime>

namespace sundial::system {

std::chrono::microseconds BootClock::now() const {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_nsec / 1000);
}

}  // namespace sundial::system
