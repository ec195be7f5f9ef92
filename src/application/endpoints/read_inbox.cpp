#include "application/endpoints/read_inbox.hpp"

#include <string>
#include <utility>

#include "application/requests/queries.hpp"

namespace sundial {
namespace {

struct InboxFound {
    Endpoint endpoint;
    const EndpointKind* kind;
};

EndpointResult<InboxFound> find_inbox(Transaction& tx, const EndpointKinds& kinds,
                                      std::string_view reference) {
    const auto id = endpoint_id(tx, reference);
    if (!id) return id.error();
    auto endpoint = tx.endpoints().find(*id);
    if (!endpoint) return NotFound{Noun::endpoint, std::string{reference}};
    const auto kind = kinds.of(*endpoint);
    if (!kind) return kind.error();
    if (!(*kind)->keeps_requests()) {
        return invalid("", "not_allowed",
                       "endpoint '" + endpoint->name + "' is of type " + endpoint->type.value +
                           "; only an INBOX stores the requests that it receives");
    }
    return InboxFound{*std::move(endpoint), *kind};
}

}  // namespace

EndpointResult<Page<CheckedRequest>> ReadInbox::run(std::string_view reference,
                                                    const PageRequest& page) {
    return in_read(store_, [&](Transaction& tx) -> EndpointResult<Page<CheckedRequest>> {
        const auto inbox = find_inbox(tx, kinds_, reference);
        if (!inbox) return inbox.error();
        auto listed = tx.inbox().list(inbox->endpoint.id, page);
        Page<CheckedRequest> checked{
            .items = {}, .has_more = listed.has_more, .passed = listed.passed};
        for (InboxRequest& one : listed.items) {
            const SignatureCheck signature = inbox->kind->check_signature(inbox->endpoint, one);
            checked.items.push_back({std::move(one), signature});
        }
        return checked;
    });
}

EndpointResult<void> ClearInbox::run(std::string_view reference) {
    return in_transaction(store_, [&](Transaction& tx) -> EndpointResult<void> {
        const auto inbox = find_inbox(tx, kinds_, reference);
        if (!inbox) return inbox.error();
        tx.inbox().clear(inbox->endpoint.id);
        return {};
    });
}

}  // namespace sundial
