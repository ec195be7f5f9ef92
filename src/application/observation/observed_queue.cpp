#include "application/observation/observed_queue.hpp"

#include "application/observation/query_timer.hpp"

namespace sundial {

QueuePeek ObservedQueue::peek() {
    const QueryTimer timer{"look", monotonic_, observer_};
    return queue_.peek();
}

Claimed ObservedQueue::claim_ready(const ClaimRequest& request) {
    const QueryTimer timer{"claim_ready", monotonic_, observer_};
    return queue_.claim_ready(request);
}

Claimed ObservedQueue::claim_from_line(const LineRequest& request) {
    const QueryTimer timer{"claim_from_line", monotonic_, observer_};
    return queue_.claim_from_line(request);
}

std::vector<Result<void>> ObservedQueue::settle(std::span<const Settlement> settlements) {
    const QueryTimer timer{"settle", monotonic_, observer_};
    return queue_.settle(settlements);
}

std::vector<Result<void>> ObservedQueue::release_claims(std::span<const ReleasedClaim> released) {
    const QueryTimer timer{"give_back", monotonic_, observer_};
    return queue_.release_claims(released);
}

std::vector<EventId> ObservedQueue::extend(std::span<const Held> held,
                                           std::chrono::microseconds lease) {
    const QueryTimer timer{"extend", monotonic_, observer_};
    return queue_.extend(held, lease);
}

void ObservedQueue::announce(InstanceId by, std::span<const std::string> event_types,
                             std::chrono::microseconds valid) {
    const QueryTimer timer{"announce", monotonic_, observer_};
    queue_.announce(by, event_types, valid);
}

std::vector<std::string> ObservedQueue::announced() {
    const QueryTimer timer{"announced", monotonic_, observer_};
    return queue_.announced();
}

Backlog ObservedQueue::backlog() {
    const QueryTimer timer{"backlog", monotonic_, observer_};
    return queue_.backlog();
}

QueueDepth ObservedQueue::depth() {
    const QueryTimer timer{"depth", monotonic_, observer_};
    return queue_.depth();
}

}  // namespace sundial
