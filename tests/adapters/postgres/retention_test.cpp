#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/distribute_sql.hpp"
#include "adapters/postgres/open.hpp"
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

template <Fence fence = Fence::none>
class WithFlatHistory {
public:
    WithFlatHistory() { postgres::flatten_history_once(storage_); }
    Store& store() { return storage_.store(); }
    EventQueue& queue() { return storage_.queue(); }
    Clock& clock() { return storage_.clock(); }
    Retention& retention() { return storage_.retention(); }

private:
    postgres::PostgresStorage storage_{of_flat_history, fence};
};

class OnCitus {
public:
    [[nodiscard]] static bool is_there() { return !postgres::postgres_on_citus().empty(); }
    OnCitus() {
        if (is_there()) storage_.emplace(fewest_shards, Fence::citus);
    }
    Store& store() { return storage_->store(); }
    EventQueue& queue() { return storage_->queue(); }
    Clock& clock() { return storage_->clock(); }
    Retention& retention() { return storage_->retention(); }

private:
    static constexpr std::uint32_t fewest_shards = 64;
    std::optional<postgres::PostgresStorage> storage_;
};

}  // namespace

using Kinds = testing::Types<With<1>, With<16>, With<16, Fence::around_shards>, WithFlatHistory<>,
                             // an engine that takes the database for a distributed one
                             WithFlatHistory<Fence::between_machines>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, RetentionContract, Kinds);
INSTANTIATE_TYPED_TEST_SUITE_P(Citus, RetentionContract, OnCitus);

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

/// A history in one of its two layouts, which neither vacuum nor autosummarize touches.
class Summaries : public testing::TestWithParam<bool> {
protected:
    Summaries() {
        if (GetParam()) query(url_, sql::flatten_history);
        query(url_, R"(
            DO $$
            DECLARE
                each record;
            BEGIN
                FOR each IN SELECT class.relname AS part, own.relname AS by_end
                              FROM pg_class AS class JOIN pg_index ON indrelid = class.oid
                              JOIN pg_class AS own ON own.oid = indexrelid JOIN pg_am ON pg_am.oid = own.relam
                             WHERE class.relname ~ '^event_history_' AND class.relkind = 'r' AND amname = 'brin'
                LOOP
                    EXECUTE format('ALTER TABLE sundial.%I SET (autovacuum_enabled = off)', each.part);
                    EXECUTE format('ALTER INDEX sundial.%I SET (autosummarize = off)', each.by_end);
                END LOOP;
            END $$)");
    }
    /// Some 14 ranges of events that end now.
    void given_ended() {
        query(url_, R"(
            INSERT INTO sundial.event_history
                (shard, id, status, priority, finished_at, version, attempt, retry_count, due, idempotency_key,
                 event_type, zone, gap, overlap, tz_release, payload, created_at, updated_at)
            SELECT i % 16, gen_random_uuid(), 'COMPLETED', 2, sundial.clock(), 2, 1, 0, now(), 'h' || i, 'T', 'UTC',
                   'compatible', 'compatible', '2025b', '{}', now(), now()
              FROM generate_series(1, 20000) AS i)");
    }
    /// The partition that has them.
    std::string partition() {
        return query(url_, R"(
            SELECT DISTINCT 'sundial.' || relname FROM sundial.event_history AS each
              JOIN pg_class AS class ON class.oid = each.tableoid)")[0][0];
    }
    /// Pages that a look-up reads although they have no row of its time: those without a summary.
    int pages_without_summary() {
        const auto plan = query(url_, R"(
            SET enable_seqscan = off; SET enable_indexscan = off; SET max_parallel_workers_per_gather = 0;
            EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT id FROM )" +
                                          partition() + " WHERE finished_at < '2000-01-01'");
        int pages = 0;
        for (const auto& row : plan) {
            const auto at = row[0].find("lossy=");
            if (at != std::string::npos) pages += std::stoi(row[0].substr(at + 6));
        }
        return pages;
    }
    void summarise_all() {
        while (retention().summarise(4)) {
        }
    }
    Retention& retention() { return database_->retention(); }
    [[nodiscard]] const std::string& url() const { return url_; }
    RecordedLog log_;

    static constexpr int pages_of_a_range = 32;

private:
    std::string url_ = migrated_database();
    std::unique_ptr<PostgresDatabase> database_ =
        PostgresDatabase::open({.url = url_, .pool_size = 2}, log_);
};

TEST_P(Summaries, AreMadeWhereTheServerMadeNone) {
    given_ended();
    const int before = pages_without_summary();
    EXPECT_GT(before, 8 * pages_of_a_range);
    EXPECT_TRUE(retention().summarise(4));
    EXPECT_EQ(pages_without_summary(), before - 4 * pages_of_a_range) << "no more than its limit";
    summarise_all();
    EXPECT_LT(pages_without_summary(), pages_of_a_range) << "the last range is not full";
    EXPECT_FALSE(retention().summarise(4));
}

TEST_P(Summaries, AreMadeOfLaterRowsToo) {
    given_ended();
    summarise_all();
    given_ended();
    EXPECT_GT(pages_without_summary(), 8 * pages_of_a_range);
    // The server may count the rows a moment later.
    const auto give_up = std::chrono::steady_clock::now() + 20s;
    while (pages_without_summary() >= pages_of_a_range) {
        ASSERT_LT(std::chrono::steady_clock::now(), give_up);
        summarise_all();
    }
}

TEST_P(Summaries, WaitForNoLock) {
    given_ended();
    const std::string part = partition();
    const int before = pages_without_summary();
    {
        Connection other{url(), log_};
        const std::string lock = "LOCK TABLE " + part + " IN SHARE UPDATE EXCLUSIVE MODE";
        constexpr Statement begin{"begin", "BEGIN"};
        const Statement as_a_vacuum{"as_a_vacuum", lock.c_str()};
        (void)other.run(std::array{Call{begin}, Call{as_a_vacuum}}, false, 30s);
        EXPECT_FALSE(retention().summarise(100));
        EXPECT_EQ(pages_without_summary(), before);
        EXPECT_EQ(query(url(), "SELECT ranges IS NULL FROM sundial.summarise_history('" + part +
                                   "'::regclass, 0, 1)")[0][0],
                  "t");
        constexpr Statement rollback{"rollback", "ROLLBACK"};
        (void)other.run(std::array{Call{rollback}}, false, 30s);
    }
    summarise_all();
    EXPECT_LT(pages_without_summary(), pages_of_a_range);
}

/// It would be an error of brin_summarize_range.
TEST_P(Summaries, AreLeftToTheOwnerOfTheTables) {
    given_ended();
    const std::string part = partition();
    EXPECT_EQ(query(url(), R"(
        CREATE ROLE owner_of_nothing;
        GRANT USAGE ON SCHEMA sundial TO owner_of_nothing;
        GRANT EXECUTE ON FUNCTION sundial.summarise_history TO owner_of_nothing;
        SET ROLE owner_of_nothing;
        SELECT coalesce(ranges, -1) FROM sundial.summarise_history(')" +
                               part + "'::regclass, 0, 1)")[0][0],
              "-1");
    query(url(), "DROP OWNED BY owner_of_nothing; DROP ROLE owner_of_nothing");
}

INSTANTIATE_TEST_SUITE_P(Layouts, Summaries, testing::Bool(),
                         [](const auto& flat) { return flat.param ? "Flat" : "ByMonth"; });

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
