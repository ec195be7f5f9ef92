#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/connection.hpp"
#include "contract/settlements.hpp"
#include "postgres_storage.hpp"
#include "support/builders.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// Two transactions that lock the same events in different orders can deadlock. A claim never waits
/// for a lock; statements that change events lock those of a shard in the order of their ids.
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
            wait_for_lock(waiting);
            EXPECT_NO_THROW(query(storage_.url(), "SELECT FROM sundial.events WHERE id = '" +
                                                      to_string(second_.id) +
                                                      "' FOR UPDATE NOWAIT"));
            return false;
        });
        waiting.get();
    }
    /// Until `other` waits for a lock, or is over.
    template <class Value>
    void wait_for_lock(const std::future<Value>& other) const {
        while (other.wait_for(0s) != std::future_status::ready &&
               rows("pg_stat_activity WHERE wait_event_type = 'Lock'"
                    " AND datname = current_database()") == "0") {
            std::this_thread::yield();
        }
    }
    template <class Work>
    auto committed(Work work) {
        std::optional<std::invoke_result_t<Work&, Transaction&>> result;
        storage_.store().transact([&](Transaction& tx) {
            result = work(tx);
            return true;
        });
        return std::move(result).value();
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

TEST_F(LockOrder, OfParkedEventsIsThatOfIds) {
    query(storage_.url(),
          "UPDATE sundial.events SET claimable_at = 'infinity', claimed_by = NULL, lease_ends = "
          "NULL");
    expect_order_of_ids([&] {
        EXPECT_EQ(committed([](Transaction& tx) { return tx.events().unpark(std::nullopt, 9); }),
                  2U);
    });
}

TEST_F(LockOrder, OfTheEventsOfAUserIsThatOfIds) {
    const auto user = an_id<UserId>();
    query(storage_.url(), "UPDATE sundial.events SET user_id = '" + to_string(user) + "'");
    expect_order_of_ids([&] {
        storage_.store().transact([user](Transaction& tx) {
            tx.events().erase_of_user(user);
            return true;
        });
    });
    EXPECT_EQ(rows("sundial.events WHERE user_id IS NULL"), "2");  // they are claimed
}

/// Another transaction changes an event first.
class OvertakenChanges : public LockOrder {
protected:
    /// Runs `work` while another transaction has changed the event. That commits once `work` waits.
    template <class Work>
    auto overtaken(const std::string& change, const Event& event, Work work) {
        Connection other{storage_.url(), log_};
        const Statement begin{"begin", "BEGIN"}, changing{"change", change.c_str()},
            commit{"commit", "COMMIT"};
        (void)other.run(std::array{Call{begin}, Call{changing, event.id}}, false, 30s);
        auto waiting = std::async(std::launch::async, work);
        wait_for_lock(waiting);
        (void)other.run(std::array{Call{commit}}, false, 30s);
        return waiting.get();
    }

    std::vector<Result<void, LeaseLost>> settle_both() {
        return storage_.queue().settle(
            std::vector{accepted(first_, noon), accepted(second_, noon)});
    }

private:
    RecordedLog log_;
};

TEST_F(OvertakenChanges, ASettlementLeavesAClaimThatIsTakenOverMeanwhile) {
    const auto answers = overtaken("UPDATE sundial.events SET version = version + 1 WHERE id = $1",
                                   first_, [&] { return settle_both(); });
    EXPECT_FALSE(answers.at(0).has_value());
    EXPECT_TRUE(answers.at(1).has_value());
    EXPECT_EQ(rows("sundial.events WHERE version = 3"), "1");
    EXPECT_EQ(rows("sundial.event_history WHERE id = '" + to_string(second_.id) + "'"), "1");
    EXPECT_EQ(rows("sundial.event_history"), "1");
}

TEST_F(OvertakenChanges, ASettlementMovesTheRowAsAnotherTransactionLeftIt) {
    const auto answers = overtaken("UPDATE sundial.events SET payload = '[]' WHERE id = $1", first_,
                                   [&] { return settle_both(); });
    EXPECT_TRUE(answers.at(0).has_value());
    EXPECT_TRUE(answers.at(1).has_value());
    EXPECT_EQ(rows("sundial.events"), "0");
    EXPECT_EQ(rows("sundial.event_history WHERE payload = '[]'"), "1");
    EXPECT_EQ(rows("sundial.event_history"), "2");
}

/// Changes of many events find them first, and then lock them. Meanwhile another transaction may
/// change some.
class FoundEvents : public OvertakenChanges {
protected:
    void given(const Event& earlier, const Event& later) {
        storage_.store().transact([&](Transaction& tx) {
            return tx.events().add(earlier).has_value() && tx.events().add(later).has_value();
        });
    }
    template <class Work>
    auto committed_after(const std::string& change, const Event& event, Work work) {
        return overtaken(change, event, [&] { return committed(work); });
    }
};

TEST_F(FoundEvents, ThatAreUnparkedMeanwhileDoNotCountAsOurs) {
    const auto endpoint = an_id<EndpointId>();
    const Event earlier = an_event().in_shard(3).to_endpoint(endpoint);
    const Event later = an_event().in_shard(4).to_endpoint(endpoint);
    given(earlier, later);
    query(storage_.url(),
          "UPDATE sundial.events SET status = 'PROCESSING', claimable_at = 'infinity' WHERE "
          "endpoint_id IS NOT NULL");
    const auto unparked =
        committed_after("UPDATE sundial.events SET claimable_at = due WHERE id = $1", earlier,
                        [&](Transaction& tx) { return tx.events().unpark(endpoint, 1); });
    EXPECT_EQ(unparked, 1U);
    EXPECT_EQ(rows("sundial.events WHERE version = 2 AND id = '" + to_string(later.id) + "'"), "1");
    EXPECT_EQ(rows("sundial.events WHERE claimable_at = 'infinity'"), "0");
}

TEST_F(FoundEvents, ThatFollowTheScheduleMeanwhileAreLeftOut) {
    const auto schedule = an_id<ScheduleId>();
    const Date day = std::chrono::year{2027} / 1 / 5;
    const Event earlier = an_event().in_shard(3).of_schedule(schedule, day);
    const Event later = an_event().in_shard(4).of_schedule(schedule, day);
    given(earlier, later);
    const auto locked =
        committed_after("UPDATE sundial.events SET schedule_version = 2 WHERE id = $1", earlier,
                        [&](Transaction& tx) {
                            return tx.events().lock_behind(schedule, Version{2}, std::nullopt, 1);
                        });
    EXPECT_EQ(locked, std::vector{later});
}

}  // namespace
}  // namespace sundial::postgres
