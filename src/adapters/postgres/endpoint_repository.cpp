#include "adapters/postgres/endpoint_repository.hpp"

#include "adapters/postgres/control_statements.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/rows.hpp"

namespace sundial::postgres {

Answer PostgresEndpointRepository::write(const Statement& statement, const Endpoint& endpoint) {
    std::vector<std::string> header_names, sealed_headers, header_hints;
    for (const EndpointHeader& header : endpoint.headers) {
        header_names.push_back(header.name);
        sealed_headers.push_back(header.sealed);
        header_hints.push_back(header.hint);
    }
    std::vector<std::int32_t> delays;
    for (const auto delay : endpoint.retry_policy.custom) {
        delays.push_back(static_cast<std::int32_t>(delay.count()));
    }
    std::optional<std::uint32_t> per_second, burst;
    if (endpoint.rate_limit) {
        per_second = endpoint.rate_limit->per_second;
        burst = endpoint.rate_limit->burst;
    }
    std::vector<std::string> schemes, sealed_keys;
    std::vector<Instant> sign_until;
    for (const SigningKey& key : endpoint.signing_keys) {
        schemes.emplace_back(to_string(key.scheme));
        sealed_keys.push_back(key.sealed);
        sign_until.push_back(key.signs_until);
    }
    return session_.run(
        statement, endpoint.id, endpoint.external_id, endpoint.name, endpoint.type, endpoint.url,
        header_names, sealed_headers, std::chrono::microseconds{endpoint.timeout},
        name_of(endpoint.retry_policy.kind), delays, endpoint.retry_client_errors, endpoint.enabled,
        endpoint.disabled_reason, endpoint.secret_hint, endpoint.version, endpoint.created_at,
        endpoint.updated_at, per_second, burst, endpoint.max_in_flight, to_string(endpoint.format),
        endpoint.public_key, schemes, sealed_keys, sign_until, header_hints);
}

Result<void> PostgresEndpointRepository::external_id_is_free(const Endpoint& endpoint) {
    if (!endpoint.external_id) return {};
    const auto holder = id_of(*endpoint.external_id);
    if (!holder || *holder == endpoint.id) return {};
    return DuplicateExternalId{Noun::endpoint, *endpoint.external_id, holder->value};
}

Result<void> PostgresEndpointRepository::add(const Endpoint& endpoint) {
    if (write(sql::add_endpoint, endpoint).changed() == 1) return {};
    auto free = external_id_is_free(endpoint);
    if (free) throw conflict("the endpoint with that external id has just changed");
    return free;
}

std::optional<Endpoint> PostgresEndpointRepository::find(EndpointId id) {
    return first_of(endpoints_in(session_.run(sql::find_endpoint, id)));
}

std::vector<Endpoint> PostgresEndpointRepository::find_all(std::span<const EndpointId> ids) {
    return endpoints_in(
        session_.run(sql::find_endpoints, std::vector<EndpointId>{ids.begin(), ids.end()}));
}

std::optional<EndpointId> PostgresEndpointRepository::id_of(std::string_view external_id) {
    return first_of(
        column_of<EndpointId>(session_.run(sql::endpoint_of_external_id, external_id), 0));
}

std::map<std::string, EndpointId> PostgresEndpointRepository::ids_of(
    std::span<const std::string> external_ids) {
    return ids_by_text<EndpointId>(
        session_.run(sql::endpoints_of_external_ids,
                     std::vector<std::string>{external_ids.begin(), external_ids.end()}));
}

std::optional<Endpoint> PostgresEndpointRepository::lock(EndpointId id) {
    return first_of(endpoints_in(session_.run(sql::lock_endpoint, id)));
}

// If another transaction takes the external id between the check and the update, the update fails.
// Then the work runs again, and the check finds the other endpoint.
Result<void> PostgresEndpointRepository::update(const Endpoint& endpoint) {
    auto free = external_id_is_free(endpoint);
    if (free) base::check(write(sql::update_endpoint, endpoint).changed() == 1);
    return free;
}

Page<Endpoint> PostgresEndpointRepository::list(const EndpointQuery& query) {
    const Statement& statement =
        query.page.descending ? sql::endpoints_by_creation_down : sql::endpoints_by_creation;
    return page_in(endpoints_in(session_.run(statement, query.type, query.enabled, query.prefix,
                                             last_id(query.page), last_instant(query.page),
                                             rows_for(query.page))),
                   query.page);
}

}  // namespace sundial::postgres
