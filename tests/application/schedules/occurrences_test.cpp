#include "application/schedules/occurrences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_zone.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

class PlanOccurrence : public testing::Test {
protected:
    /// The rule in `zone`, the only zone that exists.
    TimeResult<ScheduleRule> rule_of(const Schedule& schedule, const User& person) {
        return ScheduleRule::of(schedule, &person, [&](auto) { return zone; });
    }
    Event planned(const Schedule& schedule, const User& person, Instant after) {
        const auto rule = rule_of(schedule, person).value();
        return plan_occurrence(rule, *rule.first_after(after), ids, "2025b", noon);
    }
    /// The successor of `fired` with the current schedule and user.
    std::optional<Date> after_event(const Event& fired) {
        const auto rule = rule_of(birthday, user).value();
        const auto next = rule.next_of(fired);
        return next ? std::optional{rule.nominal_of(*next).date} : std::nullopt;
    }
    /// The nominal date of the successor of an event with the date `nominal`, due at nine.
    std::optional<Date> after_event_of(Date nominal) {
        return after_event(an_event()
                               .of_user(user.id)
                               .of_schedule(birthday.id, nominal)
                               .due(sys_days{nominal} + 9h + 5h));
    }

    FakeIds ids;
    std::shared_ptr<const Zone> zone = std::make_shared<FakeZone>(new_york());
    User user = a_user().named("Grace", "Hopper").born(year{1980} / 6 / 10).in("America/New_York");
    Schedule birthday = a_schedule().with_external_id("birthday");
};

TEST_F(PlanOccurrence, IsTheNextBirthdayAtNineWhereTheUserLives) {
    const Event event = planned(birthday, user, noon);

    EXPECT_EQ(event.due, sys_days{June / 10 / 2027} + 13h);  // 09:00 at UTC-4
    EXPECT_EQ(event.claimable_at, event.due);
    EXPECT_EQ(event.intent.wall, local_days{June / 10 / 2027} + 9h);
    EXPECT_EQ(event.intent.zone, "America/New_York");
    EXPECT_EQ(event.occurrence->nominal, Date{June / 10 / 2027});
    EXPECT_EQ(event.occurrence->schedule, birthday.id);
    EXPECT_EQ(event.occurrence->schedule_version, birthday.version);
    EXPECT_EQ(event.user, user.id);
    EXPECT_EQ(event.type, "BIRTHDAY");
    EXPECT_EQ(event.tz_release, "2025b");
    EXPECT_EQ(event.created_at, noon);
    EXPECT_EQ(status_of(event), EventStatus::pending);
}

TEST_F(PlanOccurrence, RendersThePayloadForThatDay) {
    birthday.payload = R"({"m":"{firstName} is {age} at {targetTimestampLocal}"})";
    EXPECT_EQ(planned(birthday, user, noon).payload,
              R"({"m":"Grace is 47 at 2027-06-10T09:00:00.000-04:00"})");
}

TEST_F(PlanOccurrence, HasTheSameKeyHoweverOftenAndByAnyRuleItIsPlanned) {
    const Event event = planned(birthday, user, noon);
    Schedule later = birthday;
    yearly_of(later).at = TimeOfDay{11h};
    later.version = Version{2};

    EXPECT_EQ(planned(later, user, noon).key, event.key);
    EXPECT_NE(planned(birthday, user, event.due).key, event.key);
    EXPECT_NE(planned(birthday, a_user().born(user.date_of_birth), noon).key, event.key);
}

TEST_F(PlanOccurrence, OfAScheduleWithoutExternalIdIsNamedByItsId) {
    birthday.external_id.reset();
    const Event event = planned(birthday, user, noon);
    EXPECT_THAT(event.key.value, testing::StartsWith(to_string(birthday.id)));
}

TEST_F(PlanOccurrence, IsParkedWhileItsScheduleIsPaused) {
    birthday.enabled = false;
    const Event event = planned(birthday, user, noon);
    EXPECT_EQ(event.claimable_at, never);
    EXPECT_EQ(event.due, sys_days{June / 10 / 2027} + 13h);
}

TEST_F(PlanOccurrence, DoesNotHappenForAUserWithoutTheDate) {
    yearly_of(birthday).on = "anniversary";
    EXPECT_EQ(rule_of(birthday, user).error().code, TimeErrorCode::never_fires);
}

TEST_F(PlanOccurrence, FollowsAYearLater) {
    EXPECT_EQ(after_event_of(year{2027} / 6 / 10), Date{year{2028} / 6 / 10});
}

TEST_F(PlanOccurrence, FollowsInTheSameYearOnlyIfTheBirthDateIsAnotherNow) {
    user.date_of_birth = year{1980} / 9 / 1;
    EXPECT_EQ(after_event_of(year{2027} / 6 / 10), Date{year{2027} / 9 / 1});
}

TEST_F(PlanOccurrence, NeverFollowsOnADateThatIsHandled) {
    const Event fired = an_event()
                            .of_schedule(birthday.id, year{2027} / 6 / 10)
                            // Fired in a zone where the day begins earlier.
                            .due(sys_days{June / 9 / 2027});
    EXPECT_EQ(after_event(fired), Date{year{2028} / 6 / 10});
}

TEST_F(PlanOccurrence, LeapDayGreetsOnceAYearHoweverItsPolicyIsEdited) {
    user.date_of_birth = year{1992} / 2 / 29;
    birthday.leap = LeapPolicy::mar1;
    EXPECT_EQ(after_event_of(year{2027} / 2 / 28), Date{year{2028} / 2 / 29});
    birthday.leap = LeapPolicy::feb28;
    EXPECT_EQ(after_event_of(year{2026} / 3 / 1), Date{year{2027} / 2 / 28});
    birthday.leap = LeapPolicy::skip;
    EXPECT_EQ(after_event_of(year{2024} / 2 / 29), Date{year{2028} / 2 / 29});
}

}  // namespace
}  // namespace sundial
