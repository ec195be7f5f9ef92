#pragma once

#include <string>
#include <utility>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A request that an INBOX endpoint received, as a webhook receiver would have seen it.
struct InboxRequest {
    Uuid id;  // version 7: in order of arrival
    EndpointId endpoint;
    Instant received_at;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    friend bool operator==(const InboxRequest&, const InboxRequest&) = default;
};

/// Requests received by INBOX endpoints, inside one transaction. Keeps the newest 10,000 of each
/// endpoint.
class InboxRepository {
public:
    virtual ~InboxRepository() = default;
    virtual void add(const InboxRequest& request) = 0;
    /// Newest first; `page.descending` and `after->value` are not used.
    virtual Page<InboxRequest> list(EndpointId endpoint, const PageRequest& page) = 0;
    virtual void clear(EndpointId endpoint) = 0;
};

}  // namespace sundial
