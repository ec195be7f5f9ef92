#include "application/ports/outbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <limits>

#include "adapters/sqlite/open.hpp"
#include "application/ports/failures.hpp"
#include "contract/outbox_contract.hpp"
#include "files.hpp"

namespace sundial::sqlite {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* outbox_table = R"sql(
    CREATE TABLE sundial_outbox (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        kind       TEXT NOT NULL CHECK (kind IN ('event', 'schedule', 'user')),
        request    TEXT NOT NULL,
        created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    );)sql";

/// Than any file changes.
constexpr Instant long_after{std::chrono::days{300'000}};

const std::vector<IdInterval> everything{
    {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}};

/// The application's own connection, which stays open.
class Application {
public:
    explicit Application(const std::filesystem::path& file) {
        EXPECT_EQ(sqlite3_open(file.c_str(), &database_), SQLITE_OK);
        sqlite3_busy_timeout(database_, 60'000);
    }
    ~Application() { sqlite3_close(database_); }
    Application(const Application&) = delete;
    Application& operator=(const Application&) = delete;
    void run(const std::string& sql) {
        char* why = nullptr;
        EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
        sqlite3_free(why);
    }

private:
    sqlite3* database_ = nullptr;
};

class SqliteApplication final : public ApplicationDatabase {
public:
    explicit SqliteApplication(const std::string& journal) {
        shop_.run("PRAGMA journal_mode = " + journal + ';' + outbox_table);
    }
    Outbox& outbox() override { return *outbox_; }
    void run(const std::string& sql) override { shop_.run(sql); }
    std::function<void()> begin(const std::string& sql) override {
        const auto other = std::make_shared<Application>(folder_.file());
        other->run("BEGIN IMMEDIATE;" + sql);
        return [other] { other->run("COMMIT"); };
    }

private:
    TemporaryFolder folder_;
    Application shop_{folder_.file()};
    std::unique_ptr<Outbox> outbox_ = open_outbox(folder_.file(), [] { return long_after; });
};

INSTANTIATE_TEST_SUITE_P(
    Sqlite, OutboxContract,
    testing::Values(
        ApplicationDatabaseKind{"wal", [] { return std::make_unique<SqliteApplication>("WAL"); }},
        ApplicationDatabaseKind{"rollback journal",
                                [] { return std::make_unique<SqliteApplication>("DELETE"); }}));

class SqliteOutboxTest : public testing::Test {
protected:
    void given(const std::string& sql) { ask(file, sql); }
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& one : std::filesystem::directory_iterator(file.parent_path())) {
            found.push_back(one.path().filename().string());
        }
        return found;
    }
    std::string failure() {
        try {
            (void)outbox->read(everything, {});
        } catch (const Unavailable& lost) {
            return lost.what();
        }
        return "";
    }

    TemporaryFolder folder;
    const std::filesystem::path file = folder.file();
    Instant now = long_after;
    std::unique_ptr<Outbox> outbox = open_outbox(file, [this] { return now; });
};

TEST_F(SqliteOutboxTest, CreatesNoFileBesideAClosedDatabase) {
    {
        Application shop{file};
        shop.run(std::string{"PRAGMA journal_mode = WAL;"} + outbox_table +
                 "INSERT INTO sundial_outbox (kind, request) VALUES ('event', '{}')");
    }
    ASSERT_THAT(names(), ElementsAre(file.filename().string()));
    now = Instant{};  // the file has just changed
    EXPECT_THAT(outbox->read(everything, {}).rows, SizeIs(0));
    now = long_after;
    EXPECT_THAT(outbox->read(everything, {}).rows, SizeIs(1));
    EXPECT_THAT(names(), ElementsAre(file.filename().string()));
}

// Otherwise a file that the application has just closed would be reported as lost.
TEST_F(SqliteOutboxTest, TakesNoRowForGoneWhileTheFileIsBeingClosed) {
    {
        Application shop{file};
        shop.run(std::string{"PRAGMA journal_mode = WAL;"} + outbox_table);
    }
    now = Instant{};  // the file has just changed
    EXPECT_THAT(outbox->has_rows(std::array{IdInterval{1, 2}, IdInterval{5, 5}}), Each(true));
    now = long_after;
    EXPECT_THAT(outbox->has_rows(std::array{IdInterval{1, 2}, IdInterval{5, 5}}), Each(false));
}

TEST_F(SqliteOutboxTest, LeavesTheLogToTheApplication) {
    Application shop{file};
    shop.run(std::string{"PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"} +
             outbox_table + "INSERT INTO sundial_outbox (kind, request) VALUES ('event', '{}')");
    const auto log = std::filesystem::path{file.string() + "-wal"};
    const auto before = std::filesystem::file_size(log);
    EXPECT_THAT(outbox->read(everything, {}).rows, SizeIs(1));
    EXPECT_EQ(std::filesystem::file_size(log), before);
    shop.run("INSERT INTO sundial_outbox (kind, request) VALUES ('event', '{}')");
    EXPECT_THAT(outbox->read(everything, {}).rows, SizeIs(2));
}

TEST_F(SqliteOutboxTest, WaitsForAFileThatIsNotThereYet) {
    EXPECT_THAT(failure(), HasSubstr("there is no file"));
    Application shop{file};
    shop.run(std::string{outbox_table} +
             "INSERT INTO sundial_outbox (kind, request) VALUES ('event', '{}')");
    EXPECT_THAT(outbox->read(everything, {}).rows, SizeIs(1));
}

TEST_F(SqliteOutboxTest, FollowsAFileThatReplacesAnother) {
    given(std::string{outbox_table} +
          "INSERT INTO sundial_outbox (kind, request) VALUES ('event', '1')");
    EXPECT_EQ(outbox->read(everything, {}).rows.at(0).request, "1");
    const auto next = file.string() + ".next";
    ask(next, std::string{outbox_table} +
                  "INSERT INTO sundial_outbox (kind, request) VALUES ('event', '2')");
    std::filesystem::rename(next, file);
    EXPECT_EQ(outbox->read(everything, {}).rows.at(0).request, "2");
}

TEST_F(SqliteOutboxTest, RefusesATableThatGivesOutIdsOfDeletedRows) {
    given("CREATE TABLE sundial_outbox (id INTEGER PRIMARY KEY, kind TEXT, request TEXT)");
    EXPECT_THAT(failure(), HasSubstr("AUTOINCREMENT"));
}

TEST_F(SqliteOutboxTest, ReportsAFileThatIsNoDatabase) {
    std::ofstream(file) << std::string(4096, 'x');
    EXPECT_THAT(failure(), HasSubstr("SQLite cannot read"));
}

TEST_F(SqliteOutboxTest, ReadsTextThatIsNoJsonAndNoText) {
    given(
        "CREATE TABLE sundial_outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind, request);"
        "INSERT INTO sundial_outbox (kind, request) VALUES (1, 2), (NULL, NULL), ('event', x'ff')");
    const auto rows = outbox->read(everything, {}).rows;
    ASSERT_THAT(rows, SizeIs(3));
    EXPECT_FALSE(rows[0].kind || rows[0].request || rows[1].kind || rows[1].request);
    EXPECT_EQ(rows[2].request, "\xff");
}

}  // namespace
}  // namespace sundial::sqlite
