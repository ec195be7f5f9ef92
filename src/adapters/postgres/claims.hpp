#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "adapters/postgres/database.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::postgres {

/// Who claims, and which claims of others count as lost.
struct ClaimTerms {
    std::int16_t shard;
    Claimant by;
    std::chrono::microseconds lease;
    std::optional<std::int64_t> server;  // whose clock may declare leases expired (claim_ready)
    DeadInstances dead{};
};

/// Runs a claim statement of `claim_sql.hpp`. If it found lost claims, takes them over in a second
/// transaction, which records their attempts. Throws Unavailable only if nothing was claimed and
/// no event joined a line, or inside an open transaction.
[[nodiscard]] Claimed run_claim(Database& database, const Call& claim, const ClaimTerms& terms);

}  // namespace sundial::postgres
