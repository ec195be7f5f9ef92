#include "application/ports/failures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/endpoint_sql.hpp"
#include "adapters/postgres/open.hpp"
#include "adapters/postgres/schedule_sql.hpp"
#include "adapters/postgres/user_sql.hpp"
#include "patient.hpp"
#include "support/builders.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Ends every connection of our programs to this database, as an administrator or a failover does.
constexpr const char* end_all = R"(
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
     WHERE application_name = 'sundial' AND datname = current_database())";

class Failures : public testing::Test {
protected:
    Failures() { database_ = PostgresDatabase::open(settings, log); }

    Store& store() { return database_->store(); }
    void add(const User& user) {
        store().transact([&](Transaction& tx) { return tx.users().add(user).has_value(); });
    }
    bool has(const User& user) {
        return in_read(store(),
                       [&](Transaction& tx) { return tx.users().find(user.id).has_value(); });
    }
    [[nodiscard]] std::size_t times_logged(const std::string& event_name) const {
        std::size_t times = 0;
        for (const auto& line : log.lines()) times += line.event_name == event_name ? 1U : 0U;
        return times;
    }

    RecordedLog log;
    Settings settings{
        .url = migrated_database(), .pool_size = 4, .pool_wait = 50ms, .lock_timeout = 100ms};

private:
    std::unique_ptr<PostgresDatabase> database_;
};

TEST_F(Failures, OfIdleConnectionsAreNotNoticed) {
    const User first = a_user(), second = a_user();
    add(first);
    query(settings.url, end_all);
    add(second);
    EXPECT_TRUE(has(first));
    EXPECT_TRUE(has(second));
}

TEST_F(Failures, BeforeTheCommitAreRetried) {
    const User user = a_user();
    int times = 0;
    store().transact([&](Transaction& tx) {
        if (++times == 1) query(settings.url, end_all);
        return tx.users().add(user).has_value();
    });
    EXPECT_EQ(times, 2);
    EXPECT_TRUE(has(user));
}

TEST_F(Failures, DuringTheCommitReportAnUnknownOutcome) {
    query(settings.url, R"(
        CREATE FUNCTION fall_over() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER fall_over AFTER INSERT ON sundial.users
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fall_over())");
    try {
        add(a_user());
        FAIL() << "it committed";
    } catch (const Unavailable& unavailable) {
        EXPECT_THAT(unavailable.what(), HasSubstr("outcome unknown"));
    }
    EXPECT_EQ(times_logged("commit.outcome_unknown"), 1U);
}

TEST_F(Failures, OfTheServerLastNoLongerThanItsAbsence) {
    PostgresCluster cluster;
    settings.url = cluster.create_database();
    const auto database = PostgresDatabase::open(settings, log);
    const User user = a_user();
    database->store().transact([&](Transaction& tx) { return tx.users().add(user).has_value(); });

    cluster.kill_and_restart();
    EXPECT_TRUE(in_read(database->store(),
                        [&](Transaction& tx) { return tx.users().find(user.id).has_value(); }));
    EXPECT_EQ(database->queue().peek(reminders_only).next.size(), 16U);
}

/// Two transactions lock the same rows in opposite order. The server aborts one, which then runs
/// again.
TEST_F(Failures, FromDeadlocksAreRetried) {
    // The server detects the deadlock after a second, before the lock times out.
    const auto database = PostgresDatabase::open(patient(settings.url), log);
    const User first = a_user(), second = a_user();
    add(first);
    add(second);
    std::promise<void> has_first, has_second;
    const auto rename_both = [&](const User& one, const User& other, std::promise<void>& mine,
                                 std::future<void> others) {
        bool again = false;
        database->store().transact([&](Transaction& tx) {
            User a = tx.users().lock(one.id).value();
            if (!std::exchange(again, true)) {
                mine.set_value();
                others.wait();
            }
            User b = tx.users().lock(other.id).value();
            a.version = next(a.version);
            b.version = next(b.version);
            return tx.users().update(a).has_value() && tx.users().update(b).has_value();
        });
    };
    std::thread left{[&] { rename_both(first, second, has_first, has_second.get_future()); }};
    std::thread right{[&] { rename_both(second, first, has_second, has_first.get_future()); }};
    left.join();
    right.join();
    const auto version = in_read(store(), [&](Transaction& tx) {
        return std::pair{tx.users().find(first.id)->version, tx.users().find(second.id)->version};
    });
    EXPECT_EQ(version, (std::pair{Version{3}, Version{3}}));
}

TEST_F(Failures, FromAConflictAreLoggedWithTheOperationAndNoData) {
    const User user = a_user().with_external_id("crm-7");
    add(user);
    int times = 0;
    Database database{settings, 16, false, log};
    database.write("greeting", [&](Session& session) {
        // As if another transaction had taken the name after our check.
        if (++times == 1) {
            constexpr Statement again{"again", R"sql(
                INSERT INTO sundial.users SELECT * FROM sundial.users)sql",
                                      Statement::Plan::fresh};
            session.run(again);
        }
        return true;
    });
    EXPECT_EQ(times, 2);
    ASSERT_EQ(times_logged("store.conflict"), 1U);
    for (const auto& line : log.lines()) {
        if (line.event_name != "store.conflict") continue;
        EXPECT_THAT(line.message, HasSubstr("23505"));
        EXPECT_THAT(line.message, Not(HasSubstr(to_string(user.id))));
        EXPECT_EQ(std::get<std::string>(line.fields.at(0).second), "greeting");
    }
}

/// A returned connection has no open transaction, and returning it causes no warning.
TEST_F(Failures, LeaveNoTransactionOpen) {
    settings.pool_size = 1;
    const auto database = PostgresDatabase::open(settings, log);
    Store& only = database->store();
    const User user = a_user();
    EXPECT_THROW(only.transact([&](Transaction& tx) -> bool {
        EXPECT_TRUE(tx.users().add(user));
        throw std::domain_error{"mine"};
    }),
                 std::domain_error);
    only.transact([&](Transaction& tx) { return !tx.users().add(user).has_value(); });
    only.read([&](Transaction& tx) { EXPECT_FALSE(tx.users().find(user.id)); });
    only.transact([&](Transaction& tx) { return tx.users().add(user).has_value(); });

    EXPECT_EQ(query(settings.url, R"(
        SELECT count(*) FROM pg_stat_activity
         WHERE application_name = 'sundial' AND datname = current_database() AND state <> 'idle')"),
              (std::vector<std::vector<std::string>>{{"0"}}));
    for (const auto& line : log.lines()) EXPECT_THAT(line.message, Not(HasSubstr("WARNING")));
}

TEST_F(Failures, CannotOccurInEmptyTransactions) {
    settings.pool_size = 1;
    const auto database = PostgresDatabase::open(settings, log);
    const auto process = [&] {
        return query(settings.url, R"(
            SELECT max(pid) FROM pg_stat_activity
             WHERE application_name = 'sundial' AND datname = current_database())");
    };
    const User user = a_user();
    add(user);
    const auto find_user = [&](Transaction& tx) { EXPECT_TRUE(tx.users().find(user.id)); };
    database->store().read(find_user);
    const auto before = process();
    for (int i = 0; i < 3; ++i) {
        database->store().read(find_user);
        database->store().read([](Transaction&) {});
        database->store().transact([](Transaction&) { return true; });
        database->store().read([](Transaction&) {});
        EXPECT_THAT(
            database->queue().claim_ready({an_id<InstanceId>(), 0, {1, 1, 1, 1}, 30s}).events,
            testing::IsEmpty());
    }
    EXPECT_EQ(process(), before);
    EXPECT_EQ(times_logged("commit.outcome_unknown"), 0U);
}

TEST(PostgresUrl, ThatIsMalformedIsRefusedWithoutAnyPartOfThePassword) {
    for (const std::string url :
         {"postgresql://sundial:hunter2/x@localhost/db",
          "postgresql://sundial:hun@ter2@localhost/db",
          "postgresql://sundial:hunter2%zz@localhost/db", "postgresql://sundial:hunter2@[::1/db",
          "postgresql://localhost:hunter2/db", "postgresql://sundial@localhost/db?hunter2",
          "postgresql://localhost/db?password=hunter2%zz",
          "postgresql://sundial:12/ter2@localhost/db", "host=localhost password=a hunter2",
          "host=localhost password='hunter2"}) {
        RecordedLog log;
        try {
            const Connection connection{url, log};
            ADD_FAILURE() << "connected to " << url;
        } catch (const CannotStart& refused) {
            EXPECT_THAT(refused.what(), AllOf(Not(HasSubstr("hunter")), Not(HasSubstr("ter2")),
                                              HasSubstr("storage.url")));
        }
    }
}

TEST(PostgresUrl, MayHaveAnAtSignWhereItBelongs) {
    for (const std::string url :
         {"postgresql://sundial:hun%40ter2@localhost/db", "postgresql:///db?user=a@b&host=/nowhere",
          "postgresql://localhost/db", "postgresql://a:b?c@localhost:5432,other:5433/db"}) {
        EXPECT_NO_THROW(check_url(url)) << url;
    }
}

TEST_F(Failures, ToGetALockInTimeSayUnavailable) {
    const User user = a_user();
    add(user);
    store().transact([&](Transaction& tx) {
        EXPECT_TRUE(tx.users().lock(user.id));
        std::thread{[&] {
            EXPECT_THROW(store().transact([&](Transaction& other) {
                return other.users().lock(user.id).has_value();
            }),
                         Unavailable);
        }}.join();
        return false;
    });
    add(a_user());  // the connection works
}

TEST_F(Failures, ToGetAConnectionInTimeNameTheSetting) {
    settings.pool_size = 1;
    const auto database = PostgresDatabase::open(settings, log);
    database->store().read([&](Transaction&) {
        try {
            static_cast<void>(database->clock().now());
            FAIL() << "there was another connection";
        } catch (const Unavailable& unavailable) {
            EXPECT_THAT(unavailable.what(), HasSubstr("storage.pool_size"));
        }
    });
}

TEST_F(Failures, CausedByServerSettingsStayReported) {
    EXPECT_TRUE(PostgresDatabase::open(settings, log)->unsafe_settings().empty());
    query(settings.url,
          "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET "
          "synchronous_commit = local'; END $$");
    const auto database = PostgresDatabase::open(settings, log);
    EXPECT_THAT(database->unsafe_settings(), testing::ElementsAre("synchronous_commit = local"));
    EXPECT_THAT(log.lines().back().message, HasSubstr("synchronous_commit = local"));
}

/// The next transaction of the session may belong to any client.
TEST_F(Failures, ToComeAreBoundedByTimeOutsThatEndWithTheTransaction) {
    settings.pool_size = 1;
    Database database{settings, 16, false, log};
    constexpr Statement bounds{"bounds", R"sql(
        SELECT current_setting('statement_timeout') || ' ' || current_setting('lock_timeout') || ' '
               || current_setting('idle_in_transaction_session_timeout'))sql",
                               Statement::Plan::fresh};
    constexpr Statement end{"end", "COMMIT", Statement::Plan::fresh};
    std::string within, afterwards;
    database.read("test", [&](Session& session) {
        within = session.run(bounds).get<std::string>(0, 0);
        session.run(end);
        afterwards = session.run(bounds).get<std::string>(0, 0);
    });
    EXPECT_EQ(within, "5s 100ms 10s");
    EXPECT_EQ(afterwards, "0 0 0");
}

/// As behind a pooler that uses another server process for each transaction.
TEST_F(Failures, OfPreparedStatementsMakeUsSendThemInFull) {
    settings.pool_size = 1;
    Database database{settings, 16, false, log};
    constexpr Statement forget{"forget", "DEALLOCATE ALL", Statement::Plan::fresh};
    const auto schedules = [&] {
        std::size_t count = 0;
        database.read("test", [&](Session& session) {
            count = session.run(sql::share_schedules_per_user).size();
        });
        return count;
    };
    EXPECT_EQ(schedules(), 1U);
    database.write("test", [&](Session& session) { return session.run(forget), true; });
    EXPECT_EQ(schedules(), 1U);
    database.write("test", [&](Session& session) { return session.run(forget), true; });
    EXPECT_EQ(schedules(), 1U);
    std::size_t reported = 0;
    for (const auto& line : log.lines()) {
        reported +=
            line.message.find("prepared statements are lost") != std::string::npos ? 1U : 0U;
    }
    EXPECT_EQ(reported, 1U);
}

TEST_F(Failures, OfAStatementThatIsWrongAreNotMistakenForThoseOfTheServer) {
    Database database{settings, 16, false, log};
    constexpr Statement wrong{"wrong", "SELECT nothing FROM nowhere", Statement::Plan::fresh};
    try {
        database.write("greeting", [&](Session& session) { return session.run(wrong), true; });
        FAIL() << "it was taken";
    } catch (const Unavailable&) {
        FAIL() << "a permanent error must not be retried";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("greeting"), HasSubstr("42P01")));
    }
}

TEST_F(Failures, ToWriteInvalidTextDoNotBlockASettlement) {
    const Event event = an_event().due(Instant{}).build();  // long ago on the real clock
    store().transact([&](Transaction& tx) { return tx.events().add(event).has_value(); });
    auto database = PostgresDatabase::open(settings, log);
    const auto claimed = database->queue().claim_ready({.by = instance_a,
                                                        .shard = shard_of(event.id, 16),
                                                        .shares = {1, 1, 1, 1},
                                                        .lease = 30s,
                                                        .lane = lane_of(event)});
    ASSERT_EQ(claimed.events.size(), 1U);
    const Event& held = claimed.events[0].event;
    const std::string noise{"\xff\xfe\0no", 5};
    const std::vector settlements{
        Settlement{.id = held.id,
                   .held = held.version,
                   .number = held.attempt,
                   .by = instance_a,
                   .result = Refused{noise},
                   .started_at = claimed.now,
                   .status_code = 404,
                   .attempt = AttemptRecord{.event = held.id,
                                            .number = held.attempt,
                                            .outcome = AttemptOutcome::permanent,
                                            .endpoint = std::nullopt,
                                            .started_at = claimed.now,
                                            .status_code = 404,
                                            .error_code = "HTTP_STATUS",
                                            .error_text = noise,
                                            .response_body = noise,
                                            .instance = instance_a}}};
    EXPECT_TRUE(database->queue().settle(settlements).at(0));
    const auto attempts =
        in_read(store(), [&](Transaction& tx) { return tx.events().attempts_of(event.id); });
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].error_text, "???no");
    EXPECT_EQ(attempts[0].response_body, noise);
}

}  // namespace
}  // namespace sundial::postgres
