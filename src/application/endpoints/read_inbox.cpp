#include "application/endpoints/read_inbox.hpp"

#include <string>

#include "application/requests/queries.hpp"

namespace sundial {
namespace {

EndpointResult<EndpointId> inbox_id(Transaction& tx, const EndpointKinds& kinds,
                                    std::string_view reference) {
    const auto id = endpoint_id(tx, reference);
    if (!id) return id.error();
    const auto endpoint = tx.endpoints().find(*id);
    if (!endpoint) return NotFound{Noun::endpoint, std::string{reference}};
    const auto kind = kinds.of(*endpoint);
    if (!kind) return kind.error();
    if (!(*kind)->keeps_requests()) {
        return invalid("", "not_allowed",
                       "endpoint '" + endpoint->name + "' is of type " + endpoint->type.value +
                           "; only an INBOX stores the requests that it receives");
    }
    return *id;
}

}  // namespace

EndpointResult<Page<InboxRequest>> ReadInbox::run(std::string_view reference,
                                                  const PageRequest& page) {
    return in_read(store_, [&](Transaction& tx) -> EndpointResult<Page<InboxRequest>> {
        const auto id = inbox_id(tx, kinds_, reference);
        if (!id) return id.error();
        return tx.inbox().list(*id, page);
    });
}

EndpointResult<void> ClearInbox::run(std::string_view reference) {
    return in_transaction(store_, [&](Transaction& tx) -> EndpointResult<void> {
        const auto id = inbox_id(tx, kinds_, reference);
        if (!id) return id.error();
        tx.inbox().clear(*id);
        return {};
    });
}

}  // namespace sundial
