#pragma once

#include "adapters/postgres/claim_floors.hpp"
#include "adapters/postgres/database.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::postgres {

class PostgresEventQueue final : public EventQueue {
public:
    /// A peek that reads `many` pages makes claims use floors.
    PostgresEventQueue(Database& database, std::uint64_t many)
        : database_{database}, floors_{database.shards(), many} {}
    [[nodiscard]] std::uint32_t shards() const override { return database_.shards(); }
    void hint(Instant due) override;
    QueuePeek peek() override;
    Claimed claim_ready(const ClaimRequest& request) override;
    std::vector<Result<void>> settle(std::span<const Settlement> settlements) override;
    std::vector<Result<void>> release_claims(std::span<const ReleasedClaim> released) override;
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override;
    Backlog backlog() override;
    QueueDepth depth() override;

private:
    /// Reads each priority of each shard and records in `peeked` when an event becomes claimable.
    ClaimFloors::Seen read(const std::vector<std::int16_t>& each, const std::vector<Instant>& from,
                           Instant until, QueuePeek& peeked);

    Database& database_;
    ClaimFloors floors_;
};

}  // namespace sundial::postgres
