#include <gmock/gmock.h>

#include "application/instances/report_instance.hpp"
#include "application/stats/read_stats.hpp"
#include "application/stats/record_stats.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class StatsTest : public ControlPlane {
protected:
    void ended(const Event& event, EventStatus status, std::chrono::microseconds duration = 10ms) {
        collected.settled({event, status, duration, clock.now()});
    }
    void began(const Event& event, std::chrono::microseconds lateness, bool first = true) {
        collected.started({event, nullptr, clock.now(), first, lateness});
    }
    void pass(std::chrono::microseconds time) {
        monotonic.time += time;
        ASSERT_TRUE(clock.set(clock.now() + time));
    }
    std::vector<StatsRow> rows(StatsStep step, StatsBy by) {
        return in_read(store, [&](Transaction& tx) {
            using enum StatsMeasure;
            return tx.stats().read({.step = step,
                                    .by = by,
                                    .measures = {started, completed, failed, retried, claimed, due},
                                    .from = noon - 24h,
                                    .to = noon + 24h * 30});
        });
    }
    Series series(const SeriesRequest& request) { return read_stats.series(request).value(); }

    CollectStats collected{instance_a};
    RecordStats record{store, monotonic, collected};
    ReadStats read_stats{store};
    const Event reminder = an_event(), other = an_event().to_endpoint(an_id<EndpointId>());
};

TEST_F(StatsTest, WriteNothingWhileNothingHappens) {
    for (int second = 0; second < 5; ++second) {
        record.run();
        pass(1s);
    }
    EXPECT_THAT(rows(StatsStep::minute, StatsBy::all), IsEmpty());
}

TEST_F(StatsTest, CountFinishedEventsOfAZoneByHour) {
    Event in_berlin = an_event();
    in_berlin.intent.zone = "Europe/Berlin";
    ended(in_berlin, EventStatus::completed);
    ended(in_berlin, EventStatus::completed);
    record.run();
    record.finish();
    EXPECT_THAT(rows(StatsStep::minute, StatsBy::zone), IsEmpty());
    const auto found = rows(StatsStep::hour, StatsBy::zone);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].key.label, "Europe/Berlin");
    EXPECT_EQ(found[0].count, 2U);
}

TEST_F(StatsTest, CountEachEventInAllInItsTypeAndInItsEndpoint) {
    began(other, 250ms);
    ended(other, EventStatus::completed);
    record.run();
    for (const StatsBy by : {StatsBy::all, StatsBy::type, StatsBy::endpoint}) {
        const auto found = rows(StatsStep::minute, by);
        ASSERT_THAT(found, SizeIs(2));
        EXPECT_EQ(found[0].count, 1U);
        EXPECT_EQ(found[0].key.slot, noon);
        EXPECT_EQ(found[0].key.instance, instance_a);
    }
    EXPECT_EQ(rows(StatsStep::minute, StatsBy::type)[0].key.label, "REMINDER");
    EXPECT_EQ(rows(StatsStep::minute, StatsBy::endpoint)[0].key.label, to_string(*other.endpoint));
}

TEST_F(StatsTest, WriteTheMinuteSoFarAgainAndTheHourAtTheEndOfEachMinute) {
    ended(reminder, EventStatus::completed);
    record.run();
    pass(1s);
    ended(reminder, EventStatus::completed);
    record.run();
    ASSERT_THAT(rows(StatsStep::minute, StatsBy::all), SizeIs(1));
    EXPECT_EQ(rows(StatsStep::minute, StatsBy::all)[0].count, 2U);
    EXPECT_THAT(rows(StatsStep::hour, StatsBy::all), IsEmpty());

    pass(64s);
    record.run();
    ASSERT_THAT(rows(StatsStep::hour, StatsBy::all), SizeIs(1));
    EXPECT_EQ(rows(StatsStep::hour, StatsBy::all)[0].count, 2U);

    ended(reminder, EventStatus::completed);
    record.finish();
    EXPECT_EQ(rows(StatsStep::hour, StatsBy::all)[0].count, 3U);
}

TEST_F(StatsTest, BeginTheNextHourWithNothing) {
    ended(reminder, EventStatus::failed);
    record.run();
    pass(1h);
    ended(reminder, EventStatus::failed);
    record.run();
    pass(2min);
    record.run();
    const auto hours = rows(StatsStep::hour, StatsBy::all);
    ASSERT_THAT(hours, SizeIs(2));
    EXPECT_EQ(hours[0].key.slot, noon);
    EXPECT_EQ(hours[1].key.slot, noon + 1h);
    for (const StatsRow& row : hours) EXPECT_EQ(row.count, 1U);
}

TEST_F(StatsTest, KeepWhatCouldNotBeStored) {
    ended(reminder, EventStatus::completed);
    EXPECT_THAT(collected.rows_at(noon), SizeIs(3));
    pass(120s);  // the database did not answer for two minutes
    ended(reminder, EventStatus::completed);
    record.run();
    const auto minutes = rows(StatsStep::minute, StatsBy::all);
    ASSERT_THAT(minutes, SizeIs(2));
    EXPECT_EQ(minutes[0].key.slot, noon);
    EXPECT_EQ(minutes[1].key.slot, noon + 2min);
    for (const StatsRow& row : minutes) EXPECT_EQ(row.count, 1U);
}

TEST_F(StatsTest, CountInTheMinuteOfTheEventAfterAQuietTime) {
    ended(reminder, EventStatus::completed);
    record.run();
    for (int minute = 0; minute < 3 * 60; ++minute) {
        pass(1min);
        record.run();
    }
    ended(reminder, EventStatus::failed);
    record.run();
    const auto minutes = rows(StatsStep::minute, StatsBy::all);
    ASSERT_THAT(minutes, SizeIs(2));
    EXPECT_EQ(minutes[1].key.slot, noon + 3h);
}

TEST_F(StatsTest, CountInTheMinuteOfTheEventIfTheDatabaseAnswersLater) {
    for (int minute = 0; minute < 5; ++minute) {
        ended(reminder, EventStatus::completed);
        began(reminder, 10ms);
        collected.claimed(1, 0, clock.now(), 2ms);
        pass(1min);
    }
    record.run();
    std::map<StatsMeasure, std::vector<Instant>> slots;
    for (const StatsRow& row : rows(StatsStep::minute, StatsBy::all)) {
        EXPECT_EQ(row.count, 1U);
        slots[row.key.measure].push_back(row.key.slot);
    }
    for (const auto measure :
         {StatsMeasure::completed, StatsMeasure::started, StatsMeasure::claimed}) {
        EXPECT_THAT(slots[measure],
                    ElementsAre(noon, noon + 1min, noon + 2min, noon + 3min, noon + 4min));
    }
}

TEST_F(StatsTest, CountALateReportInItsMinuteUntilThatHasEnded) {
    pass(59s);
    const Instant at = clock.now();
    pass(2s);
    record.run();
    collected.settled({reminder, EventStatus::completed, 1ms, at});
    record.run();
    ASSERT_THAT(rows(StatsStep::minute, StatsBy::all), SizeIs(1));
    EXPECT_EQ(rows(StatsStep::minute, StatsBy::all)[0].key.slot, noon);

    pass(5s);
    record.run();  // ends that minute
    collected.settled({reminder, EventStatus::completed, 1ms, at});
    record.run();
    const auto minutes = rows(StatsStep::minute, StatsBy::all);
    ASSERT_THAT(minutes, SizeIs(2));
    EXPECT_EQ(minutes[0].count, 1U);
    EXPECT_EQ(minutes[1].key.slot, noon + 1min);
}

TEST_F(StatsTest, LoseTheOldestMinutesOfALongOutage) {
    constexpr int minutes = 400;
    for (int minute = 0; minute < minutes; ++minute) {
        for (int i = 0; i < 60; ++i)
            ended(an_event().of_type("T" + std::to_string(i)), EventStatus::completed);
        ASSERT_TRUE(clock.set(clock.now() + 1min));
    }
    record.run();
    const auto all = rows(StatsStep::minute, StatsBy::all);
    ASSERT_FALSE(all.empty());
    EXPECT_GT(all.front().key.slot, noon);
    EXPECT_EQ(all.back().key.slot, noon + (minutes - 1) * 1min);
    std::uint64_t counted = 0;
    for (const StatsRow& row : rows(StatsStep::hour, StatsBy::all)) counted += row.count;
    EXPECT_EQ(counted, 60U * (minutes - 1));  // the last minute is open
}

TEST_F(StatsTest, NeverReplaceAnEarlierMinuteWhenTheClockGoesBack) {
    ended(reminder, EventStatus::completed);
    (void)collected.rows_at(noon);
    collected.stored();
    ended(reminder, EventStatus::completed);
    for (const StatsRow& row : collected.rows_at(noon - 2min)) {
        EXPECT_EQ(row.key.slot, noon);
        EXPECT_EQ(row.count, 2U);
    }
}

TEST_F(StatsTest, BoundTheNumberOfLabels) {
    for (int i = 0; i < 150; ++i)
        ended(an_event().of_type("T" + std::to_string(i)), EventStatus::completed);
    record.run();
    const auto types = rows(StatsStep::minute, StatsBy::type);
    ASSERT_THAT(types, SizeIs(max_stats_labels + 1));
    const auto rest =
        std::ranges::find(types, other_label, [](const StatsRow& row) { return row.key.label; });
    ASSERT_NE(rest, types.end());
    EXPECT_EQ(rest->count, 50U);
}

TEST_F(StatsTest, CountATypeThatIsNamedLikeTheOthers) {
    ended(an_event().of_type(std::string{other_label}), EventStatus::completed);
    for (int i = 0; i < 101; ++i)
        ended(an_event().of_type("T" + std::to_string(i)), EventStatus::completed);
    record.run();
    std::uint64_t all = 0;
    for (const StatsRow& row : rows(StatsStep::minute, StatsBy::type)) all += row.count;
    EXPECT_EQ(all, 102U);
}

TEST_F(StatsTest, AddUpInTheOverview) {
    for (int i = 0; i < 3; ++i) {
        began(reminder, 100ms);
        ended(reminder, EventStatus::completed);
    }
    began(reminder, 2s, false);  // not the first attempt
    ended(reminder, EventStatus::failed);
    ended(reminder, EventStatus::processing);
    record.run();
    const StatsOverview found = read_stats.overview(1h);
    EXPECT_EQ(found.from, noon - 1h);
    EXPECT_EQ(found.started, 3U);
    EXPECT_EQ(found.completed, 3U);
    EXPECT_EQ(found.failed, 1U);
    EXPECT_EQ(found.retried, 1U);
    EXPECT_NEAR(static_cast<double>(found.lateness.quantile(1)->count()), 100'000, 6'250);

    pass(2h);
    EXPECT_EQ(read_stats.overview(1h).completed, 0U);
    record.run();
    EXPECT_EQ(read_stats.overview(48h).completed, 3U);  // from hours
}

TEST_F(StatsTest, HaveAPointForEachStep) {
    ended(reminder, EventStatus::completed);
    record.run();
    pass(2min);
    ended(reminder, EventStatus::completed);
    ended(reminder, EventStatus::completed);
    record.run();
    pass(1min);
    began(reminder, 1s);
    record.run();
    const Series found = series({.metrics = {StatsMetric::executed, StatsMetric::lateness_p99},
                                 .from = noon,
                                 .to = noon + 4min});
    ASSERT_THAT(found.lines, SizeIs(2));
    EXPECT_THAT(found.lines[0].points, ElementsAre(1.0, 0.0, 2.0, 0.0));
    EXPECT_THAT(found.lines[1].points,
                ElementsAre(std::nullopt, std::nullopt, std::nullopt,
                            testing::Optional(testing::DoubleNear(1, 0.07))));
}

TEST_F(StatsTest, ShowTheLinesOfMostWeight) {
    for (int i = 0; i < 30; ++i) {
        for (int n = 0; n <= i; ++n)
            ended(an_event().of_type("T" + std::to_string(i)), EventStatus::completed);
    }
    record.run();
    const Series found = series({.metrics = {StatsMetric::executed},
                                 .from = noon,
                                 .to = noon + 1min,
                                 .by = SeriesBy::event_type});
    ASSERT_THAT(found.lines, SizeIs(max_series_lines));
    double all = 0;
    for (const SeriesLine& line : found.lines) all += line.points.at(0).value();
    EXPECT_EQ(all, 30 * 31 / 2);
    EXPECT_EQ(found.lines.back().label, other_label);
}

TEST_F(StatsTest, ShowOneLineHoweverManyThereAre) {
    for (int i = 0; i < 30; ++i) {
        for (int n = 0; n <= i; ++n)
            ended(an_event().of_type("T" + std::to_string(i)), EventStatus::completed);
    }
    record.run();
    SeriesRequest request{.metrics = {StatsMetric::executed},
                          .from = noon,
                          .to = noon + 1min,
                          .by = SeriesBy::event_type,
                          .key = "T1"};
    const Series found = series(request);
    ASSERT_THAT(found.lines, SizeIs(1));
    EXPECT_EQ(found.lines[0].label, "T1");
    EXPECT_THAT(found.lines[0].points, ElementsAre(2.0));
    request.key = "NONE";
    EXPECT_THAT(series(request).lines.at(0).points, ElementsAre(0.0));
    request.by = SeriesBy::instance;
    EXPECT_FALSE(read_stats.series(request));
}

TEST_F(StatsTest, RefuseSeriesThatWouldBeLong) {
    const auto refused = [&](const SeriesRequest& request) {
        const auto answer = read_stats.series(request);
        return answer ? std::string{} : answer.error().errors.at(0).pointer;
    };
    const std::vector executed{StatsMetric::executed};
    EXPECT_EQ(refused({executed, noon, noon}), "?from");
    EXPECT_EQ(refused({executed, noon - 24h * 400, noon}), "?step");
    EXPECT_EQ(refused({executed, noon - 1h, noon, 90s}), "?step");
    EXPECT_EQ(refused({executed, noon - 1h, noon, 1s}), "?step");
    EXPECT_EQ(refused({{StatsMetric::backlog}, noon - 1h, noon, 60s, SeriesBy::endpoint}), "?by");
    EXPECT_EQ(refused({{StatsMetric::backlog}, noon - 1h, noon, 60s, SeriesBy::instance}), "");
    EXPECT_EQ(refused({executed, noon - 1h, noon, 24h * 401}), "?step");
}

TEST_F(StatsTest, RefuseSeriesWhoseCountersAreForgotten) {
    const auto refused = [&](Instant from, std::chrono::seconds step) {
        const auto answer = read_stats.series(
            {.metrics = {StatsMetric::executed}, .from = from, .to = from + 1h, .step = step});
        return answer ? std::string{} : answer.error().errors.at(0).message;
    };
    EXPECT_EQ(refused(noon - 26h, 60s), "");
    EXPECT_THAT(refused(noon - 26h - 1s, 60s), testing::HasSubstr("2027-01-04T10:00:00Z"));
    EXPECT_EQ(refused(noon - 26h - 1s, 1h), "");
    EXPECT_EQ(refused(noon - 24h * 400, 1h), "");
    EXPECT_THAT(refused(noon - 24h * 400 - 1s, 1h), testing::HasSubstr("2025-12-01T12:00:00Z"));
    EXPECT_THAT(refused(Instant{} - 24h * 365 * 10 - 1s, 1h), testing::HasSubstr("400 days"));
}

TEST_F(StatsTest, ReadHoursOfAShortTimeLongAgo) {
    ended(reminder, EventStatus::completed);
    record.run();
    record.finish();
    pass(24h * 3);
    while (forget_stats(store)) {
    }
    const Series found = series(
        {.metrics = {StatsMetric::executed}, .from = noon - 1h, .to = noon + 1h, .step = 1h});
    EXPECT_THAT(found.lines.at(0).points, ElementsAre(0.0, 1.0));
}

TEST_F(StatsTest, AddUpAllInstancesInTheOverview) {
    constexpr std::uint64_t instances = 30, minutes = 24 * 60;
    write([&](Transaction& tx) {
        for (std::uint64_t i = 0; i < instances; ++i) {
            std::vector<StatsRow> all;
            for (std::uint64_t minute = 0; minute < minutes; ++minute) {
                StatsRow row{.count = 1};
                row.key.measure = StatsMeasure::completed;
                row.key.slot = noon - 24h + minute * 1min;
                row.key.instance = an_id<InstanceId>();
                all.push_back(row);
            }
            tx.stats().write(all);
        }
    });
    EXPECT_EQ(read_stats.overview(24h).completed, instances * minutes);
}

TEST_F(StatsTest, SampleTheBacklog) {
    write([](Transaction& tx) {
        const Event due = an_event().to_endpoint(an_id<EndpointId>()).due(noon - 5s);
        ASSERT_TRUE(tx.events().add(due));
    });
    record.run();
    const Series found = series({.metrics = {StatsMetric::backlog, StatsMetric::oldest_due},
                                 .from = noon,
                                 .to = noon + 1min});
    EXPECT_THAT(found.lines.at(0).points, ElementsAre(1.0));
    EXPECT_GT(found.lines.at(1).points.at(0).value(), 0.0);
}

TEST_F(StatsTest, AreForgotten) {
    ended(reminder, EventStatus::completed);
    record.run();
    pass(2min);
    record.run();
    pass(27h);
    while (forget_stats(store)) {
    }
    EXPECT_THAT(rows(StatsStep::minute, StatsBy::all), IsEmpty());
    EXPECT_THAT(rows(StatsStep::hour, StatsBy::all), SizeIs(1));
    pass(24h * 401);
    while (forget_stats(store)) {
    }
    EXPECT_THAT(rows(StatsStep::hour, StatsBy::all), IsEmpty());
}

}  // namespace
}  // namespace sundial
