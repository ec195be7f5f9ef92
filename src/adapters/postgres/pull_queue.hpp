#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/pull_queue.hpp"

namespace sundial::postgres {

class PostgresPullQueue final : public PullQueue {
public:
    explicit PostgresPullQueue(Database& database) : database_{database} {}
    PullPeek peek(std::span<const EndpointId> endpoints) override;
    Claimed claim(const PullRequest& request) override;
    std::uint32_t held(EndpointId endpoint) override;

private:
    Database& database_;
};

}  // namespace sundial::postgres
