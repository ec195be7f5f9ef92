#include "adapters/sqlite/endpoint_repository.hpp"

#include <set>

#include "adapters/sqlite/control_statements.hpp"
#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/rows.hpp"
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
        endpoint.public_key, array_of(endpoint.signing_keys));
}

}  // namespace

Result<void> SqliteEndpointRepository::add(const Endpoint& endpoint) {
    if (write(connection_, sql::add_endpoint, endpoint) == 1) return {};
    return DuplicateExternalId{Noun::endpoint, endpoint.external_id.value(),
                               id_of(*endpoint.external_id).value().value};
}

std::optional<Endpoint> SqliteEndpointRepository::find(EndpointId id) {
    return first_of(connection_.query(sql::endpoint, id), read_endpoint);
}

std::vector<Endpoint> SqliteEndpointRepository::find_all(std::span<const EndpointId> ids) {
    std::vector<Endpoint> endpoints;
    for (const EndpointId& id : std::set<EndpointId>{ids.begin(), ids.end()}) {
        if (auto endpoint = find(id)) endpoints.push_back(*std::move(endpoint));
    }
    return endpoints;
}

std::optional<EndpointId> SqliteEndpointRepository::id_of(std::string_view external_id) {
    return sqlite::id_of<EndpointId>(connection_.query(sql::endpoint_id, external_id));
}

std::map<std::string, EndpointId> SqliteEndpointRepository::ids_of(
    std::span<const std::string> external_ids) {
    std::map<std::string, EndpointId> found;
    for (const std::string& external_id : external_ids) {
        if (const auto id = id_of(external_id)) found.emplace(external_id, *id);
    }
    return found;
}

Result<void> SqliteEndpointRepository::update(const Endpoint& endpoint) {
    if (endpoint.external_id) {
        const auto holder = id_of(*endpoint.external_id);
        if (holder && *holder != endpoint.id) {
            return DuplicateExternalId{Noun::endpoint, *endpoint.external_id, holder->value};
        }
    }
    base::check(write(connection_, sql::update_endpoint, endpoint) == 1);
    return {};
}

Page<Endpoint> SqliteEndpointRepository::list(const EndpointQuery& query) {
    const IdRange ids = ids_with(query.prefix);
    const Statement& statement =
        query.page.descending ? sql::endpoints_by_creation_down : sql::endpoints_by_creation;
    return page_of(all_of(connection_.query(statement, query.type, query.enabled, query.prefix,
                                            ids.first, ids.last, id_after(query.page),
                                            number_after(query.page), limit_of(query.page)),
                          read_endpoint),
                   query.page);
}

}  // namespace sundial::sqlite
