#pragma once

#include "application/ports/clock.hpp"
#include "domain/time/types.hpp"

namespace sundial::system {

/// CLOCK_REALTIME, truncated to the microsecond. Decides due times only for a database without a
/// clock of its own.
[[nodiscard]] Instant real_time();

/// CLOCK_BOOTTIME: leases also expire while the machine is suspended.
class BootClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override;
};

}  // namespace sundial::system
