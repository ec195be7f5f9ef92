#pragma once

#include "domain/limits.hpp"

namespace sundial {

/// The state of endpoint limits that instances share, inside one transaction.
class LimitRepository {
public:
    virtual ~LimitRepository() = default;
    /// Creates the limits if there are none. No other transaction changes them until this one ends.
    /// A caller that locks the limits of several endpoints locks them in the order of endpoints.
    virtual Limits lock(EndpointId endpoint) = 0;
    /// Replaces locked limits, including their leases.
    virtual void put(const Limits& limits) = 0;
};

}  // namespace sundial
