#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/endpoint_repository.hpp"

namespace sundial::postgres {

class PostgresEndpointRepository final : public EndpointRepository {
public:
    explicit PostgresEndpointRepository(Session& session) : session_{session} {}
    Result<void> add(const Endpoint& endpoint) override;
    std::optional<Endpoint> find(EndpointId id) override;
    std::vector<Endpoint> find_all(std::span<const EndpointId> ids) override;
    std::optional<EndpointId> id_of(std::string_view external_id) override;
    std::map<std::string, EndpointId> ids_of(std::span<const std::string> external_ids) override;
    std::optional<Endpoint> lock(EndpointId id) override;
    Result<void> update(const Endpoint& endpoint) override;
    Page<Endpoint> list(const EndpointQuery& query) override;

private:
    Answer write(const Statement& statement, const Endpoint& endpoint);
    Result<void> external_id_is_free(const Endpoint& endpoint);

    Session& session_;
};

}  // namespace sundial::postgres
