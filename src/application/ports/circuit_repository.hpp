#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "domain/circuit.hpp"

namespace sundial {

/// The circuits of endpoints, inside one transaction. An endpoint without reported results has no
/// circuit, which means the same as a closed one.
class CircuitRepository {
public:
    virtual ~CircuitRepository() = default;
    /// The circuits that exist, by endpoint.
    virtual std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) = 0;
    /// Creates the circuit if there is none. No other transaction changes it until this one ends. A
    /// caller that locks several circuits locks them in the order of their endpoints.
    virtual Circuit lock(EndpointId endpoint) = 0;
    /// Replaces a locked circuit.
    virtual void put(const Circuit& circuit) = 0;
    /// At most `limit`, by endpoint; circuits that are not closed come first.
    virtual std::vector<Circuit> list(std::size_t limit) = 0;
};

}  // namespace sundial
