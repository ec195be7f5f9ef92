#include "adapters/postgres/claims.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
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

void note_next(const NextReads& reads, std::span<const Answer> answers,
               std::vector<Claimed>& claims) {
    for (std::size_t read = 0; read < answers.size(); ++read) {
        const Answer& rows = answers[read];
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto place = static_cast<std::size_t>(rows.get<std::int64_t>(row, 0) - 1);
            auto& next = claims.at(reads.claims.at(read).at(place)).next;
            next = std::min(next.value_or(never), rows.get<Instant>(row, 1));
        }
    }
}

}  // namespace

void refuse_former_primary(const Database& database, std::int16_t shard) {
    if (const auto refusal = database.refusal_of(static_cast<std::uint32_t>(shard))) {
        throw Unavailable{"OLD_PRIMARY " + *refusal};
    }
}

Claimed run_claim(Database& database, const Call& claim, const ClaimTerms& terms) {
    return run_claims(database, {{claim, terms}}).front();
}

std::vector<Claimed> run_claims(Database& database, const std::vector<ClaimCall>& claims,
                                const NextReads& reads) {
    std::vector<Call> calls;
    for (const auto& [call, terms] : claims) {
        refuse_former_primary(database, terms.shard);
        calls.push_back(call);
    }
    calls.insert(calls.end(), reads.calls.begin(), reads.calls.end());
    const auto answered = database.run("claim", Database::Effect::once, calls);
    std::vector<Claimed> all;
    std::vector<std::vector<LostClaim>> lost;
    bool in_vain = true;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        auto found = claimed_in(answered.answers[i], answered.now, claims[i].terms);
        in_vain = in_vain && found.claimed.events.empty() && found.claimed.lined_up.empty();
        all.push_back(std::move(found.claimed));
        lost.push_back(std::move(found.lost));
    }
    note_next(reads, std::span{answered.answers}.subspan(claims.size()), all);
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (lost[i].empty()) continue;
        all[i].next.reset();  // read before these were taken over
        try {
            take_over(database, lost[i], claims[i].terms, all[i]);
            in_vain = in_vain && all[i].events.empty();
        } catch (const Unavailable&) {
            // The next claim finds them again. The claims so far are committed: if this threw,
            // their events would wait for the end of the lease.
            if (in_vain || database.open_here()) throw;
        }
    }
    return all;
}

}  // namespace sundial::postgres
