#include "application/calendars/calendars.hpp"

#include <gmock/gmock.h>

#include "application/calendars/read_calendar.hpp"
#include "support/control_plane.hpp"
#include "support/fake_api_key_secrets.hpp"
#include "support/fake_digest.hpp"

namespace sundial {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// From 2027-01-05T12:00:00Z on.
class CalendarsTest : public ControlPlane {
protected:
    Schedule schedule(const TriggerFields& trigger, const std::string& zone = "Europe/Paris") {
        ScheduleFields fields;
        fields.event_type = "REVIEW";
        fields.trigger = trigger;
        fields.timezone = std::optional<std::string>{zone};
        return create_schedule.run(fields, "req-1").value().schedule;
    }
    CreatedCalendar calendar_of(const Schedule& of) {
        return create.run({.schedule = to_string(of.id)}, "req-1").value();
    }
    std::string feed_of(const Schedule& of, unsigned days = 90) {
        return read.run(calendar_of(of).token, days).value().text;
    }
    std::vector<Calendar> kept() { return queries.calendars({}).items; }

    FakeApiKeySecrets key_secrets;
    FakeDigest digest;
    CreateCalendar create{store, key_secrets, ids};
    RevokeCalendar revoke{store, ids};
    ReadCalendar read{store, zones, key_secrets, digest};
};

TEST_F(CalendarsTest, KeepOnlyTheHashOfTheirToken) {
    const auto made = calendar_of(schedule({.cron = "0 9 * * *"}));
    EXPECT_THAT(made.token, testing::StartsWith("sundial_cal_"));
    EXPECT_THAT(kept(), ElementsAre(made.calendar));
    EXPECT_THAT(made.calendar.token_hash, SizeIs(32));
    EXPECT_THAT(made.token, Not(HasSubstr(made.calendar.token_hash)));
    EXPECT_EQ(made.calendar.name, "REVIEW");
}

TEST_F(CalendarsTest, NeedToShowSomethingThatExists) {
    EXPECT_THAT(defects_of(create.run({}, "req-1")), ElementsAre(" required"));
    EXPECT_TRUE(fails_with<NotFound>(create.run({.schedule = "ext:none"}, "req-1")));
    EXPECT_THAT(defects_of(create.run({.schedule = "ext:birthday"}, "req-1")),
                ElementsAre("/userId required"));
    const User ada = created(born("1992-02-29", "Europe/Paris"));
    const Schedule daily = schedule({.cron = "0 9 * * *"});
    EXPECT_THAT(defects_of(create.run({.schedule = to_string(daily.id), .user = to_string(ada.id)},
                                      "req-1")),
                ElementsAre("/userId not_allowed"));
    EXPECT_THAT(
        defects_of(create.run({.user = to_string(ada.id), .expires_at = clock.now()}, "req-1")),
        ElementsAre("/expiresAt out_of_range"));
    EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(CalendarsTest, EndWithTheirTokenTheirScheduleAndTheirUser) {
    const Schedule daily = schedule({.cron = "0 9 * * *"});
    const auto revoked = calendar_of(daily), deleted = calendar_of(daily);
    EXPECT_TRUE(revoke.run(to_string(revoked.calendar.id), "req-1"));
    EXPECT_TRUE(fails_with<NotFound>(revoke.run(to_string(revoked.calendar.id), "req-1")));
    EXPECT_TRUE(fails_with<NotFound>(read.run(revoked.token, 90)));
    EXPECT_TRUE(read.run(deleted.token, 90));
    EXPECT_TRUE(delete_schedule.run(to_string(daily.id), std::nullopt, "req-1"));
    EXPECT_TRUE(fails_with<NotFound>(read.run(deleted.token, 90)));
    const User ada = created(born("1992-02-29", "Europe/Paris"));
    const auto of_ada = create.run({.user = to_string(ada.id)}, "req-1").value();
    EXPECT_TRUE(read.run(of_ada.token, 90));
    EXPECT_TRUE(delete_user.run(to_string(ada.id), UserHistory::erase, std::nullopt, "req-1"));
    EXPECT_TRUE(fails_with<NotFound>(read.run(of_ada.token, 90)));
    EXPECT_THAT(kept(), IsEmpty());
    EXPECT_TRUE(fails_with<NotFound>(read.run("sundial_cal_short", 90)));
}

TEST_F(CalendarsTest, Expire) {
    const Schedule daily = schedule({.cron = "0 9 * * *"});
    const auto made =
        create.run({.schedule = to_string(daily.id), .expires_at = clock.now() + 1h}, "req-1")
            .value();
    EXPECT_TRUE(read.run(made.token, 90));
    clock.advance(1h);
    EXPECT_TRUE(fails_with<NotFound>(read.run(made.token, 90)));
}

TEST_F(CalendarsTest, SayARuleWhoseTimesExistOnce) {
    const std::string feed = feed_of(schedule({.cron = "30 9,17 * 1 1-5"}, "America/New_York"));
    EXPECT_THAT(feed, AllOf(HasSubstr("DTSTART;TZID=America/New_York:20270105T093000\r\n"),
                            HasSubstr("RRULE:FREQ=DAILY;BYMINUTE=30;BYHOUR=9,17;BYDAY=MO,TU,WE,TH,"
                                      "FR;BYMONTH=1\r\n"),
                            HasSubstr("BEGIN:VTIMEZONE\r\nTZID:America/New_York\r\n"),
                            HasSubstr("TZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400\r\n"),
                            HasSubstr("SUMMARY:REVIEW\r\n")));
}

TEST_F(CalendarsTest, ListTheOccurrencesOfARuleWithTimesThatDoNotExist) {
    const std::string feed = feed_of(schedule({.cron = "30 2 * * *"}, "America/New_York"), 3);
    EXPECT_THAT(feed, AllOf(HasSubstr("DTSTART:20270106T073000Z\r\n"), Not(HasSubstr("RRULE")),
                            Not(HasSubstr("VTIMEZONE")), Not(HasSubstr("20270108T073000Z"))));
}

TEST_F(CalendarsTest, SayBirthdaysInTheZoneOfTheUser) {
    const User ada = created(born("1992-02-29", "Europe/Paris"));
    const auto made = create.run({.user = to_string(ada.id)}, "req-1").value();
    NewEvent reminder = a_reminder();
    reminder.user = to_string(ada.id);
    const Event single = scheduled(reminder);
    EXPECT_THAT(read.run(made.token, 90).value().text,
                AllOf(HasSubstr("DTSTART;TZID=Europe/Paris:20270228T090000\r\n"),
                      HasSubstr("RRULE:FREQ=YEARLY;BYMONTHDAY=-1;BYMONTH=2\r\n"),
                      HasSubstr("UID:" + to_string(single.id) + "@sundial\r\n"),
                      HasSubstr("DTSTART:20270105T130000Z\r\n")));
}

TEST_F(CalendarsTest, ShowAnEventThatACallerHasMoved) {
    const Schedule daily = schedule({.cron = "0 9 * * *"});
    const auto page = queries.events({});
    ASSERT_THAT(page.items, SizeIs(1));
    EventEdit edit;
    edit.target = TargetFields{.utc = "2027-01-06T10:15:00Z"};
    ASSERT_TRUE(edit_event.run(to_string(page.items[0].id), edit, std::nullopt, "req-1"));
    EXPECT_THAT(feed_of(daily),
                AllOf(HasSubstr("RECURRENCE-ID;TZID=Europe/Paris:20270106T090000\r\n"),
                      HasSubstr("DTSTART:20270106T101500Z\r\n")));
}

TEST_F(CalendarsTest, LeavePausedSchedulesOut) {
    const Schedule daily = schedule({.cron = "0 9 * * *"});
    const auto made = calendar_of(daily);
    const auto before = read.run(made.token, 90).value();
    EXPECT_EQ(read.run(made.token, 90).value().digest, before.digest);
    ScheduleFields paused;
    paused.enabled = false;
    ASSERT_TRUE(edit_schedule.run(to_string(daily.id), paused, std::nullopt, "req-1"));
    EXPECT_THAT(read.run(made.token, 90).value().text, Not(HasSubstr("VEVENT")));
}

}  // namespace
}  // namespace sundial
