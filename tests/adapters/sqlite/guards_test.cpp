// The database refuses plain SQL that breaks a rule of the API, and handles the deletion of a user.
#include "contract/guards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "sqlite_migrations.hpp"
#include "sqlite_storage.hpp"

namespace sundial::sqlite {
namespace {

using testing::HasSubstr;

/// SQLite's error, or an empty text.
std::string refusal_of(const std::filesystem::path& file, const std::string& sql) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    sqlite3_busy_timeout(database, 60'000);
    std::string text;
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        text = sqlite3_errmsg(database);
    }
    sqlite3_close(database);
    return text;
}

std::string letters(int count) { return "printf('%." + std::to_string(count) + "c', 'x')"; }

class Guards : public GuardsTest {
protected:
    Storage& storage() override { return storage_; }
    std::string refusal_of(const std::string& sql) override {
        return sqlite::refusal_of(storage_.file(), sql);
    }
    std::string value_of(const std::string& sql) override {
        return answer_to(storage_.file(), sql);
    }
    [[nodiscard]] std::string table(const std::string& name) const override { return name; }

private:
    SqliteStorage storage_;
};

TEST_F(Guards, RefuseRowsOutsideTheBoundsOfTheApi) {
    std::vector<ColumnBounds> all = shared_bounds(letters, "0");
    all.push_back({"users",
                   "users_birth_dates_exist",
                   "date_of_birth",
                   {"'1992-02-29'"},
                   {"'1990-02-30'", "'1990-2-3'", "'12:00'"}});
    all.push_back({"users",
                   "users_birth_years_are_bounded",
                   "date_of_birth",
                   {"'0001-01-01'", "'9999-12-31'"},
                   {"'0000-12-31'"}});
    all.push_back({"events",
                   "events_years_are_bounded",
                   "due",
                   {"-62135596800000000", "253402300799999999"},
                   {"-62135596800000001", "253402300800000000"}});
    expect_bounds(all);
}

TEST_F(Guards, EndTheLiveEventsOfADeletedUser) { expect_that_live_events_of_a_deleted_user_end(); }

TEST_F(Guards, FreeTheKeysOfTheEventsThatTheyEnd) { expect_that_their_keys_are_free(); }

TEST_F(Guards, LetAClaimedEventOfADeletedUserBeDelivered) {
    expect_that_a_claimed_event_is_delivered();
}

TEST_F(Guards, EndEventsAtTheTimeOfTheDatabasesClock) {
    const auto ended_at = [&](const std::string& clock) {
        const User user = a_stored_user();
        const Event event = an_event().of_user(user.id).due(noon + 1h);
        given(event);
        run("UPDATE events SET updated_at = 1;"
            "UPDATE settings SET value = 5 WHERE name = 'time';"
            "UPDATE settings SET value = '" +
            clock +
            "' WHERE name = 'clock';"
            "DELETE FROM users");
        return find(event.id).updated_at;
    };
    EXPECT_EQ(ended_at("test"), Instant{5us});
    EXPECT_GT(ended_at("system"), Instant{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}});
}

TEST(GuardsOfAnEarlierDatabase, ComeWithNoRowLostOrNotAtAll) {
    const auto upgraded = [](const std::string& name) {
        const TemporaryFolder folder;
        std::string before = R"sql(
            CREATE TEMP TABLE given (name TEXT, value ANY);
            INSERT INTO given VALUES ('clock', 'system'), ('now', 0), ('birthday_time', '09:00');)sql";
        std::string guards;
        for (const auto& file : migrations::embedded_files) {
            (file.name < "0022" ? before : guards) += file.content;
        }
        ask(folder.file(), before + "INSERT INTO users VALUES (x'01', NULL, " + name +
                               ", 'Lovelace', '1815-12-10', 'Europe/London', '{}', '{}', 1, 0, 0)");
        const std::string refusal = refusal_of(folder.file(), "BEGIN;" + guards + "COMMIT");
        EXPECT_EQ(answer_to(folder.file(), "SELECT count(*) FROM users"), "1");
        return refusal;
    };
    EXPECT_EQ(upgraded(letters(255)), "");
    EXPECT_THAT(upgraded("''"), HasSubstr("constraint failed"));
}

}  // namespace
}  // namespace sundial::sqlite
