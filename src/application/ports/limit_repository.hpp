#pragma once

#include "domain/limits.hpp"

namespace sundial {

/// What instances share of the limits of endpoints, inside one transaction.
class LimitRepository {
public:
    virtual ~LimitRepository() = default;
    /// Fresh ones where there were none. Until the transaction ends nobody else changes them; who
    /// locks several does so in the order of their endpoints.
    virtual Limits lock(EndpointId endpoint) = 0;
    /// Replaces them, leases and all; they are locked.
    virtual void put(const Limits& limits) = 0;
};

}  // namespace sundial
