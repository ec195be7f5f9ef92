#include "adapters/memory/inbox_repository.hpp"

namespace sundial::memory {
namespace {

constexpr std::size_t kept = 10'000;  // per endpoint, as the port says

/// The bounds of all keys of the endpoint.
InboxKey first_key(EndpointId endpoint) { return {endpoint, Uuid{}}; }
InboxKey last_key(EndpointId endpoint) {
    Uuid last;
    last.bytes.fill(0xff);
    return {endpoint, last};
}

}  // namespace

void MemoryInboxRepository::add(const InboxRequest& request) {
    inbox_.insert({request.endpoint, request.id}, request);
    const std::size_t* size = sizes_.find(request.endpoint);
    if (!size) {
        sizes_.insert(request.endpoint, 1);
    } else if (*size < kept) {
        sizes_.replace(request.endpoint, *size + 1);
    } else {
        inbox_.erase(InboxKey{inbox_.rows().lower_bound(first_key(request.endpoint))->first});
    }
}

Page<InboxRequest> MemoryInboxRepository::list(EndpointId endpoint, const PageRequest& page) {
    const auto& rows = inbox_.rows();
    const auto oldest = rows.lower_bound(first_key(endpoint));
    auto row = page.after ? rows.lower_bound({endpoint, page.after->id})
                          : rows.upper_bound(last_key(endpoint));
    Page<InboxRequest> found;
    while (row != oldest && found.items.size() < page.limit) {
        found.items.push_back((--row)->second);
    }
    found.has_more = row != oldest;
    return found;
}

void MemoryInboxRepository::clear(EndpointId endpoint) {
    const auto& rows = inbox_.rows();
    for (auto row = rows.lower_bound(first_key(endpoint));
         row != rows.end() && row->first.endpoint == endpoint;) {
        inbox_.erase(InboxKey{(row++)->first});
    }
    if (sizes_.find(endpoint)) sizes_.erase(endpoint);
}

}  // namespace sundial::memory
