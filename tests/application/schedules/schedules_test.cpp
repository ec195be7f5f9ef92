#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "application/ports/failures.hpp"
#include "schedules_fixture.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST_F(Schedules, FillInTheDefaultsOfTheirKind) {
    const Schedule cron = create(a_job()).value();
    EXPECT_EQ(cron.gap, GapPolicy::boundary);
    EXPECT_EQ(cron.overlap, OverlapPolicy::earlier);
    EXPECT_EQ(cron.misfire, (MisfireRule{MisfirePolicy::once, std::nullopt, 60s, 100}));
    EXPECT_EQ(cron.payload, "{}");
    EXPECT_FALSE(cron.per_user);
    EXPECT_TRUE(cron.enabled);
    const Schedule every = create(with({.every = "PT1H"})).value();
    EXPECT_EQ(every.gap, GapPolicy::compatible);
    EXPECT_EQ(every.misfire.policy, MisfirePolicy::once);
    const Schedule yearly = create(with({.yearly = YearlyFields{"12-24", "18:00"}})).value();
    EXPECT_EQ(yearly.overlap, OverlapPolicy::compatible);
    EXPECT_EQ(yearly.misfire.policy, MisfirePolicy::all);
}

TEST_F(Schedules, TakeTheDefaultsOfAnotherKindWhenTheyBecomeThat) {
    ScheduleFields requested = a_job();
    requested.grace = "PT5M";
    const Schedule cron = create(requested).value();
    ScheduleFields edit;
    edit.trigger = TriggerFields{.yearly = YearlyFields{"12-24", std::nullopt}};
    const Schedule yearly =
        edit_schedule.run(to_string(cron.id), edit, std::nullopt, "r").value().schedule;
    EXPECT_EQ(yearly.misfire.policy, MisfirePolicy::all);
    EXPECT_EQ(yearly.gap, GapPolicy::compatible);
    EXPECT_EQ(yearly.misfire.grace, 5min);
}

TEST_F(Schedules, ReportAllErrorsAtOnce) {
    ScheduleFields requested = with({.cron = "61 * * * *"});
    requested.event_type = "A JOB";
    requested.timezone = std::optional<std::string>{"Mars/Base"};
    requested.window = std::optional<std::string>{"P1D"};
    requested.grace = "1m";
    requested.jitter = "PT";
    requested.limit = 0;
    requested.starts_at = std::optional<std::string>{"tomorrow"};
    requested.endpoint = std::optional<std::string>{"ext:none"};
    EXPECT_THAT(defects_in(requested),
                UnorderedElementsAre(
                    "/eventType bad_format", "/endpointId not_allowed", "/timezone unknown_zone",
                    "/trigger/cron bad_cron", "/window bad_interval", "/grace bad_interval",
                    "/jitter bad_interval", "/limit out_of_range", "/startsAt bad_time"));
}

TEST_F(Schedules, RefuseInvalidTriggers) {
    const auto yearly = [](std::string on, std::string at = "09:00") {
        return TriggerFields{.yearly = YearlyFields{std::move(on), std::move(at)}};
    };
    const auto rrule = [](RruleTrigger rule) { return TriggerFields{.rrule = std::move(rule)}; };
    EXPECT_THAT(defects_in(with(yearly("02-30"))), ElementsAre("/trigger/yearly/on bad_time"));
    EXPECT_THAT(defects_in(with(yearly("12-24", "24:00"))),
                ElementsAre("/trigger/yearly/at bad_time"));
    EXPECT_THAT(defects_in(with(yearly("dateOfBirth"))),
                ElementsAre("/trigger/yearly/on not_allowed"));
    EXPECT_THAT(defects_in(with(yearly("anniversary"))),
                ElementsAre("/trigger/yearly/on not_allowed"));
    EXPECT_THAT(defects_in(with({.cron = "0 0 30 2 *"})), ElementsAre("/trigger/cron never_fires"));
    EXPECT_THAT(defects_in(with({.every = "PT0S"})), ElementsAre("/trigger/every bad_interval"));
    EXPECT_THAT(defects_in(with({.every = "P1D"})), ElementsAre("/trigger/every bad_interval"));
    ScheduleFields without_zone = with({.every = "P1D"});
    without_zone.timezone.reset();  // an interval needs none
    EXPECT_THAT(defects_in(without_zone), ElementsAre("/trigger/every bad_interval"));
    EXPECT_THAT(defects_in(with(rrule({"", "2027-01-05T09:00", "FREQ=NEVER", {}, {}}))),
                ElementsAre("/trigger/rrule bad_rrule"));
    EXPECT_THAT(defects_in(with(rrule({"", "2027-02-30T09:00", "FREQ=DAILY", {}, {}}))),
                ElementsAre("/trigger/rrule bad_time"));
    EXPECT_THAT(
        defects_in(with(rrule({"", "2027-01-05T09:00", "FREQ=DAILY;UNTIL=20260101", {}, {}}))),
        ElementsAre("/trigger/rrule never_fires"));
    EXPECT_THAT(
        defects_in(with(rrule({"DTSTART;TZID=Europe/Paris:20270105T090000\nRRULE:FREQ=DAILY",
                               "",
                               std::nullopt,
                               {},
                               {}}))),
        ElementsAre("/trigger/rrule bad_request"));
    ScheduleFields in_utc = with(rrule({"", "2027-01-05T09:00:00Z", "FREQ=DAILY", {}, {}}));
    in_utc.timezone = std::optional<std::string>{"Europe/Paris"};
    EXPECT_THAT(defects_in(in_utc), ElementsAre("/trigger/rrule bad_request"));
    ScheduleFields same_zone = with(rrule(
        {"DTSTART;TZID=Europe/Paris:20270105T090000\nRRULE:FREQ=DAILY", "", std::nullopt, {}, {}}));
    same_zone.timezone = std::optional<std::string>{"Europe/Paris"};
    EXPECT_THAT(defects_in(same_zone), ElementsAre("no ValidationFailed"));
}

TEST_F(Schedules, SayWhereTheZoneOfADtstartBelongs) {
    ScheduleFields requested =
        with({.rrule = RruleTrigger{"DTSTART;TZID=Europe/Paris:20270105T090000\nRRULE:FREQ=DAILY",
                                    "",
                                    std::nullopt,
                                    {},
                                    {}}});
    requested.timezone.reset();
    EXPECT_THAT(defects_in(requested), ElementsAre("/timezone required"));
    EXPECT_THAT(messages_in(requested),
                ElementsAre(HasSubstr("runs: 'Europe/Paris', as its DTSTART")));
    requested.per_user = true;
    EXPECT_THAT(defects_in(requested), ElementsAre("/trigger/rrule bad_request"));
    EXPECT_THAT(messages_in(requested),
                ElementsAre(AllOf(HasSubstr("'Europe/Paris'"), HasSubstr("timezone to"),
                                  Not(HasSubstr("each user's'")))));
    requested.per_user = false;
    requested.timezone = std::optional<std::string>{"UTC"};
    EXPECT_THAT(messages_in(requested), ElementsAre(HasSubstr("set timezone to 'Europe/Paris'")));
    requested.timezone = std::optional<std::string>{"Europe/Paris"};
    EXPECT_THAT(defects_in(requested), ElementsAre("no ValidationFailed"));

    ScheduleFields in_utc =
        with({.rrule = RruleTrigger{"", "2027-01-05T09:00:00Z", "FREQ=DAILY", {}, {}}});
    in_utc.timezone.reset();
    EXPECT_THAT(messages_in(in_utc), ElementsAre(HasSubstr("runs: 'UTC'")));
    in_utc.timezone = std::optional<std::string>{"UTC"};
    EXPECT_THAT(defects_in(in_utc), ElementsAre("no ValidationFailed"));
    in_utc.trigger->rrule->rrule = "FREQ=NEVER";
    EXPECT_THAT(defects_in(in_utc), ElementsAre("/trigger/rrule bad_rrule"));
}

TEST_F(Schedules, AreValidatedAsAWholeAfterEveryEdit) {
    ScheduleFields requested =
        with({.rrule = RruleTrigger{"DTSTART;TZID=Europe/Paris:20270105T090000\nRRULE:FREQ=DAILY",
                                    "",
                                    std::nullopt,
                                    {},
                                    {}}});
    requested.timezone = std::optional<std::string>{"Europe/Paris"};
    const Schedule schedule = create(requested).value();
    ScheduleFields edit;
    edit.timezone = std::optional<std::string>{"UTC"};
    EXPECT_THAT(defects_of(edit_schedule.run(to_string(schedule.id), edit, std::nullopt, "r")),
                ElementsAre("/trigger/rrule bad_request"));
}

TEST_F(Schedules, RunEitherForEachUserOrInAZone) {
    ScheduleFields nowhere = a_job();
    nowhere.timezone.reset();
    EXPECT_THAT(defects_in(nowhere), ElementsAre("/timezone required"));
    ScheduleFields both = of_users();
    both.timezone = std::optional<std::string>{"UTC"};
    EXPECT_THAT(defects_in(both), ElementsAre("/timezone not_allowed"));
    ScheduleFields backwards = a_job();
    backwards.starts_at = std::optional<std::string>{"now+2h"};
    backwards.ends_at = std::optional<std::string>{"now+1h"};
    EXPECT_THAT(defects_in(backwards), ElementsAre("/endsAt out_of_range"));
}

TEST_F(Schedules, ThatCountElapsedTimeNeedNoZone) {
    ScheduleFields requested = a_job();
    requested.trigger = TriggerFields{.every = "PT90M"};
    requested.timezone.reset();
    const Schedule schedule = create(requested).value();
    EXPECT_EQ(schedule.timezone, "UTC");
    EXPECT_EQ(queries.schedule(to_string(schedule.id))->next_at, noon + 90min);

    requested.timezone = std::optional<std::string>{"Europe/Paris"};
    EXPECT_EQ(create(requested)->timezone, "Europe/Paris");
    requested.timezone = std::optional<std::string>{};
    EXPECT_EQ(create(requested)->timezone, "UTC");

    ScheduleFields of_each_user = of_users();
    of_each_user.trigger = TriggerFields{.every = "PT90M"};
    EXPECT_EQ(create(of_each_user)->timezone, std::nullopt);
}

TEST_F(Schedules, HaveNoUserFieldsIfTheyDoNotRunPerUser) {
    ScheduleFields requested = a_job();
    requested.payload = R"({"at":"{targetTimestampLocal} {timezone}"})";
    const Schedule schedule = create(requested).value();
    EXPECT_EQ(events_of(schedule).at(0).payload, R"({"at":"2027-01-05T13:00:00.000+00:00 UTC"})");
    requested.payload = R"({"to":"{firstName}"})";
    EXPECT_EQ(error_of<InvalidTemplate>(create(requested)).name, "firstName");
}

TEST_F(Schedules, CannotChangeTheirExternalIdAndTheirUsers) {
    ScheduleFields requested = a_job();
    requested.external_id = "job";
    const Schedule schedule = create(requested).value();
    EXPECT_TRUE(fails_with<DuplicateExternalId>(create(requested)));
    ScheduleFields edit;
    edit.external_id = "other";
    EXPECT_THAT(defects_of(edit_schedule.run("ext:job", edit, std::nullopt, "r")),
                ElementsAre("/externalId not_allowed"));
    ScheduleFields for_users;
    for_users.per_user = true;
    EXPECT_THAT(defects_of(edit_schedule.run("ext:job", for_users, std::nullopt, "r")),
                ElementsAre("/perUser not_allowed"));
}

TEST_F(Schedules, ArePutByTheirExternalId) {
    ScheduleFields requested = a_job();
    requested.note = std::optional<std::string>{"first"};
    const auto created_now = put_schedule.run("job", requested, std::nullopt, "r").value();
    EXPECT_TRUE(created_now.created);
    requested.note.reset();
    requested.trigger = TriggerFields{.cron = "30 * * * *"};
    const auto replaced = put_schedule.run("job", requested, Version{1}, "r").value();
    EXPECT_FALSE(replaced.created);
    EXPECT_EQ(replaced.edited.schedule.id, created_now.edited.schedule.id);
    EXPECT_EQ(replaced.edited.schedule.version, Version{2});
    EXPECT_FALSE(replaced.edited.schedule.note);
    EXPECT_EQ(events_of(replaced.edited.schedule).at(0).due, noon + 30min);
    const auto again = put_schedule.run("job", requested, std::nullopt, "r").value();
    EXPECT_EQ(again.edited.schedule.version, Version{2});  // nothing changes
    EXPECT_TRUE(fails_with<OptimisticLock>(put_schedule.run("job", requested, Version{1}, "r")));
    EXPECT_TRUE(fails_with<NotFound>(put_schedule.run("none", requested, Version{1}, "r")));
}

TEST_F(Schedules, RecordTheirHistory) {
    const Schedule schedule = create(a_job()).value();
    ASSERT_TRUE(
        edit_schedule.run(to_string(schedule.id), {.priority = Priority::high}, std::nullopt, "r"));
    EXPECT_THAT(store.recorded()[0].data, HasSubstr(R"("trigger":{"cron":"0 * * * *"})"));
    EXPECT_EQ(store.recorded()[1].data, R"({"priority":"HIGH"})");
    ASSERT_TRUE(delete_schedule.run(to_string(schedule.id), std::nullopt, "r"));
    std::vector<std::string> types;
    for (const RecordedEvent& recorded : store.recorded()) types.push_back(recorded.event_type);
    EXPECT_THAT(types, ElementsAre("ScheduleCreated", "ScheduleUpdated", "ScheduleDeleted"));
}

/// Rolls back the transaction with that number, counted from 1, at its end.
class CutShort final : public Store {
public:
    CutShort(Store& store, int which) : store_{store}, left_{which} {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        store_.transact([&](Transaction& tx) {
            const bool keep = work(tx);
            if (--left_ == 0) throw Unavailable{"away"};
            return keep;
        });
    }
    void read(const std::function<void(Transaction&)>& work) override { store_.read(work); }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }

private:
    Store& store_;
    int left_;
};

TEST_F(Schedules, AreUnchangedIfTheirDeletionIsInterrupted) {
    const Schedule schedule = create(a_job()).value();
    CutShort cut_short{store, 1};
    DeleteSchedule remove{cut_short, ids};
    EXPECT_THROW((void)remove.run(to_string(schedule.id), Version{1}, "r"), Unavailable);
    EXPECT_EQ(queries.schedule(to_string(schedule.id))->schedule, schedule);
    EXPECT_TRUE(remove.run(to_string(schedule.id), Version{1}, "r"));
}

TEST_F(Schedules, ArePausedIfADeletionWithManyEventsIsInterrupted) {
    for (int i = 0; i < 401; ++i) created(ada());
    const Schedule schedule = create(of_users()).value();
    operations.drain();
    CutShort cut_short{store, 2};
    DeleteSchedule remove{cut_short, ids};
    EXPECT_THROW((void)remove.run(to_string(schedule.id), Version{1}, "r"), Unavailable);
    EXPECT_FALSE(queries.schedule(to_string(schedule.id))->schedule.enabled);
    EXPECT_THAT(events_of(schedule, {EventStatus::pending}), Not(IsEmpty()));
    ASSERT_TRUE(remove.run(to_string(schedule.id), Version{2}, "r"));
    EXPECT_THAT(events_of(schedule, {EventStatus::pending}), IsEmpty());
    EXPECT_TRUE(fails_with<NotFound>(queries.schedule(to_string(schedule.id))));
}

/// The request in docs/guide/getting-started.md.
TEST_F(Schedules, HaveTheBuiltInBirthdaysAgainAfterOnePut) {
    const User user = created(ada());
    const Event planned = pending_of(user);
    const Schedule built_in = birthday();
    ASSERT_TRUE(delete_schedule.run("ext:birthday", std::nullopt, "r"));
    EXPECT_THAT(ControlPlane::events_of(user, {EventStatus::pending}), IsEmpty());

    ScheduleFields requested;
    requested.event_type = "BIRTHDAY";
    requested.per_user = true;
    requested.trigger = TriggerFields{.yearly = YearlyFields{.on = "dateOfBirth", .at = "09:00"}};
    requested.payload = R"({"message":"Hey, {firstName} {lastName} it's your birthday"})";
    const auto put = put_schedule.run("birthday", requested, std::nullopt, "r");
    ASSERT_TRUE(put && put->created);
    operations.drain();

    Schedule restored = birthday();
    EXPECT_NE(restored.id, built_in.id);
    restored.id = built_in.id;
    EXPECT_EQ(restored, built_in);
    EXPECT_EQ(pending_of(user).key, planned.key);
    EXPECT_EQ(pending_of(user).due, planned.due);
    EXPECT_EQ(pending_of(user).payload, planned.payload);
}

TEST_F(Schedules, AreDeletedWithTheirPlannedEvents) {
    for (int i = 0; i < 3; ++i) created(ada());
    const Schedule schedule = create(of_users()).value();
    ASSERT_THAT(events_of(schedule, {EventStatus::pending}), SizeIs(3));
    EXPECT_TRUE(
        fails_with<OptimisticLock>(delete_schedule.run(to_string(schedule.id), Version{7}, "r")));
    clock.advance(1h);
    const Event in_flight = claimed().at(0);
    ASSERT_TRUE(delete_schedule.run(to_string(schedule.id), Version{1}, "r"));

    EXPECT_TRUE(fails_with<NotFound>(queries.schedule(to_string(schedule.id))));
    EXPECT_TRUE(
        fails_with<NotFound>(delete_schedule.run(to_string(schedule.id), std::nullopt, "r")));
    EXPECT_THAT(events_of(schedule, {EventStatus::pending}), IsEmpty());
    for (const Event& event : events_of(schedule, {EventStatus::cancelled})) {
        EXPECT_EQ(std::get<Cancelled>(event.state).reason, "schedule deleted");
    }
    EXPECT_EQ(status_of(completed(in_flight)), EventStatus::completed);
}

TEST_F(Schedules, LeaveUnfiredOccurrencesToASuccessorOfTheSameName) {
    ScheduleFields requested = a_job();
    requested.external_id = "nightly";
    const Schedule first = create(requested).value();
    const Event planned = events_of(first, {EventStatus::pending}).at(0);
    ASSERT_TRUE(delete_schedule.run("ext:nightly", std::nullopt, "r"));
    const Schedule second = create(requested).value();
    const Event again = events_of(second, {EventStatus::pending}).at(0);
    EXPECT_EQ(again.due, planned.due);
    EXPECT_EQ(again.key, planned.key);
}

TEST_F(Schedules, FireOneEventByHand) {
    ScheduleFields requested = a_job();
    requested.priority = Priority::critical;
    const Schedule schedule = create(requested).value();
    const Event event = trigger_schedule.run(to_string(schedule.id), {}, "req-1").value();
    EXPECT_EQ(event.due, noon);
    EXPECT_EQ(event.claimable_at, noon);
    EXPECT_EQ(event.priority, Priority::critical);
    EXPECT_EQ(event.occurrence->origin, Origin::trigger);
    const Event other =
        trigger_schedule.run(to_string(schedule.id), {.payload = R"({"by":"hand"})"}, "req-1")
            .value();
    EXPECT_EQ(other.payload, R"({"by":"hand"})");
    EXPECT_NE(other.key, event.key);
    EXPECT_THAT(events_of(schedule, {EventStatus::pending}), SizeIs(3));
    EXPECT_THAT(
        defects_of(trigger_schedule.run(to_string(schedule.id), {.user = "ext:ada"}, "req-1")),
        ElementsAre("/userId not_allowed", "/userId not_allowed"));
}

TEST_F(Schedules, FireForOneUserWhereTheyRunForEach) {
    const User user = created(ada());
    EXPECT_THAT(defects_of(trigger_schedule.run("ext:birthday", {}, "req-1")),
                ElementsAre("/userId required"));
    const Event event =
        trigger_schedule.run("ext:birthday", {.user = to_string(user.id)}, "req-1").value();
    EXPECT_EQ(event.user, user.id);
    EXPECT_EQ(event.payload, R"({"message":"Hey, Ada Li it's your birthday"})");
    EXPECT_EQ(event.intent.zone, "Europe/Paris");
    EXPECT_TRUE(fails_with<NotFound>(trigger_schedule.run("ext:none", {}, "req-1")));
}

TEST_F(Schedules, GiveTheirEndpointToDueEvents) {
    const User user = created(ada());
    const Event event =
        trigger_schedule.run("ext:birthday", {.user = to_string(user.id)}, "req-1").value();
    ASSERT_EQ(event.endpoint, std::nullopt);
    clock.advance(1h);
    const Endpoint endpoint = an_existing_endpoint();

    edited_birthday({.endpoint = to_string(endpoint.id)});

    EXPECT_EQ(find(event).endpoint, endpoint.id);
    EXPECT_EQ(find(event).claimable_at, event.claimable_at);
}

TEST_F(Schedules, AreListed) {
    const Schedule schedule = create(a_job()).value();
    ScheduleQuery of_cron;
    of_cron.kinds = {TriggerKind::cron};
    const auto page = queries.schedules(of_cron);
    ASSERT_THAT(page.items, SizeIs(1));
    EXPECT_EQ(page.items[0].schedule, schedule);
    EXPECT_EQ(page.items[0].next_at, noon + 1h);
    ASSERT_TRUE(trigger_schedule.run(to_string(schedule.id), {}, "req-1"));
    EXPECT_EQ(queries.schedule(to_string(schedule.id)).value().next_at, noon + 1h);
}

}  // namespace
}  // namespace sundial
