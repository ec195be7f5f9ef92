#include "application/ports/pull_queue.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/claims.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/rows.hpp"
#include "application/ports/failures.hpp"

namespace sundial::postgres {
namespace {

class PostgresPullQueue final : public PullQueue {
public:
    explicit PostgresPullQueue(Database& database) : database_{database} {}

    PullPeek peek(std::span<const EndpointId> endpoints) override {
        std::vector<Call> calls;
        if (database_.distributed()) {
            for (std::uint32_t shard = 0; shard < database_.shards(); ++shard) {
                calls.emplace_back(sql::peek_to_pull_in_shard, endpoints,
                                   static_cast<std::int16_t>(shard));
            }
        } else {
            calls.emplace_back(sql::peek_to_pull, endpoints, database_.shards());
        }
        const auto answered = run_somehow(calls);
        PullPeek peeked{answered.now, {}};
        note_holders(answered.answers);
        for (const Answer& rows : answered.answers) {
            for (std::size_t row = 0; row < rows.size(); ++row) {
                if (database_.refusal_of(rows.get<std::uint32_t>(row, 1))) continue;
                peeked.heads.push_back(
                    {.endpoint = rows.get<EndpointId>(row, 0),
                     .shard = rows.get<std::uint32_t>(row, 1),
                     .priority = static_cast<Priority>(rows.get<std::int32_t>(row, 2)),
                     .next = rows.get<Instant>(row, 3)});
            }
        }
        return peeked;
    }

    Claimed claim(const PullRequest& request) override {
        const auto [priorities, shares] = row_shares(request.shares);
        const auto shard = static_cast<std::int16_t>(request.shard);
        const auto server = database_.trusted_server(request.lease, request.shard);
        const Call claim{sql::claim_to_pull,
                         shard,
                         priorities,
                         shares,
                         request.by.instance,
                         request.lease,
                         request.endpoint,
                         request.by.worker,
                         server};
        return run_claim(database_, claim, {shard, request.by, request.lease, server});
    }

    std::uint32_t held(EndpointId endpoint) override {
        const Call call{sql::held_by_workers, endpoint, database_.shards()};
        const auto answered = database_.run("look", Database::Effect::none, {&call, 1});
        return static_cast<std::uint32_t>(answered.answers.front().get<std::uint64_t>(0, 0));
    }

private:
    /// On a distributed database the answers of a peek say which servers have the shards of due
    /// events.
    void note_holders(std::span<const Answer> answers) {
        if (!database_.distributed() || database_.open_here()) return;
        std::vector<Database::ShardHolder> holders;
        for (const Answer& rows : answers) {
            if (rows.empty()) continue;
            holders.push_back({rows.get<std::uint32_t>(0, 1), rows.get<std::int64_t>(0, 4)});
        }
        database_.note_holders(holders);
    }
    /// As QueuePeeks: a machine of a distributed database that fails has no answers.
    Database::Answered run_somehow(const std::vector<Call>& calls) {
        if (!database_.distributed()) return database_.run("look", Database::Effect::none, calls);
        try {
            return database_.run("look", Database::Effect::none, calls);
        } catch (const Unavailable&) {
            if (database_.open_here()) throw;
        }
        std::vector<std::vector<Call>> parts;
        parts.reserve(calls.size());
        for (const Call& call : calls) parts.push_back({call});
        auto ran = database_.run_in_parts("look", Database::Effect::none, parts);
        if (ran.failed() == parts.size()) throw Unavailable{ran.why};
        Database::Answered all{};
        for (auto& part : ran.answered) {
            if (!part) continue;
            all.now = std::max(all.now, part->now);
            std::ranges::move(part->answers, std::back_inserter(all.answers));
        }
        return all;
    }

    Database& database_;
};

}  // namespace

std::unique_ptr<PullQueue> make_pull_queue(Database& database) {
    return std::make_unique<PostgresPullQueue>(database);
}

}  // namespace sundial::postgres
