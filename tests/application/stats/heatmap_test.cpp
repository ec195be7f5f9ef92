#include <gmock/gmock.h>

#include "application/schedules/plan_successors.hpp"
#include "application/stats/read_heatmap.hpp"
#include "support/control_plane.hpp"
#include "support/interrupted_store.hpp"
#include "support/watched_zones.hpp"

namespace sundial {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// From 2027-01-05T12:00:00Z on.
class HeatmapTest : public ControlPlane {
protected:
    Heatmap heatmap(HeatmapBy by, std::chrono::hours length) {
        return read_heatmap.run({.from = noon, .to = noon + length, .by = by}).value();
    }
    void given_daily() {
        ScheduleFields fields;
        fields.event_type = "CRON";
        fields.trigger = TriggerFields{.cron = "0 9 * * *"};
        fields.timezone = std::optional<std::string>{"Europe/Paris"};
        ASSERT_TRUE(create_schedule.run(fields, "req-1"));
    }
    static double forecast_of(const Heatmap& map) {
        double all = 0;
        for (const HeatmapLine& line : map.lines)
            for (const double one : line.forecast) all += one;
        return all;
    }
    ReadHeatmap read_heatmap{store, zones};
};

TEST_F(HeatmapTest, CountsPlannedEventsBesideTheLimitOfTheirEndpoint) {
    Endpoint limited = an_endpoint();
    limited.rate_limit = RateLimit{.per_second = 2, .burst = 2};
    an_existing_endpoint(limited);
    NewEvent requested = a_reminder();
    requested.endpoint = to_string(limited.id);
    scheduled(requested);
    scheduled(requested);
    const Heatmap found = heatmap(HeatmapBy::endpoint, 3h);
    ASSERT_THAT(found.lines, SizeIs(1));
    EXPECT_EQ(found.lines[0].label, to_string(limited.id));
    EXPECT_EQ(found.lines[0].limit, 7'200U);
    EXPECT_THAT(found.lines[0].forecast, ElementsAre(0, 2, 0));
    EXPECT_THAT(found.lines[0].past, ElementsAre(0U, 0U, 0U));
    EXPECT_EQ(found.forecast_to, noon + 3h);
}

TEST_F(HeatmapTest, CountsLaterOccurrencesInTheZoneOfTheirSchedule) {
    ScheduleFields fields;
    fields.event_type = "CRON";
    fields.trigger = TriggerFields{.cron = "0 9 * * *"};
    fields.timezone = std::optional<std::string>{"Europe/Paris"};
    ASSERT_TRUE(create_schedule.run(fields, "req-1"));
    const Heatmap found = heatmap(HeatmapBy::zone, 72h);
    ASSERT_THAT(found.lines, SizeIs(1));
    EXPECT_EQ(found.lines[0].label, "Europe/Paris");
    for (const std::size_t hour : {20U, 44U, 68U})  // 08:00Z
        EXPECT_THAT(found.lines[0].forecast.at(hour), DoubleEq(1)) << hour;
    EXPECT_THAT(forecast_of(found), DoubleEq(3));
}

TEST_F(HeatmapTest, SaysThatThereAreMoreSchedulesThanItReads) {
    ScheduleFields fields;
    fields.event_type = "CRON";
    fields.trigger = TriggerFields{.cron = "0 9 1 1 *"};
    fields.timezone = std::optional<std::string>{"UTC"};
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(create_schedule.run(fields, "req-1"));
    const auto more = [&](std::size_t most) {
        return ReadHeatmap{store, zones, most}
            .run({.from = noon, .to = noon + 3h})
            .value()
            .more_schedules;
    };
    EXPECT_FALSE(more(3));
    EXPECT_TRUE(more(2));
}

TEST_F(HeatmapTest, ComputesRulesOutsideOfTransactions) {
    given_daily();
    ZoneQuestions questions{.store = store};
    const WatchedZones watched{zones, questions};
    const auto found = ReadHeatmap{store, watched}.run({.from = noon, .to = noon + 72h});
    EXPECT_THAT(forecast_of(found.value()), DoubleEq(3));
    EXPECT_GT(questions.asked, 0U);
    EXPECT_EQ(questions.inside_transactions, 0U);
}

/// The forecast has the first event, which fires before the schedules are read, and the next one.
TEST_F(HeatmapTest, CountsAnEventThatIsPlannedWhileItReads) {
    given_daily();
    PlanSuccessors plan{store, zones, ids};
    InterruptedStore interrupted{store, [&] {
                                     clock.advance(20h);
                                     const std::vector<Event> fired = claimed();
                                     ASSERT_THAT(fired, SizeIs(1));
                                     plan.run(std::vector<SharedEvent>(fired.begin(), fired.end()));
                                     completed(fired[0]);
                                 }};
    const auto found = ReadHeatmap{interrupted, zones}.run({.from = noon, .to = noon + 72h});
    EXPECT_THAT(forecast_of(found.value()), DoubleEq(3));
}

/// Three schedules that fire every minute have 180 occurrences an hour.
TEST_F(HeatmapTest, EndsAtTheScheduleThatReachesTheBoundOfOccurrences) {
    ScheduleFields fields;
    fields.event_type = "CRON";
    fields.trigger = TriggerFields{.cron = "* * * * *"};
    fields.timezone = std::optional<std::string>{"UTC"};
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(create_schedule.run(fields, "req-1"));
    const auto with_most = [&](std::int64_t occurrences) {
        return ReadHeatmap{store, zones, max_later_schedules,
                           occurrences * steps_of_forecast_occurrence}
            .run({.from = noon, .to = noon + 2h})
            .value();
    };
    const Heatmap bounded = with_most(300);
    EXPECT_TRUE(bounded.more_schedules);
    EXPECT_EQ(bounded.forecast_to, noon + 2h);
    const double all = forecast_of(bounded);
    EXPECT_GT(all, 200);      // finding an occurrence takes a few steps too
    EXPECT_LE(all, 300 + 3);  // each schedule has a planned event too
    const Heatmap whole = with_most(1'000);
    EXPECT_FALSE(whole.more_schedules) << "360 occurrences";
    EXPECT_GT(forecast_of(whole), 350);
}

/// A forecast of the API.
TEST(ForecastBound, IsTwoHundredThousandOccurrences) {
    EXPECT_EQ(max_steps_of_request / steps_of_forecast_occurrence, 200'000);
}

TEST_F(HeatmapTest, CountsAPlannedOccurrenceThatWasMovedOnce) {
    ScheduleFields fields;
    fields.event_type = "CRON";
    fields.trigger = TriggerFields{.cron = "0 9 * * *"};
    fields.timezone = std::optional<std::string>{"UTC"};
    ASSERT_TRUE(create_schedule.run(fields, "req-1"));
    EventEdit edit;
    edit.target.utc = "now+1h";
    ASSERT_TRUE(
        edit_event.run(to_string(queries.events({}).items.at(0).id), edit, std::nullopt, "req-2"));
    const Heatmap found = heatmap(HeatmapBy::zone, 24h);
    EXPECT_THAT(forecast_of(found), DoubleEq(1));
}

TEST_F(HeatmapTest, RefusesInvalidTimes) {
    EXPECT_FALSE(read_heatmap.run({.from = noon, .to = noon}));
    EXPECT_FALSE(read_heatmap.run({.from = noon, .to = noon + 24h * 60}));
    EXPECT_FALSE(read_heatmap.run({.from = noon, .to = noon + 3h, .bucket = 90min}));
    const auto past = read_heatmap.run({.from = noon - 5h, .to = noon - 1h});
    ASSERT_TRUE(past);
    EXPECT_THAT(past->lines, IsEmpty());
}

}  // namespace
}  // namespace sundial
