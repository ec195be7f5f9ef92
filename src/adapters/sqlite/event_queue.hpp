#pragma once

#include "application/ports/event_queue.hpp"

namespace sundial::sqlite {

class Readers;
class Writer;

/// A queue with one shard. Thread-safe.
class SqliteEventQueue final : public EventQueue {
public:
    SqliteEventQueue(Writer& writer, Readers& readers) : writer_{writer}, readers_{readers} {}
    [[nodiscard]] std::uint32_t shards() const override { return 1; }
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
    Writer& writer_;
    Readers& readers_;
};

}  // namespace sundial::sqlite
