#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::postgres {

class PostgresEventQueue final : public EventQueue {
public:
    explicit PostgresEventQueue(Database& database) : database_{database} {}
    [[nodiscard]] std::uint32_t shards() const override { return database_.shards(); }
    Horizon look() override;
    Claimed claim_ready(const ClaimRequest& request) override;
    std::vector<Result<void>> settle(std::span<const Settlement> settlements) override;
    std::vector<Result<void>> give_back(std::span<const GivenBack> given_back) override;
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override;
    Backlog backlog() override;
    QueueDepth depth() override;

private:
    Database& database_;
};

}  // namespace sundial::postgres
