#pragma once

#include "application/ports/clock.hpp"

namespace sundial::system {

/// CLOCK_BOOTTIME: a suspended machine's leases run out too.
class BootClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override;
};

}  // namespace sundial::system
