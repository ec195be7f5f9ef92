#pragma once

#include "application/ports/clock.hpp"

namespace sundial::system {

/// CLOCK_BOOTTIME: leases also expire while the machine is suspended.
class BootClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override;
};

}  // namespace sundial::system
