#include "application/schedules/edit_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "application/schedules/occurrences.hpp"
#include "support/control_plane.hpp"
#include "support/fake_delivery.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class EditScheduleTest : public ControlPlane {
protected:
    static TriggerFields at(std::string time) {
        return {.yearly = YearlyFields{.at = std::move(time)}};
    }
    EditedSchedule paused() { return edited_birthday({.enabled = false}); }
    EditedSchedule resumed() { return edited_birthday({.enabled = true}); }
    EditedSchedule to_endpoint(const Endpoint& endpoint) {
        return edited_birthday({.endpoint = std::optional{to_string(endpoint.id)}});
    }
    Result<EditedSchedule> edit(const ScheduleFields& changes) {
        return edit_schedule.run("ext:birthday", changes, std::nullopt, "req-3");
    }
};

TEST_F(EditScheduleTest, MovesPendingEventsToTheNewHour) {
    const User user = created(ada());
    const Event before = pending_of(user);

    const auto result = edited_birthday({.trigger = at("07:30")});

    const Event after = pending_of(user);
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.key, before.key);
    EXPECT_EQ(after.due, sys_days{January / 6 / 2027} + 6h + 30min);
    EXPECT_EQ(after.occurrence->schedule_version, Version{2});
    ASSERT_TRUE(result.operation);
    EXPECT_EQ(result.operation->kind, OperationKind::replan_schedule);
    EXPECT_EQ(result.operation->status, OperationStatus::completed);
    EXPECT_EQ(result.operation->done, 2U);  // the event, and the check whether its user needs one
    EXPECT_EQ(result.schedule.version, Version{2});
    EXPECT_EQ(birthday().planned_version, Version{2});
    EXPECT_EQ(wakeups.hints.back(), after.due);
}

TEST_F(EditScheduleTest, DeliversEventsAtOnceThatTheNewHourMakesLate) {
    const User user = created(ada());
    (void)clock.set(sys_days{January / 6 / 2027} + 7h + 30min);  // 08:30 in Paris
    edited_birthday({.trigger = at("08:00")});
    EXPECT_EQ(claimed_one().user, user.id);
}

TEST_F(EditScheduleTest, KeepsTheYearOfALeapDay) {
    const User user = created(born("1992-02-29", "Europe/Paris"));
    const Event before = pending_of(user);
    ASSERT_EQ(before.occurrence->nominal, Date{February / 28 / 2027});

    edited_birthday({.leap = LeapPolicy::mar1});

    const Event after = pending_of(user);
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.occurrence->nominal, Date{March / 1 / 2027});
    EXPECT_EQ(after.due, sys_days{March / 1 / 2027} + 8h);
}

TEST_F(EditScheduleTest, CancelsTheYearThatALeapPolicySkips) {
    const User user = created(born("1992-02-29", "Europe/Paris"));
    const Event before = pending_of(user);

    edited_birthday({.leap = LeapPolicy::skip});

    EXPECT_EQ(std::get<Cancelled>(find(before).state).reason, "leap_skipped");
    EXPECT_EQ(pending_of(user).occurrence->nominal, Date{February / 29 / 2028});
}

TEST_F(EditScheduleTest, RendersTheNewMessage) {
    const User user = created(ada());
    edited_birthday({.payload = R"({"text":"{firstName}, {age}"})"});
    EXPECT_EQ(pending_of(user).payload, R"({"text":"Ada, 35"})");
}

TEST_F(EditScheduleTest, SendsPlannedEventsToTheNewEndpoint) {
    const User user = created(ada());
    const Endpoint endpoint = an_existing_endpoint();
    to_endpoint(endpoint);
    EXPECT_EQ(pending_of(user).endpoint, endpoint.id);
    edited_birthday({.endpoint = Edit<std::string>{std::in_place}});
    EXPECT_FALSE(pending_of(user).endpoint);
}

TEST_F(EditScheduleTest, SendsEventsThatWaitedForAnEndpoint) {
    created(ada());
    clock.advance(24h);
    const Event event = parked(claimed_one());
    clock.advance(24h);

    to_endpoint(an_existing_endpoint());

    const Event sent = claimed_one();
    EXPECT_EQ(sent.id, event.id);
    EXPECT_TRUE(sent.endpoint);
    EXPECT_EQ(sent.due, event.due);
    EXPECT_EQ(wakeups.hints.back(), clock.now());
}

TEST_F(EditScheduleTest, KeepsTheEndpointOfAttemptedEvents) {
    const Endpoint first = an_existing_endpoint();
    to_endpoint(first);
    created(ada());
    clock.advance(24h);
    const Event held = claimed_one();
    settle(held, RetryIn{1h});
    const Event waiting = find(held);

    to_endpoint(an_existing_endpoint());

    EXPECT_EQ(find(held), waiting);
}

TEST_F(EditScheduleTest, LeavesClaimedEventsAlone) {
    created(ada());
    clock.advance(24h);
    const Event held = claimed_one();
    edited_birthday({.trigger = at("10:00")});
    EXPECT_EQ(find(held), held);
}

TEST_F(EditScheduleTest, ParksWhilePaused) {
    const User user = created(ada());
    paused();
    EXPECT_EQ(pending_of(user).claimable_at, never);
    EXPECT_FALSE(queries.schedule("ext:birthday")->next_at);
    clock.advance(48h);
    EXPECT_THAT(claimed(), IsEmpty());
}

TEST_F(EditScheduleTest, ResumesWithTheSameDayIfItIsStillToCome) {
    const User user = created(ada());
    const Event before = pending_of(user);
    paused();
    clock.advance(1h);
    resumed();
    const Event after = pending_of(user);
    EXPECT_EQ(after.due, before.due);
    EXPECT_EQ(after.claimable_at, before.due);
    EXPECT_EQ(after.key, before.key);
    EXPECT_EQ(queries.schedule("ext:birthday")->next_at, before.due);
}

TEST_F(EditScheduleTest, ResumesWithTheNextDayIfItIsPast) {
    const User user = created(ada());
    paused();
    clock.advance(48h);
    resumed();
    const Event after = pending_of(user);
    EXPECT_EQ(after.occurrence->nominal, Date{January / 6 / 2028});
    EXPECT_EQ(after.claimable_at, after.due);
}

TEST_F(EditScheduleTest, ResumesUsersThatWereCreatedDuringThePause) {
    paused();
    const User user = created(ada());
    resumed();
    EXPECT_EQ(pending_of(user).claimable_at, sys_days{January / 6 / 2027} + 8h);
}

TEST_F(EditScheduleTest, KeepsEditsMadeWhilePaused) {
    const User user = created(ada());
    paused();
    moved(user, "America/New_York");
    EXPECT_EQ(pending_of(user).claimable_at, never);
    resumed();
    EXPECT_EQ(pending_of(user).claimable_at, sys_days{January / 6 / 2027} + 14h);
}

TEST_F(EditScheduleTest, ReplansInSeveralBatches) {
    for (int i = 0; i < 450; ++i) created(ada());
    const auto begun = edited_birthday({.trigger = at("10:00")}).operation.value();
    EXPECT_EQ(begun.status, OperationStatus::running);
    EXPECT_EQ(begun.total, 900U);
    operations.drain();
    EXPECT_EQ(queries.operation(to_string(begun.id))->done, 900U);
    EventQuery all;
    all.page.limit = 500;
    EXPECT_THAT(queries.events(all).items,
                Each(testing::Field(&Event::due, sys_days{January / 6 / 2027} + 9h)));
}

TEST_F(EditScheduleTest, MakesNoVersionOfAnEditThatChangesNothing) {
    const User user = created(ada());
    const Event before = pending_of(user);
    const auto result = edited_birthday({.enabled = true, .trigger = at("09:00")});
    EXPECT_FALSE(result.operation);
    EXPECT_EQ(result.schedule.version, Version{1});
    EXPECT_EQ(pending_of(user), before);
    EXPECT_THAT(store.recorded(), SizeIs(1));
}

TEST_F(EditScheduleTest, TouchesNoEventForANote) {
    const User user = created(ada());
    const Event before = pending_of(user);
    const auto result =
        edited_birthday({.note = std::optional<std::string>{"until the move is done"}});
    EXPECT_EQ(result.schedule.note, "until the move is done");
    EXPECT_FALSE(result.operation);
    EXPECT_EQ(result.schedule.planned_version, Version{2});
    EXPECT_EQ(pending_of(user), before);
}

TEST_F(EditScheduleTest, SortsTagsAndTouchesNoEventForThem) {
    const User user = created(ada());
    const Event before = pending_of(user);
    const auto result =
        edited_birthday({.tags = std::vector<std::string>{"night", "home", "night"}});
    EXPECT_EQ(result.schedule.tags, (std::vector<std::string>{"home", "night"}));
    EXPECT_FALSE(result.operation);
    EXPECT_EQ(pending_of(user), before);
    const auto again = edited_birthday({.tags = std::vector<std::string>{"night", "home"}});
    EXPECT_EQ(again.schedule.version, result.schedule.version);
}

TEST_F(EditScheduleTest, JudgesThePingUrlAndTouchesNoEventForIt) {
    const User user = created(ada());
    const Event before = pending_of(user);
    FakeDelivery webhook, inbox;
    const EndpointKinds kinds = fake_kinds(webhook, inbox);
    EditSchedule with_webhooks{store, zones, ids, operations, kinds};
    const auto pinging = [&](EditSchedule& use_case, std::optional<std::string> url) {
        return use_case.run("ext:birthday", {.ping_url = std::move(url)}, std::nullopt, "req-3");
    };
    EXPECT_THAT(defects_of(pinging(with_webhooks, "http://plain.example")),
                ElementsAre("/pingUrl not_allowed"));
    EXPECT_THAT(defects_of(pinging(edit_schedule, "https://hc-ping.com/1")),
                ElementsAre("/pingUrl not_allowed"));  // a program without webhooks
    EXPECT_FALSE(birthday().ping_url);

    const auto result = pinging(with_webhooks, "https://hc-ping.com/1");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->schedule.ping_url, "https://hc-ping.com/1");
    EXPECT_FALSE(result->operation);
    EXPECT_EQ(pending_of(user), before);
    // An edit of something else judges the stored URL by no rule, and no URL needs no program.
    EXPECT_EQ(edited_birthday({.tags = std::vector<std::string>{"home"}}).schedule.ping_url,
              "https://hc-ping.com/1");
    EXPECT_FALSE(pinging(edit_schedule, std::nullopt)->schedule.ping_url);
}

TEST_F(EditScheduleTest, RefusesInvalidEditsAndChangesNothing) {
    const Schedule before = birthday();
    EXPECT_THAT(defects_of(edit(
                    {.trigger = at("24:00"), .endpoint = std::optional<std::string>{"ext:none"}})),
                UnorderedElementsAre("/endpointId not_allowed", "/trigger/yearly/at bad_time"));
    EXPECT_EQ(error_of<InvalidTemplate>(edit({.payload = R"("{shoeSize}")"})).name, "shoeSize");
    EXPECT_TRUE(fails_with<OptimisticLock>(
        edit_schedule.run("ext:birthday", {.trigger = at("10:00")}, Version{4}, "req-3")));
    EXPECT_TRUE(fails_with<NotFound>(
        edit_schedule.run("ext:no", {.trigger = at("10:00")}, std::nullopt, "r")));
    EXPECT_EQ(birthday(), before);
}

TEST_F(EditScheduleTest, RecordsTheMembersThatChanged) {
    edited_birthday({.enabled = false, .trigger = at("10:00")});
    const auto recorded = store.recorded().back();
    EXPECT_EQ(recorded.stream.aggregate_type, "Schedule");
    EXPECT_EQ(recorded.event_type, "ScheduleUpdated");
    EXPECT_EQ(recorded.version, Version{2});
    EXPECT_EQ(recorded.data,
              R"({"trigger":{"yearly":{"on":"dateOfBirth","at":"10:00"}},"enabled":false})");
}

}  // namespace
}  // namespace sundial
