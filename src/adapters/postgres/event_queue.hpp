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
    /// Reads each priority of each shard and records in `peeked` when an event becomes claimable.
    ClaimFloors::Seen read(const std::vector<std::int16_t>& each, const std::vector<Instant>& from,
                           Instant until, QueuePeek& peeked);
    static ClaimFloors::Seen seen_in(const Answer& rows, Instant now,
                                     const std::vector<std::int16_t>& each, QueuePeek& peeked);
    /// The same, and reads the lines and the limited endpoints in the same round trip.
    ClaimFloors::Seen read_all(const std::vector<std::int16_t>& each,
                               const std::vector<Instant>& from, QueuePeek& peeked);

    Database& database_;
    ClaimFloors floors_;
};

}  // namespace sundial::postgres
