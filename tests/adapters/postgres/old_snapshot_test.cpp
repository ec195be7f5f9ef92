// Claims while another session holds an old snapshot: entries claimed since then cannot leave the
// index.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/open.hpp"
#include "carried_out.hpp"
#include "patient.hpp"
#include "support/builders.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;
using testing::Gt;
using testing::IsEmpty;
using testing::Lt;
using testing::SizeIs;

/// 160,000 events were due and have been claimed since the snapshot.
class WithAnOldSnapshot : public testing::TestWithParam<Lane> {
protected:
    WithAnOldSnapshot() {
        insert("1 h", 160'000);
        snapshot_.run_script(
            "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM sundial.settings", 60s);
        query(url_, "UPDATE sundial.events SET claimable_at = claimable_at + interval '1 day'");
    }
    /// Inserts `count` events that have been claimable for `age`, spread evenly over the shards.
    void insert(const std::string& age, int count) { query(url_, insertion(age, count)); }
    static std::string insertion(const std::string& age, int count) {
        const bool handled = GetParam() != endpoint_lane;
        const std::string endpoint =
            handled ? "NULL::uuid" : "'01990000-0000-7000-8000-0000000000e1'::uuid";
        return R"(
            INSERT INTO sundial.events
                (shard, id, status, priority, claimable_at, version, attempt, retry_count, due,
                 idempotency_key, event_type, endpoint_id, zone, gap, overlap, tz_release, payload, created_at,
                 updated_at)
            SELECT i % 16, gen_random_uuid(), 'PENDING', 2, now() - interval ')" +
               age + R"(' + i * interval '1 us', 1, 0, 0, now(), 'k' || i, 'REMINDER', )" +
               endpoint + R"(,
                   'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now()
              FROM generate_series(1, )" +
               std::to_string(count) + ") AS i";
    }
    Claimed claim(std::uint32_t shard, std::chrono::microseconds lease = 60s,
                  bool with_next = false) {
        return database_->queue().claim_ready({.by = an_id<InstanceId>(),
                                               .shard = shard,
                                               .shares = {9, 9, 9, 9},
                                               .lease = lease,
                                               .lane = GetParam(),
                                               .with_next = with_next});
    }

    /// The clock of this machine, and so of the database.
    static Instant approximate_now() {
        return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    }

    const std::vector<Lane> lanes_{GetParam()};
    RecordedLog log_;
    const std::string url_ = PostgresCluster::shared().create_database();
    std::unique_ptr<PostgresDatabase> database_ = PostgresDatabase::open(patient(url_), log_);
    Connection snapshot_{url_, log_};
};

TEST_P(WithAnOldSnapshot, AClaimFromAFloorDoesNotReadClaimedRows) {
    if (GetParam() != endpoint_lane) GTEST_SKIP() << "the batch has endpoints";
    const std::string from_the_beginning = claim_a_batch(url_, 100);
    const std::string floor =
        query(url_, "SELECT sundial.clock() - interval '1 s'").front().front();
    const std::string from_the_floor = claim_a_batch(url_, 100, floor);
    EXPECT_THAT(pages_touched(from_the_beginning), Gt(5'000)) << from_the_beginning;
    EXPECT_THAT(pages_touched(from_the_floor), Lt(20)) << from_the_floor;
}

/// Only peeks raise floors and sweep below them, so they stay frequent.
TEST_P(WithAnOldSnapshot, AClaimFromAFloorReportsNoNextInstant) {
    if (GetParam() == endpoint_lane) {
        EXPECT_TRUE(claim(3, 60s, true).next.has_value());
    }
    (void)database_->queue().peek(lanes_);  // reads all entries and raises the floors
    EXPECT_EQ(claim(3, 60s, true).next, std::nullopt);
}

TEST_P(WithAnOldSnapshot, AnEventInsertedBelowAFloorIsFoundByTheSweep) {
    EventQueue& queue = database_->queue();
    (void)queue.peek(lanes_);  // reads all entries and raises the floors
    insert("2 h", 16);
    EXPECT_THAT(claim(3).events, IsEmpty()) << "it begins at its floor";
    QueuePeek seen = queue.peek(lanes_);
    while (seen.next[3] > seen.now) seen = queue.peek(lanes_);
    EXPECT_THAT(claim(3).events, SizeIs(1));
}

TEST_P(WithAnOldSnapshot, ALeaseThatEndsBelowAFloorIsFoundByTheSweep) {
    EventQueue& queue = database_->queue();
    insert("10 s", 16);
    ASSERT_THAT(claim(3, 3s).events, SizeIs(1));
    (void)queue.peek(lanes_);  // reads all and raises the floors past the claimed entries
    Claimed previous_lost;
    while (previous_lost.events.empty()) {
        (void)queue.peek(lanes_);
        previous_lost = claim(3);
    }
    ASSERT_THAT(previous_lost.events, SizeIs(1));
    EXPECT_TRUE(previous_lost.events[0].previous_lost);
}

TEST_P(WithAnOldSnapshot, AnEventThatBecomesClaimableIsFoundAtOnce) {
    EventQueue& queue = database_->queue();
    for (int i = 0; i < 5; ++i) (void)queue.peek(lanes_);  // raises the floors as far as possible
    insert("100 ms", 16);
    const QueuePeek seen = queue.peek(lanes_);
    EXPECT_THAT(seen.next, testing::Each(Lt(seen.now)));
    EXPECT_THAT(claim(3).events, SizeIs(1));
}

TEST_P(WithAnOldSnapshot, AHintedEventIsFoundAtOnce) {
    EventQueue& queue = database_->queue();
    for (int i = 0; i < 5; ++i) (void)queue.peek(lanes_);
    const Instant before = approximate_now();  // an insertion may take seconds
    insert("5 s", 16);
    queue.hint(before - 6s);
    EXPECT_THAT(claim(3).events, SizeIs(1));
}

/// If floors were simply 200 ms behind the clock, they would pass the writes of the open
/// transaction.
TEST_P(WithAnOldSnapshot, RowsOfAnOpenTransactionAreFoundIfItEndsWithinASecond) {
    using Clock = std::chrono::steady_clock;
    EventQueue& queue = database_->queue();
    Connection writer{url_, log_};
    (void)queue.peek(lanes_);
    for (int i = 0; i < 100; ++i) {
        const auto start = Clock::now();
        writer.run_script("BEGIN; " + insertion("0 s", 16), 60s);
        while (Clock::now() < start + 400ms) (void)queue.peek(lanes_);
        const auto took = Clock::now() - start;
        writer.run_script("COMMIT", 60s);
        if (took < 900ms) {
            EXPECT_THAT(claim(3).events, SizeIs(1));
            return;
        }
        // The machine was too slow this time.
        for (std::uint32_t shard = 0; shard < 16; ++shard) (void)claim(shard);
        (void)queue.peek(lanes_);
    }
    FAIL() << "a look takes half a second";
}

INSTANTIATE_TEST_SUITE_P(Lanes, WithAnOldSnapshot, testing::Values(endpoint_lane, reminder_lane),
                         [](const auto& lane) {
                             return lane.param == endpoint_lane ? "endpoints" : "handlers";
                         });

}  // namespace
}  // namespace sundial::postgres
