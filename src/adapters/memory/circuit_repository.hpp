#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/circuit_repository.hpp"

namespace sundial::memory {

class MemoryCircuitRepository final : public CircuitRepository {
public:
    explicit MemoryCircuitRepository(State& state) : circuits_{state.circuits} {}
    std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) override;
    Circuit lock(EndpointId endpoint) override;
    void put(const Circuit& circuit) override;
    std::vector<Circuit> list(std::size_t limit) override;

private:
    Table<EndpointId, Circuit>& circuits_;
};

}  // namespace sundial::memory
