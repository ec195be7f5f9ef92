#include "application/observation/observed_pull_queue.hpp"

#include "application/observation/query_timer.hpp"

namespace sundial {

PullPeek ObservedPullQueue::peek(std::span<const EndpointId> endpoints) {
    const QueryTimer timer{"look_to_pull", monotonic_, observer_};
    return queue_.peek(endpoints);
}

Claimed ObservedPullQueue::claim(const PullRequest& request) {
    const QueryTimer timer{"claim_to_pull", monotonic_, observer_};
    return queue_.claim(request);
}

std::uint32_t ObservedPullQueue::held(EndpointId endpoint) {
    const QueryTimer timer{"held_by_workers", monotonic_, observer_};
    return queue_.held(endpoint);
}

}  // namespace sundial
