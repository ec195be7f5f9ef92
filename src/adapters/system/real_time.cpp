#include "adapters/system/real_time.hpp"

#include <chrono>

namespace sundial::system {

Instant real_time() {
    return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace sundial::system
