#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "domain/circuit.hpp"

namespace sundial {

/// The circuits of endpoints, inside one transaction. An endpoint of which nothing was told yet has
/// none, which is as good as a closed one.
class CircuitRepository {
public:
    virtual ~CircuitRepository() = default;
    /// Those that there are, by endpoint.
    virtual std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) = 0;
    /// A fresh one where there was none. Until the transaction ends nobody else changes it; who
    /// locks several does so in the order of their endpoints.
    virtual Circuit lock(EndpointId endpoint) = 0;
    /// Replaces one that is locked.
    virtual void put(const Circuit& circuit) = 0;
    /// At most `limit`, by endpoint; those that are not closed first.
    virtual std::vector<Circuit> list(std::size_t limit) = 0;
};

}  // namespace sundial
