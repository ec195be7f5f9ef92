#include "adapters/sqlite/pull_queue.hpp"

#include <array>

#include "adapters/sqlite/claiming.hpp"
#include "adapters/sqlite/event_statements.hpp"
#include "adapters/sqlite/readers.hpp"
#include "adapters/sqlite/writer.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

constexpr std::array priorities{Priority::critical, Priority::high, Priority::normal,
                                Priority::low};

}  // namespace

PullPeek SqlitePullQueue::peek(std::span<const EndpointId> endpoints) {
    PullPeek peeked;
    readers_.run([&](Session& session) {
        peeked = {session.now, {}};
        for (const EndpointId& endpoint : endpoints) {
            for (const Priority priority : priorities) {
                auto row = session.connection.query(sql::peek_to_pull, priority, endpoint, never);
                base::check(row.next());
                const auto next = row.get<std::optional<Instant>>(0);
                if (next) peeked.heads.push_back({endpoint, 0, priority, *next});
            }
        }
    });
    return peeked;
}

Claimed SqlitePullQueue::claim(const PullRequest& request) {
    base::check(request.shard == 0);
    Claimed claimed;
    writer_.run([&](Session& session) {
        claimed = {{}, session.now};
        for (std::size_t priority = 0; priority < request.shares.size(); ++priority) {
            if (request.shares[priority] == 0) continue;
            claim_each(session,
                       session.connection.query(sql::ready_to_pull, priority, session.now,
                                                request.shares[priority], request.endpoint),
                       {request.by, request.lease}, claimed);
        }
        return !claimed.events.empty();
    });
    return claimed;
}

std::uint32_t SqlitePullQueue::held(EndpointId endpoint) {
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

}  // namespace sundial::sqlite
