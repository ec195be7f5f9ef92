#include "adapters/sqlite/circuit_repository.hpp"

#include <set>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/limit_statements.hpp"
#include "adapters/sqlite/rows.hpp"

namespace sundial::sqlite {
namespace {

std::array<CallCounts, circuit_parts> parts_of(const std::string& calls,
                                               const std::string& failures) {
    const auto all = counts_in(calls), failed = counts_in(failures);
    if (all.size() != circuit_parts || failed.size() != circuit_parts) {
        throw Corrupt{"the database has a circuit with another window"};
    }
    std::array<CallCounts, circuit_parts> parts;
    for (std::size_t i = 0; i < circuit_parts; ++i) parts[i] = {all[i], failed[i]};
    return parts;
}

std::string counts_of(const Circuit& circuit, std::uint32_t CallCounts::* member) {
    std::vector<std::uint32_t> counts;
    for (const CallCounts& part : circuit.parts) counts.push_back(part.*member);
    return array_of(counts);
}

Circuit read_circuit(Cursor& row) {
    const auto endpoint = row.take<EndpointId>();
    const auto state = row.take<CircuitState>();
    const auto calls = row.take<std::string>();
    const auto failures = row.take<std::string>();
    return {.endpoint = endpoint,
            .state = state,
            .parts = parts_of(calls, failures),
            .part_began = row.take<Instant>(),
            .opened_at = row.take<std::optional<Instant>>(),
            .open_for = row.take<std::chrono::seconds>(),
            .probe_at = row.take<Instant>(),
            .prober = row.take<std::optional<InstanceId>>(),
            .probes_answered = row.take<std::uint32_t>(),
            .accepted_at = row.take<std::optional<Instant>>(),
            .failing_since = row.take<std::optional<Instant>>()};
}

}  // namespace

std::vector<Circuit> SqliteCircuitRepository::find_all(std::span<const EndpointId> endpoints) {
    std::vector<Circuit> found;
    for (const EndpointId& id : std::set<EndpointId>{endpoints.begin(), endpoints.end()}) {
        auto circuit = first_of(connection_.query(sql::circuit, id), read_circuit);
        if (circuit) found.push_back(*circuit);
    }
    return found;
}

Circuit SqliteCircuitRepository::lock(EndpointId endpoint) {
    return first_of(connection_.query(sql::circuit, endpoint), read_circuit)
        .value_or(Circuit{.endpoint = endpoint});
}

void SqliteCircuitRepository::put(const Circuit& circuit) {
    connection_.execute(sql::put_circuit, circuit.endpoint, circuit.state,
                        counts_of(circuit, &CallCounts::calls),
                        counts_of(circuit, &CallCounts::failures), circuit.part_began,
                        circuit.opened_at, circuit.open_for, circuit.probe_at, circuit.prober,
                        circuit.probes_answered, circuit.accepted_at, circuit.failing_since);
}

std::vector<Circuit> SqliteCircuitRepository::list(std::size_t limit) {
    return all_of(connection_.query(sql::circuits, limit), read_circuit);
}

}  // namespace sundial::sqlite
