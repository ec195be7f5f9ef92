#include "domain/schedule.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace sundial {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::year;

std::optional<YearlyRule> rule_of(const Schedule& schedule, const User& user) {
    return rule_for(schedule, &user);
}

TEST(RuleFor, FollowsTheBirthDateFromItsYearOn) {
    const Schedule schedule = a_schedule()
                                  .at(TimeOfDay{8 * 3600})
                                  .with_leap(LeapPolicy::mar1)
                                  .with_gap(GapPolicy::boundary)
                                  .with_overlap(OverlapPolicy::later);
    const auto rule = rule_of(schedule, a_user().born(year{1992} / 2 / 29));
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->day, month{2} / day{29});
    EXPECT_EQ(rule->from, year{1992});
    EXPECT_EQ(rule->at, TimeOfDay{8 * 3600});
    EXPECT_EQ(rule->leap, LeapPolicy::mar1);
    EXPECT_EQ(rule->gap, GapPolicy::boundary);
    EXPECT_EQ(rule->overlap, OverlapPolicy::later);
}

TEST(RuleFor, FollowsANamedDateOfTheUser) {
    const Schedule schedule = a_schedule().yearly_on("anniversary");
    const auto rule = rule_of(schedule, a_user().with_date("anniversary", year{2015} / 6 / 1));
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->day, month{6} / day{1});
    EXPECT_EQ(rule->from, year{2015});
    EXPECT_FALSE(rule_of(schedule, a_user()));
}

TEST(RuleFor, FollowsADayOfEveryYear) {
    const auto rule = rule_of(a_schedule().yearly_on("02-29"), a_user());
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->day, month{2} / day{29});
    EXPECT_EQ(rule->from, std::nullopt);
}

TEST(RuleFor, NeedsAUserForADateOfTheUser) {
    const Schedule birthday = a_schedule();
    const Schedule new_year = a_schedule().yearly_on("01-01").in("Europe/Paris");
    const Schedule anniversary = a_schedule().yearly_on("anniversary");
    EXPECT_FALSE(rule_for(birthday, nullptr));
    EXPECT_FALSE(rule_for(anniversary, nullptr));
    EXPECT_TRUE(rule_for(new_year, nullptr));
}

TEST(RuleFor, RequiresAValidDay) {
    for (const char* on : {"02-30", "13-01", "00-10", "6-1", "0601", "06-1x", "", "--06-01"}) {
        EXPECT_FALSE(rule_of(a_schedule().yearly_on(on), a_user())) << on;
    }
}

}  // namespace
}  // namespace sundial
