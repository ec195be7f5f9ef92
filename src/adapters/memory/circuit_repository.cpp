#include "adapters/memory/circuit_repository.hpp"

#include <algorithm>

namespace sundial::memory {

std::vector<Circuit> MemoryCircuitRepository::find_all(std::span<const EndpointId> endpoints) {
    std::vector<Circuit> found;
    for (const auto& [endpoint, circuit] : circuits_.rows()) {
        if (std::ranges::find(endpoints, endpoint) != endpoints.end()) found.push_back(circuit);
    }
    return found;
}

Circuit MemoryCircuitRepository::lock(EndpointId endpoint) {
    const Circuit* circuit = circuits_.find(endpoint);
    return circuit ? *circuit : Circuit{.endpoint = endpoint};
}

void MemoryCircuitRepository::put(const Circuit& circuit) {
    if (!circuits_.find(circuit.endpoint)) return circuits_.insert(circuit.endpoint, circuit);
    circuits_.replace(circuit.endpoint, circuit);
}

std::vector<Circuit> MemoryCircuitRepository::list(std::size_t limit) {
    std::vector<Circuit> found;
    for (const bool is_closed : {false, true}) {
        for (const auto& [endpoint, circuit] : circuits_.rows()) {
            const bool wanted = (circuit.state == CircuitState::closed) == is_closed;
            if (wanted && found.size() < limit) found.push_back(circuit);
        }
    }
    return found;
}

}  // namespace sundial::memory
