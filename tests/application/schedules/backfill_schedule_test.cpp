#include "application/schedules/backfill_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "schedules_fixture.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST_F(Schedules, AreBackfilledOnceDespiteRepeatedRequests) {
    const Schedule schedule = create(a_job()).value();
    const Backfill dry = backfill(schedule, {"now-24h", "now", true}).value();
    EXPECT_EQ(dry.occurrences, 24U);
    EXPECT_FALSE(dry.operation);
    ASSERT_THAT(dry.samples, SizeIs(5));
    EXPECT_EQ(dry.samples[0].due, noon - 24h);
    EXPECT_THAT(events_of(schedule), SizeIs(1));

    for (int turn = 0; turn < 2; ++turn) {
        const auto operation =
            backfill(schedule, {"now-24h", "now", false}).value().operation.value();
        EXPECT_EQ(operation.status, OperationStatus::completed);
        EXPECT_EQ(operation.kind, OperationKind::backfill_schedule);
        EXPECT_EQ(operation.done, 24U);
        const auto pending = events_of(schedule, {EventStatus::pending});
        ASSERT_THAT(pending, SizeIs(25));
        EXPECT_EQ(pending[0].occurrence->origin, Origin::backfill);
        EXPECT_EQ(pending[0].claimable_at, noon - 24h);
    }
    EXPECT_THAT(claimed(), SizeIs(24));
}

TEST_F(Schedules, AreBackfilledInBatches) {
    const Schedule schedule = create(with({.every = "PT1S"})).value();
    clock.advance(2h);
    const auto begun = backfill(schedule, {"now-1h", "now", false}).value().operation.value();
    EXPECT_EQ(begun.status, OperationStatus::running);
    EXPECT_LT(begun.done, 3'600U);
    operations.drain();
    const auto over = queries.operation(to_string(begun.id)).value();
    EXPECT_EQ(over.status, OperationStatus::completed);
    EXPECT_EQ(over.done, 3'600U);
    EXPECT_EQ(over.total, 3'600U);
    const Instant now = clock.now();
    EventQuery filled;
    filled.schedule = schedule.id;
    filled.target_from = now - 1h;
    filled.target_to = now;
    filled.page.limit = 5'000;
    EXPECT_THAT(queries.events(filled).items, SizeIs(3'600));
}

TEST_F(Schedules, AreBackfilledForEveryUser) {
    created(born("1990-12-01", "Europe/Paris"));
    created(born("1990-12-02", "Pacific/Auckland"));
    created(born("1990-06-01", "Europe/Paris"));
    const Backfill done = backfill(birthday(), {"2026-11-01T00:00:00Z", "now", false}).value();
    EXPECT_EQ(done.occurrences, 2U);
    EXPECT_EQ(done.operation->done, 3U);  // users
    EXPECT_THAT(claimed(), SizeIs(2));
}

TEST_F(Schedules, AreBackfilledForRemainingUsers) {
    std::vector<User> people;
    for (int i = 0; i < 3; ++i) people.push_back(created(ada()));
    const Schedule schedule = create(of_users()).value();
    const auto begun = backfill(schedule, {"now-350h", "now", false}).value().operation.value();
    ASSERT_EQ(begun.status, OperationStatus::running);
    const auto filled_of = [&](const User& user) {
        EventQuery filled;
        filled.user = user.id;
        filled.schedule = schedule.id;
        filled.target_to = noon;
        filled.page.limit = 5'000;
        return queries.events(filled).items.size();
    };
    const auto half_done = std::ranges::find_if(
        people, [&](const User& user) { return filled_of(user) > 0 && filled_of(user) < 350; });
    ASSERT_NE(half_done, people.end());
    ASSERT_TRUE(delete_user.run(to_string(half_done->id), {}, std::nullopt, "r"));
    people.erase(half_done);

    operations.drain();
    EXPECT_EQ(queries.operation(to_string(begun.id)).value().done, 2U);
    for (const User& user : people) EXPECT_EQ(filled_of(user), 350U);
}

TEST_F(Schedules, AreBackfilledExceptForUsersWithAnUnknownZone) {
    created(ada());
    write([&](Transaction& tx) { ASSERT_TRUE(tx.users().add(a_user().in("Mars/Base"))); });
    const Schedule schedule = create(of_users()).value();
    const auto over = backfill(schedule, {"now-2h", "now", false}).value().operation.value();
    EXPECT_EQ(over.status, OperationStatus::completed);
    EXPECT_EQ(over.done, 1U);
    EXPECT_EQ(over.failed, 1U);
}

TEST_F(Schedules, AreNotBackfilledOnceDeleted) {
    const Schedule schedule = create(with({.every = "PT1S"})).value();
    clock.advance(1h);
    const auto begun = backfill(schedule, {"now-1h", "now", false}).value().operation.value();
    ASSERT_TRUE(delete_schedule.run(to_string(schedule.id), std::nullopt, "r"));
    operations.drain();
    const auto over = queries.operation(to_string(begun.id)).value();
    EXPECT_EQ(over.status, OperationStatus::stopped);
    EXPECT_EQ(over.reason, "the schedule has been deleted");
    EXPECT_EQ(over.done, begun.done);
}

TEST_F(Schedules, AreBackfilledOnlyInThePastAndWithinBounds) {
    const Schedule schedule = create(a_job()).value();
    const auto refused = [&](const BackfillRequest& request) {
        return defects_of(backfill(schedule, request));
    };
    EXPECT_THAT(refused({"now", "now+1h"}), ElementsAre("/to out_of_range"));
    EXPECT_THAT(refused({"now", "now"}), ElementsAre("/from out_of_range"));
    EXPECT_THAT(refused({"soon", "later"}), ElementsAre("/from bad_time", "/to bad_time"));
    EXPECT_THAT(refused({"0001-01-01T00:00:00Z", "now"}), ElementsAre("/from out_of_range"));
}

}  // namespace
}  // namespace sundial
