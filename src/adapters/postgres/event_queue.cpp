#include "application/ports/event_queue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/claims.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/queue_peeks.hpp"
#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/settlement_calls.hpp"
#include "adapters/postgres/sql_error.hpp"
#include "adapters/postgres/statement.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"
#include "base/crash_point.hpp"

namespace sundial::postgres {

namespace {

using namespace std::chrono_literals;

/// Maximum number of missed events that are counted.
constexpr std::int64_t max_counted = 100'000;
/// The indices of the items that one statement handles: a statement touches one shard.
template <class Key>
using Parts = std::map<Key, std::vector<std::size_t>>;
using ByShard = Parts<std::int16_t>;

/// A part is in the order of ids, in which a statement locks its rows. So a holder that settles
/// late does not deadlock with the instance that takes over its claims. Of two with one id, the
/// first stays the first.
template <class Given>
ByShard by_shard(std::span<const Given> given, std::uint32_t shards) {
    ByShard parts;
    for (std::size_t i = 0; i < given.size(); ++i) {
        parts[static_cast<std::int16_t>(shard_of(given[i].id, shards))].push_back(i);
    }
    for (auto& [shard, indices] : parts) {
        std::ranges::sort(indices, {},
                          [given](std::size_t i) { return std::pair{given[i].id, i}; });
    }
    return parts;
}

std::int16_t shard_in(std::int16_t shard) { return shard; }
std::int16_t shard_in(const std::pair<std::int16_t, std::size_t>& shard_and_kind) {
    return shard_and_kind.first;
}

/// The outcome of each item of a call, as far as it is known.
struct Progress {
    explicit Progress(std::size_t items) : done(items), unknown(items) {}

    std::vector<bool> done;
    std::vector<bool> unknown;  // its machine has failed
    std::string why;            // of the last of these
};

/// Runs the calls `make_calls(key, indices)` of each part, and marks as done the items whose
/// ordinals within their part (from 1) the last call of the part returned. On a distributed
/// database each shard has a transaction of its own.
template <class Key, class MakeCalls>
void run_for_each(Database& database, std::string_view purpose, const Parts<Key>& parts,
                  Progress& progress, MakeCalls make_calls) {
    struct Place {
        std::size_t transaction, last_call;
    };
    std::vector<std::vector<Call>> transactions;
    std::vector<Place> places;
    std::optional<std::int16_t> shard;
    for (const auto& [key, indices] : parts) {
        if (shard != shard_in(key)) transactions.emplace_back();
        shard = shard_in(key);
        std::vector<Call>& calls = transactions.back();
        std::ranges::move(make_calls(key, indices), std::back_inserter(calls));
        places.push_back({transactions.size() - 1, calls.size() - 1});
    }
    const auto ran = database.run_in_parts(purpose, Database::Effect::repeatable, transactions);
    if (ran.failed() > 0) progress.why = ran.why;
    auto place = places.begin();
    for (const auto& [key, indices] : parts) {
        const auto [transaction, last_call] = *place++;
        const auto& answered = ran.answered.at(transaction);
        if (!answered) {
            for (const std::size_t i : indices) progress.unknown[i] = true;
            continue;
        }
        for (const auto ordinal : column_of<std::int64_t>(answered->answers.at(last_call), 0)) {
            progress.done[indices.at(static_cast<std::size_t>(ordinal - 1))] = true;
        }
    }
}

/// The items of `parts` that have no outcome yet.
ByShard left_of(const ByShard& parts, const Progress& progress) {
    ByShard left;
    for (const auto& [shard, indices] : parts) {
        for (const std::size_t i : indices) {
            if (!progress.done[i] && !progress.unknown[i]) left[shard].push_back(i);
        }
    }
    return left;
}

/// Throws PartlyUnavailable if some have no outcome.
template <class Given>
std::vector<Result<void, LeaseLost>> answers_of(std::span<const Given> given,
                                                const Progress& progress) {
    std::vector<Result<void, LeaseLost>> results(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (!progress.done[i]) results[i] = LeaseLost{given[i].id, given[i].held};
    }
    if (std::ranges::find(progress.unknown, true) != progress.unknown.end()) {
        throw PartlyUnavailable{progress.why, {std::move(results), progress.unknown}};
    }
    return results;
}

class PostgresEventQueue final : public EventQueue {
public:
    /// A peek that reads `many` pages makes claims use floors.
    PostgresEventQueue(Database& database, std::uint64_t many)
        : database_{database}, peeks_{database, many} {}
    [[nodiscard]] std::uint32_t shards() const override { return database_.shards(); }
    /// On a distributed database shards may be on different servers. Otherwise more gain nothing
    /// (ADR 0073), and rows stay locked until the last claim has run.
    [[nodiscard]] std::uint32_t claims_at_once() const override {
        return database_.distributed() ? 1 : 8;
    }
    void hint(Instant due) override { peeks_.hint(due); }
    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead) override {
        return peeks_.peek(lanes, dead);
    }

    std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) override {
        base::check(requests.size() <= claims_at_once());
        std::vector<ClaimCall> calls;
        calls.reserve(requests.size());
        for (const ClaimRequest& request : requests) calls.push_back(claiming(request));
        CRASH_POINT("claim: before commit");
        auto claimed = run_claims(database_, calls, peeks_.next_reads(requests));
        CRASH_POINT("claim: after commit");
        return claimed;
    }

    Claimed claim_from_line(const LineRequest& request) override {
        const auto [priorities, shares] = row_shares(request.shares);
        const auto shard = static_cast<std::int16_t>(request.shard);
        refuse_former_primary(database_, shard);
        const Call claim{sql::claim_from_line, shard,         priorities,      shares,
                         request.by,           request.lease, request.endpoint};
        const auto answered = database_.run("claim", Database::Effect::once, {&claim, 1});
        const ClaimTerms terms{shard, request.by, request.lease};
        return claimed_in(answered.answers.front(), answered.now, terms).claimed;
    }

    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override {
        const ByShard parts = by_shard(settlements, shards());
        Parts<std::pair<std::int16_t, std::size_t>> by_kind;
        // The history refuses a second row of a claim. settle_late answers its repetition.
        std::set<std::pair<EventId, Version>> seen;
        for (const auto& [shard, indices] : parts) {
            for (const std::size_t i : indices) {
                const Settlement& one = settlements[i];
                if (!seen.emplace(one.id, one.held).second) continue;
                by_kind[{shard, one.result.index()}].push_back(i);
            }
        }
        Progress progress{settlements.size()};
        CRASH_POINT("settle: before commit");
        run_for_each(database_, "settle", by_kind, progress, [&](auto part, const auto& indices) {
            return settling(part.first, part.second, settlements, indices, database_.distributed());
        });
        CRASH_POINT("settle: after commit");
        run_for_each(database_, "settle", left_of(parts, progress), progress,
                     [&](std::int16_t shard, const auto& indices) {
                         return std::vector{settling_late(shard, settlements, indices)};
                     });
        return answers_of(settlements, progress);
    }

    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override {
        const ByShard parts = by_shard(released, shards());
        Progress progress{released.size()};
        CRASH_POINT("release: before commit");
        run_for_each(database_, "give back", parts, progress,
                     [&](std::int16_t shard, const auto& indices) {
                         return releasing(shard, released, indices);
                     });
        CRASH_POINT("release: after commit");
        run_for_each(database_, "give back", left_of(parts, progress), progress,
                     [&](std::int16_t shard, const auto& indices) {
                         return std::vector{finding_released(shard, released, indices)};
                     });
        return answers_of(released, progress);
    }

    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override {
        Progress progress{held.size()};
        CRASH_POINT("extend: before commit");
        run_for_each(database_, "extend", by_shard(held, shards()), progress,
                     [&](std::int16_t shard, const auto& indices) {
                         const auto rows = chosen(held, indices);
                         return std::vector{Call{sql::extend, shard, column(rows, &Held::id),
                                                 column(rows, &Held::held), lease}};
                     });
        CRASH_POINT("extend: after commit");
        const auto answers = answers_of(held, progress);
        std::vector<EventId> lost;
        for (std::size_t i = 0; i < held.size(); ++i) {
            if (!answers[i]) lost.push_back(held[i].id);
        }
        return lost;
    }

    Backlog backlog(std::span<const Lane> lanes) override {
        const Call backlog{sql::backlog, std::chrono::microseconds{late_after}, max_counted,
                           column(lanes, &Lane::value)};
        const auto answered = database_.run("backlog", Database::Effect::none, {&backlog, 1});
        const Answer& row = answered.answers.front();
        const auto missed = row.get<std::uint64_t>(0, 0);
        if (missed == 0) return {};
        return {missed, row.get<Instant>(0, 1), row.get<Instant>(0, 2)};
    }

    std::optional<Instant> first_missed(Instant from, Instant until,
                                        std::span<const Lane> lanes) override {
        const Call call{sql::first_missed, from, until, column(lanes, &Lane::value)};
        const auto answered = database_.run("first missed", Database::Effect::none, {&call, 1});
        const Answer& rows = answered.answers.front();
        return rows.empty() ? std::nullopt : std::optional{rows.get<Instant>(0, 0)};
    }

    QueueDepth depth() override {
        QueueDepth depth;
        database_.read("depth", [&](Session& session) {
            const Answer live = session.run(sql::depth);
            depth.due = live.get<std::uint64_t>(0, 0);
            depth.oldest_due_age = live.get<std::chrono::microseconds>(0, 1);
            depth.waiting_for_retry = live.get<std::uint64_t>(0, 2);
            depth.waiting_for_endpoint = live.get<std::uint64_t>(0, 3);
            depth.waiting_for_schedule = live.get<std::uint64_t>(0, 4);
            depth.waiting_for_circuit = live.get<std::uint64_t>(0, 5);
            depth.waiting_for_limit = live.get<std::uint64_t>(0, 6);
            depth.without_endpoint = live.get<std::uint64_t>(0, 7);
            depth.dead_letters = session.run(sql::dead_letters).get<std::uint64_t>(0, 0);
            const Answer stored = session.run(sql::stored_events);
            depth.stored = {};
            for (std::size_t row = 0; row < stored.size(); ++row) {
                const auto status = event_status(stored.get<std::string>(row, 0));
                depth.stored.at(static_cast<std::size_t>(status)) =
                    stored.get<std::uint64_t>(row, 1);
            }
        });
        return depth;
    }

    std::optional<Renewal> renew(InstanceId own) override {
        const std::array calls{Call{sql::renew_heartbeat, own, longest_gap, dead_after},
                               Call{sql::forget_heartbeats, remembered_for}};
        const auto answered = database_.run("heartbeat", Database::Effect::once, calls);
        // The clock of the transaction's beginning: all that a revived instance claims is later.
        Renewal renewal{.dead = {{}, answered.now}};
        const Answer& others = answered.answers.front();
        for (std::size_t row = 0; row < others.size(); ++row) {
            const auto id = others.get<InstanceId>(row, 0);
            const auto left = others.get<std::chrono::microseconds>(row, 1);
            if (left <= 0us) {
                renewal.dead.ids.push_back(id);
            } else {
                renewal.alive.push_back(id);
                renewal.next_death = std::min(renewal.next_death.value_or(left), left);
            }
        }
        return renewal;
    }

    void retire(InstanceId own) override {
        const Call call{sql::retire_instance, own};
        (void)database_.run("heartbeat", Database::Effect::repeatable, {&call, 1});
    }

private:
    [[nodiscard]] ClaimCall claiming(const ClaimRequest& request) {
        const auto [priorities, shares] = row_shares(request.shares);
        const auto floors = peeks_.floors_of(request.lane, request.shard);
        const auto from = column(priorities, [&](std::int16_t priority) {
            return floors.at(static_cast<std::size_t>(priority));
        });
        const auto shard = static_cast<std::int16_t>(request.shard);
        const auto server = database_.trusted_server(request.lease, request.shard);
        Call call =
            request.lane == endpoint_lane
                ? Call{sql::claim_ready,  shard,  priorities, shares,          request.by,
                       request.lease,     server, from,       request.limited, request.dead.ids,
                       request.dead.as_of}
                : Call{sql::claim_to_handle,
                       shard,
                       priorities,
                       shares,
                       request.by,
                       request.lease,
                       server,
                       from,
                       request.lane.value,
                       request.dead.ids,
                       request.dead.as_of};
        return {std::move(call),
                {shard, Claimant{request.by}, request.lease, server, request.dead}};
    }

    Database& database_;
    QueuePeeks peeks_;
};

}  // namespace

std::unique_ptr<EventQueue> make_event_queue(Database& database, std::uint64_t many) {
    return std::make_unique<PostgresEventQueue>(database, many);
}

}  // namespace sundial::postgres
