// The database refuses plain SQL that breaks a rule of the API, and handles the deletion of a user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "contract/settlements.hpp"
#include "sqlite_migrations.hpp"
#include "sqlite_storage.hpp"

namespace sundial::sqlite {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// SQLite's error, or an empty text.
std::string refusal_of(const std::filesystem::path& file, const std::string& sql) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    sqlite3_busy_timeout(database, 5'000);
    std::string text;
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        text = sqlite3_errmsg(database);
    }
    sqlite3_close(database);
    return text;
}

std::string letters(int count) { return "printf('%." + std::to_string(count) + "c', 'x')"; }

struct Rule {
    const char* table;
    const char* constraint;
    std::string column;
    std::vector<std::string> good;
    std::vector<std::string> bad;
};

std::vector<Rule> rules() {
    const std::vector<std::string> name{"'x'", letters(255)};
    const std::vector<std::string> no_name{"''", letters(256)};
    const std::vector<std::string> word{"'x'", letters(128)};
    const std::vector<std::string> no_word{"''", letters(129)};
    const std::vector<std::string> no_date{"'1990-02-30'", "'1990-2-3'", "'12:00'"};
    return {
        {"users", "users_names_are_bounded", "first_name", name, no_name},
        {"users", "users_names_are_bounded", "last_name", name, no_name},
        {"users", "users_external_ids_are_bounded", "external_id", word, no_word},
        {"users", "users_zones_are_bounded", "timezone", name, no_name},
        {"users", "users_birth_dates_exist", "date_of_birth", {"'1992-02-29'"}, no_date},
        {"users",
         "users_birth_years_are_bounded",
         "date_of_birth",
         {"'0001-01-01'", "'9999-12-31'"},
         {"'0000-12-31'"}},
        {"users", "users_versions_are_positive", "version", {"1"}, {"0"}},
        {"schedules", "schedules_types_are_bounded", "event_type", word, no_word},
        {"schedules", "schedules_external_ids_are_bounded", "external_id", word, no_word},
        {"schedules", "schedules_zones_are_bounded", "per_user = 0, timezone", name, no_name},
        {"schedules",
         "schedules_versions_are_positive",
         "planned_version = 0, version",
         {"1"},
         {"0"}},
        {"endpoints", "endpoints_names_are_bounded", "name", name, no_name},
        {"endpoints", "endpoints_external_ids_are_bounded", "external_id", word, no_word},
        {"endpoints", "endpoints_versions_are_positive", "version", {"1"}, {"0"}},
        {"events", "events_zones_are_bounded", "zone", name, no_name},
        {"events", "events_attempts_are_counted", "attempt", {"0"}, {"-1"}},
        {"events", "events_attempts_are_counted", "retry_count", {"0"}, {"-1"}},
        {"events", "events_versions_are_positive", "version", {"1"}, {"0"}},
        {"events",
         "events_years_are_bounded",
         "due",
         {"-62135596800000000", "253402300799999999"},
         {"-62135596800000001", "253402300800000000"}},
    };
}

class Guards : public testing::Test {
protected:
    Store& store() { return storage.store(); }
    template <class... Events>
    void given(const Events&... events) {
        store().transact([&](Transaction& tx) {
            for (const Event& event : {static_cast<Event>(events)...}) {
                EXPECT_TRUE(tx.events().add(event).has_value());
            }
            return true;
        });
    }
    User a_stored_user() {
        const User user = a_user();
        store().transact([&](Transaction& tx) { return tx.users().add(user).has_value(); });
        return user;
    }
    Event find(EventId id) {
        return *in_read(store(), [&](Transaction& tx) { return tx.events().find(id); });
    }
    Event claim_one() {
        for (const Lane& lane : all_lanes) {
            auto claimed = storage.queue().claim_ready(
                {.by = instance_a, .shard = 0, .shares = {1, 1, 1, 1}, .lease = 30s, .lane = lane});
            if (!claimed.events.empty()) return claimed.events[0].event;
        }
        ADD_FAILURE() << "nothing to claim";
        return an_event();
    }
    std::string live() { return answer_to(storage.file(), "SELECT count(*) FROM events"); }

    SqliteStorage storage;
};

/// The update in a transaction that is rolled back, so that the row keeps its values and SQLite's
/// counts stay right.
std::string undone(const std::string& update, const std::string& value) {
    return "BEGIN; " + update + value + "; ROLLBACK";
}

TEST_F(Guards, RefuseRowsOutsideTheBoundsOfTheApi) {
    given(an_event().build());
    a_stored_user();
    const Endpoint endpoint = an_endpoint();
    store().transact([&](Transaction& tx) { return tx.endpoints().add(endpoint).has_value(); });
    for (const Rule& rule : rules()) {
        SCOPED_TRACE(std::string{rule.constraint} + " " + rule.column);
        const std::string update =
            "UPDATE " + std::string{rule.table} + " SET " + rule.column + " = ";
        for (const std::string& value : rule.good) {
            EXPECT_EQ(refusal_of(storage.file(), undone(update, value)), "") << value;
        }
        for (const std::string& value : rule.bad) {
            EXPECT_THAT(refusal_of(storage.file(), undone(update, value)),
                        HasSubstr(rule.constraint))
                << value;
        }
    }
}

TEST_F(Guards, EndTheLiveEventsOfADeletedUser) {
    const User user = a_stored_user();
    const User other = a_stored_user();
    const Event pending = an_event().of_user(user.id).due(noon + 1h);
    const Event occurrence = an_event().of_user(user.id).due(noon + 1h).of_schedule(
        an_id<ScheduleId>(), {std::chrono::year{2027} / 1 / 6});
    const Event of_other = an_event().of_user(other.id).due(noon + 1h);
    const Event parked = an_event().of_user(user.id).due(noon + 2h);
    const Event waiting = an_event().of_user(user.id).due(noon);
    given(pending, occurrence, of_other, parked, waiting);
    const Event tried = claim_one();
    ASSERT_TRUE(storage.queue().settle(std::vector{retry_in(tried, noon, 1h)}).at(0));
    store().transact([&](Transaction& tx) {
        tx.events().update(park(*tx.events().lock(parked.id), tx.now()).value());
        return true;
    });
    const Event before = find(waiting.id);

    ask(storage.file(),
        "DELETE FROM users WHERE id <> (SELECT user_id FROM events WHERE idempotency_key = '" +
            of_other.key.value + "')");

    for (const Event& event : {pending, occurrence, parked, waiting}) {
        const Event after = find(event.id);
        ASSERT_EQ(status_of(after), EventStatus::cancelled);
        EXPECT_EQ(std::get<Cancelled>(after.state).reason, "user deleted");
        EXPECT_EQ(std::get<Cancelled>(after.state).at, noon);
        EXPECT_EQ(after.updated_at, noon);
        EXPECT_FALSE(after.user);
    }
    Event expected = cancel(before, noon, "user deleted").value();
    expected.user.reset();
    EXPECT_EQ(find(waiting.id), expected);
    EXPECT_EQ(status_of(find(of_other.id)), EventStatus::pending);
    EXPECT_EQ(live(), "1");
}

TEST_F(Guards, FreeTheKeysOfTheEventsThatTheyEnd) {
    const User user = a_stored_user();
    const Event waiting = an_event().of_user(user.id).due(noon);
    given(waiting);
    const Event tried = claim_one();
    ASSERT_TRUE(storage.queue().settle(std::vector{retry_in(tried, noon, 1h)}).at(0));
    const Event occurrence = an_event().of_user(user.id).due(noon + 1h).of_schedule(
        an_id<ScheduleId>(), {std::chrono::year{2027} / 1 / 6});
    given(occurrence);

    ask(storage.file(), "DELETE FROM users");

    store().transact([&](Transaction& tx) {
        const auto again = tx.events().add(an_event().with_key(waiting.key.value));
        EXPECT_TRUE(again && *again == Attempt{1});
        EXPECT_FALSE(tx.events().add(an_event().with_key(occurrence.key.value)));
        return true;
    });
}

TEST_F(Guards, LetAClaimedEventOfADeletedUserBeDelivered) {
    const User user = a_stored_user();
    given(an_event().of_user(user.id).build());
    const Event held = claim_one();

    ask(storage.file(), "DELETE FROM users");

    EXPECT_FALSE(find(held.id).user);
    EXPECT_EQ(find(held.id).version, held.version);
    ASSERT_TRUE(storage.queue().settle(std::vector{accepted(held, noon)}).at(0));
    EXPECT_EQ(status_of(find(held.id)), EventStatus::completed);
    EXPECT_EQ(live(), "0");
}

TEST_F(Guards, EndEventsAtTheTimeOfTheDatabasesClock) {
    const auto ended_at = [&](const std::string& clock) {
        const User user = a_stored_user();
        const Event event = an_event().of_user(user.id).due(noon + 1h);
        given(event);
        ask(storage.file(),
            "UPDATE events SET updated_at = 1;"
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
