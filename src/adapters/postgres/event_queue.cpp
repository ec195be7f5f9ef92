#include "application/ports/event_queue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/postgres/claim_floors.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/rows.hpp"
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
void run_for_each(Database& database, std::string_view purpose, const Parts<Key>& parts,
                  std::vector<bool>& done, MakeCall call) {
    if (parts.empty()) return;
    std::vector<Call> calls;
    for (const auto& [key, indices] : parts) calls.push_back(call(key, indices));
    const auto answered = database.run(purpose, Database::Effect::repeatable, calls);
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

/// The name of a result in the settle statements.
std::string_view name_of(const Settlement& one) {
    if (std::holds_alternative<Accepted>(one.result)) return "COMPLETED";
    return std::holds_alternative<RetryIn>(one.result) ? "RETRY" : "FAILED";
}
std::optional<std::chrono::microseconds> delay_of(const Settlement& one) {
    const auto* retry = std::get_if<RetryIn>(&one.result);
    return retry ? std::optional{retry->delay} : std::nullopt;
}
std::optional<std::string> reason_of(const Settlement& one) {
    const auto* refused = std::get_if<Refused>(&one.result);
    return refused ? std::optional{as_text(refused->reason)} : std::nullopt;
}
std::optional<EndpointId> endpoint_of(const Settlement& one) {
    return one.attempt ? one.attempt->endpoint : std::nullopt;
}
std::optional<std::string_view> obstacle_of(const ReleasedClaim& one) {
    return one.obstacle ? std::optional{to_string(*one.obstacle)} : std::nullopt;
}

/// For an accepted claim, the history and the row of the claim contain all facts.
bool is_accepted(const Settlement& one) {
    const bool accepted = std::holds_alternative<Accepted>(one.result);
    base::check(!accepted || !one.attempt);
    return accepted;
}

/// The items of a part.
template <class Given>
std::vector<std::reference_wrapper<const Given>> chosen(std::span<const Given> given,
                                                        const std::vector<std::size_t>& indices) {
    return column(indices, [given](std::size_t i) { return std::cref(given[i]); });
}

Call accepting(std::int16_t shard, std::span<const Settlement> all,
               const std::vector<std::size_t>& indices) {
    const auto rows = chosen(all, indices);
    return Call{sql::settle_accepted,
                shard,
                column(rows, &Settlement::id),
                column(rows, &Settlement::held),
                column(rows, &Settlement::started_at),
                column(rows, &Settlement::duration),
                column(rows, &Settlement::status_code)};
}

/// A call of settle or settle_late.
Call settling(const Statement& statement, std::int16_t shard, std::span<const Settlement> all,
              const std::vector<std::size_t>& indices) {
    const auto rows = chosen(all, indices);
    // A column of the attempt; null if none is recorded.
    const auto of_attempt = [&rows](auto get) {
        return column(rows, [get](const Settlement& one) {
            using Value = std::invoke_result_t<decltype(get), const AttemptRecord&>;
            return one.attempt ? std::optional<Value>{get(*one.attempt)} : std::nullopt;
        });
    };
    using Try = AttemptRecord;
    return Call{statement,
                shard,
                column(rows, &Settlement::id),
                column(rows, &Settlement::held),
                column(rows, &Settlement::number),
                column(rows, [](const Settlement& one) { return one.by.instance; }),
                column(rows, name_of),
                column(rows, delay_of),
                column(rows, reason_of),
                column(rows, &Settlement::started_at),
                column(rows, &Settlement::duration),
                column(rows, &Settlement::status_code),
                of_attempt([](const Try& attempt) { return to_string(attempt.outcome); }),
                column(rows, endpoint_of),
                of_attempt([](const Try& attempt) { return as_text(attempt.error_code); }),
                of_attempt([](const Try& attempt) { return as_text(attempt.error_text); }),
                of_attempt([](const Try& attempt) { return BytesView{attempt.response_body}; }),
                column(rows, [](const Settlement& one) { return worker_of(one.by); })};
}

Call releasing(std::int16_t shard, std::span<const ReleasedClaim> all,
               const std::vector<std::size_t>& indices) {
    const auto rows = chosen(all, indices);
    return Call{sql::release_claims,
                shard,
                column(rows, &ReleasedClaim::id),
                column(rows, &ReleasedClaim::held),
                column(rows, &ReleasedClaim::number),
                column(rows, [](const ReleasedClaim& one) { return one.by.instance; }),
                column(rows, &ReleasedClaim::delay),
                column(rows, [](const ReleasedClaim& one) { return as_text(one.reason); }),
                column(rows, obstacle_of),
                column(rows, [](const ReleasedClaim& one) { return worker_of(one.by); })};
}

class PostgresEventQueue final : public EventQueue {
public:
    /// A peek that reads `many` pages makes claims use floors.
    PostgresEventQueue(Database& database, std::uint64_t many)
        : database_{database}, floors_{database.shards(), many} {}
    [[nodiscard]] std::uint32_t shards() const override { return database_.shards(); }
    void hint(Instant due) override { floors_.lower(due); }

    QueuePeek peek() override {
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
        const bool due = std::ranges::any_of(
            peeked.next, [&peeked](Instant next) { return next <= peeked.now; });
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

    Claimed claim_ready(const ClaimRequest& request) override {
        const auto [priorities, shares] = wanted_of(request.shares);
        const auto floors = floors_.of(request.shard);
        const auto from = column(priorities, [&](std::int16_t priority) {
            return floors.at(static_cast<std::size_t>(priority));
        });
        const Call claim{sql::claim_ready,
                         static_cast<std::int16_t>(request.shard),
                         priorities,
                         shares,
                         request.by,
                         request.lease,
                         database_.trusted_server(request.lease),
                         from,
                         request.limited};
        CRASH_POINT("claim: before commit");
        const auto answered = database_.run("claim", Database::Effect::once, {&claim, 1});
        CRASH_POINT("claim: after commit");
        return claimed_in(answered.answers.front(), answered.now);
    }

    Claimed claim_from_line(const LineRequest& request) override {
        const auto [priorities, shares] = wanted_of(request.shares);
        const Call claim{sql::claim_from_line, static_cast<std::int16_t>(request.shard),
                         priorities,           shares,
                         request.by,           request.lease,
                         request.endpoint};
        const auto answered = database_.run("claim", Database::Effect::once, {&claim, 1});
        return claimed_in(answered.answers.front(), answered.now);
    }

    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override {
        const ByShard parts = by_shard(settlements, shards());
        Parts<std::pair<std::int16_t, bool>> accepted_apart;
        for (const auto& [shard, indices] : parts) {
            for (const std::size_t i : indices) {
                accepted_apart[{shard, is_accepted(settlements[i])}].push_back(i);
            }
        }
        std::vector<bool> done(settlements.size());
        CRASH_POINT("settle: before commit");
        run_for_each(database_, "settle", accepted_apart, done,
                     [&](auto part, const auto& indices) {
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
                         const auto rows = chosen(released, indices);
                         return Call{
                             sql::released_before,
                             shard,
                             column(rows, &ReleasedClaim::id),
                             column(rows, &ReleasedClaim::number),
                             column(rows, [](const ReleasedClaim& one) { return one.by.instance; }),
                             column(rows, &ReleasedClaim::held)};
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
                         return Call{sql::extend, shard, column(rows, &Held::id),
                                     column(rows, &Held::held), lease};
                     });
        CRASH_POINT("extend: after commit");
        std::vector<EventId> lost;
        for (std::size_t i = 0; i < held.size(); ++i) {
            if (!done[i]) lost.push_back(held[i].id);
        }
        return lost;
    }

    Backlog backlog() override {
        const Call backlog{sql::backlog, std::chrono::microseconds{late_after}, max_counted};
        const auto answered = database_.run("backlog", Database::Effect::none, {&backlog, 1});
        const Answer& row = answered.answers.front();
        const auto missed = row.get<std::uint64_t>(0, 0);
        if (missed == 0) return {};
        return {missed, row.get<Instant>(0, 1), row.get<Instant>(0, 2)};
    }

    std::optional<Instant> first_missed(Instant from, Instant until) override {
        const Call call{sql::first_missed, from, until};
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

private:
    /// Reads each priority of each shard and records in `peeked` when an event becomes claimable.
    ClaimFloors::Seen read(const std::vector<std::int16_t>& each, const std::vector<Instant>& from,
                           Instant until, QueuePeek& peeked) {
        const Call call{sql::peek, each, from, std::vector<Instant>(each.size(), until)};
        const auto answered = database_.run("look", Database::Effect::none, {&call, 1});
        return seen_in(answered.answers.front(), answered.now, each, peeked);
    }

    /// The same without an end, and reads the lines and the limited endpoints in the same round
    /// trip.
    ClaimFloors::Seen read_all(const std::vector<std::int16_t>& each,
                               const std::vector<Instant>& from, QueuePeek& peeked) {
        const std::array calls{
            Call{sql::peek, each, from, std::vector<Instant>(each.size(), never)},
            Call{sql::peek_at_lines, shards()}, Call{sql::limited_endpoints}};
        const auto answered = database_.run("look", Database::Effect::none, calls);
        const Answer& heads = answered.answers[1];
        for (std::size_t row = 0; row < heads.size(); ++row) {
            peeked.lines.push_back(
                {.endpoint = heads.get<EndpointId>(row, 0),
                 .shard = heads.get<std::uint32_t>(row, 1),
                 .priority = static_cast<Priority>(heads.get<std::int32_t>(row, 2)),
                 .next = heads.get<Instant>(row, 3)});
        }
        peeked.limited = column_of<EndpointId>(answered.answers[2], 0);
        return seen_in(answered.answers.front(), answered.now, each, peeked);
    }

    static ClaimFloors::Seen seen_in(const Answer& rows, Instant now,
                                     const std::vector<std::int16_t>& each, QueuePeek& peeked) {
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

    Database& database_;
    ClaimFloors floors_;
};

}  // namespace

std::unique_ptr<EventQueue> make_event_queue(Database& database, std::uint64_t many) {
    return std::make_unique<PostgresEventQueue>(database, many);
}

}  // namespace sundial::postgres
