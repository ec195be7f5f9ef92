#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/circuit_repository.hpp"

namespace sundial::sqlite {

/// Only one connection writes, so every row that it reads is already locked.
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
