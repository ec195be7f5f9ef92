#include <gtest/gtest.h>

#include "adapters/postgres/open.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

/// Counting millions of finished rows would delay the caller, so the rows of large partitions are
/// estimated.
TEST(Depth, EstimatesTheRowsOfLargePartitions) {
    RecordedLog log;
    const Settings settings{.url = migrated_database()};
    const auto database = PostgresDatabase::open(settings, log);
    query(settings.url, R"(
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, version, attempt, retry_count, due,
             idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at, updated_at)
        SELECT 0, gen_random_uuid(), CASE WHEN i % 10 = 0 THEN 'CANCELLED' ELSE 'COMPLETED' END, 2,
               '2020-01-01', 3, 1, 0, now(), 'k', 'T', 'UTC', 'compatible', 'compatible', '2025b', '{}',
               now(), now()
          FROM generate_series(1, 1000) AS i;
        ANALYZE sundial.event_history_done_default)");
    const auto stored = [&] { return database->queue().depth().stored; };
    constexpr auto completed = static_cast<std::size_t>(EventStatus::completed);
    constexpr auto cancelled = static_cast<std::size_t>(EventStatus::cancelled);
    EXPECT_EQ(stored()[completed], 900U);
    query(settings.url,
          "UPDATE pg_class SET reltuples = 200000 WHERE relname = 'event_history_done_default'");
    EXPECT_NEAR(static_cast<double>(stored()[completed]), 180'000, 10);
    EXPECT_NEAR(static_cast<double>(stored()[cancelled]), 20'000, 10);
}

}  // namespace
}  // namespace sundial::postgres
