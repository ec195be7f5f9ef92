#pragma once

#include <span>
#include <vector>

#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial {

/// A queue that reports the duration of each call.
class ObservedQueue final : public EventQueue {
public:
    ObservedQueue(EventQueue& queue, const MonotonicClock& monotonic, StorageObserver& observer)
        : queue_(queue), monotonic_(monotonic), observer_(observer) {}
    [[nodiscard]] std::uint32_t shards() const override { return queue_.shards(); }
    void hint(Instant due) override { queue_.hint(due); }
    QueuePeek peek() override;
    Claimed claim_ready(const ClaimRequest& request) override;
    Claimed claim_from_line(const LineRequest& request) override;
    std::vector<Result<void>> settle(std::span<const Settlement> settlements) override;
    std::vector<Result<void>> release_claims(std::span<const ReleasedClaim> released) override;
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override;
    void announce(InstanceId by, std::span<const std::string> event_types,
                  std::chrono::microseconds valid) override;
    [[nodiscard]] std::vector<std::string> announced() override;
    Backlog backlog() override;
    QueueDepth depth() override;

private:
    EventQueue& queue_;
    const MonotonicClock& monotonic_;
    StorageObserver& observer_;
};

}  // namespace sundial
