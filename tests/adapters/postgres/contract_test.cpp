#include "contract/suites.hpp"
#include "postgres_storage.hpp"

namespace sundial {

SUNDIAL_CONTRACTS(Postgres, postgres::postgres_with(1), postgres::postgres_with(16));
SUNDIAL_CONTRACT(Postgres, HeartbeatContract, postgres::postgres_with(1),
                 postgres::postgres_with(16));
SUNDIAL_CONTRACT(Postgres, ClaimedNextContract, postgres::postgres_with(1),
                 postgres::postgres_with(16));

// The statements about one event or one shard, with a fence around each shard (ADR 0060).
constexpr auto around_shards = postgres::PostgresStorage::Fence::around_shards;
SUNDIAL_CONTRACT(FencedPostgres, ClaimedNextContract, postgres::postgres_with(16, around_shards));
SUNDIAL_CONTRACT(FencedPostgres, EventQueueContract, postgres::postgres_with(16, around_shards));
SUNDIAL_CONTRACT(FencedPostgres, EventRepositoryContract,
                 postgres::postgres_with(16, around_shards));
SUNDIAL_CONTRACT(FencedPostgres, LimitsContract, postgres::postgres_with(16, around_shards));
SUNDIAL_CONTRACT(FencedPostgres, PullQueueContract, postgres::postgres_with(16, around_shards));
SUNDIAL_CONTRACT(FencedPostgres, SettleContract, postgres::postgres_with(16, around_shards));
SUNDIAL_CONTRACT(FencedPostgres, TzRepositoryContract, postgres::postgres_with(16, around_shards));

// The same for an engine that takes the database for a distributed one, and asks shard by shard.
constexpr auto between_machines = postgres::PostgresStorage::Fence::between_machines;
SUNDIAL_CONTRACT(DistributedPostgres, EventListContract,
                 postgres::postgres_with(16, between_machines));
SUNDIAL_CONTRACT(DistributedPostgres, EventQueueContract,
                 postgres::postgres_with(16, between_machines));
SUNDIAL_CONTRACT(DistributedPostgres, EventRepositoryContract,
                 postgres::postgres_with(16, between_machines));
SUNDIAL_CONTRACT(DistributedPostgres, PullQueueContract,
                 postgres::postgres_with(16, between_machines));
SUNDIAL_CONTRACT(DistributedPostgres, SettleContract,
                 postgres::postgres_with(16, between_machines));
SUNDIAL_CONTRACT(DistributedPostgres, StatsRepositoryContract,
                 postgres::postgres_with(16, between_machines));
SUNDIAL_CONTRACT(DistributedPostgres, TzRepositoryContract,
                 postgres::postgres_with(16, between_machines));

/// It would take another round trip, for the coordinator's clock.
TEST(DistributedQueue, ReportsNoNextInstantWithAClaim) {
    postgres::PostgresStorage storage{16, between_machines};
    (void)storage.queue().peek(all_lanes);
    for (const Lane& lane : all_lanes) {
        EXPECT_EQ(storage.queue()
                      .claim_ready({.by = instance_a,
                                    .shares = {1, 1, 1, 1},
                                    .lease = 30s,
                                    .lane = lane,
                                    .with_next = true})
                      .next,
                  std::nullopt);
    }
}

// On the coordinator of a real Citus, if the test that runs this program has started one.
SUNDIAL_CONTRACTS_FROM(Citus, postgres::postgres_on_citus());
SUNDIAL_CONTRACT_FROM(Citus, HeartbeatContract, postgres::postgres_on_citus());

}  // namespace sundial
