#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/circuit_repository.hpp"

namespace sundial::postgres {

class PostgresCircuitRepository final : public CircuitRepository {
public:
    explicit PostgresCircuitRepository(Session& session) : session_{session} {}
    std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) override;
    Circuit lock(EndpointId endpoint) override;
    void put(const Circuit& circuit) override;
    std::vector<Circuit> list(std::size_t limit) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
