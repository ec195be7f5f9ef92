#include "contract/guards.hpp"

#include <gmock/gmock.h>

#include "contract/settlements.hpp"

namespace sundial {

using testing::HasSubstr;

User GuardsTest::a_stored_user() {
    const User user = a_user();
    store().transact([&](Transaction& tx) { return tx.users().add(user).has_value(); });
    return user;
}

Event GuardsTest::find(EventId id) {
    return *in_read(store(), [&](Transaction& tx) { return tx.events().find(id); });
}

Event GuardsTest::claim_one() {
    EventQueue& queue = storage().queue();
    for (std::uint32_t shard = 0; shard < queue.shards(); ++shard) {
        for (const Lane& lane : all_lanes) {
            auto claimed = queue.claim_ready({.by = instance_a,
                                              .shard = shard,
                                              .shares = {1, 1, 1, 1},
                                              .lease = 30s,
                                              .lane = lane});
            if (!claimed.events.empty()) return claimed.events[0].event;
        }
    }
    ADD_FAILURE() << "nothing to claim";
    return an_event();
}

std::vector<ColumnBounds> GuardsTest::shared_bounds(const std::function<std::string(int)>& text_of,
                                                    const std::string& per_zone) {
    const std::vector<std::string> name{"'x'", text_of(255)};
    const std::vector<std::string> no_name{"''", text_of(256)};
    const std::vector<std::string> word{"'x'", text_of(128)};
    const std::vector<std::string> no_word{"''", text_of(129)};
    return {
        {"users", "users_names_are_bounded", "first_name", name, no_name},
        {"users", "users_names_are_bounded", "last_name", name, no_name},
        {"users", "users_external_ids_are_bounded", "external_id", word, no_word},
        {"users", "users_zones_are_bounded", "timezone", name, no_name},
        {"users", "users_versions_are_positive", "version", {"1"}, {"0"}},
        {"schedules", "schedules_types_are_bounded", "event_type", word, no_word},
        {"schedules", "schedules_external_ids_are_bounded", "external_id", word, no_word},
        {"schedules", "schedules_zones_are_bounded", "per_user = " + per_zone + ", timezone", name,
         no_name},
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
    };
}

void GuardsTest::expect_bounds(const std::vector<ColumnBounds>& all) {
    given(an_event().build());
    a_stored_user();
    const Endpoint endpoint = an_endpoint();
    store().transact([&](Transaction& tx) { return tx.endpoints().add(endpoint).has_value(); });
    for (const ColumnBounds& bounds : all) {
        SCOPED_TRACE(bounds.constraint + " " + bounds.column);
        // Each update is rolled back, so that the row keeps its values and SQLite's counts stay
        // right.
        const auto refusal = [&](const std::string& value) {
            return refusal_of("BEGIN; UPDATE " + table(bounds.table) + " SET " + bounds.column +
                              " = " + value + "; ROLLBACK");
        };
        for (const std::string& value : bounds.good) EXPECT_EQ(refusal(value), "") << value;
        for (const std::string& value : bounds.bad) {
            EXPECT_THAT(refusal(value), HasSubstr(bounds.constraint)) << value;
        }
    }
}

void GuardsTest::expect_that_live_events_of_a_deleted_user_end() {
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
    ASSERT_TRUE(storage().queue().settle(std::vector{retry_in(tried, noon, 1h)}).at(0));
    store().transact([&](Transaction& tx) {
        tx.events().update(park(*tx.events().lock(parked.id), tx.now()).value());
        return true;
    });
    const Event before = find(waiting.id);

    run("DELETE FROM " + table("users") + " WHERE id <> (SELECT user_id FROM " + table("events") +
        " WHERE idempotency_key = '" + of_other.key.value + "')");

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

void GuardsTest::expect_that_their_keys_are_free() {
    const User user = a_stored_user();
    const Event waiting = an_event().of_user(user.id).due(noon);
    given(waiting);
    const Event tried = claim_one();
    ASSERT_TRUE(storage().queue().settle(std::vector{retry_in(tried, noon, 1h)}).at(0));
    const Event occurrence = an_event().of_user(user.id).due(noon + 1h).of_schedule(
        an_id<ScheduleId>(), {std::chrono::year{2027} / 1 / 6});
    given(occurrence);

    run("DELETE FROM " + table("users"));

    store().transact([&](Transaction& tx) {
        const auto again = tx.events().add(an_event().with_key(waiting.key.value));
        EXPECT_TRUE(again && *again == Attempt{1});
        EXPECT_FALSE(tx.events().add(an_event().with_key(occurrence.key.value)));
        return true;
    });
}

void GuardsTest::expect_that_a_claimed_event_is_delivered() {
    const User user = a_stored_user();
    given(an_event().of_user(user.id).build());
    const Event held = claim_one();

    run("DELETE FROM " + table("users"));

    EXPECT_FALSE(find(held.id).user);
    EXPECT_EQ(find(held.id).version, held.version);
    ASSERT_TRUE(storage().queue().settle(std::vector{accepted(held, noon)}).at(0));
    EXPECT_EQ(status_of(find(held.id)), EventStatus::completed);
    EXPECT_EQ(live(), "0");
}

}  // namespace sundial
