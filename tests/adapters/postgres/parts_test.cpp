#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "application/ports/store.hpp"
#include "patient.hpp"
#include "support/commit_cutter.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// Calls whose parts are transactions of their own, on a distributed database (ADR 0074).
namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t parts_of_call = 8;  // two for each session

/// Returns the session that ran it.
constexpr Statement run_part{"run_part", "SELECT did.run($1)"};
constexpr Statement wait_for_gate{"wait_for_gate",
                                  "SELECT pg_backend_pid(), pg_advisory_xact_lock_shared(7)"};
constexpr Statement forget_statements{"forget_statements", "DEALLOCATE ALL",
                                      Statement::Plan::fresh};
constexpr Statement read_by_clock{"read_by_clock",
                                  "SELECT count(*), sundial.clock() FROM sundial.events"};

class PartsOfACall : public testing::Test {
protected:
    PartsOfACall() {
        // Unlike a table, a sequence also counts for transactions that are rolled back.
        query(url, R"(
            CREATE SCHEMA did;
            CREATE SEQUENCE did.failures;
            CREATE TABLE did.parts (number int, session int);
            CREATE TABLE did.fails (number int, times int, how text);
            CREATE FUNCTION did.run(its int) RETURNS int LANGUAGE plpgsql AS $$
            DECLARE
                failing did.fails;
            BEGIN
                INSERT INTO did.parts VALUES (its, pg_backend_pid());
                SELECT * INTO failing FROM did.fails WHERE number = its;
                IF FOUND AND nextval('did.failures') <= failing.times THEN
                    IF failing.how = 'end' THEN
                        PERFORM pg_terminate_backend(pg_backend_pid());
                    ELSE
                        RAISE EXCEPTION USING ERRCODE = failing.how, MESSAGE = 'as the test asks';
                    END IF;
                END IF;
                RETURN pg_backend_pid();
            END $$)");
    }

    /// From now on, part `number` fails so many times: with a SQLSTATE, or by the end of its
    /// session.
    void fail(std::size_t number, const std::string& how, int times = 1) {
        query(url,
              "TRUNCATE did.parts, did.fails; ALTER SEQUENCE did.failures RESTART;"
              "INSERT INTO did.fails VALUES (" +
                  std::to_string(number) + ", " + std::to_string(times) + ", '" + how + "')");
    }
    static std::vector<std::vector<Call>> parts(std::size_t count = parts_of_call) {
        std::vector<std::vector<Call>> all;
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back({Call{run_part, static_cast<std::int32_t>(i)}});
        }
        return all;
    }
    /// The sessions of the parts, in their order; 0 if one has no answer. As a scheduler's thread
    /// runs them.
    static std::vector<int> sessions(Database& engine,
                                     const std::vector<std::vector<Call>>& calls) {
        const SchedulerScope scheduler;
        std::vector<int> all;
        const auto ran = engine.run_in_parts("test", Database::Effect::repeatable, calls);
        for (const auto& answered : ran.answered) {
            all.push_back(answered ? answered->answers.back().get<std::int32_t>(0, 0) : 0);
        }
        return all;
    }
    static std::vector<int> sessions(Database& engine) { return sessions(engine, parts()); }
    static std::size_t distinct(const std::vector<int>& all) {
        return std::set<int>{all.begin(), all.end()}.size();
    }
    /// How often each part took effect.
    [[nodiscard]] std::vector<std::string> effects() const {
        std::vector<std::string> all;
        for (const auto& row :
             query(url, "SELECT count(*) FROM did.parts GROUP BY number ORDER BY number")) {
            all.push_back(row[0]);
        }
        return all;
    }
    [[nodiscard]] Settings settings_with(std::size_t pool_size) const {
        Settings settings = patient(url);
        settings.pool_size = pool_size;
        return settings;
    }
    [[nodiscard]] std::size_t times_logged(std::string_view text) const {
        return static_cast<std::size_t>(std::ranges::count_if(log.lines(), [&](const auto& line) {
            return line.message.find(text) != std::string::npos;
        }));
    }

    const std::string url = migrated_database();
    RecordedLog log;
    Database database{settings_with(8), 16, /*distributed=*/true, log};
};

TEST_F(PartsOfACall, AreDividedOverFourSessions) {
    const auto ran = sessions(database);
    EXPECT_EQ(distinct(ran), 4U);
    for (std::size_t i = 0; i < ran.size(); i += 2) EXPECT_EQ(ran[i], ran[i + 1]);
    EXPECT_THAT(effects(), ElementsAre("1", "1", "1", "1", "1", "1", "1", "1"));
    EXPECT_EQ(database.pool_use().in_use, 0U);
    EXPECT_EQ(database.pool_use().idle, 4U);
    EXPECT_THAT(sessions(database), testing::UnorderedElementsAreArray(ran));
}

/// Each session waits in its first part until all four are there.
TEST_F(PartsOfACall, RunAtTheSameTime) {
    SqlConnection gate{url};
    gate.query("SELECT pg_advisory_lock(7)");
    const std::vector<std::vector<Call>> waiting(parts_of_call, {Call{wait_for_gate}});
    auto ran = std::async(std::launch::async, [&] { return sessions(database, waiting); });
    const auto are_there = [&] {
        return gate
            .query(R"(
            SELECT count(*) FROM pg_locks
             WHERE locktype = 'advisory' AND NOT granted
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))")
            .at(0)
            .at(0);
    };
    std::string there;
    // Without the others, a part waits until its lock times out.
    while (there != "4" && ran.wait_for(0s) != std::future_status::ready) there = are_there();
    EXPECT_EQ(there, "4");
    gate.query("SELECT pg_advisory_unlock(7)");
    EXPECT_EQ(distinct(ran.get()), 4U);
}

TEST_F(PartsOfACall, NeedTwoForEachSession) {
    for (const auto& [count, expected] :
         std::map<std::size_t, std::size_t>{{1, 1}, {2, 1}, {3, 1}, {4, 2}, {7, 3}, {64, 4}}) {
        EXPECT_EQ(distinct(sessions(database, parts(count))), expected) << count;
    }
}

TEST_F(PartsOfACall, LeaveAConnectionToRequests) {
    const std::function<void(std::size_t)> run_beside = [&](std::size_t requests) {
        EXPECT_EQ(distinct(sessions(database)), 4 - requests);
        if (requests == 3) return;
        database.read("a request",
                      [&](Session& /*holds a connection*/) { run_beside(requests + 1); });
    };
    run_beside(0);
}

TEST_F(PartsOfACall, FinishWithTheOnlyConnectionOfAPool) {
    Database small{settings_with(2), 16, true, log};
    const auto ran = sessions(small);
    EXPECT_THAT(ran, SizeIs(parts_of_call));
    EXPECT_EQ(distinct(ran), 1U);
    EXPECT_THAT(effects(), ElementsAre("1", "1", "1", "1", "1", "1", "1", "1"));
}

/// A pooler may give the session of a part to another client.
TEST_F(PartsOfACall, RunInTurnThroughAPooler) {
    CommitCutter pooler{url};
    pooler.pose_as_pooler();
    Settings settings = patient(pooler.url());
    settings.pool_size = 8;
    Database behind{settings, 16, true, log};
    const auto ran = sessions(behind);
    EXPECT_EQ(distinct(ran), 1U);
    EXPECT_THAT(ran, Each(testing::Gt(0)));
}

/// The part before it, in its session, had taken effect.
TEST_F(PartsOfACall, AreRepeatedOfABrokenSessionOnly) {
    fail(7, "end");
    const auto ran = sessions(database);
    EXPECT_THAT(ran, Each(testing::Gt(0)));
    EXPECT_THAT(effects(), ElementsAre("1", "1", "1", "1", "1", "1", "2", "1"));

    fail(1, "end");
    EXPECT_THAT(sessions(database), Each(testing::Gt(0)));
    EXPECT_THAT(effects(), ElementsAre("2", "1", "1", "1", "1", "1", "1", "1"));

    EXPECT_EQ(database.pool_use().in_use, 0U);
    EXPECT_EQ(times_logged("does not answer"), 0U);
    EXPECT_EQ(distinct(sessions(database)), 4U);
}

TEST_F(PartsOfACall, AreRepeatedIfTheyConflict) {
    fail(5, "40001");
    EXPECT_THAT(sessions(database), Each(testing::Gt(0)));
    EXPECT_THAT(effects(), ElementsAre("1", "1", "1", "1", "1", "1", "1", "1"));
    EXPECT_EQ(times_logged("conflict with another transaction"), 1U);
}

/// Each session may have kept a connection to a machine that has failed.
TEST_F(PartsOfACall, RunInOtherSessionsAfterAMachineFailed) {
    const auto before = sessions(database);
    fail(7, "08006");
    const auto during = sessions(database);
    EXPECT_THAT(during, Each(testing::Gt(0)));
    EXPECT_THAT(effects(), ElementsAre("1", "1", "1", "1", "1", "1", "1", "1"));
    EXPECT_THAT(before, testing::Not(testing::Contains(during.back())));
    for (const int session : sessions(database)) {
        EXPECT_THAT(before, testing::Not(testing::Contains(session)));
    }
}

TEST_F(PartsOfACall, UseOneSessionWhileAMachineFails) {
    fail(7, "08006", 2);
    const auto failed = sessions(database);
    EXPECT_EQ(std::ranges::count(failed, 0), 1);
    EXPECT_EQ(failed.back(), 0);
    EXPECT_EQ(times_logged("does not answer (1 of 8 parts"), 1U);
    EXPECT_EQ(distinct(sessions(database)), 1U);
    EXPECT_EQ(times_logged("answer again"), 1U);
    EXPECT_EQ(distinct(sessions(database)), 4U);
}

TEST_F(PartsOfACall, OpenAllConnectionsAgainIfOneIsOfTheWrongServer) {
    const auto before = sessions(database);
    fail(5, "25006");
    EXPECT_THAT(sessions(database), Each(testing::Gt(0)));
    EXPECT_EQ(times_logged("all connections to PostgreSQL are opened again"), 1U);
    for (const int session : sessions(database)) {
        EXPECT_THAT(before, testing::Not(testing::Contains(session)));
    }
}

TEST_F(PartsOfACall, AreSentUnpreparedIfASessionForgetsStatements) {
    (void)sessions(database);
    auto forgetting = parts();
    for (auto& calls : forgetting) calls.insert(calls.begin(), Call{forget_statements});
    EXPECT_THAT(sessions(database, forgetting), Each(testing::Gt(0)));
    EXPECT_THAT(sessions(database), Each(testing::Gt(0)));
    EXPECT_EQ(times_logged("prepared statements are lost"), 1U);
}

TEST_F(PartsOfACall, ReadEventsAtOneTime) {
    const std::vector<std::vector<Call>> reads(parts_of_call, {Call{read_by_clock}});
    const auto ran = database.run_in_parts("look", Database::Effect::none, reads);
    std::set<Instant> times;
    for (const auto& answered : ran.answered) {
        ASSERT_TRUE(answered);
        times.insert(answered->now);
        times.insert(answered->answers.at(0).get<Instant>(0, 1));
    }
    EXPECT_THAT(times, SizeIs(1));
}

TEST_F(PartsOfACall, AreOneTransactionOfAnUndividedDatabase) {
    Database plain{settings_with(8), 16, /*distributed=*/false, log};
    fail(7, "55P03", 100);
    EXPECT_THROW((void)sessions(plain), Unavailable);
    EXPECT_THAT(effects(), IsEmpty());
    query(url, "TRUNCATE did.fails");
    EXPECT_EQ(distinct(sessions(plain)), 1U);
    EXPECT_EQ(query(url, "SELECT count(DISTINCT xmin::text) FROM did.parts")[0][0], "1");
}

}  // namespace
}  // namespace sundial::postgres
