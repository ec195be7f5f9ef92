#include "application/ports/event_queue.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/event_sql.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/queue_sql.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/writer.hpp"
#include "application/ports/pull_queue.hpp"
#include "base/check.hpp"
#include "base/crash_point.hpp"

namespace sundial::sqlite {
namespace {

struct Claiming {
    Claimant by;
    std::chrono::microseconds lease;
    std::span<const EndpointId> limited{};  // as in ClaimRequest
};

/// Claims every event that `ready` returns by the domain's `claim`: new, to be retried, or with an
/// expired lease. Unclaimed events of limited endpoints join their lines instead.
void claim_each(Session& session, Cursor&& ready, const Claiming& claiming, Claimed& claimed) {
    for (const Event& before : all_of(std::move(ready), read_event)) {
        if (joins_line(before, claiming.limited)) {
            session.connection.execute(sql::join_line, before.id);
            claimed.lined_up.push_back(
                {before.endpoint.value(), 0, before.priority, before.claimable_at});
            continue;
        }
        const bool previous_lost = is_claimed(before);
        if (previous_lost) add_attempt(session, lost_attempt(before));
        Event event = claim(before, claiming.by, session.now, claiming.lease).value();
        move_live(session, before, event);
        claimed.events.push_back({std::move(event), previous_lost});
    }
}

/// Claims events of `request.endpoint`, of each priority those that `ready` finds.
template <class Request>
Claimed claim_of_endpoint(Writer& writer, const Statement& ready, const Request& request) {
    base::check(request.shard == 0);
    Claimed claimed;
    writer.run([&](Session& session) {
        claimed = {{}, session.now};
        for (std::size_t priority = 0; priority < request.shares.size(); ++priority) {
            if (request.shares[priority] == 0) continue;
            claim_each(session,
                       session.connection.query(ready, priority, session.now,
                                                request.shares[priority], request.endpoint),
                       {request.by, request.lease}, claimed);
        }
        return !claimed.events.empty();
    });
    return claimed;
}

/// The row if it is unchanged since the claim.
std::optional<Event> still_held(Connection& connection, EventId id, Version held) {
    auto event = live_event(connection, id);
    if (event && event->version == held && is_claimed(*event)) return event;
    return std::nullopt;
}

std::optional<AttemptRecord> recorded(Connection& connection, EventId id, Attempt number) {
    return first_of(connection.query(sql::attempt, id, number), read_attempt);
}

/// Whether the same holder has recorded this attempt as `outcome`.
bool is_recorded(Connection& connection, EventId id, Attempt number, AttemptOutcome outcome,
                 const Claimant& by) {
    const auto attempt = recorded(connection, id, number);
    return attempt && attempt->outcome == outcome && attempt->instance == by;
}

/// Whether the settlement had already happened and its answer was lost.
bool had_happened(Connection& connection, const Settlement& settlement) {
    if (std::holds_alternative<RetryIn>(settlement.result)) {
        return is_recorded(connection, settlement.id, settlement.number, AttemptOutcome::retryable,
                           settlement.by);
    }
    auto last = connection.query(sql::last_attempt, settlement.id);
    return last.next() && last.get<Attempt>(0) == settlement.number &&
           last.get<std::optional<Claimant>>(1) == settlement.by;
}

/// Records the actual result of a LOST attempt, unless the attempt was never sent because no
/// attempts remained.
void record_late_result(Session& session, const Settlement& settlement) {
    if (std::holds_alternative<Refused>(settlement.result) && !settlement.attempt) return;
    const auto lost = recorded(session.connection, settlement.id, settlement.number);
    if (!lost || lost->outcome != AttemptOutcome::lost) return;
    const AttemptRecord& reported = settlement.attempt ? *settlement.attempt : *lost;
    session.connection.execute(sql::update_attempt, settlement.id, settlement.number,
                               AttemptOutcome::late, reported.endpoint, settlement.started_at,
                               settlement.duration, settlement.status_code, reported.error_code,
                               reported.error_text, Bytes{reported.response_body}, session.now);
}

/// Settles one claim, as EventQueue::settle does.
Result<void, LeaseLost> settle(Session& session, const Settlement& settlement) {
    const auto event = still_held(session.connection, settlement.id, settlement.held);
    if (!event) {
        if (had_happened(session.connection, settlement)) return {};
        record_late_result(session, settlement);
        return LeaseLost{settlement.id, settlement.held};
    }
    const Event next = settled(*event, settlement, session.now);
    if (settlement.attempt) {
        AttemptRecord attempt = *settlement.attempt;
        attempt.held = settlement.held;
        add_attempt(session, attempt);
    }
    if (is_final(next)) {
        finish_live(
            session, *event, next,
            {settlement.by, settlement.started_at, settlement.duration, settlement.status_code});
    } else {
        move_live(session, *event, next);
    }
    return {};
}

/// Releases one claim, as EventQueue::release_claims does.
Result<void, LeaseLost> release_claims(Session& session, const ReleasedClaim& released) {
    const auto event = still_held(session.connection, released.id, released.held);
    if (!event) {
        const auto row = live_event(session.connection, released.id);
        if ((row && is_undone(*row, released.held)) ||
            is_recorded(session.connection, released.id, released.number, AttemptOutcome::released,
                        released.by)) {
            return {};
        }
        return LeaseLost{released.id, released.held};
    }
    const Instant until = released.delay ? session.now + *released.delay : never;
    move_live(session, *event, release(*event, session.now, until, released.obstacle).value());
    if (released.obstacle != Obstacle::limit)
        add_attempt(session, released_attempt(*event, released));
    return {};
}

using namespace std::chrono_literals;

constexpr int priorities = 4;

/// How long a settlement waits for other work that can share its commit: a claim, a create, or at
/// 100 events/s another settlement. A busy worker waits as long for more outcomes.
constexpr Writer::Patience patience{.at_least = 10ms, .at_most = 20ms};
/// Larger batches get a commit of their own. They would delay a claim that shares their commit: a
/// settlement takes about 50 us.
constexpr std::size_t max_patient = 20;

/// A queue with one shard. It has no heartbeats: one process uses the file, and at its start it
/// ends all leases. Thread-safe.
class SqliteEventQueue final : public EventQueue {
public:
    SqliteEventQueue(Writer& writer, Readers& readers) : writer_{writer}, readers_{readers} {}
    [[nodiscard]] std::uint32_t shards() const override { return 1; }
    [[nodiscard]] std::uint32_t claims_at_once() const override { return 8; }  // of several lanes

    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& /*no others*/) override {
        QueuePeek peeked{Instant{}, {}};
        peeked.lanes.assign(lanes.begin(), lanes.end());
        readers_.run([&](Session& session) {
            peeked.now = session.now;
            peeked.next.clear();
            for (const Lane& lane : lanes) peeked.next.push_back(next_in(session, lane));
            peeked.lines.clear();
            for (auto head = session.connection.query(sql::peek_at_lines); head.next();) {
                peeked.lines.push_back({.endpoint = head.get<EndpointId>(0),
                                        .shard = 0,
                                        .priority = static_cast<Priority>(head.get<int>(1)),
                                        .next = head.get<Instant>(2)});
            }
            peeked.limited.clear();
            for (auto limited = session.connection.query(sql::limited_endpoints); limited.next();) {
                peeked.limited.push_back(limited.get<EndpointId>(0));
            }
        });
        return peeked;
    }

    std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) override {
        std::vector<Claimed> all;
        bool any = false;
        writer_.run([&](Session& session) {
            all.clear();
            for (const ClaimRequest& request : requests) {
                all.push_back(claim_in(session, request));
            }
            any = std::ranges::any_of(all, [](const auto& one) { return !one.events.empty(); });
            if (any) CRASH_POINT("claim: before commit");
            return any ||
                   std::ranges::any_of(all, [](const auto& one) { return !one.lined_up.empty(); });
        });
        if (any) CRASH_POINT("claim: after commit");
        return all;
    }

    Claimed claim_from_line(const LineRequest& request) override {
        return claim_of_endpoint(writer_, sql::ready_in_line, request);
    }

    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override {
        return settle_within({}, settlements);
    }

    std::vector<Result<void, LeaseLost>> settle_soon(
        std::span<const Settlement> settlements) override {
        return settle_within(settlements.size() <= max_patient ? patience : Writer::Patience{},
                             settlements);
    }

    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override {
        std::vector<Result<void, LeaseLost>> answers;
        if (released.empty()) return answers;
        writer_.run([&](Session& session) {
            answers.clear();
            for (const ReleasedClaim& one : released)
                answers.push_back(sqlite::release_claims(session, one));
            CRASH_POINT("release: before commit");
            return true;
        });
        CRASH_POINT("release: after commit");
        return answers;
    }

    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override {
        std::vector<EventId> lost;
        if (held.empty()) return lost;
        writer_.run([&](Session& session) {
            lost.clear();
            const Instant end = session.now + lease;
            for (const Held& claim : held) {
                if (session.connection.execute(sql::extend, claim.id, claim.held, end) == 0) {
                    lost.push_back(claim.id);
                }
            }
            session.ledger.lease_until(end);
            CRASH_POINT("extend: before commit");
            return true;
        });
        CRASH_POINT("extend: after commit");
        return lost;
    }

    Backlog backlog(std::span<const Lane> lanes) override {
        Backlog backlog;
        readers_.run([&](Session& session) {
            backlog = {};
            for (const Lane& lane : lanes) {
                auto row = session.connection.query(sql::backlog, session.now - late_after,
                                                    session.now, never, lane.value);
                base::check(row.next());
                const auto missed = row.get<std::uint64_t>(0);
                if (missed == 0) continue;
                const auto oldest = row.get<Instant>(1), newest = row.get<Instant>(2);
                const bool first = backlog.missed == 0;
                backlog.oldest = first ? oldest : std::min(backlog.oldest, oldest);
                backlog.newest = first ? newest : std::max(backlog.newest, newest);
                backlog.missed += missed;
            }
        });
        return backlog;
    }

    std::optional<Instant> first_missed(Instant from, Instant until,
                                        std::span<const Lane> lanes) override {
        std::optional<Instant> first;
        readers_.run([&](Session& session) {
            first.reset();
            for (const Lane& lane : lanes) {
                auto row =
                    session.connection.query(sql::first_missed, from, until, never, lane.value);
                base::check(row.next());
                const auto missed = row.get<std::optional<Instant>>(0);
                if (missed) first = std::min(first.value_or(*missed), *missed);
            }
        });
        return first;
    }

    QueueDepth depth() override {
        QueueDepth depth;
        readers_.run([&](Session& session) {
            const auto counts = read_counts(session.connection);
            const auto count = [&](Standing standing) {
                return counts[static_cast<std::size_t>(standing)];
            };
            depth.waiting_for_circuit = depth.waiting_for_limit = 0;
            depth.waiting_for_retry = count(Standing::waiting);
            for (auto row = session.connection.query(sql::blocked); row.next();) {
                const bool circuit = row.get<Obstacle>(0) == Obstacle::circuit;
                const auto all = row.get<std::uint64_t>(1), pending = row.get<std::uint64_t>(2);
                (circuit ? depth.waiting_for_circuit : depth.waiting_for_limit) = all;
                depth.waiting_for_retry -= all - pending;
            }
            depth.waiting_for_endpoint = count(Standing::waiting_parked);
            depth.waiting_for_schedule = count(Standing::pending_parked);
            auto dead = session.connection.query(sql::dead_letters);
            base::check(dead.next());
            depth.dead_letters = dead.get<std::uint64_t>(0);
            depth.stored = {count(Standing::pending) + count(Standing::pending_parked),
                            count(Standing::claimed) + count(Standing::waiting) +
                                count(Standing::waiting_parked),
                            count(Standing::completed), count(Standing::failed),
                            count(Standing::cancelled)};
            depth.due = 0;
            depth.oldest_due_age = 0us;
            const auto add_due = [&](Cursor&& row) {
                base::check(row.next());
                const auto rows = row.get<std::uint64_t>(0);
                if (rows == 0) return;
                depth.due += rows;
                depth.oldest_due_age =
                    std::max(depth.oldest_due_age, session.now - row.get<Instant>(1));
            };
            for (int priority = 0; priority < priorities; ++priority) {
                add_due(session.connection.query(sql::due, priority, session.now));
            }
            add_due(session.connection.query(sql::due_to_pull, session.now));
            auto to_handle = session.connection.query(sql::due_to_handle, session.now);
            base::check(to_handle.next());
            depth.without_endpoint = to_handle.get<std::uint64_t>(0);
        });
        return depth;
    }

private:
    /// When an event of the lane becomes claimable next.
    static Instant next_in(Session& session, const Lane& lane) {
        auto row = lane == endpoint_lane
                       ? session.connection.query(sql::peek)
                       : session.connection.query(sql::peek_to_handle, lane.value);
        base::check(row.next());
        Instant first = never;
        for (int priority = 0; priority < priorities; ++priority) {
            first = std::min(first, row.get<std::optional<Instant>>(priority).value_or(never));
        }
        return first;
    }

    static Claimed claim_in(Session& session, const ClaimRequest& request) {
        base::check(request.shard == 0);
        Claimed claimed{{}, session.now};
        for (std::size_t priority = 0; priority < request.shares.size(); ++priority) {
            if (request.shares[priority] == 0) continue;
            const auto share = request.shares[priority];
            claim_each(session,
                       request.lane == endpoint_lane
                           ? session.connection.query(sql::ready, priority, session.now, share)
                           : session.connection.query(sql::ready_to_handle, priority, session.now,
                                                      share, request.lane.value),
                       {request.by, request.lease, request.limited}, claimed);
        }
        if (request.with_next) claimed.next = next_in(session, request.lane);
        return claimed;
    }

    std::vector<Result<void, LeaseLost>> settle_within(Writer::Patience how_long,
                                                       std::span<const Settlement> settlements) {
        std::vector<Result<void, LeaseLost>> answers;
        if (settlements.empty()) return answers;
        writer_.run(
            [&](Session& session) {
                answers.clear();
                for (const Settlement& settlement : settlements) {
                    answers.push_back(sqlite::settle(session, settlement));
                }
                CRASH_POINT("settle: before commit");
                return true;
            },
            how_long);
        CRASH_POINT("settle: after commit");
        return answers;
    }

    Writer& writer_;
    Readers& readers_;
};

}  // namespace

std::unique_ptr<EventQueue> make_event_queue(Writer& writer, Readers& readers) {
    return std::make_unique<SqliteEventQueue>(writer, readers);
}

namespace {

constexpr std::array every_priority{Priority::critical, Priority::high, Priority::normal,
                                    Priority::low};

/// Thread-safe.
class SqlitePullQueue final : public PullQueue {
public:
    SqlitePullQueue(Writer& writer, Readers& readers) : writer_{writer}, readers_{readers} {}

    PullPeek peek(std::span<const EndpointId> endpoints) override {
        PullPeek peeked;
        readers_.run([&](Session& session) {
            peeked = {session.now, {}};
            for (const EndpointId& endpoint : endpoints) {
                for (const Priority priority : every_priority) {
                    auto row =
                        session.connection.query(sql::peek_to_pull, priority, endpoint, never);
                    base::check(row.next());
                    const auto next = row.get<std::optional<Instant>>(0);
                    if (next) peeked.heads.push_back({endpoint, 0, priority, *next});
                }
            }
        });
        return peeked;
    }

    Claimed claim(const PullRequest& request) override {
        return claim_of_endpoint(writer_, sql::ready_to_pull, request);
    }

    std::uint32_t held(EndpointId endpoint) override {
        std::uint32_t held = 0;
        const auto count = [&](Session& session) {
            auto row = session.connection.query(sql::held_by_workers, endpoint, session.now);
            base::check(row.next());
            held = row.get<std::uint32_t>(0);
        };
        // Inside a transaction, a read must see its changes.
        if (Session* const open = writer_.open_here()) {
            count(*open);
        } else {
            readers_.run(count);
        }
        return held;
    }

private:
    Writer& writer_;
    Readers& readers_;
};

}  // namespace

std::unique_ptr<PullQueue> make_pull_queue(Writer& writer, Readers& readers) {
    return std::make_unique<SqlitePullQueue>(writer, readers);
}

}  // namespace sundial::sqlite
