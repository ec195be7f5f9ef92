#include "adapters/postgres/circuit_repository.hpp"

#include "adapters/postgres/limit_statements.hpp"
#include "adapters/postgres/rows.hpp"

namespace sundial::postgres {
namespace {

std::vector<std::int32_t> counts_of(const Circuit& circuit, std::uint32_t CallCounts::* member) {
    std::vector<std::int32_t> counts;
    for (const CallCounts& part : circuit.parts) {
        counts.push_back(static_cast<std::int32_t>(part.*member));
    }
    return counts;
}

}  // namespace

std::vector<Circuit> PostgresCircuitRepository::find_all(std::span<const EndpointId> endpoints) {
    return circuits_in(session_.run(sql::find_circuits,
                                    std::vector<EndpointId>{endpoints.begin(), endpoints.end()}));
}

Circuit PostgresCircuitRepository::lock(EndpointId endpoint) {
    auto circuit = first_of(circuits_in(session_.run(sql::lock_circuit, endpoint)));
    if (circuit) return *circuit;
    session_.run(sql::add_circuit, endpoint);
    return first_of(circuits_in(session_.run(sql::lock_circuit, endpoint))).value();
}

void PostgresCircuitRepository::put(const Circuit& circuit) {
    const Answer put = session_.run(sql::put_circuit, circuit.endpoint, to_string(circuit.state),
                                    counts_of(circuit, &CallCounts::calls),
                                    counts_of(circuit, &CallCounts::failures), circuit.part_began,
                                    circuit.opened_at, std::chrono::microseconds{circuit.open_for},
                                    circuit.probe_at, circuit.prober, circuit.probes_answered,
                                    circuit.accepted_at, circuit.failing_since);
    base::check(put.changed() == 1);
}

std::vector<Circuit> PostgresCircuitRepository::list(std::size_t limit) {
    return circuits_in(session_.run(sql::list_circuits, static_cast<std::int64_t>(limit)));
}

}  // namespace sundial::postgres
