#include "adapters/memory/endpoint_repository.hpp"

#include "adapters/memory/external_ids.hpp"
#include "adapters/memory/paging.hpp"

namespace sundial::memory {

Result<void> MemoryEndpointRepository::add(const Endpoint& endpoint) {
    auto free = external_id_is_free(endpoints_, endpoint, Noun::endpoint);
    if (free) endpoints_.insert(endpoint.id, endpoint);
    return free;
}

std::optional<Endpoint> MemoryEndpointRepository::find(EndpointId id) {
    const Endpoint* endpoint = endpoints_.find(id);
    return endpoint ? std::optional{*endpoint} : std::nullopt;
}

std::vector<Endpoint> MemoryEndpointRepository::find_all(std::span<const EndpointId> ids) {
    return those_of(endpoints_, ids);
}

std::optional<EndpointId> MemoryEndpointRepository::id_of(std::string_view external_id) {
    return memory::id_of(endpoints_, external_id);
}

std::map<std::string, EndpointId> MemoryEndpointRepository::ids_of(
    std::span<const std::string> external_ids) {
    return memory::ids_of(endpoints_, external_ids);
}

std::optional<Endpoint> MemoryEndpointRepository::lock(EndpointId id) { return find(id); }

Result<void> MemoryEndpointRepository::update(const Endpoint& endpoint) {
    auto free = external_id_is_free(endpoints_, endpoint, Noun::endpoint);
    if (free) endpoints_.replace(endpoint.id, endpoint);
    return free;
}

Page<Endpoint> MemoryEndpointRepository::list(const EndpointQuery& query) {
    std::vector<Endpoint> endpoints;
    for (const auto& [id, endpoint] : endpoints_.rows()) {
        if (is(query.type, endpoint.type) && is(query.enabled, endpoint.enabled) &&
            any_starts(query.prefix,
                       {to_string(id), endpoint.name, endpoint.external_id.value_or("")})) {
            endpoints.push_back(endpoint);
        }
    }
    return page_of<std::int64_t>(std::move(endpoints), query.page, [](const Endpoint& endpoint) {
        return microseconds_of(endpoint.created_at);
    });
}

}  // namespace sundial::memory
