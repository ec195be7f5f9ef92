#include "adapters/memory/inbox_repository.hpp"

#include <algorithm>

namespace sundial::memory {
namespace {

constexpr std::size_t kept = 10'000;  // of each endpoint, as the port says

}  // namespace

void MemoryInboxRepository::add(const InboxRequest& request) {
    inbox_.insert({request.endpoint, request.id}, request);
    const auto keys = keys_of(request.endpoint);
    if (keys.size() > kept) inbox_.erase(keys.front());
}

Page<InboxRequest> MemoryInboxRepository::list(EndpointId endpoint, const PageRequest& page) {
    auto keys = keys_of(endpoint);
    std::reverse(keys.begin(), keys.end());
    Page<InboxRequest> found;
    for (const auto& key : keys) {
        if (page.after && key.id >= page.after->id) continue;
        found.has_more = found.items.size() == page.limit;
        if (found.has_more) break;
        found.items.push_back(*inbox_.find(key));
    }
    return found;
}

void MemoryInboxRepository::clear(EndpointId endpoint) {
    for (const auto& key : keys_of(endpoint)) inbox_.erase(key);
}

std::vector<InboxKey> MemoryInboxRepository::keys_of(EndpointId endpoint) const {
    std::vector<InboxKey> keys;
    for (auto row = inbox_.rows().lower_bound({endpoint, Uuid{}});
         row != inbox_.rows().end() && row->first.endpoint == endpoint; ++row) {
        keys.push_back(row->first);
    }
    return keys;
}

}  // namespace sundial::memory
