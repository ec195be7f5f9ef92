#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/endpoint.hpp"

namespace sundial {

struct EndpointQuery {
    std::optional<EndpointType> type;
    std::optional<bool> enabled;
    std::optional<std::string> prefix;  // of id, external id, name
    PageRequest page;                   // by createdAt
};

/// Endpoints, inside one transaction.
class EndpointRepository {
public:
    virtual ~EndpointRepository() = default;
    /// Errors: DuplicateExternalId.
    virtual Result<void> add(const Endpoint& endpoint) = 0;
    virtual std::optional<Endpoint> find(EndpointId id) = 0;
    virtual std::vector<Endpoint> find_all(std::span<const EndpointId> ids) = 0;
    virtual std::optional<EndpointId> id_of(std::string_view external_id) = 0;
    /// By external id. Unknown external ids are left out.
    virtual std::map<std::string, EndpointId> ids_of(std::span<const std::string> external_ids) = 0;
    virtual std::optional<Endpoint> lock(EndpointId id) = 0;
    /// Replaces a locked endpoint. Errors: DuplicateExternalId.
    virtual Result<void> update(const Endpoint& endpoint) = 0;
    virtual Page<Endpoint> list(const EndpointQuery& query) = 0;
};

}  // namespace sundial
