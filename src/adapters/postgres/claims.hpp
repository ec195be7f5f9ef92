#pragma once

#include <cstddef>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/rows.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::postgres {

/// Throws Unavailable if the server that has the shard was replaced (ServerWatch): it would give
/// out events that are done.
void refuse_former_primary(const Database& database, std::int16_t shard);

/// Runs a claim statement of `claim_sql.hpp`. If it found lost claims, takes them over in a second
/// transaction, which records their attempts. Throws Unavailable only if nothing was claimed and
/// no event joined a line, or inside an open transaction.
[[nodiscard]] Claimed run_claim(Database& database, const Call& claim, const ClaimTerms& terms);

struct ClaimCall {
    Call call;
    ClaimTerms terms;
};
/// Reads of the shards and lanes that claims take events from, for Claimed::next.
struct NextReads {
    std::vector<Call> calls{};  // peeks
    /// Of each call, the claim whose shard and lane it reads at each place of its parameters.
    std::vector<std::vector<std::size_t>> claims{};
};
/// The same for several claims in one transaction, and then, in the same round trip, `reads`.
[[nodiscard]] std::vector<Claimed> run_claims(Database& database,
                                              const std::vector<ClaimCall>& claims,
                                              const NextReads& reads = {});

}  // namespace sundial::postgres
