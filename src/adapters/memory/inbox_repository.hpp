#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/inbox_repository.hpp"

namespace sundial::memory {

class MemoryInboxRepository final : public InboxRepository {
public:
    explicit MemoryInboxRepository(State& state) : inbox_{state.inbox} {}
    void add(const InboxRequest& request) override;
    Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) override;
    void clear(EndpointId endpoint) override;

private:
    /// In order of arrival.
    [[nodiscard]] std::vector<InboxKey> keys_of(EndpointId endpoint) const;

    Table<InboxKey, InboxRequest>& inbox_;
};

}  // namespace sundial::memory
