// The database refuses plain SQL that breaks a rule of the API, and handles the deletion of a user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "contract/settlements.hpp"
#include "postgres_migrations.hpp"
#include "postgres_storage.hpp"
#include "support/postgres_cluster.hpp"

namespace sundial::postgres {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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
    return {
        {"users", "users_names_are_bounded", "first_name", name, no_name},
        {"users", "users_names_are_bounded", "last_name", name, no_name},
        {"users", "users_external_ids_are_bounded", "external_id", word, no_word},
        {"users", "users_zones_are_bounded", "timezone", name, no_name},
        {"users",
         "users_birth_years_are_bounded",
         "date_of_birth",
         {"'0001-01-01'", "'9999-12-31'"},
         {"'0001-12-31 BC'", "'10000-01-01'", "'-infinity'"}},
        {"users", "users_versions_are_positive", "version", {"1"}, {"0"}},
        {"schedules", "schedules_types_are_bounded", "event_type", word, no_word},
        {"schedules", "schedules_external_ids_are_bounded", "external_id", word, no_word},
        {"schedules", "schedules_zones_are_bounded", "per_user = false, timezone", name, no_name},
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
         {"'0001-01-01T00:00:00Z'", "'9999-12-31T23:59:59.999999Z'"},
         {"'0001-12-31T23:59:59.999999Z BC'", "'10000-01-01T00:00:00Z'", "'infinity'"}},
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
        for (std::uint32_t shard = 0; shard < storage.queue().shards(); ++shard) {
            auto claimed = storage.queue().claim_ready({.by = instance_a,
                                                        .shard = shard,
                                                        .shares = {1, 1, 1, 1},
                                                        .lease = 30s,
                                                        .lane = reminder_lane});
            if (!claimed.events.empty()) return claimed.events[0].event;
        }
        ADD_FAILURE() << "nothing to claim";
        return an_event();
    }
    std::string live() { return query(storage.url(), "SELECT count(*) FROM sundial.events")[0][0]; }

    PostgresStorage storage{16};
};

/// The update in a transaction that is rolled back, so that the row keeps its values.
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
            "UPDATE sundial." + std::string{rule.table} + " SET " + rule.column + " = ";
        for (const std::string& value : rule.good) {
            EXPECT_EQ(refusal_of(storage.url(), undone(update, value)), "") << value;
        }
        for (const std::string& value : rule.bad) {
            EXPECT_THAT(refusal_of(storage.url(), undone(update, value)),
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

    query(storage.url(),
          "DELETE FROM sundial.users WHERE id <> (SELECT user_id FROM sundial.events WHERE "
          "idempotency_key = '" +
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

    query(storage.url(), "DELETE FROM sundial.users");

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

    query(storage.url(), "DELETE FROM sundial.users");

    EXPECT_FALSE(find(held.id).user);
    EXPECT_EQ(find(held.id).version, held.version);
    ASSERT_TRUE(storage.queue().settle(std::vector{accepted(held, noon)}).at(0));
    EXPECT_EQ(status_of(find(held.id)), EventStatus::completed);
    EXPECT_EQ(live(), "0");
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
        deletion = std::async(std::launch::async,
                              [&] { query(storage.url(), "DELETE FROM sundial.users"); });
        // Until it waits for this transaction, or is over.
        while (deletion.wait_for(0s) != std::future_status::ready &&
               query(storage.url(), "SELECT FROM pg_locks WHERE NOT granted").empty()) {
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
    EXPECT_THAT(refusal_of(storage.url(), "TRUNCATE sundial.users"),
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
