#include "application/users/edit_user.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "application/schedules/occurrences.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EditUserTest : public ControlPlane {
protected:
    /// Stores the successor, as the engine does when it claims the event.
    void plan_successor_of(const Event& event) {
        write([&](Transaction& tx) {
            const User user = tx.users().find(*event.user).value();
            const auto tz = zones.current();
            const auto rule = rule_of_schedule(birthday_, &user, *tz).value();
            tx.events().add_new(
                std::vector{plan_occurrence(rule, *rule.next_of(event), ids, "2025b", tx.now())});
        });
    }
    Schedule birthday_ = birthday();
};

TEST_F(EditUserTest, ChangesOnlyTheGivenMembers) {
    const User user = created(ada());
    UserEdit edit;
    edit.last_name = "Lovelace";
    const User after = edited(user, edit).user;

    User expected = user;
    expected.last_name = "Lovelace";
    expected.version = Version{2};
    EXPECT_EQ(after, expected);
    EXPECT_EQ(queries.user(to_string(user.id)).value(), expected);
}

TEST_F(EditUserTest, MergesDatesAndMetadata) {
    UserFields fields = ada();
    fields.metadata = {{"plan", "gold"}, {"colour", "red"}};
    fields.dates = {{"anniversary", "2015-06-01"}};
    const User user = created(fields);

    UserEdit edit;
    edit.metadata.members = {{"colour", std::nullopt}, {"plan", "silver"}, {"tier", "2"}};
    edit.dates.clear = true;
    const User after = edited(user, edit).user;

    EXPECT_EQ(after.metadata,
              (std::map<std::string, std::string>{{"plan", "silver"}, {"tier", "2"}}));
    EXPECT_THAT(after.dates, IsEmpty());
}

TEST_F(EditUserTest, MakesNoVersionOfAnEditThatChangesNothing) {
    const User user = created(ada());
    const Event before = pending_of(user);
    UserEdit edit;
    edit.first_name = user.first_name;
    edit.timezone = user.timezone;

    const EditedUser result = edited(user, edit);

    EXPECT_EQ(result.user, user);
    EXPECT_FALSE(result.reschedule);
    EXPECT_EQ(pending_of(user), before);
    EXPECT_EQ(store.recorded().size(), 1U);
}

TEST_F(EditUserTest, RefusesAStaleVersionAndChangesNothing) {
    const User user = created(ada());
    UserEdit edit;
    edit.first_name = "Grace";
    edited(user, edit);

    edit.first_name = "Edsger";
    const auto refused = edit_user.run(to_string(user.id), edit, Version{1}, "req-2");

    const auto error = error_of<OptimisticLock>(refused);
    EXPECT_EQ(error.expected, Version{1});
    EXPECT_EQ(error.actual, Version{2});
    EXPECT_EQ(queries.user(to_string(user.id))->first_name, "Grace");
    EXPECT_TRUE(edit_user.run(to_string(user.id), edit, Version{2}, "req-2"));
}

TEST_F(EditUserTest, ReportsAllErrorsAtOnce) {
    const User user = created(ada());
    UserEdit edit;
    edit.first_name = "";
    edit.timezone = "europe/paris";
    edit.date_of_birth = "2200-01-01";
    const auto refused = edit_user.run(to_string(user.id), edit, std::nullopt, "req-2");
    EXPECT_THAT(defects_of(refused),
                testing::UnorderedElementsAre("/firstName required", "/timezone unknown_zone",
                                              "/dateOfBirth out_of_range"));
    EXPECT_EQ(queries.user(to_string(user.id)).value(), user);
}

TEST_F(EditUserTest, FindsNoUserUnderAnInvalidId) {
    for (const char* id : {"ext:nobody", "0199", "01995b2c-7d3a-7000-8000-00000000ffff"}) {
        EXPECT_EQ(error_of<NotFound>(edit_user.run(id, {}, std::nullopt, "req-2")).id, id);
    }
}

TEST_F(EditUserTest, KeepsTheDayAndTheHourInAnotherZone) {
    const User user = created(ada());
    const Event before = pending_of(user);

    const EditedUser result = moved(user, "America/New_York");

    const Event after = pending_of(user);
    EXPECT_EQ(after.due, sys_days{January / 6 / 2027} + 14h);
    EXPECT_EQ(after.claimable_at, after.due);
    EXPECT_EQ(after.intent.wall, before.intent.wall);
    EXPECT_EQ(after.intent.zone, "America/New_York");
    EXPECT_EQ(after.key, before.key);
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.version, base::next(before.version));
    ASSERT_TRUE(result.reschedule);
    EXPECT_EQ(result.reschedule->rescheduled, 1U);
    EXPECT_EQ(result.reschedule->total_pending, 1U);
    EXPECT_THAT(result.reschedule->skipped, IsEmpty());
    EXPECT_EQ(wakeups.hints.back(), after.due);
}

TEST_F(EditUserTest, LosesNoBirthdayFromHonoluluToAuckland) {
    // At 02:00 there on the birthday.
    const User user = created(born("1992-01-05", "Pacific/Honolulu"));
    ASSERT_EQ(pending_of(user).due, sys_days{January / 5 / 2027} + 19h);

    moved(user, "Pacific/Auckland");  // where it is 01:00 on the 6th

    const Event late = pending_of(user);
    EXPECT_EQ(late.occurrence->nominal, Date{January / 5 / 2027});
    EXPECT_LT(late.due, noon);
    EXPECT_EQ(claimed_one().id, late.id);
}

TEST_F(EditUserTest, GreetsOnceFromAucklandToHonolulu) {
    const User user = created(born("1992-01-07", "Pacific/Auckland"));
    (void)clock.set(sys_days{January / 6 / 2027} + 20h);
    const Event fired = claimed_one();  // 09:00 on the 7th in Auckland
    plan_successor_of(fired);
    completed(fired);

    moved(user, "Pacific/Honolulu");  // where it is 10:00 on the 6th

    EXPECT_EQ(pending_of(user).occurrence->nominal, Date{January / 7 / 2028});
}

TEST_F(EditUserTest, PlansAnotherBirthDateFromItsFirstDayAfterNow) {
    const User user = created(ada());
    const Event before = pending_of(user);

    const EditedUser result = reborn(user, "1992-03-01");

    const Event after = pending_of(user);
    EXPECT_EQ(after.id, before.id);
    EXPECT_NE(after.key, before.key);
    EXPECT_EQ(after.occurrence->nominal, Date{March / 1 / 2027});
    EXPECT_EQ(after.due, sys_days{March / 1 / 2027} + 8h);
    EXPECT_EQ(result.reschedule->rescheduled, 1U);

    reborn(user, "1992-01-06");
    EXPECT_EQ(pending_of(user).key, before.key);
}

TEST_F(EditUserTest, SkipsADayThatHasBeenGreeted) {
    const User user = created(ada());
    clock.advance(24h);
    const Event fired = claimed_one();
    plan_successor_of(fired);
    completed(fired);
    reborn(user, "1992-01-10");
    ASSERT_EQ(pending_of(user).occurrence->nominal, Date{January / 10 / 2027});
    moved(user, "Pacific/Honolulu");
    (void)clock.set(sys_days{January / 6 / 2027} + 18h);  // 08:00 on the 6th in Honolulu

    reborn(user, "1992-01-06");

    EXPECT_EQ(pending_of(user).occurrence->nominal, Date{January / 6 / 2028});
}

TEST_F(EditUserTest, KeepsALateBirthdayWhenOnlyTheYearWasWrong) {
    const User user = created(ada());
    clock.advance(24h);  // due, but not claimed

    const EditedUser result = reborn(user, "1991-01-06");

    EXPECT_EQ(pending_of(user).occurrence->nominal, Date{January / 6 / 2027});
    EXPECT_EQ(result.reschedule->rescheduled, 0U);
}

TEST_F(EditUserTest, MovesADateOfBirthAndAZoneTogether) {
    const User user = created(ada());
    UserEdit edit;
    edit.date_of_birth = "1992-01-05";
    edit.timezone = "Pacific/Honolulu";
    edited(user, edit);
    EXPECT_EQ(pending_of(user).due, sys_days{January / 5 / 2027} + 19h);
}

TEST_F(EditUserTest, RendersTheMessageAgain) {
    const User user = created(ada());
    const Event before = pending_of(user);
    UserEdit edit;
    edit.first_name = "Grace";

    const EditedUser result = edited(user, edit);

    const Event after = pending_of(user);
    EXPECT_EQ(after.payload, R"({"message":"Hey, Grace Li it's your birthday"})");
    EXPECT_EQ(after.due, before.due);
    EXPECT_EQ(after.version, base::next(before.version));
    EXPECT_FALSE(result.reschedule);
}

TEST_F(EditUserTest, SkipsEventsUnderDeliveryAndReportsThem) {
    const User user = created(ada());
    clock.advance(24h);
    const Event held = claimed_one();

    const EditedUser result = moved(user, "America/New_York");

    EXPECT_EQ(find(held), held);
    EXPECT_EQ(result.reschedule->rescheduled, 0U);
    EXPECT_EQ(result.reschedule->total_pending, 0U);
    EXPECT_THAT(result.reschedule->skipped, ElementsAre(held.id));
    EXPECT_EQ(status_of(completed(held)), EventStatus::completed);
}

TEST_F(EditUserTest, SkipsEventsThatWaitForARetry) {
    const User user = created(ada());
    clock.advance(24h);
    const Event held = claimed_one();
    settle(held, RetryIn{1min});
    const Event waiting = find(held);

    EXPECT_THAT(moved(user, "America/New_York").reschedule->skipped, ElementsAre(held.id));
    EXPECT_EQ(find(held), waiting);
}

TEST_F(EditUserTest, WinsAgainstALateHolder) {
    const User user = created(ada());
    const Event seen = pending_of(user);
    moved(user, "America/New_York");
    clock.advance(24h);  // due in Paris, not yet in New York
    EXPECT_THAT(claimed(), IsEmpty());
    EXPECT_EQ(pending_of(user).version, base::next(seen.version));
}

TEST_F(EditUserTest, MovesALocalReminderToTheOtherZone) {
    const User user = created(ada());
    NewEvent requested = a_reminder();
    requested.user = to_string(user.id);
    requested.target = {.local = "2027-02-01T10:00"};
    const Event own_zone = scheduled(requested);
    requested.target = {.local = "2027-02-01T10:00", .zone = "Asia/Kolkata"};
    const Event other_zone = scheduled(requested);
    requested.target = {.utc = "2027-02-01T10:00:00Z"};
    const Event instant = scheduled(requested);

    const EditedUser result = moved(user, "America/New_York");

    EXPECT_EQ(find(own_zone).due, sys_days{February / 1 / 2027} + 15h);
    EXPECT_EQ(find(other_zone), other_zone);
    EXPECT_EQ(find(instant), instant);
    EXPECT_EQ(result.reschedule->rescheduled, 2U);  // the birthday too
    EXPECT_EQ(result.reschedule->total_pending, 4U);
}

TEST_F(EditUserTest, KeepsAnInstantThatACallerGave) {
    const User user = created(ada());
    EventEdit by_hand;
    by_hand.target.utc = "2027-01-09T00:00:00Z";
    ASSERT_TRUE(edit_event.run(to_string(pending_of(user).id), by_hand, std::nullopt, "req-1"));

    moved(user, "America/New_York");

    EXPECT_EQ(pending_of(user).due, sys_days{January / 9 / 2027});
}

TEST_F(EditUserTest, LeavesAPendingRetryAlone) {
    const User user = created(ada());
    clock.advance(24h);
    const Event first = claimed_one();
    plan_successor_of(first);
    failed(first);
    const Event retry = retry_event.run(to_string(first.id), RetryKey::same, "req-1").value().event;

    reborn(user, "1992-05-05");

    EXPECT_EQ(find(retry), retry);
}

TEST_F(EditUserTest, CancelsEventsThatThePolicySkipsInTheNewZoneAndContinues) {
    change_birthday([](Schedule& schedule) {
        schedule.gap = GapPolicy::skip;
        yearly_of(schedule).at = 2h + 30min;
    });
    const User user = created(born("1992-03-14", "Europe/Paris"));
    const Event before = pending_of(user);

    moved(user, "America/New_York");  // where 02:30 does not exist on that day of 2027

    const Event dropped = find(before);
    EXPECT_EQ(std::get<Cancelled>(dropped.state).reason, "gap_skipped");
    EXPECT_EQ(pending_of(user).occurrence->nominal, Date{March / 14 / 2028});
}

TEST_F(EditUserTest, StartsWithADateThatComesLater) {
    change_birthday([](Schedule& schedule) { yearly_of(schedule).on = "anniversary"; });
    const User user = created(ada());
    UserEdit edit;
    edit.dates.members = {{"anniversary", "2015-06-01"}};
    edited(user, edit);
    EXPECT_EQ(pending_of(user).occurrence->nominal, Date{June / 1 / 2027});

    edit.dates.members = {{"anniversary", std::nullopt}};
    edited(user, edit);
    const auto all = events_of(user);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(std::get<Cancelled>(all[0].state).reason, "date_removed");
}

TEST_F(EditUserTest, MovesTheEventOfADateThatChanges) {
    change_birthday([](Schedule& schedule) { yearly_of(schedule).on = "anniversary"; });
    UserFields fields = ada();
    fields.dates = {{"anniversary", "2015-06-01"}};
    const User user = created(fields);
    const Event before = pending_of(user);
    ASSERT_EQ(before.occurrence->nominal, Date{June / 1 / 2027});

    UserEdit edit;
    edit.dates.members = {{"anniversary", "2015-07-02"}};
    const EditedUser result = edited(user, edit);

    const Event after = pending_of(user);
    EXPECT_EQ(after.id, before.id);
    EXPECT_NE(after.key, before.key);
    EXPECT_EQ(after.occurrence->nominal, Date{July / 2 / 2027});
    EXPECT_EQ(result.reschedule->rescheduled, 1U);
}

TEST_F(EditUserTest, RecordsTheMembersThatChanged) {
    const User user = created(ada());
    moved(user, "Asia/Kolkata");
    const auto recorded = store.recorded().back();
    EXPECT_EQ(recorded.event_type, "UserUpdated");
    EXPECT_EQ(recorded.version, Version{2});
    EXPECT_EQ(recorded.data, R"({"timezone":"Asia/Kolkata"})");
    EXPECT_EQ(recorded.metadata.correlation_id, "req-2");
}

TEST_F(EditUserTest, ReplacesEveryField) {
    UserFields fields = ada();
    fields.metadata = {{"plan", "gold"}};
    fields.external_id = "crm-7";
    const User user = created(fields);
    fields = born("1980-05-05", "Asia/Kolkata");

    const auto replaced = edit_user.replace("ext:crm-7", fields, Version{1}, "req-2");

    EXPECT_THAT(replaced->user.metadata, IsEmpty());
    EXPECT_EQ(replaced->user.external_id, "crm-7");
    EXPECT_EQ(pending_of(user).occurrence->nominal, Date{May / 5 / 2027});
}

class PutUserTest : public ControlPlane {};

TEST_F(PutUserTest, CreatesThenReplaces) {
    const auto first = put_user.run("crm-7", ada(), std::nullopt, "req-1").value();
    EXPECT_TRUE(first.created);
    EXPECT_EQ(first.user.external_id, "crm-7");
    EXPECT_EQ(events_of(first.user).size(), 1U);

    UserFields fields = born("1992-01-06", "Asia/Kolkata");
    const auto second = put_user.run("crm-7", fields, std::nullopt, "req-2").value();
    EXPECT_FALSE(second.created);
    EXPECT_EQ(second.user.id, first.user.id);
    EXPECT_EQ(second.reschedule->rescheduled, 1U);

    const auto third = put_user.run("crm-7", fields, std::nullopt, "req-3").value();
    EXPECT_EQ(third.user, second.user);
}

TEST_F(PutUserTest, CreatesNoUserIfAVersionIsExpected) {
    EXPECT_TRUE(fails_with<NotFound>(put_user.run("crm-7", ada(), Version{1}, "req-1")));
    ASSERT_TRUE(put_user.run("crm-7", ada(), std::nullopt, "req-1"));
    EXPECT_TRUE(fails_with<OptimisticLock>(put_user.run("crm-7", ada(), Version{3}, "req-1")));
}

TEST_F(PutUserTest, RefusesInvalidFields) {
    UserFields fields = ada();
    fields.timezone = "Mars/Base";
    EXPECT_THAT(defects_of(put_user.run("crm-7", fields, std::nullopt, "req-1")),
                ElementsAre("/timezone unknown_zone"));
    EXPECT_THAT(defects_of(put_user.run("", ada(), std::nullopt, "req-1")),
                ElementsAre(HasSubstr("/externalId")));
}

}  // namespace
}  // namespace sundial
