#include "adapters/postgres/session_lock.hpp"

#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <string>

#include "adapters/postgres/answer.hpp"
#include "application/ports/failures.hpp"
#include "support/commit_cutter.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

class SessionLocks : public testing::Test {
protected:
    std::unique_ptr<SessionLock> acquire(const std::string& name,
                                         std::chrono::milliseconds wait = 0ms) {
        return SessionLock::acquire(url, name, wait, log);
    }
    /// Ends the session that holds a lock of that kind.
    void kill_holder() {
        constexpr Statement kill{"kill", R"sql(
            SELECT pg_terminate_backend(pid) FROM pg_locks
             WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))sql"};
        Connection connection{url, log};
        const Call call{kill};
        ASSERT_EQ(connection.run({&call, 1}, false, 60s).front().size(), 1U);
    }
    static void wait_for_stop(const std::stop_token& lost) {
        std::promise<void> notified;
        const std::stop_callback notify{lost, [&notified] { notified.set_value(); }};
        notified.get_future().wait();
    }

    RecordedLog log;
    const std::string url = PostgresCluster::shared().create_database();
};

TEST_F(SessionLocks, OneSessionHoldsItUntilReleased) {
    auto first = acquire("migrate");
    ASSERT_TRUE(first);
    EXPECT_FALSE(acquire("migrate"));
    EXPECT_FALSE(acquire("migrate", 50ms));
    EXPECT_TRUE(acquire("other"));
    EXPECT_FALSE(first->lost().stop_requested());
    first.reset();
    EXPECT_TRUE(acquire("migrate"));
}

TEST_F(SessionLocks, AWaiterGetsTheLockOnceItIsFree) {
    auto first = acquire("migrate");
    auto waiting = std::async(std::launch::async, [&] { return acquire("migrate", 10min); });
    EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
    first.reset();
    EXPECT_TRUE(waiting.get());
}

TEST_F(SessionLocks, LK18_ReportsTheLossIfItsSessionIsKilled) {
    const auto lock = acquire("migrate");
    ASSERT_TRUE(lock);
    kill_holder();
    wait_for_stop(lock->lost());
    EXPECT_TRUE(acquire("migrate", 10min));
}

TEST_F(SessionLocks, LK18_IsRefusedThroughAPooler) {
    CommitCutter proxy{url};
    EXPECT_TRUE(SessionLock::acquire(proxy.url(), "migrate", 0ms, log));
    proxy.pose_as_pooler();
    EXPECT_THROW((void)SessionLock::acquire(proxy.url(), "migrate", 0ms, log), CannotStart);
    EXPECT_TRUE(acquire("migrate"));
}

TEST_F(SessionLocks, ASessionThatLosesItsConnectionIsLost) {
    auto proxy = std::make_unique<CommitCutter>(url);
    const auto lock = SessionLock::acquire(proxy->url(), "migrate", 0ms, log);
    ASSERT_TRUE(lock);
    proxy.reset();
    wait_for_stop(lock->lost());
}

}  // namespace
}  // namespace sundial::postgres
