#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/endpoint_repository.hpp"

namespace sundial::sqlite {

/// Only one connection writes, so every row that it reads is already locked.
class SqliteEndpointRepository final : public EndpointRepository {
public:
    explicit SqliteEndpointRepository(Session& session) : connection_{session.connection} {}
    Result<void> add(const Endpoint& endpoint) override;
    std::optional<Endpoint> find(EndpointId id) override;
    std::vector<Endpoint> find_all(std::span<const EndpointId> ids) override;
    std::optional<EndpointId> id_of(std::string_view external_id) override;
    std::map<std::string, EndpointId> ids_of(std::span<const std::string> external_ids) override;
    std::optional<Endpoint> lock(EndpointId id) override { return find(id); }
    Result<void> update(const Endpoint& endpoint) override;
    Page<Endpoint> list(const EndpointQuery& query) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
