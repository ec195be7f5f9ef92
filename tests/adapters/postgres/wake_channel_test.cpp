#include "adapters/postgres/wake_channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "support/builders.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

/// Records the hints of one instance.
class Hints final : public Wakeups {
public:
    void due_at(Instant when) override {
        const std::lock_guard lock{mutex_};
        hints_.push_back(when);
        arrived_.notify_all();
    }
    /// Waits until `count` hints have come; false if they did not.
    bool reach(std::size_t count) {
        std::unique_lock lock{mutex_};
        return arrived_.wait_for(lock, 10min, [&] { return hints_.size() >= count; });
    }
    std::size_t count() {
        const std::lock_guard lock{mutex_};
        return hints_.size();
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<Instant> hints_;
};

class WakeChannelTest : public testing::Test {
protected:
    struct Instance {
        Instance(const std::string& url, base::Log& log)
            : channel{{.url = url, .tick = 1s, .now = [] { return noon; }}, hints, log} {
            EXPECT_TRUE(hints.reach(1));  // listening from now on
        }
        Hints hints;
        WakeChannel channel;
    };

    RecordedLog log;
    const std::string url = migrated_database();
    Instance here{url, log}, there{url, log};
};

TEST_F(WakeChannelTest, NotifiesOtherInstancesBeforeTheirPeek) {
    here.channel.due_at(noon);
    EXPECT_TRUE(there.hints.reach(2));
    EXPECT_EQ(here.hints.count(), 2U);  // its own hint once, not its own notification
}

TEST_F(WakeChannelTest, DoesNotNotifyOthersOfEventsBeyondATick) {
    here.channel.due_at(noon + 1s + 1us);
    here.channel.due_at(noon + 1s);
    EXPECT_TRUE(there.hints.reach(2));
    EXPECT_EQ(there.hints.count(), 2U);
    EXPECT_EQ(here.hints.count(), 3U);
}

/// With a notification in each commit, many commits would wait for each other.
TEST_F(WakeChannelTest, NotifiesOfManyEventsAtOnce) {
    constexpr std::size_t many = 2000;
    for (std::size_t i = 0; i < many; ++i) here.channel.due_at(noon);
    EXPECT_TRUE(there.hints.reach(2));
    EXPECT_LT(there.hints.count(), many / 10);
}

TEST_F(WakeChannelTest, ReceivesNotificationsFromSql) {
    query(url, "SELECT sundial.wake()");
    EXPECT_TRUE(here.hints.reach(2));
    EXPECT_TRUE(there.hints.reach(2));
}

TEST_F(WakeChannelTest, ListensAgainAfterItWasCutOff) {
    query(url, R"(
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'sundial' AND datname = current_database())");
    EXPECT_TRUE(here.hints.reach(2));  // hints may have been lost, so it sends one
    EXPECT_TRUE(there.hints.reach(2));
    here.channel.due_at(noon);
    EXPECT_TRUE(there.hints.reach(3));
}

TEST(SharedWakeups, AreThereOnlyWithAnAddressToListenAt) {
    RecordedLog log;
    Hints hints;
    const std::string url = migrated_database();
    const auto alone = PostgresDatabase::open({.url = url}, log);
    EXPECT_EQ(alone->share_wakeups(hints, 1s), nullptr);

    const auto database = PostgresDatabase::open({.url = url, .listen_url = url}, log);
    const Instant now = database->clock().now();
    const auto shared = database->share_wakeups(hints, 1s);
    EXPECT_TRUE(hints.reach(1));
    Hints others;
    const WakeChannel other{{.url = url, .tick = 1s, .now = [] { return noon; }}, others, log};
    EXPECT_TRUE(others.reach(1));
    shared->due_at(now);
    EXPECT_TRUE(others.reach(2));
}

}  // namespace
}  // namespace sundial::postgres
