#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/inbox_repository.hpp"

namespace sundial::postgres {

class PostgresInboxRepository final : public InboxRepository {
public:
    explicit PostgresInboxRepository(Session& session) : session_{session} {}
    void add(const InboxRequest& request) override;
    Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) override;
    void clear(EndpointId endpoint) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
