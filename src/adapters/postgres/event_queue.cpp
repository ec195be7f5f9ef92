#include "adapters/postgres/event_queue.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "adapters/postgres/claiming.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/sql_error.hpp"
#include "adapters/postgres/statements.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"
#include "base/crash_point.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds tick = 1s;
/// Maximum rows counted for each priority of each shard with a backlog.
constexpr std::int32_t max_counted = 10'000;
/// Index pages read to reach the start of a part, for both scans of a peek.
constexpr std::uint64_t pages_per_descent = 8;
/// Maximum time a due event may wait for the sweep.
constexpr std::chrono::microseconds max_while_due = 5ms;

/// The indices of the items that one statement handles: a statement touches one shard.
template <class Key>
using Parts = std::map<Key, std::vector<std::size_t>>;
using ByShard = Parts<std::int16_t>;

template <class Given>
ByShard by_shard(std::span<const Given> given, std::uint32_t shards) {
    ByShard parts;
    for (std::size_t i = 0; i < given.size(); ++i) {
        parts[static_cast<std::int16_t>(shard_of(given[i].id, shards))].push_back(i);
    }
    return parts;
}

/// Runs `call(key, indices)` for each part, all in one transaction, and marks in `done` the items
/// whose ordinals within their part (from 1) were returned.
template <class Key, class MakeCall>
void run_for_each(Database& database, std::string_view operation, const Parts<Key>& parts,
                  std::vector<bool>& done, MakeCall call) {
    if (parts.empty()) return;
    std::vector<Call> calls;
    for (const auto& [key, indices] : parts) calls.push_back(call(key, indices));
    const auto answered = database.run(operation, Database::Effect::repeatable, calls);
    auto answer = answered.answers.begin();
    for (const auto& [key, indices] : parts) {
        for (const auto place : column_of<std::int64_t>(*answer++, 0)) {
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
std::vector<Result<void>> answers_of(std::span<const Given> given, const std::vector<bool>& done) {
    std::vector<Result<void>> answers;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (done[i]) {
            answers.emplace_back();
        } else {
            answers.emplace_back(LeaseLost{given[i].id, given[i].held});
        }
    }
    return answers;
}

/// The name of a result in the settle statements.
struct ResultName {
    std::string operator()(const Accepted&) const { return "COMPLETED"; }
    std::string operator()(const RetryIn&) const { return "RETRY"; }
    std::string operator()(const Refused&) const { return "FAILED"; }
};

/// For an accepted claim, the history and the row of the claim contain all facts.
bool is_accepted(const Settlement& one) {
    const bool accepted = std::holds_alternative<Accepted>(one.result);
    base::check(!accepted || !one.attempt);
    return accepted;
}

/// Parameters of settle_accepted.
Call accepting(std::int16_t shard, std::span<const Settlement> all,
               const std::vector<std::size_t>& indices) {
    std::vector<EventId> ids;
    std::vector<Version> held;
    std::vector<std::optional<Instant>> starts;
    std::vector<std::chrono::microseconds> durations;
    std::vector<std::optional<std::int32_t>> status_codes;
    for (const std::size_t i : indices) {
        ids.push_back(all[i].id);
        held.push_back(all[i].held);
        starts.push_back(all[i].started_at);
        durations.push_back(all[i].duration);
        status_codes.push_back(all[i].status_code);
    }
    return Call{sql::settle_accepted, shard, ids, held, starts, durations, status_codes};
}

/// Parameters of settle and settle_late.
Call settling(const Statement& statement, std::int16_t shard, std::span<const Settlement> all,
              const std::vector<std::size_t>& indices) {
    std::vector<EventId> ids;
    std::vector<Version> held;
    std::vector<Attempt> numbers;
    std::vector<InstanceId> instances;
    std::vector<std::string> results;
    std::vector<std::optional<std::chrono::microseconds>> delays;
    std::vector<std::optional<std::string>> reasons;
    std::vector<std::optional<Instant>> starts;
    std::vector<std::chrono::microseconds> durations;
    std::vector<std::optional<std::int32_t>> status_codes;
    std::vector<std::optional<std::string>> outcomes, error_codes, error_texts;
    std::vector<std::optional<EndpointId>> endpoints;
    std::vector<std::optional<Bytes>> bodies;
    std::vector<std::optional<std::string>> workers;
    for (const std::size_t i : indices) {
        const Settlement& one = all[i];
        const auto* retry = std::get_if<RetryIn>(&one.result);
        const auto* refused = std::get_if<Refused>(&one.result);
        ids.push_back(one.id);
        held.push_back(one.held);
        numbers.push_back(one.number);
        instances.push_back(one.by.instance);
        workers.push_back(worker_of(one.by));
        results.push_back(std::visit(ResultName{}, one.result));
        delays.push_back(retry ? std::optional{retry->delay} : std::nullopt);
        reasons.push_back(refused ? std::optional{as_text(refused->reason)} : std::nullopt);
        starts.push_back(one.started_at);
        durations.push_back(one.duration);
        status_codes.push_back(one.status_code);
        const auto& attempt = one.attempt;
        outcomes.push_back(attempt ? std::optional{std::string{to_string(attempt->outcome)}}
                                   : std::nullopt);
        endpoints.push_back(attempt ? attempt->endpoint : std::nullopt);
        error_codes.push_back(attempt ? std::optional{as_text(attempt->error_code)} : std::nullopt);
        error_texts.push_back(attempt ? std::optional{as_text(attempt->error_text)} : std::nullopt);
        bodies.push_back(attempt ? std::optional{Bytes{attempt->response_body}} : std::nullopt);
    }
    return Call{statement, shard,     ids,         held,        numbers,   instances,
                results,   delays,    reasons,     starts,      durations, status_codes,
                outcomes,  endpoints, error_codes, error_texts, bodies,    workers};
}

}  // namespace

QueuePeek PostgresEventQueue::peek() {
    using Clock = std::chrono::steady_clock;
    const std::vector<Instant> floors = floors_.all();
    constexpr auto priorities = std::tuple_size_v<ClaimFloors::Priorities>;
    std::vector<std::int16_t> each;
    each.reserve(floors.size());
    for (std::size_t i = 0; i < floors.size(); ++i) {
        each.push_back(static_cast<std::int16_t>(i / priorities));
    }
    QueuePeek peeked{{}, std::vector<Instant>(shards(), never)};
    ClaimFloors::Seen seen;
    try {
        seen = read_all(each, floors, peeked);
    } catch (const StatementTimeout&) {
        floors_.peek_failed(database_.about_now(), Clock::now());
        throw;  // the next peek is shorter
    }
    const auto peeked_at = Clock::now();
    floors_.note_peek(floors, seen, peeked_at);
    const bool due =
        std::ranges::any_of(peeked.next, [&peeked](Instant next) { return next <= peeked.now; });
    while (const auto slice = floors_.next_slice(Clock::now())) {
        const auto began = Clock::now();
        const auto took = [began] {
            return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began);
        };
        each.assign(priorities, static_cast<std::int16_t>(slice->shard));
        const std::vector<Instant> from(priorities, slice->from);
        try {
            const auto found = read(each, from, slice->until, peeked);
            floors_.swept(*slice, found, took());
        } catch (const Unavailable&) {
            floors_.gave_up(*slice, took());
            break;  // the result of the peek is still valid
        }
        if (due && Clock::now() > peeked_at + max_while_due) break;
    }
    return peeked;
}

void PostgresEventQueue::hint(Instant due) { floors_.lower(due); }

ClaimFloors::Seen PostgresEventQueue::read(const std::vector<std::int16_t>& each,
                                           const std::vector<Instant>& from, Instant until,
                                           QueuePeek& peeked) {
    const Call call{sql::peek, each, from, std::vector<Instant>(each.size(), until)};
    const auto answered = database_.run("look", Database::Effect::none, {&call, 1});
    return seen_in(answered.answers.front(), answered.now, each, peeked);
}

ClaimFloors::Seen PostgresEventQueue::read_all(const std::vector<std::int16_t>& each,
                                               const std::vector<Instant>& from,
                                               QueuePeek& peeked) {
    const std::array calls{Call{sql::peek, each, from, std::vector<Instant>(each.size(), never)},
                           Call{sql::look_at_lines, shards()}, Call{sql::limited_endpoints},
                           Call{sql::announced_types}};
    const auto answered = database_.run("look", Database::Effect::none, calls);
    const Answer& heads = answered.answers[1];
    for (std::size_t row = 0; row < heads.size(); ++row) {
        peeked.lines.push_back(
            {Line{heads.get<std::string>(row, 1)}, heads.get<std::uint32_t>(row, 0),
             static_cast<Priority>(heads.get<std::int32_t>(row, 2)), heads.get<Instant>(row, 3)});
    }
    peeked.limited = column_of<EndpointId>(answered.answers[2], 0);
    peeked.handled = column_of<std::string>(answered.answers[3], 0);
    return seen_in(answered.answers.front(), answered.now, each, peeked);
}

ClaimFloors::Seen PostgresEventQueue::seen_in(const Answer& rows, Instant now,
                                              const std::vector<std::int16_t>& each,
                                              QueuePeek& peeked) {
    peeked.now = now;
    ClaimFloors::Seen seen{.heads = std::vector<Instant>(each.size(), never), .now = now};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto place = static_cast<std::size_t>(rows.get<std::int64_t>(row, 0) - 1);
        Instant& next = peeked.next.at(static_cast<std::size_t>(each.at(place)));
        next = std::min(next, rows.get<Instant>(row, 1));
        seen.heads[place] = rows.get<Instant>(row, 2);
        seen.pages = std::max(seen.pages, rows.get<std::uint64_t>(row, 3));
        seen.first_open = rows.get<std::uint64_t>(row, 4);
        seen.next = rows.get<std::uint64_t>(row, 5);
    }
    seen.pages -= std::min(seen.pages, pages_per_descent * each.size());
    return seen;
}

Claimed PostgresEventQueue::claim_ready(const ClaimRequest& request) {
    const auto [priorities, shares] = wanted_of(request.shares);
    const auto floors = floors_.of(request.shard);
    std::vector<Instant> from;
    from.reserve(priorities.size());
    for (const std::int16_t priority : priorities) {
        from.push_back(floors.at(static_cast<std::size_t>(priority)));
    }
    const Call claim{sql::claim_ready,
                     static_cast<std::int16_t>(request.shard),
                     priorities,
                     shares,
                     request.by,
                     request.lease,
                     database_.trusted_server(request.lease),
                     from,
                     request.limited,
                     request.types_of_others};
    CRASH_POINT("claim: before commit");
    const auto answered = database_.run("claim", Database::Effect::once, {&claim, 1});
    CRASH_POINT("claim: after commit");
    return claimed_in(answered);
}

Claimed PostgresEventQueue::claim_from_line(const LineRequest& request) {
    const auto [priorities, shares] = wanted_of(request.shares);
    const Call claim{sql::claim_from_line, static_cast<std::int16_t>(request.shard),
                     priorities,           shares,
                     request.by,           request.lease,
                     request.line.value};
    return claimed_in(database_.run("claim", Database::Effect::once, {&claim, 1}));
}

std::vector<Result<void>> PostgresEventQueue::settle(std::span<const Settlement> settlements) {
    const ByShard parts = by_shard(settlements, shards());
    Parts<std::pair<std::int16_t, bool>> accepted_apart;
    for (const auto& [shard, indices] : parts) {
        for (const std::size_t i : indices) {
            accepted_apart[{shard, is_accepted(settlements[i])}].push_back(i);
        }
    }
    std::vector<bool> done(settlements.size());
    CRASH_POINT("settle: before commit");
    run_for_each(database_, "settle", accepted_apart, done, [&](auto part, const auto& indices) {
        const auto [shard, accepted] = part;
        return accepted ? accepting(shard, settlements, indices)
                        : settling(sql::settle, shard, settlements, indices);
    });
    CRASH_POINT("settle: after commit");
    run_for_each(database_, "settle", left_of(parts, done), done,
                 [&](std::int16_t shard, const auto& indices) {
                     return settling(sql::settle_late, shard, settlements, indices);
                 });
    return answers_of(settlements, done);
}

std::vector<Result<void>> PostgresEventQueue::release_claims(
    std::span<const ReleasedClaim> released) {
    const ByShard parts = by_shard(released, shards());
    std::vector<bool> done(released.size());
    const auto release_claims = [&](std::int16_t shard, const std::vector<std::size_t>& indices) {
        std::vector<EventId> ids;
        std::vector<Version> held;
        std::vector<Attempt> numbers;
        std::vector<InstanceId> instances;
        std::vector<std::optional<std::chrono::microseconds>> delays;
        std::vector<std::string> reasons;
        std::vector<std::optional<std::string>> obstacles, workers, lines;
        for (const std::size_t i : indices) {
            const auto& obstacle = released[i].obstacle;
            ids.push_back(released[i].id);
            held.push_back(released[i].held);
            numbers.push_back(released[i].number);
            instances.push_back(released[i].by.instance);
            workers.push_back(worker_of(released[i].by));
            delays.push_back(released[i].delay);
            reasons.push_back(as_text(released[i].reason));
            obstacles.push_back(obstacle ? std::optional{std::string{to_string(*obstacle)}}
                                         : std::nullopt);
            const auto& line = released[i].line;
            lines.push_back(line ? std::optional{line->value} : std::nullopt);
        }
        return Call{sql::release_claims, shard,   ids,  held, numbers, instances, delays, reasons,
                    obstacles,           workers, lines};
    };
    const auto check_again = [&](std::int16_t shard, const std::vector<std::size_t>& indices) {
        std::vector<EventId> ids;
        std::vector<Attempt> numbers;
        std::vector<InstanceId> instances;
        for (const std::size_t i : indices) {
            ids.push_back(released[i].id);
            numbers.push_back(released[i].number);
            instances.push_back(released[i].by.instance);
        }
        return Call{sql::released_before, shard, ids, numbers, instances};
    };
    CRASH_POINT("release: before commit");
    run_for_each(database_, "give back", parts, done, release_claims);
    CRASH_POINT("release: after commit");
    run_for_each(database_, "give back", left_of(parts, done), done, check_again);
    return answers_of(released, done);
}

std::vector<EventId> PostgresEventQueue::extend(std::span<const Held> held,
                                                std::chrono::microseconds lease) {
    std::vector<bool> done(held.size());
    CRASH_POINT("extend: before commit");
    run_for_each(database_, "extend", by_shard(held, shards()), done,
                 [&](std::int16_t shard, const std::vector<std::size_t>& indices) {
                     std::vector<EventId> ids;
                     std::vector<Version> versions;
                     for (const std::size_t i : indices) {
                         ids.push_back(held[i].id);
                         versions.push_back(held[i].held);
                     }
                     return Call{sql::extend, shard, ids, versions, lease};
                 });
    CRASH_POINT("extend: after commit");
    std::vector<EventId> lost;
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (!done[i]) lost.push_back(held[i].id);
    }
    return lost;
}

void PostgresEventQueue::announce(InstanceId by, std::span<const std::string> event_types,
                                  std::chrono::microseconds valid) {
    const std::vector<std::string> types{event_types.begin(), event_types.end()};
    const Call call{sql::announce, by, types, valid};
    static_cast<void>(database_.run("announce", Database::Effect::repeatable, {&call, 1}));
}

std::vector<std::string> PostgresEventQueue::announced() {
    const Call call{sql::announced_types};
    const auto answered = database_.run("look", Database::Effect::none, {&call, 1});
    return column_of<std::string>(answered.answers.front(), 0);
}

Backlog PostgresEventQueue::backlog() {
    const Call backlog{sql::backlog, shards(), tick, max_counted};
    const auto answered = database_.run("backlog", Database::Effect::none, {&backlog, 1});
    const Answer& row = answered.answers.front();
    const auto missed = row.get<std::uint64_t>(0, 0);
    if (missed == 0) return {};
    return {missed, row.get<Instant>(0, 1), row.get<Instant>(0, 2)};
}

QueueDepth PostgresEventQueue::depth() {
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
        depth.dead_letters = session.run(sql::dead_letters).get<std::uint64_t>(0, 0);
        const Answer stored = session.run(sql::stored_events);
        depth.stored = {};
        for (std::size_t row = 0; row < stored.size(); ++row) {
            const auto status = event_status(stored.get<std::string>(row, 0));
            depth.stored.at(static_cast<std::size_t>(status)) = stored.get<std::uint64_t>(row, 1);
        }
    });
    return depth;
}

}  // namespace sundial::postgres
