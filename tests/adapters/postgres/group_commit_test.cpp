#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/hash.hpp"
#include "adapters/postgres/open.hpp"
#include "application/events/schedule_event.hpp"
#include "patient.hpp"
#include "support/builders.hpp"
#include "support/commit_cutter.hpp"
#include "support/deaf_ports.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// Event creations that share a transaction, on one server for many clients.
namespace sundial::postgres {
namespace {

class Creations : public testing::Test {
protected:
    NewEvent for_user(const std::string& user) {
        NewEvent requested;
        requested.event_type = "REMINDER";
        requested.user = user;
        requested.target.utc = "2027-06-01T00:00:00Z";
        return requested;
    }
    static NewEvent for_(const Endpoint& endpoint) {
        NewEvent requested;
        requested.event_type = "REMINDER";
        requested.endpoint = to_string(endpoint.id);
        requested.target.utc = "2027-06-01T00:00:00Z";
        return requested;
    }
    Endpoint a_stored_endpoint() {
        Endpoint endpoint = an_endpoint();
        store().transact([&](Transaction& tx) { return tx.endpoints().add(endpoint).has_value(); });
        return endpoint;
    }
    User a_stored_user() {
        User user = a_user();
        store().transact([&](Transaction& tx) { return tx.users().add(user).has_value(); });
        return user;
    }
    Store& store() { return database->store(); }
    [[nodiscard]] std::string count(const std::string& what) const {
        return query(direct, "SELECT count(*) FROM " + what).at(0).at(0);
    }
    [[nodiscard]] std::string waiting_for_locks() const {
        return count(
            "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()");
    }
    [[nodiscard]] Settings settings() const {
        Settings settings = patient(proxy.url());
        settings.pool_size = 7;
        return settings;
    }
    /// Polls, because another process satisfies the condition.
    static void wait_until(const std::function<bool()>& condition) {
        while (!condition()) std::this_thread::yield();
    }

    const std::string direct = migrated_database();
    CommitCutter proxy{direct};
    RecordedLog log;
    /// Four connections for requests, and three for the scheduler.
    const std::unique_ptr<PostgresDatabase> database = PostgresDatabase::open(settings(), log);
    FakeTimeZones zones;
    FakeIds ids;
    NoWakeups wakeups;
    ScheduleEvent schedule{store(), zones, ids, wakeups};
};

TEST_F(Creations, ForAUserThatIsBeingChangedHoldUpNoOthers) {
    const User busy = a_stored_user(), other = a_stored_user();
    std::vector<std::future<EventResult<Event>>> waiting;
    store().transact([&](Transaction& tx) {
        EXPECT_TRUE(tx.users().lock(busy.id));
        for (int i = 0; i < 2; ++i) {
            waiting.push_back(std::async(
                std::launch::async, [&] { return schedule.run(for_user(to_string(busy.id))); }));
        }
        wait_until([&] { return waiting_for_locks() == "2"; });
        const auto of_other = std::async(std::launch::async, [&] {
                                  return schedule.run(for_user(to_string(other.id)));
                              }).get();
        EXPECT_TRUE(of_other.has_value());
        return false;
    });
    for (auto& one : waiting) EXPECT_TRUE(one.get().has_value());
    EXPECT_EQ(count("sundial.events"), "3");
}

TEST_F(Creations, ForAnEndpointThatIsBeingDeletedHoldUpNoOthers) {
    const Endpoint going = a_stored_endpoint(), other = a_stored_endpoint();
    std::future<EventResult<Event>> waiting;
    store().transact([&](Transaction& tx) {
        EXPECT_TRUE(tx.endpoints().lock_to_remove(going.id));
        waiting = std::async(std::launch::async, [&] { return schedule.run(for_(going)); });
        wait_until([&] { return waiting_for_locks() == "1"; });
        EXPECT_TRUE(
            std::async(std::launch::async, [&] { return schedule.run(for_(other)); }).get());
        tx.endpoints().remove(going.id);
        return true;
    });
    EXPECT_TRUE(std::holds_alternative<ValidationFailed>(waiting.get().error()));
    EXPECT_EQ(count("sundial.events"), "1");
}

TEST_F(Creations, InOneTransactionAreFoundTogetherIfNoAnswerComes) {
    for (const auto cut : {CommitCutter::Cut::reply, CommitCutter::Cut::commit}) {
        const User user = a_stored_user();
        const std::vector<NewEvent> requested(3, for_user(to_string(user.id)));
        proxy.cut_next(cut);
        for (const auto& answer : schedule.run_each(requested)) EXPECT_TRUE(answer.has_value());
        EXPECT_EQ(count("sundial.events WHERE user_id = '" + to_string(user.id) + "'"), "3");
    }
    EXPECT_EQ(proxy.cuts(), 2);
}

TEST_F(Creations, OfOneEventAreFoundIfNoAnswerComes) {
    NewEvent requested;
    requested.event_type = "REMINDER";
    requested.target.utc = "2027-06-01T00:00:00Z";
    for (const auto cut : {CommitCutter::Cut::reply, CommitCutter::Cut::commit}) {
        proxy.cut_next(cut);
        EXPECT_TRUE(schedule.run(requested).has_value());
    }
    EXPECT_EQ(proxy.cuts(), 2);
    EXPECT_EQ(count("sundial.events"), "2");
}

/// Its statement runs a little after the transaction began.
TEST_F(Creations, AreNotLaterThanWhatFollowsInTheirTransaction) {
    const std::string key = "first";
    const Event event = an_event().with_key(key).in_shard(last_byte_of_sha256(key));
    store().transact([&](Transaction& tx) {
        EXPECT_LE(tx.events().add_now(event).value().created_at, tx.now());
        return true;
    });
    EXPECT_EQ(count("sundial.events"), "1");
}

}  // namespace
}  // namespace sundial::postgres
