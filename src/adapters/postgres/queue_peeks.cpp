#include "adapters/postgres/queue_peeks.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"
#include "application/ports/failures.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

/// Index pages read to reach the start of a part, for both scans of a peek.
constexpr std::uint64_t pages_per_descent = 8;
/// Maximum time a due event may wait for the sweep.
constexpr std::chrono::microseconds max_while_due = 5ms;
/// In an answer about one shard, the column that says when its server started.
constexpr int started_column = 6;
constexpr auto priorities_of_part = std::tuple_size_v<ClaimFloors::Priorities>;

/// Every part of a group, once for each priority.
std::vector<std::uint32_t> parts_of(const std::vector<Instant>& from) {
    std::vector<std::uint32_t> parts;
    parts.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        parts.push_back(static_cast<std::uint32_t>(i / priorities_of_part));
    }
    return parts;
}

void read_lines(const Answer& heads, QueuePeek& peeked) {
    for (std::size_t row = 0; row < heads.size(); ++row) {
        peeked.lines.push_back({.endpoint = heads.get<EndpointId>(row, 0),
                                .shard = heads.get<std::uint32_t>(row, 1),
                                .priority = static_cast<Priority>(heads.get<std::int32_t>(row, 2)),
                                .next = heads.get<Instant>(row, 3)});
    }
}

}  // namespace

QueuePeeks::QueuePeeks(Database& database, std::uint64_t many)
    : database_{database},
      many_{many},
      to_endpoints_{{endpoint_lane}, database.shards(), many},
      to_handlers_{group_of({})} {}

void QueuePeeks::hint(Instant due) {
    to_endpoints_.floors.lower(due);
    to_handlers()->floors.lower(due);
}

QueuePeek QueuePeeks::peek(std::span<const Lane> lanes, const DeadInstances& dead) {
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
    const bool due =
        std::ranges::any_of(peeked.next, [&peeked](Instant next) { return next <= peeked.now; });
    for (const Reading& one : readings) sweep(*one.group, dead, due, peeked_at, peeked);
    return peeked;
}

std::shared_ptr<QueuePeeks::LaneGroup> QueuePeeks::group_of(std::vector<Lane> lanes) const {
    return std::make_shared<LaneGroup>(std::move(lanes), shards(), many_);
}

std::shared_ptr<QueuePeeks::LaneGroup> QueuePeeks::to_handlers() const {
    const std::lock_guard lock{mutex_};
    return to_handlers_;
}

std::shared_ptr<QueuePeeks::LaneGroup> QueuePeeks::to_handlers(std::span<const Lane> lanes) {
    std::vector<Lane> requested{lanes.begin(), lanes.end()};
    std::erase(requested, endpoint_lane);
    const std::lock_guard lock{mutex_};
    if (to_handlers_->lanes != requested) to_handlers_ = group_of(std::move(requested));
    return to_handlers_;
}

ClaimFloors::Priorities QueuePeeks::floors_of(const Lane& lane, std::uint32_t shard) const {
    if (lane == endpoint_lane) return to_endpoints_.floors.of(shard);
    const auto group = to_handlers();
    const auto found = std::ranges::find(group->lanes, lane);
    if (found == group->lanes.end()) return ClaimFloors{1, many_}.of(0);  // not peeked at yet
    const auto place = static_cast<std::uint32_t>(found - group->lanes.begin());
    return group->floors.of(place * shards() + shard);
}

NextReads QueuePeeks::next_reads(std::span<const ClaimRequest> requests) const {
    NextReads reads;
    // The read would need another round trip, for the coordinator's clock.
    if (database_.distributed()) return reads;
    struct Several {
        const LaneGroup* group;
        const DeadInstances* dead;
        std::vector<std::uint32_t> parts;
        std::vector<std::size_t> claims;
    };
    const auto handlers = to_handlers();
    std::vector<Several> all;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const ClaimRequest& one = requests[i];
        const LaneGroup& group = one.lane == endpoint_lane ? to_endpoints_ : *handlers;
        const auto lane = std::ranges::find(group.lanes, one.lane);
        if (!one.with_next || lane == group.lanes.end() || group.floors.raised()) continue;
        auto its = std::ranges::find_if(all, [&](const Several& each) {
            return each.group == &group && *each.dead == one.dead;
        });
        if (its == all.end()) its = all.insert(its, {&group, &one.dead, {}, {}});
        const auto place = static_cast<std::uint32_t>(lane - group.lanes.begin());
        its->parts.insert(its->parts.end(), priorities_of_part, place * shards() + one.shard);
        its->claims.insert(its->claims.end(), priorities_of_part, i);
    }
    for (Several& its : all) {
        std::vector<Instant> from;
        for (std::size_t at = 0; at < its.parts.size(); at += priorities_of_part) {
            std::ranges::copy(its.group->floors.of(its.parts[at]), std::back_inserter(from));
        }
        reads.calls.push_back(reading(*its.group, its.parts, from, never, *its.dead, Need::next));
        reads.claims.push_back(std::move(its.claims));
    }
    return reads;
}

void QueuePeeks::lower_floors_for(const DeadInstances& dead) {
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

Call QueuePeeks::reading(const LaneGroup& group, const std::vector<std::uint32_t>& parts,
                         const std::vector<Instant>& from, Instant until, const DeadInstances& dead,
                         Need need) const {
    const bool whole = need == Need::next_and_floors;
    const auto each = column(
        parts, [this](std::uint32_t part) { return static_cast<std::int16_t>(part % shards()); });
    const std::vector<Instant> ends(parts.size(), until);
    if (&group == &to_endpoints_) {
        return Call{sql::peek, each, from, ends, dead.ids, dead.as_of, whole};
    }
    const auto types =
        column(parts, [&](std::uint32_t part) { return group.lanes[part / shards()].value; });
    return Call{sql::peek_to_handle, each, from, ends, types, dead.ids, dead.as_of, whole};
}

Call QueuePeeks::reading_in_shard(const LaneGroup& group, std::uint32_t part,
                                  std::span<const Instant> from, Instant until,
                                  const DeadInstances& dead) const {
    const auto shard = static_cast<std::int16_t>(part % shards());
    const std::vector<Instant> ends(from.size(), until);
    if (&group == &to_endpoints_) {
        return Call{sql::peek_in_shard, shard, from, ends, dead.ids, dead.as_of};
    }
    return Call{sql::peek_in_shard_to_handle,          shard,    from,      ends,
                group.lanes.at(part / shards()).value, dead.ids, dead.as_of};
}

void QueuePeeks::add_reading(std::vector<Call>& calls, const LaneGroup& group,
                             const std::vector<std::uint32_t>& parts,
                             const std::vector<Instant>& from, Instant until,
                             const DeadInstances& dead) const {
    if (!database_.distributed()) {
        calls.push_back(reading(group, parts, from, until, dead, Need::next_and_floors));
        return;
    }
    for (std::size_t at = 0; at < parts.size(); at += priorities_of_part) {
        calls.push_back(reading_in_shard(
            group, parts[at], std::span{from}.subspan(at, priorities_of_part), until, dead));
    }
}

void QueuePeeks::add_reading_of_lines(std::vector<Call>& calls) const {
    if (!database_.distributed()) {
        calls.emplace_back(sql::peek_at_lines, shards());
        return;
    }
    for (std::uint32_t shard = 0; shard < shards(); ++shard) {
        calls.emplace_back(sql::peek_at_lines_in_shard, static_cast<std::int16_t>(shard));
    }
}

Database::Answered QueuePeeks::run_somehow(const std::vector<Call>& calls, std::size_t limited) {
    if (!database_.distributed()) return database_.run("look", Database::Effect::none, calls);
    try {
        return database_.run("look", Database::Effect::none, calls);
    } catch (const Unavailable&) {
        if (database_.open_here()) throw;
    }
    // One machine that fails is enough for that. Now each shard is asked for itself, which costs
    // more. Those that do not answer have nothing to claim, and the next peek asks again.
    const auto shard_of_call = [&](std::size_t call) {
        return call < limited ? call : (call - limited - 1) % shards();
    };
    std::vector<std::vector<Call>> parts(shards() + 1);
    const std::size_t of_coordinator = shards();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        parts[i == limited ? of_coordinator : shard_of_call(i)].push_back(calls[i]);
    }
    auto ran = database_.run_in_parts("look", Database::Effect::none, parts);
    auto& here = ran.answered[of_coordinator];
    if (!here || ran.failed() == shards()) throw Unavailable{ran.why};
    Database::Answered all{here->now, {}};
    std::vector<std::size_t> taken(parts.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::size_t part = i == limited ? of_coordinator : shard_of_call(i);
        auto& answered = ran.answered[part];
        all.answers.push_back(answered ? std::move(answered->answers[taken[part]++])
                                       : Answer{nullptr});
    }
    return all;
}

void QueuePeeks::read_all(std::vector<Reading>& readings, const DeadInstances& dead,
                          QueuePeek& peeked) {
    std::vector<Call> calls;
    add_reading_of_lines(calls);
    const std::size_t limited = calls.size();
    calls.emplace_back(sql::limited_endpoints);
    std::vector<std::size_t> ends{calls.size()};
    for (const Reading& one : readings) {
        add_reading(calls, *one.group, parts_of(one.from), one.from, never, dead);
        ends.push_back(calls.size());
    }
    const auto answered = run_somehow(calls, limited);
    peeked.now = answered.now;
    const std::span<const Answer> answers{answered.answers};
    for (const Answer& heads : answers.first(limited)) read_lines(heads, peeked);
    peeked.limited = column_of<EndpointId>(answers[limited], 0);
    for (std::size_t i = 0; i < readings.size(); ++i) {
        Reading& one = readings[i];
        one.seen = seen_in(answers.subspan(ends[i], ends[i + 1] - ends[i]), *one.group,
                           parts_of(one.from), peeked);
    }
    if (database_.distributed()) note_holders(readings, answers, ends, peeked);
}

void QueuePeeks::note_holders(std::span<const Reading> readings, std::span<const Answer> answers,
                              std::span<const std::size_t> ends, QueuePeek& peeked) {
    if (!database_.open_here()) {
        std::vector<Database::ShardHolder> holders;
        for (std::size_t i = 0; i < readings.size(); ++i) {
            for (std::size_t at = ends[i]; at < ends[i + 1]; ++at) {
                if (answers[at].empty()) continue;  // of a machine that failed
                const auto shard = static_cast<std::uint32_t>((at - ends[i]) % shards());
                holders.push_back({shard, answers[at].get<std::int64_t>(0, started_column)});
            }
        }
        database_.note_holders(holders);
    }
    for (std::uint32_t shard = 0; shard < shards(); ++shard) {
        if (!database_.refusal_of(shard)) continue;
        for (std::size_t lane = 0; lane < peeked.lanes.size(); ++lane) {
            peeked.next[lane * shards() + shard] = never;
        }
        std::erase_if(peeked.lines, [shard](const auto& head) { return head.shard == shard; });
    }
}

void QueuePeeks::sweep(LaneGroup& group, const DeadInstances& dead, bool due,
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

ClaimFloors::Seen QueuePeeks::seen_in(std::span<const Answer> answers, const LaneGroup& group,
                                      const std::vector<std::uint32_t>& parts,
                                      QueuePeek& peeked) const {
    ClaimFloors::Seen seen{.heads = std::vector<Instant>(parts.size(), never), .now = peeked.now};
    std::size_t first = 0;  // place of the answer's first part
    for (const Answer& rows : answers) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto place = first + static_cast<std::size_t>(rows.get<std::int64_t>(row, 0) - 1);
            const std::uint32_t part = parts.at(place);
            const auto lane = std::ranges::find(peeked.lanes, group.lanes.at(part / shards()));
            const auto lane_start =
                static_cast<std::size_t>(lane - peeked.lanes.begin()) * shards();
            Instant& next = peeked.next.at(lane_start + part % shards());
            next = std::min(next, rows.get<Instant>(row, 1));
            seen.heads[place] = rows.get<Instant>(row, 2);
            seen.pages = std::max(seen.pages, rows.get<std::uint64_t>(row, 3));
            seen.first_open = rows.get<std::uint64_t>(row, 4);
            seen.next = rows.get<std::uint64_t>(row, 5);
        }
        first += priorities_of_part;
    }
    seen.pages -= std::min(seen.pages, pages_per_descent * parts.size());
    return seen;
}

}  // namespace sundial::postgres
