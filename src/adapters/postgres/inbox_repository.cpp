#include "adapters/postgres/inbox_repository.hpp"

#include "adapters/postgres/control_statements.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/rows.hpp"

namespace sundial::postgres {
namespace {

constexpr std::int64_t kept = 10'000;  // per endpoint, as the port says

/// Finding the ten-thousandth request takes a millisecond, so older ones are removed after one
/// request in 64, chosen by its id. Lists do not show them meanwhile.
bool is_time_to_trim(const Uuid& id) { return id.bytes.back() % 64 == 0; }

}  // namespace

void PostgresInboxRepository::add(const InboxRequest& request) {
    const auto [header_names, header_values] = unzipped(request.headers);
    session_.run(sql::add_inbox_request, request.endpoint, request.id, request.received_at,
                 header_names, header_values, Bytes{request.body});
    if (is_time_to_trim(request.id)) session_.run(sql::trim_inbox, request.endpoint, kept);
}

Page<InboxRequest> PostgresInboxRepository::list(EndpointId endpoint, const PageRequest& page) {
    return page_in(inbox_requests_in(session_.run(sql::list_inbox, endpoint, last_id(page),
                                                  rows_for(page), kept)),
                   page);
}

void PostgresInboxRepository::clear(EndpointId endpoint) {
    session_.run(sql::clear_inbox, endpoint);
}

}  // namespace sundial::postgres
