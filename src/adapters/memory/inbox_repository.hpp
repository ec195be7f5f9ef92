#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/inbox_repository.hpp"

namespace sundial::memory {

class MemoryInboxRepository final : public InboxRepository {
public:
    explicit MemoryInboxRepository(State& state) : inbox_{state.inbox}, sizes_{state.inbox_sizes} {}
    void add(const InboxRequest& request) override;
    Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) override;
    void clear(EndpointId endpoint) override;

private:
    using Rows = Table<InboxKey, InboxRequest>;

    Rows& inbox_;
    Table<EndpointId, std::size_t>& sizes_;
};

}  // namespace sundial::memory
