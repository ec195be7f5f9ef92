#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/circuit_repository.hpp"

namespace sundial::sqlite {

/// The writer is alone, so whatever it reads is locked already.
class SqliteCircuitRepository final : public CircuitRepository {
public:
    explicit SqliteCircuitRepository(Session& session) : connection_{session.connection} {}
    std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) override;
    Circuit lock(EndpointId endpoint) override;
    void put(const Circuit& circuit) override;
    std::vector<Circuit> list(std::size_t limit) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
