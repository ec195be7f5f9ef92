#include "domain/occurrence.hpp"

#include <gtest/gtest.h>

#include "domain/schedule.hpp"
#include "support/builders.hpp"

namespace sundial {
namespace {

using namespace std::chrono;

TEST(Nominal, IsAWallTimeInTwoParts) {
    const WallTime wall = local_days{2027y / 10 / 31} + 2h + 30min + 1us;
    const Nominal nominal = nominal_of(wall, true);
    EXPECT_EQ(nominal, (Nominal{2027y / 10 / 31, 2h + 30min + 1us, true}));
    EXPECT_EQ(wall_of(nominal), wall);
    const WallTime long_ago = local_days{1899y / 12 / 31} + 23h;
    EXPECT_EQ(wall_of(nominal_of(long_ago)), long_ago);
}

TEST(Nominal, HasATextForItsKeyThatNeverChanges) {
    const Nominal nominal{2027y / 10 / 31, 2h + 30min, false};
    EXPECT_EQ(identity_text(TriggerKind::yearly, Nominal{2027y / 2 / 28}), "20877");
    EXPECT_EQ(identity_text(TriggerKind::cron, nominal), "2027-10-31T02:30:00");
    EXPECT_EQ(identity_text(TriggerKind::rrule, {nominal.date, nominal.time, true}),
              "2027-10-31T02:30:00 second pass");
    EXPECT_EQ(identity_text(TriggerKind::every, {nominal.date, nominal.time + 500ms}),
              "2027-10-31T02:30:00.5Z");
}

TEST(Trigger, IsNamedAsInTheApi) {
    EXPECT_EQ(to_string(kind_of(YearlyTrigger{})), "yearly");
    EXPECT_EQ(to_string(kind_of(CronTrigger{})), "cron");
    EXPECT_EQ(to_string(kind_of(RruleTrigger{})), "rrule");
    EXPECT_EQ(to_string(kind_of(EveryTrigger{})), "every");
    EXPECT_EQ(parse_trigger_kind("every"), TriggerKind::every);
    EXPECT_FALSE(parse_trigger_kind("interval"));
}

TEST(DroppedEvent, WasClaimedAndNeverSent) {
    const Event pending = an_event();
    EXPECT_FALSE(drop(pending, noon, "window"));
    const Event claimed = claim(pending, instance_a, noon, 30s).value();
    const Event dropped = drop(claimed, noon, "window").value();
    EXPECT_EQ(std::get<Cancelled>(dropped.state), (Cancelled{noon, "window"}));
    EXPECT_EQ(dropped.claimable_at, never);
    EXPECT_EQ(dropped.version, base::next(claimed.version));
    Event tried = claimed;
    tried.first_attempt_at = noon;
    EXPECT_FALSE(drop(tried, noon, "window"));
    Event lost = claimed;  // it is unknown whether it was sent
    lost.retry_count = 1;
    EXPECT_FALSE(drop(lost, noon, "window"));
}

TEST(JitteredEvent, IsSentLaterAndNotLateForThat) {
    Event event = an_event().due(noon);
    event.jitter = 5min;
    event = retarget(event, event.intent, noon + 1h, noon).value();
    EXPECT_EQ(event.claimable_at, noon + 1h + 5min);
    event.first_attempt_at = noon + 1h + 5min + 2s;
    EXPECT_EQ(lateness(event), 2s);
    EXPECT_TRUE(late_execution(event));
}

}  // namespace
}  // namespace sundial
