#pragma once

#include <memory>

#include "adapters/memory/store.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::memory {

/// The live events of a MemoryStore, claimed and settled by the rules of the domain.
class MemoryEventQueue final : public EventQueue {
public:
    explicit MemoryEventQueue(const MemoryStore& store);
    ~MemoryEventQueue() override;
    [[nodiscard]] std::uint32_t shards() const override;
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
    std::shared_ptr<State> state_;
};

}  // namespace sundial::memory
