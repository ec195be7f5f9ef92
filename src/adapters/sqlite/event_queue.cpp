#include "adapters/sqlite/event_queue.hpp"

#include <algorithm>

#include "adapters/sqlite/claiming.hpp"
#include "adapters/sqlite/event_rows.hpp"
#include "adapters/sqlite/event_statements.hpp"
#include "adapters/sqlite/limit_statements.hpp"
#include "adapters/sqlite/readers.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/settling.hpp"
#include "adapters/sqlite/writer.hpp"
#include "base/check.hpp"
#include "base/crash_point.hpp"

namespace sundial::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds tick = 1s;
constexpr int priorities = 4;

std::vector<std::string> announced_in(Session& session) {
    std::vector<std::string> types;
    for (auto row = session.connection.query(sql::announced_types, session.now); row.next();) {
        types.push_back(row.get<std::string>(0));
    }
    return types;
}

}  // namespace

QueuePeek SqliteEventQueue::peek() {
    QueuePeek peeked{Instant{}, {never}};
    readers_.run([&](Session& session) {
        peeked.now = session.now;
        auto row = session.connection.query(sql::peek);
        base::check(row.next());
        for (int priority = 0; priority < priorities; ++priority) {
            const auto next = row.get<std::optional<Instant>>(priority);
            peeked.next[0] = std::min(peeked.next[0], next.value_or(never));
        }
        peeked.lines.clear();
        for (auto head = session.connection.query(sql::look_at_lines); head.next();) {
            peeked.lines.push_back({Line{head.get<std::string>(0)}, 0,
                                    static_cast<Priority>(head.get<int>(1)), head.get<Instant>(2)});
        }
        peeked.limited.clear();
        for (auto limited = session.connection.query(sql::limited_endpoints); limited.next();) {
            peeked.limited.push_back(limited.get<EndpointId>(0));
        }
        peeked.handled = announced_in(session);
    });
    return peeked;
}

Claimed SqliteEventQueue::claim_ready(const ClaimRequest& request) {
    base::check(request.shard == 0);
    Claimed claimed;
    writer_.run([&](Session& session) {
        claimed = {{}, session.now};
        for (std::size_t priority = 0; priority < request.shares.size(); ++priority) {
            if (request.shares[priority] == 0) continue;
            claim_each(session,
                       session.connection.query(sql::ready, priority, session.now,
                                                request.shares[priority]),
                       {request.by, request.lease, request.limited, request.types_of_others},
                       claimed);
        }
        if (!claimed.events.empty()) CRASH_POINT("claim: before commit");
        return !claimed.events.empty() || !claimed.lined_up.empty();
    });
    if (!claimed.events.empty()) CRASH_POINT("claim: after commit");
    return claimed;
}

Claimed SqliteEventQueue::claim_from_line(const LineRequest& request) {
    base::check(request.shard == 0);
    Claimed claimed;
    writer_.run([&](Session& session) {
        claimed = {{}, session.now};
        for (std::size_t priority = 0; priority < request.shares.size(); ++priority) {
            if (request.shares[priority] == 0) continue;
            claim_each(session,
                       session.connection.query(sql::ready_in_line, priority, session.now,
                                                request.shares[priority], request.line.value),
                       {request.by, request.lease}, claimed);
        }
        return !claimed.events.empty();
    });
    return claimed;
}

std::vector<Result<void>> SqliteEventQueue::settle(std::span<const Settlement> settlements) {
    std::vector<Result<void>> answers;
    if (settlements.empty()) return answers;
    writer_.run([&](Session& session) {
        answers.clear();
        for (const Settlement& settlement : settlements) {
            answers.push_back(sqlite::settle(session, settlement));
        }
        CRASH_POINT("settle: before commit");
        return true;
    });
    CRASH_POINT("settle: after commit");
    return answers;
}

std::vector<Result<void>> SqliteEventQueue::release_claims(
    std::span<const ReleasedClaim> released) {
    std::vector<Result<void>> answers;
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

std::vector<EventId> SqliteEventQueue::extend(std::span<const Held> held,
                                              std::chrono::microseconds lease) {
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

void SqliteEventQueue::announce(InstanceId by, std::span<const std::string> event_types,
                                std::chrono::microseconds valid) {
    writer_.run([&](Session& session) {
        session.connection.execute(sql::forget_announced, by, session.now);
        for (const std::string& type : event_types) {
            session.connection.execute(sql::announce, by, type, session.now + valid);
        }
        return true;
    });
}

std::vector<std::string> SqliteEventQueue::announced() {
    std::vector<std::string> types;
    readers_.run([&](Session& session) { types = announced_in(session); });
    return types;
}

Backlog SqliteEventQueue::backlog() {
    Backlog backlog;
    readers_.run([&](Session& session) {
        backlog = {0, Instant::max(), Instant::min()};
        const auto add = [&](Cursor&& row) {
            base::check(row.next());
            const auto rows = row.get<std::uint64_t>(0);
            if (rows == 0) return;
            backlog.missed += rows;
            backlog.oldest = std::min(backlog.oldest, row.get<Instant>(1));
            backlog.newest = std::max(backlog.newest, row.get<Instant>(2));
        };
        for (int priority = 0; priority < priorities; ++priority) {
            add(session.connection.query(sql::backlog, priority, session.now - tick));
        }
        add(session.connection.query(sql::backlog_in_lines, session.now - tick));
    });
    return backlog;
}

QueueDepth SqliteEventQueue::depth() {
    QueueDepth depth;
    readers_.run([&](Session& session) {
        const auto counts = read_counts(session.connection);
        const auto count = [&](Standing standing) {
            return counts[static_cast<std::size_t>(standing)];
        };
        depth.waiting_for_circuit = depth.waiting_for_limit = 0;
        depth.waiting_for_retry = count(Standing::waiting);
        for (auto row = session.connection.query(sql::held_up); row.next();) {
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
        depth.stored = {
            count(Standing::pending) + count(Standing::pending_parked),
            count(Standing::claimed) + count(Standing::waiting) + count(Standing::waiting_parked),
            count(Standing::completed), count(Standing::failed), count(Standing::cancelled)};
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
        add_due(session.connection.query(sql::due_for_handlers));
    });
    return depth;
}

}  // namespace sundial::sqlite
