// The database refuses plain SQL that breaks a rule of the API, and handles the deletion of a user.
#include "contract/guards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "postgres_migrations.hpp"
#include "postgres_storage.hpp"
#include "support/postgres_cluster.hpp"

namespace sundial::postgres {
namespace {

using testing::HasSubstr;

/// PostgreSQL's error, or an empty text.
std::string refusal_of(const std::string& url, const std::string& sql) {
    try {
        query(url, sql);
    } catch (const std::runtime_error& refused) {
        return refused.what();
    }
    return "";
}

std::string letters(int count) { return "repeat('é', " + std::to_string(count) + ")"; }

class Guards : public GuardsTest {
protected:
    Storage& storage() override { return storage_; }
    std::string refusal_of(const std::string& sql) override {
        return postgres::refusal_of(url(), sql);
    }
    std::string value_of(const std::string& sql) override { return query(url(), sql)[0][0]; }
    [[nodiscard]] std::string table(const std::string& name) const override {
        return "sundial." + name;
    }
    [[nodiscard]] const std::string& url() const { return storage_.url(); }

private:
    PostgresStorage storage_{16};
};

TEST_F(Guards, RefuseRowsOutsideTheBoundsOfTheApi) {
    std::vector<ColumnBounds> all = shared_bounds(letters, "false");
    all.push_back({"users",
                   "users_birth_years_are_bounded",
                   "date_of_birth",
                   {"'0001-01-01'", "'9999-12-31'"},
                   {"'0001-12-31 BC'", "'10000-01-01'", "'-infinity'"}});
    all.push_back({"events",
                   "events_years_are_bounded",
                   "due",
                   {"'0001-01-01T00:00:00Z'", "'9999-12-31T23:59:59.999999Z'"},
                   {"'0001-12-31T23:59:59.999999Z BC'", "'10000-01-01T00:00:00Z'", "'infinity'"}});
    expect_bounds(all);
}

TEST_F(Guards, EndTheLiveEventsOfADeletedUser) { expect_that_live_events_of_a_deleted_user_end(); }

TEST_F(Guards, FreeTheKeysOfTheEventsThatTheyEnd) { expect_that_their_keys_are_free(); }

TEST_F(Guards, LetAClaimedEventOfADeletedUserBeDelivered) {
    expect_that_a_claimed_event_is_delivered();
}

TEST_F(Guards, EndAnEventAsTheTransactionBeforeLeavesIt) {
    const User user = a_stored_user();
    const Event event = an_event().of_user(user.id).due(noon + 1h);
    given(event);
    std::future<void> deletion;
    Event moved = event;
    store().transact([&](Transaction& tx) {
        moved = retarget(*tx.events().lock(event.id), event.intent, noon + 5h, tx.now()).value();
        tx.events().update(moved);
        deletion =
            std::async(std::launch::async, [&] { query(url(), "DELETE FROM sundial.users"); });
        // Until it waits for this transaction, or has ended.
        while (deletion.wait_for(0s) != std::future_status::ready &&
               query(url(), "SELECT FROM pg_locks WHERE NOT granted").empty()) {
            std::this_thread::yield();
        }
        return true;
    });
    deletion.get();

    Event expected = cancel(moved, noon, "user deleted").value();
    expected.user.reset();
    EXPECT_EQ(find(event.id), expected);
    EXPECT_EQ(live(), "0");
}

TEST_F(Guards, RefuseATruncateThatWouldLeaveEventsBehind) {
    EXPECT_THAT(refusal_of("TRUNCATE sundial.users"),
                HasSubstr("would leave the live events of users behind"));
}

TEST(GuardsOfAnEarlierDatabase, ComeWithNoRowLostOrNotAtAll) {
    const auto upgraded = [](const std::string& name) {
        const std::string url = PostgresCluster::shared().create_database();
        std::string before =
            "CREATE SCHEMA sundial; SET sundial.shards = 16; SET sundial.birthday_time = '09:00';";
        std::string guards;
        for (const auto& file : migrations::embedded_files) {
            (file.name < "0026" ? before : guards) += file.content;
        }
        query(url, before + "INSERT INTO sundial.users VALUES (gen_random_uuid(), NULL, " + name +
                       ", 'Lovelace', '1815-12-10', 'Europe/London', '{}', '{}', 1, now(), now())");
        const std::string refusal = refusal_of(url, "BEGIN;" + guards + "COMMIT");
        EXPECT_EQ(query(url, "SELECT count(*) FROM sundial.users")[0][0], "1");
        return refusal;
    };
    EXPECT_EQ(upgraded(letters(255)), "");
    EXPECT_THAT(upgraded("''"), HasSubstr("users_names_are_bounded"));
}

}  // namespace
}  // namespace sundial::postgres
