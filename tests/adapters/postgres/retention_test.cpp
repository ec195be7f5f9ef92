#include <array>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/distribute_sql.hpp"
#include "contract/retention_contract.hpp"
#include "postgres_storage.hpp"
#include "support/builders.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial {
namespace {

using Fence = postgres::PostgresStorage::Fence;

template <std::uint32_t shards, Fence fence = Fence::none>
class With {
public:
    Store& store() { return storage_.store(); }
    EventQueue& queue() { return storage_.queue(); }
    Clock& clock() { return storage_.clock(); }
    Retention& retention() { return storage_.retention(); }

private:
    postgres::PostgresStorage storage_{shards, fence};
};

/// The number of shards of the tests' database whose history has one level, as on Citus.
constexpr std::uint32_t of_flat_history = 32;

void flatten_history_once(const std::string& url) {
    if (query(url, "SELECT to_regclass('sundial.event_history_done') IS NULL")[0][0] == "t") return;
    query(url, postgres::sql::flatten_history);
}

class WithFlatHistory {
public:
    WithFlatHistory() { flatten_history_once(storage_.url()); }
    Store& store() { return storage_.store(); }
    EventQueue& queue() { return storage_.queue(); }
    Clock& clock() { return storage_.clock(); }
    Retention& retention() { return storage_.retention(); }

private:
    postgres::PostgresStorage storage_{of_flat_history};
};

}  // namespace

using Kinds = testing::Types<With<1>, With<16>, With<16, Fence::around_shards>, WithFlatHistory>;
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, RetentionContract, Kinds);

namespace postgres {

using std::chrono::days;

/// As if a user retried an event that failed long ago.
TEST(PostgresRetention, ForgetsNoKeyThatIsTakenOverMeanwhile) {
    PostgresStorage storage{1};
    query(storage.url(), R"(
        INSERT INTO sundial.event_keys (shard, key, event_id, expires_at)
        VALUES (0, 'k', gen_random_uuid(), sundial.clock() - interval '1 day'))");
    RecordedLog log;
    Connection other{storage.url(), log};
    constexpr Statement begin{"begin", "BEGIN"}, commit{"commit", "COMMIT"};
    constexpr Statement take_over{"take_over", R"(
        UPDATE sundial.event_keys
           SET event_id = gen_random_uuid(), expires_at = sundial.clock() + interval '400 days')"};
    (void)other.run(std::array{Call{begin}, Call{take_over}}, false, 30s);
    auto forgotten = std::async(std::launch::async, [&] {
        return storage.retention().forget(Kept::keys, std::chrono::days{400}, 10);
    });
    const std::string waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
        "datname = current_database()";
    while (query(storage.url(), waiting)[0][0] == "0") std::this_thread::yield();
    (void)other.run(std::array{Call{commit}}, false, 30s);
    (void)forgotten.get();
    EXPECT_EQ(query(storage.url(), "SELECT count(*) FROM sundial.event_keys")[0][0], "1");
}

/// The key of an exchange is in another shard than its event.
TEST(PostgresRetention, KeepsTheKeysOfLiveEventsInOtherShardsAndForgetsTheRest) {
    PostgresStorage storage{16};
    const std::vector<Event> live{an_event().in_shard(3), an_event().in_shard(5),
                                  an_event().in_shard(7)};
    storage.store().transact([&](Transaction& tx) {
        for (const Event& event : live) EXPECT_TRUE(tx.events().add(event));
        return true;
    });
    query(storage.url(), R"(
        UPDATE sundial.event_keys SET shard = 15, expires_at = sundial.clock() - interval '1 day';
        INSERT INTO sundial.event_keys (shard, key, event_id, expires_at)
        SELECT n % 16, 'old' || n, ('00000000-0000-0000-0000-00000000aa' || lpad(to_hex(n % 16), 2, '0'))::uuid,
               sundial.clock() - interval '1 hour'
          FROM generate_series(1, 20) AS n)");
    const auto forget = [&] { return storage.retention().forget(Kept::keys, days{400}, 2); };
    for (int batch = 0; batch < 10; ++batch) EXPECT_TRUE(forget());
    EXPECT_FALSE(forget());
    EXPECT_EQ(query(storage.url(), "SELECT count(*), min(shard) FROM sundial.event_keys"),
              (std::vector<std::vector<std::string>>{{"3", "15"}}));
}

/// Of what `db distribute` makes of the history, as far as one server shows it.
TEST(FlatHistory, KeepsRowsViewsAndIndexes) {
    const std::string url = migrated_database();
    const auto count_indexes = [&] {
        return query(url, R"(
            SELECT count(*) FROM pg_index JOIN pg_class AS own ON own.oid = indexrelid
              JOIN pg_class AS relation ON relation.oid = indrelid
             WHERE relation.relnamespace = 'sundial'::regnamespace AND NOT own.relispartition
               AND relation.relname IN ('event_history', 'event_history_done', 'event_history_failed'))")
            [0][0];
    };
    query(url, R"(
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, version, attempt, retry_count, due,
             idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at, updated_at)
        SELECT n % 16, gen_random_uuid(), (ARRAY['COMPLETED', 'CANCELLED', 'FAILED'])[1 + n % 3], 2,
               now() - n * interval '10 days', 1, 1, 0, now(), 'k' || n, 'T', 'UTC', 'compatible',
               'compatible', '2025b', '{}', now(), now()
          FROM generate_series(0, 20) AS n)");
    const std::string rows =
        "SELECT count(*), md5(string_agg(each::text, ',' ORDER BY id)) FROM sundial.v_events AS "
        "each";
    const auto before = query(url, rows);
    const auto indexes = count_indexes();

    query(url, sql::flatten_history);

    EXPECT_EQ(query(url, rows), before);
    EXPECT_EQ(count_indexes(), indexes);
    EXPECT_EQ(query(url, "SELECT max(level) FROM pg_partition_tree('sundial.event_history')")[0][0],
              "1");
    const std::string misplaced = R"(
        SELECT count(*) FROM sundial.event_history
         WHERE finished_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
           AND tableoid = 'sundial.event_history_default'::regclass)";
    EXPECT_EQ(query(url, misplaced)[0][0], "0");
    EXPECT_EQ(
        query(url,
              "SELECT sundial.drop_history_partitions('failed', now() + interval '1 year')")[0][0],
        "3");
    EXPECT_EQ(query(url,
                    "SELECT count(*) FROM sundial.event_history WHERE status = 'FAILED' "
                    "AND tableoid <> 'sundial.event_history_default'::regclass")[0][0],
              "0");
    query(url, "SELECT sundial.make_history_partitions()");
    EXPECT_EQ(
        query(url,
              "SELECT count(*) FROM pg_partition_tree('sundial.event_history') WHERE isleaf")[0][0],
        "10");
}

}  // namespace postgres

}  // namespace sundial
