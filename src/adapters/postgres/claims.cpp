#include "adapters/postgres/claims.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/postgres/claim_sql.hpp"
#include "application/ports/failures.hpp"

namespace sundial::postgres {
namespace {

void take_over(Database& database, const std::vector<LostClaim>& lost, const ClaimTerms& terms,
               Claimed& claimed) {
    const auto ids = column(lost, &LostClaim::id);
    const auto versions = column(lost, &LostClaim::held);
    const std::array calls{
        Call{sql::record_lost, terms.shard, ids, versions, terms.server, claimed.now,
             terms.dead.ids, terms.dead.as_of},
        Call{sql::take_over, terms.shard, ids, versions, terms.server, claimed.now, terms.dead.ids,
             terms.dead.as_of, terms.by.instance, terms.lease, worker_of(terms.by)}};
    std::optional<Database::Answered> answered;
    const auto take = [&] { answered = database.run("claim", Database::Effect::once, calls); };
    if (database.distributed()) {
        // Citus evaluates functions of these statements on the coordinator. So a statement of its
        // own, in the same transaction, asks the server that has the shard first.
        database.write("claim", [&](Session& session) {
            answered.reset();
            if (!database.trusts_holder(session, terms.shard, terms.lease)) return false;
            take();
            return true;
        });
        if (!answered) return;
    } else {
        take();
    }
    auto taken = claimed_in(answered->answers.back(), answered->now, terms).claimed.events;
    for (ClaimedEvent& one : taken) one.previous_lost = true;
    std::ranges::move(taken, std::back_inserter(claimed.events));
}

}  // namespace

void refuse_former_primary(const Database& database, std::int16_t shard) {
    if (const auto refusal = database.refusal_of(static_cast<std::uint32_t>(shard))) {
        throw Unavailable{"OLD_PRIMARY " + *refusal};
    }
}

Claimed run_claim(Database& database, const Call& claim, const ClaimTerms& terms) {
    refuse_former_primary(database, terms.shard);
    const auto answered = database.run("claim", Database::Effect::once, {&claim, 1});
    auto [claimed, lost] = claimed_in(answered.answers.front(), answered.now, terms);
    if (lost.empty()) return std::move(claimed);
    try {
        take_over(database, lost, terms, claimed);
    } catch (const Unavailable&) {
        // The next claim finds them again. The claims of the first statement are committed: if this
        // threw, their events would wait for the end of the lease.
        const bool in_vain = claimed.events.empty() && claimed.lined_up.empty();
        if (in_vain || database.open_here()) throw;
    }
    return std::move(claimed);
}

}  // namespace sundial::postgres
