#include "application/ports/pull_queue.hpp"

#include <memory>

#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/claims.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/rows.hpp"

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
        const auto answered = database_.run("look", Database::Effect::none, calls);
        PullPeek peeked{answered.now, {}};
        for (const Answer& rows : answered.answers) {
            for (std::size_t row = 0; row < rows.size(); ++row) {
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
        const auto server = database_.trusted_server(request.lease);
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
        const Call count{sql::held_by_workers, endpoint, database_.shards()};
        const auto answered = database_.run("look", Database::Effect::none, {&count, 1});
        return static_cast<std::uint32_t>(answered.answers.front().get<std::uint64_t>(0, 0));
    }

private:
    Database& database_;
};

}  // namespace

std::unique_ptr<PullQueue> make_pull_queue(Database& database) {
    return std::make_unique<PostgresPullQueue>(database);
}

}  // namespace sundial::postgres
