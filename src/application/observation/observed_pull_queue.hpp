#pragma once

#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/pull_queue.hpp"

namespace sundial {

/// A pull queue that reports the duration of each call.
class ObservedPullQueue final : public PullQueue {
public:
    ObservedPullQueue(PullQueue& queue, const MonotonicClock& monotonic, StorageObserver& observer)
        : queue_(queue), monotonic_(monotonic), observer_(observer) {}
    PullPeek peek(std::span<const EndpointId> endpoints) override;
    Claimed claim(const PullRequest& request) override;
    std::uint32_t held(EndpointId endpoint) override;

private:
    PullQueue& queue_;
    const MonotonicClock& monotonic_;
    StorageObserver& observer_;
};

}  // namespace sundial
