#include "application/ports/endpoint_repository.hpp"

#include <memory>
#include <set>

#include "adapters/sqlite/endpoint_sql.hpp"
#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

std::int64_t write(Connection& connection, const Statement& statement, const Endpoint& endpoint) {
    std::optional<std::uint32_t> per_second, burst;
    if (endpoint.rate_limit) {
        per_second = endpoint.rate_limit->per_second;
        burst = endpoint.rate_limit->burst;
    }
    return connection.execute(
        statement, endpoint.id, endpoint.external_id, endpoint.name, endpoint.type, endpoint.url,
        array_of(endpoint.headers), endpoint.timeout, endpoint.retry_policy.kind,
        array_of(endpoint.retry_policy.custom), endpoint.retry_client_errors, endpoint.enabled,
        endpoint.disabled_reason, endpoint.secret_hint, endpoint.version, endpoint.created_at,
        endpoint.updated_at, per_second, burst, endpoint.max_in_flight, endpoint.format,
        endpoint.public_key, array_of(endpoint.signing_keys),
        object_of({endpoint.options.begin(), endpoint.options.end()}));
}

/// Only one connection writes, so every row that it reads is already locked and shared.
class SqliteEndpointRepository final : public EndpointRepository {
public:
    explicit SqliteEndpointRepository(Session& session) : connection_{session.connection} {}

    Result<void, DuplicateExternalId> add(const Endpoint& endpoint) override {
        if (write(connection_, sql::add_endpoint, endpoint) == 1) return {};
        return DuplicateExternalId{Noun::endpoint, endpoint.external_id.value(),
                                   id_of(*endpoint.external_id).value().value};
    }

    std::optional<Endpoint> find(EndpointId id) override {
        return first_of(connection_.query(sql::endpoint, id), read_endpoint);
    }

    std::vector<Endpoint> find_all(std::span<const EndpointId> ids) override {
        std::vector<Endpoint> endpoints;
        for (const EndpointId& id : std::set<EndpointId>{ids.begin(), ids.end()}) {
            if (auto endpoint = find(id)) endpoints.push_back(*std::move(endpoint));
        }
        return endpoints;
    }

    std::optional<EndpointId> id_of(std::string_view external_id) override {
        return sqlite::id_of<EndpointId>(connection_.query(sql::endpoint_id, external_id));
    }

    std::map<std::string, EndpointId> ids_of(std::span<const std::string> external_ids) override {
        std::map<std::string, EndpointId> found;
        for (const std::string& external_id : external_ids) {
            if (const auto id = id_of(external_id)) found.emplace(external_id, *id);
        }
        return found;
    }

    std::vector<Endpoint> share(std::span<const EndpointId> ids) override { return find_all(ids); }
    std::vector<Endpoint> try_share(std::span<const EndpointId> ids) override {
        return find_all(ids);
    }
    std::optional<Endpoint> lock(EndpointId id) override { return find(id); }
    std::optional<Endpoint> lock_to_remove(EndpointId id) override { return find(id); }

    Result<void, DuplicateExternalId> update(const Endpoint& endpoint) override {
        if (endpoint.external_id) {
            const auto holder = id_of(*endpoint.external_id);
            if (holder && *holder != endpoint.id) {
                return DuplicateExternalId{Noun::endpoint, *endpoint.external_id, holder->value};
            }
        }
        base::check(write(connection_, sql::update_endpoint, endpoint) == 1);
        return {};
    }

    void remove(EndpointId id) override {
        base::check(connection_.execute(sql::remove_endpoint, id) == 1);
        for (const Statement* belongings :
             {&sql::remove_circuit, &sql::remove_limits, &sql::remove_slots, &sql::clear_inbox}) {
            connection_.execute(*belongings, id);
        }
    }

    Page<Endpoint> list(const EndpointQuery& query) override {
        const IdRange ids = ids_with(query.prefix);
        const Statement& statement =
            query.page.descending ? sql::endpoints_by_creation_down : sql::endpoints_by_creation;
        return page_of(all_of(connection_.query(statement, query.type, query.enabled, query.prefix,
                                                ids.first, ids.last, id_after(query.page),
                                                number_after(query.page), limit_of(query.page)),
                              read_endpoint),
                       query.page);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<EndpointRepository> make_endpoint_repository(Session& session) {
    return std::make_unique<SqliteEndpointRepository>(session);
}

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

/// Only one connection writes, so every row that it reads is already locked.
class SqliteCircuitRepository final : public CircuitRepository {
public:
    explicit SqliteCircuitRepository(Session& session) : connection_{session.connection} {}

    std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) override {
        std::vector<Circuit> found;
        for (const EndpointId& id : std::set<EndpointId>{endpoints.begin(), endpoints.end()}) {
            auto circuit = first_of(connection_.query(sql::circuit, id), read_circuit);
            if (circuit) found.push_back(*circuit);
        }
        return found;
    }

    Circuit lock(EndpointId endpoint) override {
        return first_of(connection_.query(sql::circuit, endpoint), read_circuit)
            .value_or(Circuit{.endpoint = endpoint});
    }

    void put(const Circuit& circuit) override {
        connection_.execute(sql::put_circuit, circuit.endpoint, circuit.state,
                            counts_of(circuit, &CallCounts::calls),
                            counts_of(circuit, &CallCounts::failures), circuit.part_began,
                            circuit.opened_at, circuit.open_for, circuit.probe_at, circuit.prober,
                            circuit.probes_answered, circuit.accepted_at, circuit.failing_since);
    }

    std::vector<Circuit> list(std::size_t limit) override {
        return all_of(connection_.query(sql::circuits, limit), read_circuit);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<CircuitRepository> make_circuit_repository(Session& session) {
    return std::make_unique<SqliteCircuitRepository>(session);
}

namespace {

SlotLease read_lease(Cursor& row) {
    return {.by = row.take<InstanceId>(),
            .slots = row.take<std::uint32_t>(),
            .ends = row.take<Instant>(),
            .lacks_until = row.take<Instant>()};
}

/// Only one connection writes, so every row that it reads is already locked.
class SqliteLimitRepository final : public LimitRepository {
public:
    explicit SqliteLimitRepository(Session& session) : connection_{session.connection} {}

    Limits lock(EndpointId endpoint) override {
        Limits limits{.endpoint = endpoint};
        {
            auto row = connection_.query(sql::limits, endpoint);
            if (!row.next()) return limits;
            limits.bucket_full_at = row.get<Instant>(0);
        }
        limits.leases = all_of(connection_.query(sql::slots, endpoint), read_lease);
        return limits;
    }

    void put(const Limits& limits) override {
        connection_.execute(sql::put_limits, limits.endpoint, limits.bucket_full_at);
        connection_.execute(sql::remove_slots, limits.endpoint);
        for (const SlotLease& lease : limits.leases) {
            connection_.execute(sql::add_slots, limits.endpoint, lease.by, lease.slots, lease.ends,
                                lease.lacks_until);
        }
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<LimitRepository> make_limit_repository(Session& session) {
    return std::make_unique<SqliteLimitRepository>(session);
}

namespace {

class SqliteInboxRepository final : public InboxRepository {
public:
    explicit SqliteInboxRepository(Session& session) : connection_{session.connection} {}

    void add(const InboxRequest& request) override {
        connection_.execute(sql::add_inbox_request, request.endpoint, request.id,
                            request.received_at, array_of(request.headers), Bytes{request.body});
        connection_.execute(sql::trim_inbox, request.endpoint);
    }

    Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) override {
        const auto read = [&](Cursor& row) {
            return InboxRequest{.id = row.take<Uuid>(),
                                .endpoint = endpoint,
                                .received_at = row.take<Instant>(),
                                .headers = pairs_in(row.take<std::string>()),
                                .body = row.take<Bytes>().value};
        };
        return page_of(
            all_of(connection_.query(sql::list_inbox, endpoint, id_after(page), limit_of(page)),
                   read),
            page);
    }

    void clear(EndpointId endpoint) override { connection_.execute(sql::clear_inbox, endpoint); }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<InboxRepository> make_inbox_repository(Session& session) {
    return std::make_unique<SqliteInboxRepository>(session);
}

}  // namespace sundial::sqlite
