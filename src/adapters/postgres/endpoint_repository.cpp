#include "application/ports/endpoint_repository.hpp"

#include <memory>
#include <optional>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/endpoint_sql.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"

namespace sundial::postgres {
namespace {

class PostgresEndpointRepository final : public EndpointRepository {
public:
    explicit PostgresEndpointRepository(Session& session) : session_{session} {}

    Result<void, DuplicateExternalId> add(const Endpoint& endpoint) override {
        if (write(sql::add_endpoint, endpoint).changed() == 1) return {};
        auto free = external_id_is_free(endpoint);
        if (free) throw conflict("the endpoint with that external id has just changed");
        return free;
    }

    std::optional<Endpoint> find(EndpointId id) override {
        return first_of(endpoints_in(session_.run(sql::find_endpoint, id)));
    }
    std::vector<Endpoint> find_all(std::span<const EndpointId> ids) override {
        return endpoints_in(session_.run(sql::find_endpoints, ids));
    }
    std::optional<EndpointId> id_of(std::string_view external_id) override {
        return first_of(
            column_of<EndpointId>(session_.run(sql::endpoint_of_external_id, external_id), 0));
    }

    std::map<std::string, EndpointId> ids_of(std::span<const std::string> external_ids) override {
        return ids_by_text<EndpointId>(session_.run(sql::endpoints_of_external_ids, external_ids));
    }

    std::vector<Endpoint> share(std::span<const EndpointId> ids) override {
        return endpoints_in(session_.run(sql::share_endpoints, ids));
    }
    std::vector<Endpoint> try_share(std::span<const EndpointId> ids) override {
        return endpoints_in(session_.run(sql::try_share_endpoints, ids));
    }
    std::optional<Endpoint> lock(EndpointId id) override {
        return first_of(endpoints_in(session_.run(sql::lock_endpoint, id)));
    }
    std::optional<Endpoint> lock_to_remove(EndpointId id) override {
        return first_of(endpoints_in(session_.run(sql::lock_endpoint_to_remove, id)));
    }

    // If another transaction takes the external id between the check and the update, the update
    // fails. Then the work runs again, and the check finds the other endpoint.
    Result<void, DuplicateExternalId> update(const Endpoint& endpoint) override {
        auto free = external_id_is_free(endpoint);
        if (free) base::check(write(sql::update_endpoint, endpoint).changed() == 1);
        return free;
    }

    void remove(EndpointId id) override {
        base::check(session_.run(sql::remove_endpoint, id).changed() == 1);
    }

    Page<Endpoint> list(const EndpointQuery& query) override {
        const Statement& statement =
            query.page.descending ? sql::endpoints_by_creation_down : sql::endpoints_by_creation;
        return page_in(endpoints_in(session_.run(statement, query.type, query.enabled, query.prefix,
                                                 last_id(query.page), last_instant(query.page),
                                                 rows_for(query.page))),
                       query.page);
    }

private:
    Answer write(const Statement& statement, const Endpoint& endpoint) {
        const auto& headers = endpoint.headers;
        const auto& keys = endpoint.signing_keys;
        std::optional<std::uint32_t> per_second, burst;
        if (endpoint.rate_limit) {
            per_second = endpoint.rate_limit->per_second;
            burst = endpoint.rate_limit->burst;
        }
        return session_.run(
            statement, endpoint.id, endpoint.external_id, endpoint.name, endpoint.type,
            endpoint.url, column(headers, &EndpointHeader::name),
            column(headers, &EndpointHeader::sealed), std::chrono::microseconds{endpoint.timeout},
            name_of(endpoint.retry_policy.kind),
            column(endpoint.retry_policy.custom,
                   [](std::chrono::seconds delay) {
                       return static_cast<std::int32_t>(delay.count());
                   }),
            endpoint.retry_client_errors, endpoint.enabled, endpoint.disabled_reason,
            endpoint.secret_hint, endpoint.version, endpoint.created_at, endpoint.updated_at,
            per_second, burst, endpoint.max_in_flight, to_string(endpoint.format),
            endpoint.public_key,
            column(keys, [](const SigningKey& key) { return to_string(key.scheme); }),
            column(keys, &SigningKey::sealed), column(keys, &SigningKey::signs_until),
            column(headers, &EndpointHeader::hint), first_column(endpoint.options),
            second_column(endpoint.options));
    }

    Result<void, DuplicateExternalId> external_id_is_free(const Endpoint& endpoint) {
        if (!endpoint.external_id) return {};
        const auto holder = id_of(*endpoint.external_id);
        if (!holder || *holder == endpoint.id) return {};
        return DuplicateExternalId{Noun::endpoint, *endpoint.external_id, holder->value};
    }

    Session& session_;
};

}  // namespace

std::unique_ptr<EndpointRepository> make_endpoint_repository(Session& session) {
    return std::make_unique<PostgresEndpointRepository>(session);
}

namespace {

class PostgresCircuitRepository final : public CircuitRepository {
public:
    explicit PostgresCircuitRepository(Session& session) : session_{session} {}
    std::vector<Circuit> find_all(std::span<const EndpointId> endpoints) override {
        return circuits_in(session_.run(sql::find_circuits, endpoints));
    }

    Circuit lock(EndpointId endpoint) override {
        auto circuit = first_of(circuits_in(session_.run(sql::lock_circuit, endpoint)));
        if (circuit) return *circuit;
        session_.run(sql::add_circuit, endpoint);
        return first_of(circuits_in(session_.run(sql::lock_circuit, endpoint))).value();
    }

    void put(const Circuit& circuit) override {
        const Answer put = session_.run(
            sql::put_circuit, circuit.endpoint, to_string(circuit.state),
            column(circuit.parts, &CallCounts::calls), column(circuit.parts, &CallCounts::failures),
            circuit.part_began, circuit.opened_at, std::chrono::microseconds{circuit.open_for},
            circuit.probe_at, circuit.prober, circuit.probes_answered, circuit.accepted_at,
            circuit.failing_since);
        base::check(put.changed() == 1);
    }

    std::vector<Circuit> list(std::size_t limit) override {
        return circuits_in(session_.run(sql::list_circuits, static_cast<std::int64_t>(limit)));
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<CircuitRepository> make_circuit_repository(Session& session) {
    return std::make_unique<PostgresCircuitRepository>(session);
}

namespace {

std::optional<Limits> limits_in(const Answer& rows, EndpointId endpoint) {
    if (rows.empty()) return std::nullopt;
    return Limits{.endpoint = endpoint,
                  .bucket_full_at = rows.get<Instant>(0, rows.column("bucket_full_at").value())};
}

class PostgresLimitRepository final : public LimitRepository {
public:
    explicit PostgresLimitRepository(Session& session) : session_{session} {}

    Limits lock(EndpointId endpoint) override {
        auto limits = limits_in(session_.run(sql::lock_limits, endpoint), endpoint);
        if (!limits) {
            session_.run(sql::add_limits, endpoint);
            limits = limits_in(session_.run(sql::lock_limits, endpoint), endpoint);
        }
        const Answer slots = session_.run(sql::find_slots, endpoint);
        for (std::size_t row = 0; row < slots.size(); ++row) {
            limits.value().leases.push_back({.by = slots.get<InstanceId>(row, 0),
                                             .slots = slots.get<std::uint32_t>(row, 1),
                                             .ends = slots.get<Instant>(row, 2),
                                             .lacks_until = slots.get<Instant>(row, 3)});
        }
        return *limits;
    }

    void put(const Limits& limits) override {
        std::vector<InstanceId> instances;
        std::vector<std::int32_t> slots;
        std::vector<Instant> ends, lacks_until;
        for (const SlotLease& lease : limits.leases) {
            instances.push_back(lease.by);
            slots.push_back(static_cast<std::int32_t>(lease.slots));
            ends.push_back(lease.ends);
            lacks_until.push_back(lease.lacks_until);
        }
        const Answer put = session_.run(sql::put_limits, limits.endpoint, limits.bucket_full_at);
        base::check(put.changed() == 1);
        session_.run(sql::put_slots, limits.endpoint, instances, slots, ends, lacks_until);
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<LimitRepository> make_limit_repository(Session& session) {
    return std::make_unique<PostgresLimitRepository>(session);
}

namespace {

constexpr std::int64_t kept = 10'000;  // per endpoint, as the port says

/// Finding the ten-thousandth request takes a millisecond, so older ones are removed after one
/// request in 64, chosen by its id. Lists do not show them meanwhile.
bool is_time_to_trim(const Uuid& id) { return id.bytes.back() % 64 == 0; }

class PostgresInboxRepository final : public InboxRepository {
public:
    explicit PostgresInboxRepository(Session& session) : session_{session} {}

    void add(const InboxRequest& request) override {
        session_.run(sql::add_inbox_request, request.endpoint, request.id, request.received_at,
                     first_column(request.headers), second_column(request.headers),
                     BytesView{request.body});
        if (is_time_to_trim(request.id)) session_.run(sql::trim_inbox, request.endpoint, kept);
    }

    Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) override {
        return page_in(inbox_requests_in(session_.run(sql::list_inbox, endpoint, last_id(page),
                                                      rows_for(page), kept)),
                       page);
    }

    void clear(EndpointId endpoint) override { session_.run(sql::clear_inbox, endpoint); }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<InboxRepository> make_inbox_repository(Session& session) {
    return std::make_unique<PostgresInboxRepository>(session);
}

}  // namespace sundial::postgres
