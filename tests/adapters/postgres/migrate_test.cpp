#include "adapters/postgres/migrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "adapters/postgres/open.hpp"
#include "application/ports/failures.hpp"
#include "postgres_migrations.hpp"
#include "support/builders.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Migrations : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<PostgresDatabase> open() {
        return PostgresDatabase::open(settings, log);
    }
    [[nodiscard]] std::string one(const std::string& sql) { return query(settings.url, sql)[0][0]; }
    /// The error text of a start that must fail.
    [[nodiscard]] std::string refusal() {
        try {
            const auto opened = open();
        } catch (const CannotStart& refused) {
            return refused.what();
        }
        return "it started";
    }

    RecordedLog log;
    Settings settings{.url = PostgresCluster::shared().create_database()};
};

TEST_F(Migrations, ArePendingInAnEmptyDatabase) {
    const auto status = migration_status(settings, log);
    EXPECT_THAT(status.applied, IsEmpty());
    ASSERT_FALSE(status.pending.empty());
    EXPECT_EQ(status.pending[0].version, 1);
    EXPECT_EQ(status.pending[0].name, "first");
    EXPECT_EQ(one("SELECT count(*) FROM pg_namespace WHERE nspname = 'sundial'"), "0");
}

TEST_F(Migrations, AreAppliedOnceAndThenNoMore) {
    const auto done = migrate(settings, log);
    const auto status = migration_status(settings, log);
    EXPECT_EQ(done.size(), status.applied.size());
    EXPECT_THAT(status.pending, IsEmpty());
    EXPECT_EQ(status.applied[0].checksum.size(), 64U);

    const auto when = one("SELECT max(applied_at) FROM sundial.schema_migrations");
    EXPECT_THAT(migrate(settings, log), IsEmpty());
    EXPECT_EQ(one("SELECT max(applied_at) FROM sundial.schema_migrations"), when);
}

TEST_F(Migrations, AreAppliedOnceByInstancesThatStartTogether) {
    std::vector<std::thread> instances;
    for (int i = 0; i < 4; ++i) {
        instances.emplace_back([&] { EXPECT_EQ(open()->queue().shards(), 16U); });
    }
    for (auto& instance : instances) instance.join();
    EXPECT_EQ(one("SELECT count(*) FROM sundial.schema_migrations"),
              one("SELECT max(version) FROM sundial.schema_migrations"));
}

TEST_F(Migrations, RefuseADatabaseThatIsNewerThanTheProgram) {
    const auto known = std::to_string(migrate(settings, log).size());
    query(settings.url,
          "INSERT INTO sundial.schema_migrations VALUES (9000, 'of_tomorrow', 'checksum')");
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("newer than this program"), HasSubstr("9000 (of_tomorrow)"),
                      HasSubstr("knows up to " + known), HasSubstr("or a newer one")));
    EXPECT_EQ(one("SELECT count(*) FROM sundial.schema_migrations WHERE version = 9000"), "1");
}

TEST_F(Migrations, RefuseADatabaseThatAnotherBuildMade) {
    migrate(settings, log);
    query(settings.url, "UPDATE sundial.schema_migrations SET checksum = 'another'");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("migration 1 (first)"), HasSubstr("another build")));
}

TEST_F(Migrations, WaitForTheOperatorWhereTheyAreNotAutomatic) {
    settings.auto_migrate = false;
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("migration 1 (first)"), HasSubstr("sundial db migrate")));
    migrate(settings, log);
    EXPECT_EQ(refusal(), "it started");
}

/// Events that are claimed while the program is replaced.
TEST_F(Migrations, KeepLeasesAndRefuseClaimsOfEarlierPrograms) {
    query(settings.url, "CREATE SCHEMA sundial");
    for (const auto& file : migrations::embedded_files) {
        if (file.name == "0019_leases.sql") {
            query(settings.url, R"(
                INSERT INTO sundial.events
                    (shard, id, status, priority, claimable_at, claimed_by, version, attempt, retry_count,
                     due, idempotency_key, event_type, zone, gap, overlap, tz_release, payload,
                     created_at, updated_at, pull)
                SELECT 0, md5(key)::uuid, 'PROCESSING', 2, '2026-01-05 12:00:30Z', by, 2, 1, 0,
                       '2026-01-05 12:00Z', key, 'T', 'UTC', 'compatible', 'compatible', '2025b', '{}',
                       '2026-01-05 11:00Z', '2026-01-05 12:00Z', key = 'pulled'
                  FROM (VALUES ('held', md5('instance')::uuid), ('pulled', md5('instance')::uuid),
                               ('waits', NULL)) AS row(key, by))");
        }
        query(settings.url, "SET sundial.shards = 16; SET sundial.birthday_time = '09:00'; " +
                                std::string{file.content});
    }
    const auto of = [&](const std::string& what, const std::string& key) {
        return one("SELECT " + what + " WHERE idempotency_key = '" + key + "'");
    };
    const std::string ends = "= '2026-01-05 12:00:30Z' FROM sundial.";
    EXPECT_EQ(of("lease_ends " + ends + "events", "held"), "t");
    EXPECT_EQ(of("claimable_at = '2026-01-05 12:00Z' FROM sundial.events", "held"), "t");
    EXPECT_EQ(of("claimable_at " + ends + "v_events", "held"), "t");
    EXPECT_EQ(of("claimable_at " + ends + "v_events", "waits"), "t");
    EXPECT_EQ(of("lease_ends " + ends + "events", "pulled"), "t");
    EXPECT_EQ(of("claimable_at " + ends + "events", "pulled"), "t");
    for (const char* by : {"md5('another')::uuid", "claimed_by"}) {
        EXPECT_THROW(query(settings.url,
                           std::string{"UPDATE sundial.events SET updated_at = now(), "
                                       "claimable_at = now() + interval '30 s', claimed_by = "} +
                               by + " WHERE idempotency_key = 'held'"),
                     std::runtime_error);
    }
}

TEST_F(Migrations, FixTheShardsAndTheTimeOfBirthdays) {
    settings.shards = 4;
    settings.birthday_time = 7h + 30min;
    migrate(settings, log);

    settings.shards = 8;
    settings.birthday_time = 8h;
    const auto database = open();
    EXPECT_EQ(database->queue().shards(), 4U);
    const auto birthday = in_read(database->store(), [](Transaction& tx) {
        return tx.schedules().find(tx.schedules().id_of("birthday").value()).value();
    });
    EXPECT_EQ(std::get<YearlyTrigger>(birthday.trigger).at, TimeOfDay{7h + 30min});
    ASSERT_FALSE(log.lines().empty());
    EXPECT_THAT(log.lines().back().message, HasSubstr("storage.shards = 8 is ignored"));
}

TEST_F(Migrations, MakeTheBirthdayScheduleOfTheSeeds) {
    const auto database = open();
    const auto all =
        in_read(database->store(), [](Transaction& tx) { return tx.schedules().list({}).items; });
    ASSERT_EQ(all.size(), 1U);
    const Schedule& birthday = all[0];
    EXPECT_EQ(birthday.external_id, "birthday");
    EXPECT_EQ(birthday.event_type, "BIRTHDAY");
    EXPECT_EQ(birthday.trigger, (Trigger{YearlyTrigger{.on = "dateOfBirth", .at = TimeOfDay{9h}}}));
    EXPECT_EQ(birthday.payload, R"({"message":"Hey, {firstName} {lastName} it's your birthday"})");
    EXPECT_EQ(birthday.leap, LeapPolicy::feb28);
    EXPECT_FALSE(birthday.endpoint);
}

TEST_F(Migrations, MakeHistoryPartitionsForThisMonthAndTheTwoAfterIt) {
    const auto partitions = [&] {
        return one("SELECT count(*) FROM pg_partition_tree('sundial.event_history') WHERE isleaf");
    };
    static_cast<void>(open());
    EXPECT_EQ(partitions(), "8");  // failed and others: three months and a default each
    query(settings.url, "SELECT sundial.make_history_partitions()");
    EXPECT_EQ(partitions(), "8");
}

TEST_F(Migrations, LeaveAMonthInTheDefaultPartitionWhoseRowsLieThere) {
    static_cast<void>(open());
    query(settings.url, R"(
        DO $$ BEGIN
            EXECUTE format('DROP TABLE sundial.event_history_done_%s',
                           to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM'));
        END $$;
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, version, attempt, retry_count, due,
             idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at, updated_at)
        VALUES (0, gen_random_uuid(), 'COMPLETED', 2, now(), 3, 1, 0, now(),
                'k', 'T', 'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now()))");
    EXPECT_EQ(refusal(), "it started");
    EXPECT_EQ(one("SELECT count(*) FROM sundial.event_history_done_default"), "1");
}

TEST_F(Migrations, KeepADatabaseOfATestClockFromANormalStart) {
    settings.test_clock = true;
    {
        const auto database = open();
        EXPECT_TRUE(database->clock().is_test());
        const Instant stopped = database->clock().now();
        EXPECT_EQ(database->clock().now(), stopped);
        EXPECT_TRUE(database->clock().set(stopped + 1h));
        EXPECT_EQ(database->clock().now(), stopped + 1h);
        EXPECT_FALSE(database->clock().set(stopped));
    }
    settings.test_clock = false;
    EXPECT_THAT(refusal(), AllOf(HasSubstr("test clock"), HasSubstr("--test-clock")));
}

TEST_F(Migrations, KeepATestClockFromADatabaseOfRealPeople) {
    const User user = a_user();
    open()->store().transact([&](Transaction& tx) { return tx.users().add(user).has_value(); });
    settings.test_clock = true;
    EXPECT_THAT(refusal(), HasSubstr("empty database for a test clock"));
    settings.test_clock = false;
    EXPECT_EQ(refusal(), "it started");
}

TEST_F(Migrations, LeaveARealClockToTheServer) {
    const auto database = open();
    EXPECT_FALSE(database->clock().is_test());
    const auto set = database->clock().set(noon);
    ASSERT_FALSE(set);
    EXPECT_TRUE(std::holds_alternative<ClockNotTest>(set.error()));
    const Instant before = database->clock().now();
    EXPECT_LT(before, database->clock().now());
}

TEST_F(Migrations, RefuseAnInvalidAddressAndNameTheSetting) {
    settings.url = "postgresql://host/db?pool=8";
    EXPECT_THAT(refusal(), AllOf(HasSubstr("storage.url"), HasSubstr("postgresql://user")));
    settings = {.url = "postgresql:///", .shards = 0};
    EXPECT_THAT(refusal(), HasSubstr("storage.shards is 0"));
}

TEST_F(Migrations, ReportUnavailableWhileNoServerAnswers) {
    settings.url = "postgresql:///none?host=/nonexistent";
    EXPECT_THROW(static_cast<void>(open()), Unavailable);
    EXPECT_THROW(static_cast<void>(migration_status(settings, log)), Unavailable);
}

TEST_F(Migrations, WarnOfAServerThatMayLoseWhatItAcknowledged) {
    query(settings.url,
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off',"
          " current_database()); END $$");
    static_cast<void>(open());
    std::vector<std::string> warnings;
    for (const auto& line : log.lines()) {
        if (line.level == base::LogLevel::warn) warnings.push_back(line.message);
    }
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("synchronous_commit = off")));
}

}  // namespace
}  // namespace sundial::postgres
