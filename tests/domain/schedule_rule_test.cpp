#include "domain/schedule_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/fake_zone.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;

TimeResult<std::shared_ptr<const Zone>> find_zone(std::string_view name) {
    if (name == "America/New_York") return std::make_shared<FakeZone>(new_york());
    if (name == "UTC") return std::make_shared<FakeZone>(utc_zone());
    return TimeError{TimeErrorCode::unknown_zone, "no such zone"};
}

class AScheduleRule : public testing::Test {
protected:
    ScheduleRule rule() { return ScheduleRule::of(schedule, nullptr, find_zone).value(); }
    std::vector<Instant> next(Instant after, std::size_t count) {
        std::vector<Instant> instants;
        for (const auto& one : list_after(rule().recurrence(), after, count)) {
            instants.push_back(one.instant);
        }
        return instants;
    }
    Event event_of(const RuleOccurrence& occurrence) {
        Event event = an_event()
                          .of_schedule(schedule.id, rule().nominal_of(occurrence))
                          .due(occurrence.instant);
        event.intent.wall = occurrence.nominal;
        return event;
    }

    Schedule schedule = a_schedule().with_trigger(CronTrigger{"30 2 * * *"}).in("America/New_York");
};

TEST_F(AScheduleRule, RunsInItsZoneByItsPolicies) {
    const Instant before_change = sys_days{2027y / 3 / 13} + 12h;  // the gap is on the 14th
    schedule.gap = GapPolicy::boundary;
    EXPECT_THAT(next(before_change, 2),
                ElementsAre(sys_days{2027y / 3 / 14} + 7h, sys_days{2027y / 3 / 15} + 6h + 30min));
    schedule.gap = GapPolicy::skip;
    EXPECT_THAT(next(before_change, 1), ElementsAre(sys_days{2027y / 3 / 15} + 6h + 30min));
}

TEST_F(AScheduleRule, LiesBetweenStartAndEnd) {
    schedule.starts_at = sys_days{2027y / 1 / 10} + 7h + 30min;
    schedule.ends_at = sys_days{2027y / 1 / 11} + 7h + 30min;
    EXPECT_THAT(next(noon, 5), ElementsAre(*schedule.starts_at, *schedule.ends_at));
}

TEST_F(AScheduleRule, CountsAnIntervalFromItsStartOrElseItsCreation) {
    schedule.trigger = EveryTrigger{45min};
    schedule.created_at = noon + 10s;
    EXPECT_THAT(next(noon + 1h, 1), ElementsAre(noon + 90min + 10s));
    schedule.starts_at = noon + 2h;
    EXPECT_THAT(next(noon, 2), ElementsAre(noon + 2h, noon + 2h + 45min));
}

TEST_F(AScheduleRule, ContinuesAfterAnEvent) {
    const auto first = rule().first_after(noon).value();
    EXPECT_EQ(rule().next_of(event_of(first))->instant, first.instant + 24h);
}

TEST_F(AScheduleRule, NeverRepeatsAnOccurrenceThatACallerMoved) {
    const auto first = rule().first_after(noon).value();
    Event early = event_of(first);
    early.due = first.instant - 5h;
    early.intent.wall.reset();
    EXPECT_TRUE(rule().moved_by_hand(early));
    EXPECT_EQ(rule().next_of(early)->instant, first.instant + 24h);
    Event late = early;
    late.due = first.instant + 30h;
    EXPECT_EQ(rule().next_of(late)->instant, first.instant + 48h);
}

TEST_F(AScheduleRule, DistinguishesTheTwoPassesOfAnOverlap) {
    schedule.trigger = CronTrigger{"30 1 * * *"};
    schedule.overlap = OverlapPolicy::both;
    const Instant before = sys_days{2027y / 11 / 7};  // New York: twice 01:30
    const auto passes = list_after(rule().recurrence(), before, 2);
    ASSERT_EQ(passes.size(), 2U);
    EXPECT_EQ(passes[1].instant - passes[0].instant, 1h);
    EXPECT_NE(rule().nominal_of(passes[0]), rule().nominal_of(passes[1]));
    EXPECT_EQ(rule().next_of(event_of(passes[0]))->instant, passes[1].instant);
    EXPECT_EQ(rule().next_of(event_of(passes[1]))->instant, passes[1].instant + 24h);
}

TEST_F(AScheduleRule, KnowsWhichEventIsStillOfIt) {
    const Event event = event_of(rule().first_after(noon).value());
    EXPECT_TRUE(rule().same_as(event));
    schedule.trigger = CronTrigger{"30 2,3 * * *"};
    EXPECT_TRUE(rule().same_as(event));
    schedule.trigger = CronTrigger{"31 2 * * *"};
    EXPECT_FALSE(rule().same_as(event));
}

TEST_F(AScheduleRule, RequiresItsZone) {
    schedule.timezone = "Mars/Base";
    EXPECT_EQ(ScheduleRule::of(schedule, nullptr, find_zone).error().code,
              TimeErrorCode::unknown_zone);
}

TEST_F(AScheduleRule, FollowsAnRruleInTheZoneOfEachUser) {
    schedule = a_schedule().with_trigger(
        RruleTrigger{"DTSTART:20270105T090000\nRRULE:FREQ=DAILY", "", std::nullopt, {}, {}});
    const User user = a_user().in("America/New_York");
    const auto of_user = ScheduleRule::of(schedule, &user, find_zone).value();
    EXPECT_EQ(of_user.first_after(noon)->instant, noon + 2h);
}

TEST_F(AScheduleRule, SpreadsByAJitterThatIsAlwaysTheSame) {
    EXPECT_EQ(rule().jitter_of(rule().first_after(noon).value()), 0s);
    schedule.jitter = 10min;
    const auto first = rule().first_after(noon).value();
    EXPECT_LT(rule().jitter_of(first), 10min);
    EXPECT_EQ(rule().jitter_of(first), rule().jitter_of(first));
}

TEST(CountsElapsedTime, WhatHasNoNominalTimes) {
    EXPECT_TRUE(counts_elapsed_time(CronTrigger{"*/15 9 * * *"}));
    EXPECT_TRUE(counts_elapsed_time(CronTrigger{"@hourly"}));
    EXPECT_FALSE(counts_elapsed_time(CronTrigger{"30 9 * * *"}));
    EXPECT_TRUE(counts_elapsed_time(EveryTrigger{std::chrono::hours{1}}));
    EXPECT_FALSE(counts_elapsed_time(YearlyTrigger{}));
    const auto rrule = [](const char* rule) {
        return RruleTrigger{"", "2027-01-01T09:00", rule, {}, {}};
    };
    EXPECT_TRUE(counts_elapsed_time(rrule("FREQ=HOURLY")));
    EXPECT_FALSE(counts_elapsed_time(rrule("FREQ=DAILY;BYHOUR=9,10")));
    const auto in_paris = [](const std::string& rule) {
        return RruleTrigger{
            "DTSTART;TZID=Europe/Paris:20270101T090000\nRRULE:" + rule, "", {}, {}, {}};
    };
    EXPECT_TRUE(counts_elapsed_time(in_paris("FREQ=HOURLY")));
    EXPECT_FALSE(counts_elapsed_time(in_paris("FREQ=DAILY")));
    EXPECT_FALSE(counts_elapsed_time(
        RruleTrigger{"DTSTART:20270101T090000Z\nRDATE:20270102T090000Z", "", {}, {}, {}}));
}

TEST(ScheduleInWords, SaysWhenAndWhere) {
    EXPECT_EQ(describe(a_schedule()), "every year on dateOfBirth at 09:00 in each user's zone");
    EXPECT_EQ(describe(a_schedule().with_trigger(CronTrigger{"30 2 * * SUN"}).in("Europe/Paris")),
              "at 02:30 every Sunday, Europe/Paris");
    EXPECT_EQ(describe(a_schedule().with_trigger(EveryTrigger{15min}).in("UTC")), "every PT15M");
    const RruleTrigger in_paris{
        "DTSTART;TZID=Europe/Paris:20270105T090000\nRRULE:FREQ=DAILY", "", {}, {}, {}};
    EXPECT_EQ(describe(a_schedule().with_trigger(in_paris).in("Europe/Paris")),
              "every day at 09:00, Europe/Paris");
}

}  // namespace
}  // namespace sundial
