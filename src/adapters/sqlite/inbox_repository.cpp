#include "adapters/sqlite/inbox_repository.hpp"

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/statements.hpp"

namespace sundial::sqlite {

void SqliteInboxRepository::add(const InboxRequest& request) {
    connection_.execute(sql::add_inbox_request, request.endpoint, request.id, request.received_at,
                        array_of(request.headers), Bytes{request.body});
    connection_.execute(sql::trim_inbox, request.endpoint);
}

Page<InboxRequest> SqliteInboxRepository::list(EndpointId endpoint, const PageRequest& page) {
    const auto read = [&](Cursor& row) {
        return InboxRequest{.id = row.take<Uuid>(),
                            .endpoint = endpoint,
                            .received_at = row.take<Instant>(),
                            .headers = pairs_in(row.take<std::string>()),
                            .body = row.take<Bytes>().value};
    };
    return page_of(
        all_of(connection_.query(sql::list_inbox, endpoint, id_after(page), limit_of(page)), read),
        page);
}

void SqliteInboxRepository::clear(EndpointId endpoint) {
    connection_.execute(sql::clear_inbox, endpoint);
}

}  // namespace sundial::sqlite
