#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/endpoint_repository.hpp"

namespace sundial::memory {

class MemoryEndpointRepository final : public EndpointRepository {
public:
    explicit MemoryEndpointRepository(State& state) : endpoints_{state.endpoints} {}
    Result<void> add(const Endpoint& endpoint) override;
    std::optional<Endpoint> find(EndpointId id) override;
    std::vector<Endpoint> find_all(std::span<const EndpointId> ids) override;
    std::optional<EndpointId> id_of(std::string_view external_id) override;
    std::map<std::string, EndpointId> ids_of(std::span<const std::string> external_ids) override;
    std::optional<Endpoint> lock(EndpointId id) override;
    Result<void> update(const Endpoint& endpoint) override;
    Page<Endpoint> list(const EndpointQuery& query) override;

private:
    Table<EndpointId, Endpoint>& endpoints_;
};

}  // namespace sundial::memory
