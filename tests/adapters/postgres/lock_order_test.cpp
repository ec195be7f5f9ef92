#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/claim_sql.hpp"
#include "contract/settlements.hpp"
#include "postgres_storage.hpp"
#include "support/builders.hpp"
#include "support/postgres_cluster.hpp"

/// Two transactions that lock the same events in different orders can deadlock. A claim never waits
/// for a lock; statements that change claims lock the events of a shard in the order of their ids.
namespace sundial::postgres {
namespace {

class LockOrder : public testing::Test {
protected:
    LockOrder() {
        storage_.store().transact([&](Transaction& tx) {
            return tx.events().add(first_).has_value() && tx.events().add(second_).has_value();
        });
        for (ClaimedEvent& one : storage_.queue()
                                     .claim_ready({.by = instance_a,
                                                   .shard = 3,
                                                   .shares = {9, 9, 9, 9},
                                                   .lease = 30s,
                                                   .lane = reminder_lane})
                                     .events) {
            (one.event.id == first_.id ? first_ : second_) = one.event;
        }
    }

    /// Runs `change`, which is given the later id first, while another transaction has the earlier
    /// one.
    void expect_order_of_ids(const std::function<void()>& change) {
        std::future<void> waiting;
        storage_.store().transact([&](Transaction& tx) {
            EXPECT_TRUE(tx.events().lock(first_.id));
            waiting = std::async(std::launch::async, change);
            while (rows("pg_stat_activity WHERE wait_event_type = 'Lock'"
                        " AND datname = current_database()") == "0") {
                std::this_thread::yield();
            }
            EXPECT_NO_THROW(query(storage_.url(), "SELECT FROM sundial.events WHERE id = '" +
                                                      to_string(second_.id) +
                                                      "' FOR UPDATE NOWAIT"));
            return false;
        });
        waiting.get();
    }
    [[nodiscard]] std::string rows(const std::string& of) const {
        return query(storage_.url(), "SELECT count(*) FROM " + of).at(0).at(0);
    }

    PostgresStorage storage_{16};
    Event first_ = an_event().in_shard(3);
    Event second_ = an_event().in_shard(3).due(noon - 1s);
};

TEST_F(LockOrder, OfSettlementsIsThatOfIds) {
    const std::vector late{accepted(second_, noon), accepted(first_, noon)};
    expect_order_of_ids([&] {
        for (const auto& settled : storage_.queue().settle(late)) EXPECT_TRUE(settled);
    });
    EXPECT_EQ(rows("sundial.event_history"), "2");
}

TEST_F(LockOrder, OfLostClaimsIsThatOfIds) {
    ASSERT_TRUE(storage_.clock().set(noon + 31s));
    const std::string record =
        std::string{
            "PREPARE record(smallint, uuid[], bigint[], bigint, timestamptz, uuid[], timestamptz) "
            "AS "} +
        sql::record_lost.sql + "; EXECUTE record(3, '{" + to_string(second_.id) + "," +
        to_string(first_.id) + "}', '{2,2}', " +
        "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint, sundial.clock(), "
        "'{}', sundial.clock())";
    expect_order_of_ids([&] { query(storage_.url(), record); });
    EXPECT_EQ(rows("sundial.attempts WHERE outcome = 'LOST'"), "2");
}

}  // namespace
}  // namespace sundial::postgres
