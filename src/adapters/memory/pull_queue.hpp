#pragma once

#include <memory>

#include "adapters/memory/store.hpp"
#include "application/ports/pull_queue.hpp"

namespace sundial::memory {

/// The live events of a MemoryStore's PULL endpoints.
class MemoryPullQueue final : public PullQueue {
public:
    explicit MemoryPullQueue(const MemoryStore& store);
    ~MemoryPullQueue() override;
    PullPeek peek(std::span<const EndpointId> endpoints) override;
    Claimed claim(const PullRequest& request) override;
    std::uint32_t held(EndpointId endpoint) override;

private:
    std::shared_ptr<State> state_;
};

}  // namespace sundial::memory
