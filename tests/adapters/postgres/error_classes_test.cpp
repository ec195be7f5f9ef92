#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "adapters/postgres/sql_error.hpp"
#include "application/ports/failures.hpp"
#include "support/builders.hpp"
#include "support/commit_cutter.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// How a transaction handles each error that a server may return (reliability 5).
namespace sundial::postgres {
namespace {

/// How it ends if the server returns the same error each time.
enum class End : std::uint8_t { unavailable, unknown, refused };

struct ErrorClass {
    std::string state;
    bool at_commit;  // otherwise during the work
    int tries;
    End end;
    friend void PrintTo(const ErrorClass& error, std::ostream* out) {
        *out << error.state << (error.at_commit ? " at the commit" : " before the commit");
    }
};

class ErrorClasses : public testing::TestWithParam<ErrorClass> {
protected:
    /// Number of attempts to add a user if the server rejects the row.
    int tries() {
        int count = 0;
        const User user = a_user();
        try {
            database->store().transact([&](Transaction& tx) {
                ++count;
                return tx.users().add(user).has_value();
            });
            ADD_FAILURE() << "it committed";
        } catch (const OutcomeUnknown&) {
            EXPECT_EQ(GetParam().end, End::unknown);
        } catch (const Unavailable&) {
            EXPECT_EQ(GetParam().end, End::unavailable);
        } catch (const std::runtime_error&) {
            EXPECT_EQ(GetParam().end, End::refused);
        }
        return count;
    }

    RecordedLog log;
    Settings settings{.url = migrated_database(), .pool_size = 2};
    std::unique_ptr<PostgresDatabase> database = PostgresDatabase::open(settings, log);
};

TEST_P(ErrorClasses, AreRetriedOrReportedByClass) {
    query(settings.url,
          "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "
          "EXCEPTION 'no' USING ERRCODE = '" +
              GetParam().state + "'; END $$");
    query(
        settings.url,
        GetParam().at_commit
            ? "CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON sundial.users DEFERRABLE INITIALLY "
              "DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"
            : "CREATE TRIGGER refuse BEFORE INSERT ON sundial.users FOR EACH ROW EXECUTE FUNCTION "
              "refuse()");
    EXPECT_EQ(tries(), GetParam().tries);

    query(settings.url, "DROP FUNCTION refuse() CASCADE");
    database->store().transact(
        [](Transaction& tx) { return tx.users().add(a_user()).has_value(); });
    EXPECT_EQ(query(settings.url, "SELECT count(*) FROM sundial.users").at(0).at(0), "1");
}

INSTANTIATE_TEST_SUITE_P(Of, ErrorClasses,
                         testing::Values(ErrorClass{"40001", false, 5, End::unavailable},
                                         ErrorClass{"40001", true, 5, End::unavailable},
                                         ErrorClass{"40P01", false, 5, End::unavailable},
                                         ErrorClass{"53100", false, 1, End::unavailable},
                                         ErrorClass{"53100", true, 1, End::unavailable},
                                         ErrorClass{"53300", false, 1, End::unavailable},
                                         ErrorClass{"57014", false, 1, End::unavailable},
                                         ErrorClass{"55P03", false, 3, End::unavailable},
                                         ErrorClass{"25006", false, 5, End::unavailable},
                                         ErrorClass{"57P01", false, 2, End::unavailable},
                                         ErrorClass{"08006", false, 2, End::unavailable},
                                         ErrorClass{"57P01", true, 1, End::unknown},
                                         ErrorClass{"08006", true, 1, End::unknown},
                                         ErrorClass{"40003", true, 1, End::unknown},
                                         ErrorClass{"22000", false, 1, End::refused}),
                         [](const auto& info) {
                             return info.param.state +
                                    (info.param.at_commit ? "AtTheCommit" : "BeforeTheCommit");
                         });

/// Our sessions on the server.
std::string sessions(const std::string& url) {
    return query(url, R"(
        SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity
         WHERE application_name = 'sundial' AND datname = current_database())")
        .at(0)
        .at(0);
}

/// An existing connection to a standby never leads to a primary.
TEST(WrongConnection, IsClosedWithAllOthers) {
    RecordedLog log;
    const Settings settings{.url = migrated_database(), .pool_size = 2};
    const auto database = PostgresDatabase::open(settings, log);
    const std::string before = sessions(settings.url);
    query(settings.url, R"(
        CREATE SEQUENCE calls;
        CREATE FUNCTION once() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('calls') = 1 THEN RAISE EXCEPTION 'no' USING ERRCODE = '25006'; END IF;
                RETURN NEW;
            END $$;
        CREATE TRIGGER once BEFORE INSERT ON sundial.users FOR EACH ROW EXECUTE FUNCTION once())");
    database->store().transact(
        [](Transaction& tx) { return tx.users().add(a_user()).has_value(); });
    EXPECT_NE(sessions(settings.url), before);
    EXPECT_EQ(query(settings.url, "SELECT count(*) FROM sundial.users").at(0).at(0), "1");
}

class PostgresOutage : public testing::Test {
protected:
    bool add_user() {
        try {
            database->store().transact(
                [](Transaction& tx) { return tx.users().add(a_user()).has_value(); });
            return true;
        } catch (const Unavailable&) {
            return false;
        }
    }

    RecordedLog log;
    const std::string direct = migrated_database();
    CommitCutter proxy{direct};
    std::unique_ptr<PostgresDatabase> database =
        PostgresDatabase::open({.url = proxy.url(), .pool_size = 1}, log);
};

/// A full disk can still be read, so only a successful write ends the outage.
TEST_F(PostgresOutage, LastsUntilSomethingIsWritten) {
    EXPECT_TRUE(add_user());
    EXPECT_EQ(database->failing_for(), std::nullopt);
    query(direct, R"(
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON sundial.users FOR EACH ROW EXECUTE FUNCTION refuse())");
    EXPECT_FALSE(add_user());
    EXPECT_NE(database->failing_for(), std::nullopt);
    EXPECT_EQ(database->queue().peek(reminders_only).next.size(), 16U);
    EXPECT_NE(database->failing_for(), std::nullopt);
    query(direct, "DROP FUNCTION refuse() CASCADE");
    EXPECT_TRUE(add_user());
    EXPECT_EQ(database->failing_for(), std::nullopt);
}

TEST_F(PostgresOutage, BeginsWhenNoServerAnswers) {
    proxy.let_in(false);
    query(direct, R"(
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'sundial' AND datname = current_database())");
    EXPECT_FALSE(add_user());
    EXPECT_NE(database->failing_for(), std::nullopt);
    proxy.let_in(true);
    EXPECT_TRUE(add_user());
    EXPECT_EQ(database->failing_for(), std::nullopt);
}

TEST(Outage, IsAsLongAsFromItsFirstFailureToItsLatest) {
    Outage outage;
    EXPECT_EQ(outage.so_far(), std::nullopt);
    outage.failed();
    EXPECT_GE(outage.so_far().value(), 0ms);
    const auto first = outage.so_far().value();
    outage.failed();
    EXPECT_GE(outage.so_far().value(), first);
    outage.succeeded();
    EXPECT_EQ(outage.so_far(), std::nullopt);
}

}  // namespace
}  // namespace sundial::postgres
