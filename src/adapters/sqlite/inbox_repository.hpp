#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/inbox_repository.hpp"

namespace sundial::sqlite {

class SqliteInboxRepository final : public InboxRepository {
public:
    explicit SqliteInboxRepository(Session& session) : connection_{session.connection} {}
    void add(const InboxRequest& request) override;
    Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) override;
    void clear(EndpointId endpoint) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
