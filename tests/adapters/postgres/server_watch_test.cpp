#include "adapters/postgres/server_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/open.hpp"
#include "application/ports/failures.hpp"
#include "patient.hpp"
#include "postgres_storage.hpp"
#include "support/builders.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
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

/// A distributed database, in which two workers have two shards each.
class ShardHolders : public testing::Test {
protected:
    static constexpr std::int64_t one = 1000, other = 2000, another = 3000, later = 4000;

    ShardHolders() {
        for (const std::uint32_t shard : {0U, 1U}) {
            EXPECT_EQ(meets_unknown(shard, one), shard == 0);
        }
        for (const std::uint32_t shard : {2U, 3U}) {
            EXPECT_EQ(meets_unknown(shard, other), shard == 2);
        }
        servers.identify(one, HolderIdentity{2, 7, "one:5432"});
        servers.identify(other, HolderIdentity{1, 8, "other:5432"});
    }
    bool meets_unknown(std::uint32_t shard, std::int64_t started) {
        servers.meet_holder(shard, started);
        return servers.should_identify(started);
    }
    std::vector<bool> trusted(std::chrono::microseconds lease) {
        std::vector<bool> all;
        for (std::uint32_t shard = 0; shard < 4; ++shard) {
            all.push_back(servers.trusts_holder(shard, lease));
        }
        return all;
    }
    std::vector<bool> refused() {
        std::vector<bool> all;
        for (std::uint32_t shard = 0; shard < 4; ++shard) {
            all.push_back(servers.refusal_of(shard).has_value());
        }
        return all;
    }
    /// The shards of the first worker are on `started` from now on.
    void move_to(std::int64_t started, const HolderIdentity& identity) {
        servers.meet_holder(0, started);
        servers.meet_holder(1, started);
        if (servers.should_identify(started)) servers.identify(started, identity);
    }

    RecordedLog log;
    ServerWatch servers{log};
};

TEST_F(ShardHolders, AreTrustedAtOnceIfTheyAreTheFirst) {
    EXPECT_THAT(trusted(1h), Each(true));
    EXPECT_THAT(refused(), Each(false));
    EXPECT_TRUE(servers.trusts_holder(9, 1h));  // no server has answered for it
    EXPECT_EQ(servers.refusal_of(9), std::nullopt);
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(ShardHolders, AreTrustedAfterALeaseIfTheyAreAnother) {
    move_to(another, HolderIdentity{3, 7, "standby:5432"});
    EXPECT_THAT(trusted(1h), ElementsAre(false, false, true, true));
    EXPECT_THAT(trusted(0s), Each(true));
    EXPECT_THAT(refused(), Each(false));
    ASSERT_THAT(log.lines(), SizeIs(1));
    EXPECT_THAT(log.lines().front().message, HasSubstr("standby:5432 (timeline 3)"));
    EXPECT_EQ(log.lines().front().level, base::LogLevel::warn);
}

TEST_F(ShardHolders, AreNotTrustedAtOnceIfTheyReturn) {
    move_to(another, HolderIdentity{2, 7, "one:5432"});
    move_to(one, HolderIdentity{2, 7, "one:5432"});
    EXPECT_THAT(trusted(1h), ElementsAre(false, false, true, true));
    EXPECT_THAT(log.lines(), SizeIs(2));
}

/// A shard that Citus moves to a known worker waits for a lease, too. Nothing is logged.
TEST_F(ShardHolders, MayGiveAShardToEachOther) {
    EXPECT_FALSE(meets_unknown(1, other));
    EXPECT_THAT(trusted(1h), ElementsAre(true, false, true, true));
    EXPECT_THAT(refused(), Each(false));
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(ShardHolders, AreRefusedIfTheyWereReplaced) {
    move_to(another, HolderIdentity{3, 7, "standby:5432"});
    move_to(later, HolderIdentity{2, 7, "one:5432"});
    EXPECT_THAT(refused(), ElementsAre(true, true, false, false));
    EXPECT_THAT(servers.refusal_of(0).value_or(""),
                HasSubstr("one:5432 has shard 0 and was replaced: it is on timeline 2, and 3 has "
                          "been seen"));
    EXPECT_EQ(log.lines().back().level, base::LogLevel::error);
    EXPECT_THAT(log.lines().back().message, HasSubstr("one:5432 (timeline 2)"));

    move_to(5000, HolderIdentity{2, 7, "one:5432"});  // restarted, and still the former primary
    EXPECT_THAT(refused(), ElementsAre(true, true, false, false));
    move_to(another, HolderIdentity{3, 7, "standby:5432"});
    EXPECT_THAT(refused(), Each(false));
    EXPECT_THAT(trusted(1h), ElementsAre(false, false, true, true));
}

/// Timelines of different clusters do not compare, nor does that of a server whose cluster is not
/// known.
TEST_F(ShardHolders, AreNotRefusedForTheTimelineOfAnotherCluster) {
    move_to(another, HolderIdentity{1, 9, "new:5432"});
    EXPECT_THAT(refused(), Each(false));
    move_to(later, HolderIdentity{1, 0, "unknown:5432"});
    EXPECT_THAT(refused(), Each(false));
}

TEST_F(ShardHolders, ThatCannotBeIdentifiedCountAsOthersAllTheSame) {
    EXPECT_TRUE(meets_unknown(0, another));
    servers.identify(another, std::nullopt);
    EXPECT_FALSE(meets_unknown(0, another)) << "it is asked again after a while";
    EXPECT_THAT(trusted(1h), ElementsAre(false, true, true, true));
    EXPECT_THAT(refused(), Each(false));
    ASSERT_THAT(log.lines(), SizeIs(1));
    EXPECT_THAT(log.lines().front().message, HasSubstr("restarted"));
}

/// A take-over of lost claims meets a server, but asks nothing.
TEST_F(ShardHolders, AreIdentifiedByTheNextPeekIfAClaimMeetsThemFirst) {
    servers.meet_holder(0, another);
    EXPECT_TRUE(meets_unknown(0, another));
    EXPECT_FALSE(servers.should_identify(5000)) << "it has no shard";
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

/// A distributed database, as far as one server can pass for it: in reads of events, which Citus
/// leaves to the worker that has the shard, functions about the server are those of a worker.
class AnotherWorker : public AnotherServer {
protected:
    AnotherWorker() {
        seem_distributed(url);
        query(url, R"(
            CREATE SCHEMA worker;
            CREATE TABLE worker.facts AS SELECT timestamptz '2026-01-01' AS started, 5 AS timeline;
            CREATE FUNCTION worker.runs() RETURNS boolean LANGUAGE sql STABLE AS $$
                SELECT current_query() ~ 'sundial\.events'
                   AND current_query() !~ '(UPDATE|INSERT INTO|DELETE FROM) sundial\.' $$;
            CREATE FUNCTION worker.pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql STABLE AS $$
                SELECT CASE WHEN worker.runs() THEN (SELECT started FROM worker.facts)
                            ELSE pg_catalog.pg_postmaster_start_time() END $$;
            CREATE FUNCTION worker.pg_walfile_name(at pg_lsn) RETURNS text LANGUAGE sql STABLE AS $$
                SELECT CASE WHEN worker.runs() THEN (SELECT lpad(to_hex(timeline), 8, '0') FROM worker.facts)
                            ELSE pg_catalog.pg_walfile_name(at) END $$;
            DO $$ BEGIN
                EXECUTE format('ALTER DATABASE %I SET search_path = worker, pg_catalog, public', current_database());
            END $$)");
        database.reset();
        database = PostgresDatabase::open({.url = url, .pool_size = 2}, log);
    }
    /// The worker is another server from now on.
    void replace_worker(int timeline) {
        query(url, "UPDATE worker.facts SET started = started + interval '1 day', timeline = " +
                       std::to_string(timeline));
    }
    std::vector<Instant> peek() { return database->queue().peek(reminders_only).next; }
};

TEST_F(AnotherWorker, LeavesClaimsOfOthersInItsShardsAloneForALease) {
    (void)peek();
    const Event previous_lost = add(true);
    const auto before = claim(instance_a, previous_lost, 30s);
    ASSERT_THAT(before, SizeIs(1));
    EXPECT_TRUE(before.front().previous_lost);

    const Event held = add(true), fresh = add(false);
    replace_worker(5);  // no peek has noticed it yet
    EXPECT_THAT(claim(instance_a, held, 30s), IsEmpty());
    EXPECT_THAT(claim(instance_a, fresh, 30s), SizeIs(1));
    EXPECT_THAT(claim(instance_a, held, 30s), IsEmpty());

    const auto after = claim(instance_a, held, 1us);  // after the length of a lease
    ASSERT_THAT(after, SizeIs(1));
    EXPECT_TRUE(after.front().previous_lost);
}

TEST_F(AnotherWorker, IsNoticedByAPeek) {
    const Event held = add(true);
    (void)peek();
    const std::size_t before = log.lines().size();
    (void)peek();
    EXPECT_THAT(log.lines(), SizeIs(before));
    replace_worker(6);
    (void)peek();
    ASSERT_THAT(log.lines(), SizeIs(before + 1));
    EXPECT_THAT(log.lines().back().message, HasSubstr("a local socket (timeline 6)"));
    EXPECT_THAT(claim(instance_a, held, 30s), IsEmpty());
    EXPECT_THAT(claim(instance_a, held, 1us), SizeIs(1));
}

TEST_F(AnotherWorker, GivesOutNothingIfItWasReplaced) {
    const Event due = add(false);
    EXPECT_THAT(peek(), Contains(due.due));
    replace_worker(4);
    EXPECT_THAT(peek(), Each(never));
    try {
        (void)claim(instance_a, due, 30s);
        FAIL() << "a former primary gave out an event";
    } catch (const Unavailable& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("OLD_PRIMARY"));
    }
    replace_worker(5);
    EXPECT_THAT(peek(), Contains(due.due));
    EXPECT_THAT(claim(instance_a, due, 30s), SizeIs(1));
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
