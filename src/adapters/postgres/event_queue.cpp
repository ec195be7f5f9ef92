#include "application/ports/event_queue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/postgres/claim_floors.hpp"
#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/claims.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
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
/// Index pages read to reach the start of a part, for both scans of a peek.
constexpr std::uint64_t pages_per_descent = 8;
/// Maximum time a due event may wait for the sweep.
constexpr std::chrono::microseconds max_while_due = 5ms;

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

/// Runs the calls `make_calls(key, indices)` of each part, all in one transaction, and marks in
/// `done` the items whose ordinals within their part (from 1) the last call of the part returned.
template <class Key, class MakeCalls>
void run_for_each(Database& database, std::string_view purpose, const Parts<Key>& parts,
                  std::vector<bool>& done, MakeCalls make_calls) {
    if (parts.empty()) return;
    std::vector<Call> calls;
    std::vector<std::size_t> last_calls;
    for (const auto& [key, indices] : parts) {
        std::ranges::move(make_calls(key, indices), std::back_inserter(calls));
        last_calls.push_back(calls.size() - 1);
    }
    const auto answered = database.run(purpose, Database::Effect::repeatable, calls);
    auto last = last_calls.begin();
    for (const auto& [key, indices] : parts) {
        for (const auto place : column_of<std::int64_t>(answered.answers.at(*last++), 0)) {
            done[indices.at(static_cast<std::size_t>(place - 1))] = true;
        }
    }
}

/// The items of `parts` that are not done.
ByShard left_of(const ByShard& parts, const std::vector<bool>& done) {
    ByShard left;
    for (const auto& [shard, indices] : parts) {
        for (const std::size_t i : indices) {
            if (!done[i]) left[shard].push_back(i);
        }
    }
    return left;
}

template <class Given>
std::vector<Result<void, LeaseLost>> answers_of(std::span<const Given> given,
                                                const std::vector<bool>& done) {
    std::vector<Result<void, LeaseLost>> answers;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (done[i]) {
            answers.emplace_back();
        } else {
            answers.emplace_back(LeaseLost{given[i].id, given[i].held});
        }
    }
    return answers;
}

/// Lanes that are read with one statement, and where their claims start. A part is a shard of a
/// lane: all shards of the first lane, then of the second.
struct LaneGroup {
    LaneGroup(std::vector<Lane> which, std::uint32_t shards, std::uint64_t many)
        : lanes{std::move(which)},
          floors{static_cast<std::uint32_t>(lanes.size()) * shards, many} {}

    std::vector<Lane> lanes;
    ClaimFloors floors;
};

class PostgresEventQueue final : public EventQueue {
public:
    /// A peek that reads `many` pages makes claims use floors.
    PostgresEventQueue(Database& database, std::uint64_t many)
        : database_{database},
          many_{many},
          to_endpoints_{{endpoint_lane}, database.shards(), many},
          to_handlers_{group_of({})} {}
    [[nodiscard]] std::uint32_t shards() const override { return database_.shards(); }
    void hint(Instant due) override {
        to_endpoints_.floors.lower(due);
        to_handlers()->floors.lower(due);
    }

    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead) override {
        QueuePeek peeked{{}, std::vector<Instant>(lanes.size() * shards(), never)};
        peeked.lanes.assign(lanes.begin(), lanes.end());
        const auto handlers = to_handlers(lanes);
        lower_floors_for(dead);
        std::vector<Reading> readings;
        if (std::ranges::find(lanes, endpoint_lane) != lanes.end()) {
            readings.push_back(reading_of(to_endpoints_));
        }
        if (!handlers->lanes.empty()) readings.push_back(reading_of(*handlers));
        try {
            read_all(readings, dead, peeked);
        } catch (const StatementTimeout&) {
            for (const Reading& one : readings) {
                one.group->floors.peek_failed(database_.approximate_now(), SteadyClock::now());
            }
            throw;  // the next peek is shorter
        }
        const auto peeked_at = SteadyClock::now();
        for (const Reading& one : readings) {
            one.group->floors.note_peek(one.from, one.seen, peeked_at);
        }
        const bool due = std::ranges::any_of(
            peeked.next, [&peeked](Instant next) { return next <= peeked.now; });
        for (const Reading& one : readings) sweep(*one.group, dead, due, peeked_at, peeked);
        return peeked;
    }

    Claimed claim_ready(const ClaimRequest& request) override {
        const auto [priorities, shares] = row_shares(request.shares);
        const auto floors = floors_of(request.lane, request.shard);
        const auto from = column(priorities, [&](std::int16_t priority) {
            return floors.at(static_cast<std::size_t>(priority));
        });
        const auto shard = static_cast<std::int16_t>(request.shard);
        const auto server = database_.trusted_server(request.lease);
        const Call claim =
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
        CRASH_POINT("claim: before commit");
        auto claimed = run_claim(
            database_, claim, {shard, Claimant{request.by}, request.lease, server, request.dead});
        CRASH_POINT("claim: after commit");
        return claimed;
    }

    Claimed claim_from_line(const LineRequest& request) override {
        const auto [priorities, shares] = row_shares(request.shares);
        const auto shard = static_cast<std::int16_t>(request.shard);
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
        std::vector<bool> done(settlements.size());
        CRASH_POINT("settle: before commit");
        run_for_each(database_, "settle", by_kind, done, [&](auto part, const auto& indices) {
            return settling(part.first, part.second, settlements, indices);
        });
        CRASH_POINT("settle: after commit");
        run_for_each(database_, "settle", left_of(parts, done), done,
                     [&](std::int16_t shard, const auto& indices) {
                         return std::vector{settling_late(shard, settlements, indices)};
                     });
        return answers_of(settlements, done);
    }

    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override {
        const ByShard parts = by_shard(released, shards());
        std::vector<bool> done(released.size());
        CRASH_POINT("release: before commit");
        run_for_each(database_, "give back", parts, done,
                     [&](std::int16_t shard, const auto& indices) {
                         return releasing(shard, released, indices);
                     });
        CRASH_POINT("release: after commit");
        run_for_each(database_, "give back", left_of(parts, done), done,
                     [&](std::int16_t shard, const auto& indices) {
                         return std::vector{finding_released(shard, released, indices)};
                     });
        return answers_of(released, done);
    }

    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override {
        std::vector<bool> done(held.size());
        CRASH_POINT("extend: before commit");
        run_for_each(database_, "extend", by_shard(held, shards()), done,
                     [&](std::int16_t shard, const auto& indices) {
                         const auto rows = chosen(held, indices);
                         return std::vector{Call{sql::extend, shard, column(rows, &Held::id),
                                                 column(rows, &Held::held), lease}};
                     });
        CRASH_POINT("extend: after commit");
        std::vector<EventId> lost;
        for (std::size_t i = 0; i < held.size(); ++i) {
            if (!done[i]) lost.push_back(held[i].id);
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
    using SteadyClock = std::chrono::steady_clock;
    static constexpr auto priorities_of_part = std::tuple_size_v<ClaimFloors::Priorities>;

    /// One group's part of a peek.
    struct Reading {
        LaneGroup* group;
        std::vector<Instant> from;
        ClaimFloors::Seen seen{};
    };
    static Reading reading_of(LaneGroup& group) { return {&group, group.floors.all()}; }

    [[nodiscard]] std::shared_ptr<LaneGroup> group_of(std::vector<Lane> lanes) const {
        return std::make_shared<LaneGroup>(std::move(lanes), shards(), many_);
    }
    [[nodiscard]] std::shared_ptr<LaneGroup> to_handlers() const {
        const std::lock_guard lock{mutex_};
        return to_handlers_;
    }
    /// Those of `lanes` that handlers serve. Floors are lost when an engine gets another handler.
    [[nodiscard]] std::shared_ptr<LaneGroup> to_handlers(std::span<const Lane> lanes) {
        std::vector<Lane> requested{lanes.begin(), lanes.end()};
        std::erase(requested, endpoint_lane);
        const std::lock_guard lock{mutex_};
        if (to_handlers_->lanes != requested) to_handlers_ = group_of(std::move(requested));
        return to_handlers_;
    }
    /// Where a claim of that lane starts.
    [[nodiscard]] ClaimFloors::Priorities floors_of(const Lane& lane, std::uint32_t shard) const {
        if (lane == endpoint_lane) return to_endpoints_.floors.of(shard);
        const auto group = to_handlers();
        const auto found = std::ranges::find(group->lanes, lane);
        if (found == group->lanes.end()) return ClaimFloors{1, many_}.of(0);  // not peeked at yet
        const auto place = static_cast<std::uint32_t>(found - group->lanes.begin());
        return group->floors.of(place * shards() + shard);
    }

    /// What a dead instance had claimed lies below the floors, as far as it is not recent. Sweeps
    /// find the rest.
    void lower_floors_for(const DeadInstances& dead) {
        std::vector<InstanceId> before;
        {
            const std::lock_guard lock{mutex_};
            before = std::exchange(known_dead_, dead.ids);
        }
        const bool has_news = std::ranges::any_of(dead.ids, [&before](const InstanceId& id) {
            return std::ranges::find(before, id) == before.end();
        });
        if (!has_news) return;
        to_endpoints_.floors.lower_to_recent();
        to_handlers()->floors.lower_to_recent();
    }

    /// Adds the calls that read the given parts of a group, each once for each priority. On a
    /// distributed database each part has a call of its own, which names its shard.
    void add_reading(std::vector<Call>& calls, const LaneGroup& group,
                     const std::vector<std::uint32_t>& parts, const std::vector<Instant>& from,
                     Instant until, const DeadInstances& dead) const {
        const auto each = column(parts, [this](std::uint32_t part) {
            return static_cast<std::int16_t>(part % shards());
        });
        const std::vector<Instant> ends(parts.size(), until);
        const bool to_endpoints = &group == &to_endpoints_;
        const auto types =
            column(parts, [&](std::uint32_t part) { return group.lanes[part / shards()].value; });
        if (!database_.distributed()) {
            if (to_endpoints) {
                calls.emplace_back(sql::peek, each, from, ends, dead.ids, dead.as_of);
            } else {
                calls.emplace_back(sql::peek_to_handle, each, from, ends, types, dead.ids,
                                   dead.as_of);
            }
            return;
        }
        for (std::size_t at = 0; at < parts.size(); at += priorities_of_part) {
            const std::span floors{&from[at], priorities_of_part};
            const std::span ceilings{&ends[at], priorities_of_part};
            if (to_endpoints) {
                calls.emplace_back(sql::peek_in_shard, each[at], floors, ceilings, dead.ids,
                                   dead.as_of);
            } else {
                calls.emplace_back(sql::peek_in_shard_to_handle, each[at], floors, ceilings,
                                   std::span{&types[at], priorities_of_part}, dead.ids, dead.as_of);
            }
        }
    }
    void add_reading_of_lines(std::vector<Call>& calls) const {
        if (!database_.distributed()) {
            calls.emplace_back(sql::peek_at_lines, shards());
            return;
        }
        for (std::uint32_t shard = 0; shard < shards(); ++shard) {
            calls.emplace_back(sql::peek_at_lines_in_shard, static_cast<std::int16_t>(shard));
        }
    }

    /// Every part of a group, once for each priority.
    [[nodiscard]] static std::vector<std::uint32_t> parts_of(const std::vector<Instant>& from) {
        std::vector<std::uint32_t> parts;
        parts.reserve(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) {
            parts.push_back(static_cast<std::uint32_t>(i / priorities_of_part));
        }
        return parts;
    }

    /// Reads all parts without an end, and in the same round trip the lines and the limited
    /// endpoints.
    void read_all(std::vector<Reading>& readings, const DeadInstances& dead, QueuePeek& peeked) {
        std::vector<Call> calls{Call{sql::limited_endpoints}};
        add_reading_of_lines(calls);
        std::vector<std::size_t> ends{calls.size()};
        for (const Reading& one : readings) {
            add_reading(calls, *one.group, parts_of(one.from), one.from, never, dead);
            ends.push_back(calls.size());
        }
        const auto answered = database_.run("look", Database::Effect::none, calls);
        peeked.now = answered.now;
        const std::span<const Answer> answers{answered.answers};
        peeked.limited = column_of<EndpointId>(answers.front(), 0);
        for (const Answer& heads : answers.subspan(1, ends.front() - 1)) read_lines(heads, peeked);
        for (std::size_t i = 0; i < readings.size(); ++i) {
            Reading& one = readings[i];
            one.seen = seen_in(answers.subspan(ends[i], ends[i + 1] - ends[i]), *one.group,
                               parts_of(one.from), peeked);
        }
    }
    static void read_lines(const Answer& heads, QueuePeek& peeked) {
        for (std::size_t row = 0; row < heads.size(); ++row) {
            peeked.lines.push_back(
                {.endpoint = heads.get<EndpointId>(row, 0),
                 .shard = heads.get<std::uint32_t>(row, 1),
                 .priority = static_cast<Priority>(heads.get<std::int32_t>(row, 2)),
                 .next = heads.get<Instant>(row, 3)});
        }
    }

    /// Looks below the floors for events that have become claimable there.
    void sweep(LaneGroup& group, const DeadInstances& dead, bool due,
               SteadyClock::time_point peeked_at, QueuePeek& peeked) {
        while (const auto slice = group.floors.next_slice(SteadyClock::now())) {
            const auto began = SteadyClock::now();
            const auto took = [began] {
                return std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() -
                                                                             began);
            };
            const std::vector<std::uint32_t> parts(priorities_of_part, slice->shard);
            const std::vector<Instant> from(priorities_of_part, slice->from);
            try {
                std::vector<Call> calls;
                add_reading(calls, group, parts, from, slice->until, dead);
                const auto answered = database_.run("look", Database::Effect::none, calls);
                peeked.now = answered.now;
                group.floors.swept(*slice, seen_in(answered.answers, group, parts, peeked), took());
            } catch (const Unavailable&) {
                group.floors.gave_up(*slice, took());
                break;  // the result of the peek is still valid
            }
            if (due && SteadyClock::now() > peeked_at + max_while_due) break;
        }
    }

    /// Records in `peeked` when an event becomes claimable. Answers are those of `add_reading`.
    [[nodiscard]] ClaimFloors::Seen seen_in(std::span<const Answer> answers, const LaneGroup& group,
                                            const std::vector<std::uint32_t>& parts,
                                            QueuePeek& peeked) const {
        ClaimFloors::Seen seen{.heads = std::vector<Instant>(parts.size(), never),
                               .now = peeked.now};
        std::size_t first_place = 0;
        for (const Answer& rows : answers) {
            for (std::size_t row = 0; row < rows.size(); ++row) {
                note_part(rows, row, first_place, group, parts, seen, peeked);
            }
            first_place += priorities_of_part;
        }
        seen.pages -= std::min(seen.pages, pages_per_descent * parts.size());
        return seen;
    }
    void note_part(const Answer& rows, std::size_t row, std::size_t first_place,
                   const LaneGroup& group, const std::vector<std::uint32_t>& parts,
                   ClaimFloors::Seen& seen, QueuePeek& peeked) const {
        const auto place =
            first_place + static_cast<std::size_t>(rows.get<std::int64_t>(row, 0) - 1);
        const std::uint32_t part = parts.at(place);
        const auto lane = std::ranges::find(peeked.lanes, group.lanes.at(part / shards()));
        const auto first = static_cast<std::size_t>(lane - peeked.lanes.begin()) * shards();
        Instant& next = peeked.next.at(first + part % shards());
        next = std::min(next, rows.get<Instant>(row, 1));
        seen.heads[place] = rows.get<Instant>(row, 2);
        seen.pages = std::max(seen.pages, rows.get<std::uint64_t>(row, 3));
        seen.first_open = rows.get<std::uint64_t>(row, 4);
        seen.next = rows.get<std::uint64_t>(row, 5);
    }

    Database& database_;
    const std::uint64_t many_;
    LaneGroup to_endpoints_;
    mutable std::mutex mutex_;
    std::shared_ptr<LaneGroup> to_handlers_;
    std::vector<InstanceId> known_dead_;
};

}  // namespace

std::unique_ptr<EventQueue> make_event_queue(Database& database, std::uint64_t many) {
    return std::make_unique<PostgresEventQueue>(database, many);
}

}  // namespace sundial::postgres
