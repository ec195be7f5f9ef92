#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/open.hpp"
#include "adapters/postgres/pool.hpp"
#include "application/ports/failures.hpp"
#include "patient.hpp"
#include "support/builders.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ServerWatchTest : public testing::Test {
protected:
    static constexpr Server first{.started = 100, .timeline = 1, .system = 7};
    static constexpr Server second{.started = 200, .timeline = 2, .system = 7};

    RecordedLog log;
    ServerWatch servers{log};
};

TEST_F(ServerWatchTest, TrustsNoServerBeforeOneHasAnswered) {
    EXPECT_EQ(servers.trusted(0s), std::nullopt);
}

TEST_F(ServerWatchTest, TrustsTheFirstServerAtOnce) {
    servers.meet(first);
    EXPECT_EQ(servers.trusted(1h), first.started);
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(ServerWatchTest, TrustsAnotherOnlyAfterALease) {
    servers.meet(first);
    servers.meet(second);
    EXPECT_EQ(servers.trusted(1h), std::nullopt);
    EXPECT_EQ(servers.trusted(0s), second.started);
    EXPECT_EQ(servers.latest().timeline, 2);
    ASSERT_THAT(log.lines(), SizeIs(1));
    EXPECT_THAT(log.lines().front().message, HasSubstr("timeline 2"));
}

TEST_F(ServerWatchTest, DoesNotTrustAReturningServerAtOnce) {
    servers.meet(first);
    servers.meet(second);
    servers.meet(first);
    EXPECT_EQ(servers.trusted(1h), std::nullopt);
    EXPECT_THAT(log.lines(), SizeIs(2));
}

/// One server that crashes and comes back, or turns out to be a former primary.
class AnotherServer : public testing::Test {
protected:
    /// Adds a due event. If `held`, `instance_b` has claimed it and its lease has expired.
    Event add(bool held) {
        Event event = an_event().due(Instant{});
        database->store().transact(
            [&](Transaction& tx) { return tx.events().add(event).has_value(); });
        if (held) {
            EXPECT_THAT(claim(instance_b, event, 1us), SizeIs(1));
        }
        return event;
    }
    std::vector<ClaimedEvent> claim(InstanceId by, const Event& event,
                                    std::chrono::microseconds lease) {
        return database->queue()
            .claim_ready({.by = by,
                          .shard = shard_of(event.id, 16),
                          .shares = {9, 9, 9, 9},
                          .lease = lease,
                          .lane = lane_of(event)})
            .events;
    }

    RecordedLog log;
    PostgresCluster cluster;
    const std::string url = cluster.create_database();
    std::unique_ptr<PostgresDatabase> database = PostgresDatabase::open(patient(url), log);
};

TEST_F(AnotherServer, LeavesClaimsOfOthersAloneForALease) {
    const Event previous_lost = add(true);
    const auto before = claim(instance_a, previous_lost, 1h);
    ASSERT_THAT(before, SizeIs(1));
    EXPECT_TRUE(before.front().previous_lost);

    const Event held = add(true), fresh = add(false);
    cluster.kill_and_restart();
    EXPECT_THAT(claim(instance_a, held, 1h), IsEmpty());
    EXPECT_THAT(claim(instance_a, fresh, 1h), SizeIs(1));
    EXPECT_THAT(claim(instance_a, held, 1h), IsEmpty());

    const auto after = claim(instance_a, held, 1us);  // after the length of a lease
    ASSERT_THAT(after, SizeIs(1));
    EXPECT_TRUE(after.front().previous_lost);
}

TEST_F(AnotherServer, IsRefusedIfItsTimelineIsOneThatWasLeftBehind) {
    const std::string own =
        query(url, "SELECT pg_get_functiondef('sundial.timeline(bigint,bigint)'::regprocedure)")
            .at(0)
            .at(0);
    const auto later = PostgresDatabase::open({.url = url, .pool_size = 2}, log);
    query(url,
          "CREATE OR REPLACE FUNCTION sundial.timeline(seen bigint, seen_of bigint) RETURNS "
          "bigint LANGUAGE sql AS 'SELECT 5::bigint'");
    EXPECT_EQ(later->queue().peek(reminders_only).next.size(), 16U);  // records timeline 5
    query(url, own);
    try {
        (void)later->queue().peek(reminders_only);
        FAIL() << "an old primary was taken for the new one";
    } catch (const Unavailable& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("OLD_PRIMARY"));
    }
    EXPECT_EQ(database->queue().peek(reminders_only).next.size(),
              16U);  // it has seen no later timeline
}

/// If the first host of a URL turns out to be the wrong server, the next host is tried first.
TEST_F(AnotherServer, OfAUrlIsAskedInTurn) {
    PostgresCluster other;
    const auto folder_of = [](const std::string& its) { return its.substr(its.find("host=") + 5); };
    const std::string theirs = other.create_database();  // with the same name
    const std::string two = url + "," + folder_of(theirs);
    constexpr Statement where{"where", "SELECT current_setting('data_directory')",
                              Statement::Plan::fresh};
    const auto asked_first = [&](std::size_t turn) {
        Connection connection{two, log, turn};
        const Call call{where};
        return connection.run({&call, 1}, false, 10s).front().get<std::string>(0, 0);
    };
    EXPECT_EQ(asked_first(0), folder_of(url) + "/data");
    EXPECT_EQ(asked_first(1), folder_of(theirs) + "/data");
    EXPECT_EQ(asked_first(2), folder_of(url) + "/data");
}

}  // namespace
}  // namespace sundial::postgres
