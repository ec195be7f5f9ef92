#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <sstream>

#include "adapters/sqlite/open.hpp"
#include "application/ports/failures.hpp"
#include "contract/settlements.hpp"
#include "files.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

Settings on(const fs::path& file) {
    return {.file = file, .real_time = [] { return noon; }};
}

class SqliteDatabaseTest : public testing::Test {
protected:
    std::unique_ptr<SqliteDatabase> open(const Settings& settings) {
        return SqliteDatabase::open(settings, log_,
                                    [this](const std::string& why) { fatal_.set_value(why); });
    }
    /// The error text of a failed open.
    std::string refusal(const Settings& settings) {
        try {
            static_cast<void>(open(settings));
        } catch (const CannotStart& error) {
            return error.what();
        }
        ADD_FAILURE() << "it opened";
        return {};
    }
    [[nodiscard]] fs::path file() const { return folder_.file(); }
    [[nodiscard]] Settings on_test_clock() const {
        return {.file = file(), .real_time = [] { return noon; }, .test_clock = true};
    }
    [[nodiscard]] std::vector<base::LogLine> lines_of(const std::string& event_name) const {
        std::vector<base::LogLine> found;
        for (const auto& line : log_.lines()) {
            if (line.event_name == event_name) found.push_back(line);
        }
        return found;
    }

    TemporaryFolder folder_;
    RecordedLog log_;
    std::promise<std::string> fatal_;
};

void write(const fs::path& file, const std::string& text) { std::ofstream{file} << text; }

std::string content_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    return text.str();
}

void add(Store& store, const Event& event) {
    store.transact([&](Transaction& tx) { return tx.events().add(event).has_value(); });
}

// Files that cannot be opened.

TEST_F(SqliteDatabaseTest, RefusesAFolder) {
    fs::create_directory(file());
    EXPECT_THAT(refusal(on(file())), AllOf(HasSubstr(file()), HasSubstr("is a folder")));
}

TEST_F(SqliteDatabaseTest, RefusesAFileThatIsNoDatabaseAndLeavesItAlone) {
    const std::string text = "Dear diary, this is not a database but a text of some length.";
    write(file(), text);
    EXPECT_THAT(refusal(on(file())),
                AllOf(HasSubstr(file()), HasSubstr("is not an SQLite database")));
    EXPECT_EQ(content_of(file()), text);
}

TEST_F(SqliteDatabaseTest, RefusesADamagedDatabase) {
    std::string text = "SQLite format 3";
    text.resize(5000, '\0');
    write(file(), text);
    EXPECT_THAT(refusal(on(file())), HasSubstr("cannot use " + file().string()));
}

TEST_F(SqliteDatabaseTest, RefusesTheDatabaseOfAnotherProgramAndLeavesItAlone) {
    ask(file(), "CREATE TABLE songs (title TEXT)");
    const std::string before = content_of(file());
    EXPECT_THAT(refusal(on(file())), HasSubstr("of another program"));
    EXPECT_EQ(content_of(file()), before);
}

TEST_F(SqliteDatabaseTest, RefusesAFileInAFolderThatIsNotThere) {
    const auto nowhere = folder_.file("nowhere/sundial.db");
    EXPECT_THAT(refusal(on(nowhere)),
                AllOf(HasSubstr(nowhere.string() + "-lock"), HasSubstr("No such file")));
}

TEST_F(SqliteDatabaseTest, RefusesADatabaseThatIsInUse) {
    const auto held = open(on(file()));
    EXPECT_THAT(refusal(on(file())),
                AllOf(HasSubstr("in use by another process"), HasSubstr(file().string() + "-lock"),
                      HasSubstr("pid " + std::to_string(::getpid()))));
}

TEST_F(SqliteDatabaseTest, RefusesADatabaseThatIsInUseByAnotherOfItsNames) {
    const auto held = open(on(file()));
    fs::create_symlink(file(), folder_.file("link.db"));
    EXPECT_THAT(refusal(on(folder_.file("link.db"))), HasSubstr("in use"));
}

// Migrations.

TEST_F(SqliteDatabaseTest, ListsAppliedAndPendingMigrations) {
    const auto before = migration_status(on(file()));
    EXPECT_TRUE(before.applied.empty());
    ASSERT_FALSE(before.pending.empty());
    EXPECT_EQ(before.pending[0].version, 1);
    EXPECT_EQ(before.pending[0].name, "first");
    EXPECT_FALSE(fs::exists(file()));

    const auto applied = migrate(on(file()), log_);
    EXPECT_EQ(applied.size(), before.pending.size());
    EXPECT_TRUE(migrate(on(file()), log_).empty());

    const auto in_use = open(on(file()));
    const auto after = migration_status(on(file()));
    EXPECT_TRUE(after.pending.empty());
    ASSERT_EQ(after.applied.size(), before.pending.size());
    EXPECT_EQ(after.applied[0].checksum, before.pending[0].checksum);
}

TEST_F(SqliteDatabaseTest, DoesNotMigrateUnasked) {
    Settings unmigrated = on(file());
    unmigrated.auto_migrate = false;
    EXPECT_THAT(refusal(unmigrated), HasSubstr("sundial db migrate"));
    EXPECT_FALSE(fs::exists(file()));
    migrate(on(file()), log_);
    EXPECT_TRUE(open(unmigrated));
}

TEST_F(SqliteDatabaseTest, RefusesADatabaseNewerThanTheProgram) {
    migrate(on(file()), log_);
    ask(file(), "INSERT INTO schema_migrations VALUES (9000, 'future', 'x', 0)");
    EXPECT_THAT(refusal(on(file())),
                AllOf(HasSubstr("schema version 9000"), HasSubstr("newer program")));
    EXPECT_THROW(migrate(on(file()), log_), CannotStart);
    EXPECT_THROW(static_cast<void>(migration_status(on(file()))), CannotStart);
}

TEST_F(SqliteDatabaseTest, RefusesADatabaseWithOtherMigrations) {
    migrate(on(file()), log_);
    ask(file(), "UPDATE schema_migrations SET checksum = 'other' WHERE version = 1");
    EXPECT_THAT(refusal(on(file())), HasSubstr("another build"));
}

TEST_F(SqliteDatabaseTest, BeginsWithTheBirthdayScheduleAtTheTimeOfTheSettings) {
    using namespace std::chrono;
    const auto birthday = [&](TimeOfDay at) {
        const auto database =
            open({.file = file(), .real_time = [] { return noon; }, .birthday_time = at});
        return in_read(database->store(), [](Transaction& tx) {
            const auto id = *tx.schedules().id_of("birthday");
            return std::get<YearlyTrigger>(tx.schedules().find(id)->trigger).at;
        });
    };
    EXPECT_EQ(birthday(hours{8} + minutes{30}), hours{8} + minutes{30});
    EXPECT_EQ(birthday(hours{10}), hours{8} + minutes{30});  // only the first value counts
}

TEST_F(SqliteDatabaseTest, UsesAWriteAheadLog) {
    const auto database = open(on(file()));
    EXPECT_EQ(answer_to(file(), "PRAGMA journal_mode"), "wal");
}

// Time.

TEST_F(SqliteDatabaseTest, TakesTheSystemsTimeUnlessAskedForATestClock) {
    const auto database = open(on(file()));
    EXPECT_FALSE(database->clock().is_test());
    EXPECT_EQ(database->clock().now(), noon);
    const auto moved = database->clock().set(noon + 1h);
    ASSERT_FALSE(moved);
    EXPECT_TRUE(std::holds_alternative<ClockNotTest>(moved.error()));
}

TEST_F(SqliteDatabaseTest, NeverGoesBelowTheLatestTimeStored) {
    Instant real = noon;
    const Settings settings{.file = file(), .real_time = [&] { return real; }};
    {
        const auto database = open(settings);
        real = noon + 1h;
        add(database->store(), an_event());
        real = noon + 2h;  // nothing is stored at this time
        EXPECT_EQ(database->clock().now(), noon + 2h);
    }
    real = noon;
    const auto database = open(settings);
    EXPECT_EQ(database->clock().now(), noon + 1h);
    EXPECT_EQ(database->clock().now(), noon + 1h);
    ASSERT_EQ(lines_of("clock.skew").size(), 1U);
    EXPECT_EQ(lines_of("clock.skew")[0].fields[0].second,
              base::LogLine::Value{std::int64_t{-3'600'000}});
    real = noon + 3h;
    EXPECT_EQ(database->clock().now(), noon + 3h);
}

TEST_F(SqliteDatabaseTest, StartsATestClockAtTheSystemsTimeCutToTheSecond) {
    const auto database =
        open({.file = file(), .real_time = [] { return noon + 1'234ms; }, .test_clock = true});
    EXPECT_TRUE(database->clock().is_test());
    EXPECT_EQ(database->clock().now(), noon + 1s);
}

TEST_F(SqliteDatabaseTest, KeepsTheTimeOfATestClock) {
    ASSERT_TRUE(open(on_test_clock())->clock().set(noon + 3h));
    EXPECT_EQ(open(on_test_clock())->clock().now(), noon + 3h);
}

TEST_F(SqliteDatabaseTest, RefusesRealTimeOnADatabaseWithATestClock) {
    open(on_test_clock());
    EXPECT_THAT(refusal(on(file())), HasSubstr("--test-clock"));
}

TEST_F(SqliteDatabaseTest, RefusesATestClockOnADatabaseInUseWithRealTime) {
    add(open(on(file()))->store(), an_event());
    EXPECT_THAT(refusal(on_test_clock()), HasSubstr("a test clock would corrupt"));
}

TEST_F(SqliteDatabaseTest, AcceptsATestClockOnAnUnusedDatabase) {
    migrate(on(file()), log_);
    EXPECT_EQ(open(on_test_clock())->clock().now(), noon);
    EXPECT_THAT(refusal(on(file())), HasSubstr("--test-clock"));
}

// Starts.

TEST_F(SqliteDatabaseTest, EndsEveryLeaseAtTheStart) {
    const Event held = an_event(), sent = an_event().to_endpoint(an_id<EndpointId>());
    const Event other = an_event().due(noon + 10s);
    {
        const auto database = open(on_test_clock());
        add(database->store(), held);
        add(database->store(), sent);
        add(database->store(), other);
        for (const Lane& lane : {endpoint_lane, reminder_lane}) {
            const auto claimed = database->queue().claim_ready(
                {.by = instance_a, .shares = {9, 9, 9, 9}, .lease = 30s, .lane = lane});
            ASSERT_EQ(claimed.events.size(), 1U);
        }
    }
    const auto database = open(on_test_clock());
    EXPECT_EQ(database->queue().peek(reminders_only).next[0], noon);
    const auto rescued =
        database->queue().claim_ready({.by = instance_b, .shares = {9, 9, 9, 9}, .lease = 30s});
    ASSERT_EQ(rescued.events.size(), 1U);
    EXPECT_EQ(rescued.events[0].event.id, sent.id);
    EXPECT_TRUE(rescued.events[0].previous_lost);
    const auto claimed = database->queue().claim_ready(
        {.by = instance_b, .shares = {9, 9, 9, 9}, .lease = 30s, .lane = reminder_lane});
    ASSERT_EQ(claimed.events.size(), 1U);
    EXPECT_TRUE(claimed.events[0].previous_lost);
    EXPECT_EQ(claimed.events[0].event.id, held.id);
    EXPECT_EQ(claimed.events[0].event.attempt, Attempt{2});
    EXPECT_EQ(claimed.events[0].event.retry_count, 1U);
    const auto attempts = in_read(
        database->store(), [&](Transaction& tx) { return tx.events().attempts_of(held.id); });
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].outcome, AttemptOutcome::lost);
    EXPECT_EQ(attempts[0].instance, instance_a);
}

TEST_F(SqliteDatabaseTest, LeavesTheLeasesOfPullWorkersAlone) {
    const Endpoint endpoint = an_endpoint().pull();
    {
        const auto database = open(on_test_clock());
        database->store().transact(
            [&](Transaction& tx) { return tx.endpoints().add(endpoint).has_value(); });
        add(database->store(), an_event().to_endpoint(endpoint.id));
        const auto claimed = database->pull_queue().claim({.endpoint = endpoint.id,
                                                           .by = {instance_a, "w-1"},
                                                           .shares = {9, 9, 9, 9},
                                                           .lease = 30s});
        ASSERT_EQ(claimed.events.size(), 1U);
    }
    const auto peeked = open(on_test_clock())->pull_queue().peek(std::vector{endpoint.id});
    EXPECT_EQ(peeked.heads.at(0).next, noon + 30s);
}

TEST_F(SqliteDatabaseTest, EndsLeasesThatWereExtended) {
    {
        const auto database = open(on_test_clock());
        add(database->store(), an_event());
        const auto claimed = database->queue().claim_ready(
            {.by = instance_a, .shares = {9, 9, 9, 9}, .lease = 30s, .lane = reminder_lane});
        const Event& event = claimed.events.at(0).event;
        EXPECT_TRUE(
            database->queue().extend(std::vector{Held{event.id, event.version}}, 1h).empty());
    }
    EXPECT_EQ(open(on_test_clock())->queue().peek(reminders_only).next[0], noon);
}

/// Copies the file as a crash at this moment would leave it.
void copy_as_crashed(const fs::path& from, const fs::path& to) {
    fs::copy_file(from, to);
    fs::copy_file(from.string() + "-wal", to.string() + "-wal");
}

class NotifyingLog final : public RecordedLog {
public:
    void write(base::LogLine line) override {
        if (line.message == "the database file is intact") in_order.set_value();
        RecordedLog::write(std::move(line));
    }
    std::promise<void> in_order;
};

TEST_F(SqliteDatabaseTest, ChecksAFileThatWasNotClosed) {
    const Event event = an_event();
    const auto crashed = folder_.file("crashed.db");
    {
        const auto database = open(on_test_clock());
        add(database->store(), event);
        copy_as_crashed(file(), crashed);
    }
    NotifyingLog log;
    const auto database = SqliteDatabase::open(
        {.file = crashed, .real_time = [] { return noon; }, .test_clock = true}, log,
        [](const std::string& why) { FAIL() << why; });
    log.in_order.get_future().wait();
    EXPECT_TRUE(in_read(database->store(),
                        [&](Transaction& tx) { return tx.events().find(event.id).has_value(); }));
}

TEST_F(SqliteDatabaseTest, DoesNotCheckAFileThatWasClosed) {
    open(on_test_clock());
    open(on_test_clock());
    for (const auto& line : log_.lines())
        EXPECT_THAT(line.message, Not(HasSubstr("closed properly")));
}

/// Overwrites one page of events.
void damage(const fs::path& file) {
    const auto page = std::stol(answer_to(
        file, "SELECT max(pageno) FROM dbstat WHERE name = 'events' AND pagetype = 'leaf'"));
    std::fstream out{file, std::ios::in | std::ios::out | std::ios::binary};
    const auto size = std::stol(answer_to(file, "PRAGMA page_size"));
    out.seekp((page - 1) * size);
    out << std::string(static_cast<std::size_t>(size), '\xff');
}

void fill(Store& store) {
    store.transact([](Transaction& tx) {
        for (int i = 0; i < 100; ++i) {
            EXPECT_TRUE(tx.events().add(an_event().with_payload(std::string(500, 'x'))));
        }
        return true;
    });
}

TEST_F(SqliteDatabaseTest, ReportsADamagedFileAndRefusesFurtherWork) {
    fill(open(on_test_clock())->store());
    damage(file());
    const auto database = open(on_test_clock());
    const auto list = [&] {
        EventQuery all;
        all.page.limit = 1000;
        return in_read(database->store(), [&](Transaction& tx) { return tx.events().list(all); });
    };
    ASSERT_THROW(list(), Unavailable);
    EXPECT_THAT(fatal_.get_future().get(), HasSubstr("malformed"));
    EXPECT_THROW(list(), Unavailable);
    EXPECT_THROW(add(database->store(), an_event()), Unavailable);
}

TEST_F(SqliteDatabaseTest, FindsTheDamageOfAFileThatWasNotClosed) {
    fill(open(on_test_clock())->store());
    ask(file(),
        "UPDATE settings SET value = 0 WHERE name = 'clean_stop'; "
        "PRAGMA wal_checkpoint(TRUNCATE)");
    damage(file());
    const auto database = open(on_test_clock());
    EXPECT_THAT(fatal_.get_future().get(), HasSubstr("quick_check"));
}

TEST(LibraryVersion, SaysWhyAnOldLibraryIsAccepted) {
    const auto library = library_version();
    EXPECT_EQ(library.version, sqlite3_libversion());
    if (sqlite3_libversion_number() < 3'051'003) {
        EXPECT_THAT(library.note, HasSubstr("3.51.3"));
    } else {
        EXPECT_EQ(library.note, "");
    }
}

}  // namespace
}  // namespace sundial::sqlite
