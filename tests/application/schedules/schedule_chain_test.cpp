#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "application/schedules/occurrences.hpp"
#include "domain/time/misfire.hpp"
#include "domain/time/text.hpp"
#include "support/engine.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Schedules of every kind, run by the engine on the memory store, from Tuesday 2027-01-05 12:00
/// UTC on.
class ScheduleChain : public Engine {
protected:
    Schedule made(ScheduleFields requested) {
        if (!requested.event_type) requested.event_type = "JOB";
        if (!requested.endpoint) requested.endpoint = to_string(endpoint.id);
        if (!requested.per_user.value_or(false) && !requested.timezone) requested.timezone = "UTC";
        const auto created = create_schedule.run(requested, "req-1");
        EXPECT_TRUE(created) << testing::PrintToString(defects_of(created));
        return created.value().schedule;
    }
    Schedule cron(std::string text, ScheduleFields requested = {}) {
        requested.trigger = TriggerFields{.cron = std::move(text)};
        return made(std::move(requested));
    }
    Schedule every(std::string duration, ScheduleFields requested = {}) {
        requested.trigger = TriggerFields{.every = std::move(duration)};
        return made(std::move(requested));
    }
    std::vector<Event> events_of(const Schedule& schedule, std::vector<EventStatus> statuses = {}) {
        EventQuery query;
        query.schedule = schedule.id;
        query.statuses = std::move(statuses);
        query.page.limit = 500;
        return queries.events(query).items;
    }
    Event pending_of(const Schedule& schedule) {
        const auto events = events_of(schedule, {EventStatus::pending});
        EXPECT_THAT(events, SizeIs(1));
        return events.at(0);
    }
    /// The due instants of the delivered events.
    std::vector<Instant> delivered(const Schedule& schedule) {
        std::vector<Instant> due;
        for (const Event& event : events_of(schedule, {EventStatus::completed})) {
            due.push_back(event.due);
        }
        return due;
    }
    std::vector<SkippedRun> skipped(const Schedule& schedule) {
        SkipQuery query;
        query.schedule = schedule.id;
        return in_read(store, [&](Transaction& tx) { return tx.skips().list(query).items; });
    }
    /// No instance runs for that long; then all due events are handled.
    TickCounters wake_after(std::chrono::microseconds downtime) { return advance(downtime); }

    Endpoint endpoint = an_existing_endpoint();
};

TEST_F(ScheduleChain, RunsACronScheduleWithoutUsers) {
    const Schedule schedule = cron("0 * * * *");
    for (int hour = 0; hour < 3; ++hour) advance(1h);
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 1h, noon + 2h, noon + 3h));
    const Event next = pending_of(schedule);
    EXPECT_EQ(next.due, noon + 4h);
    EXPECT_FALSE(next.user);
    EXPECT_EQ(next.occurrence->nominal, (Nominal{2027y / 1 / 5, 16h}));
    EXPECT_EQ(next.intent.wall, local_days{2027y / 1 / 5} + 16h);
}

TEST_F(ScheduleChain, RunsAnIntervalFromItsStartWithoutDrift) {
    ScheduleFields requested;
    requested.starts_at = "2027-01-05T12:00:07.5Z";
    const Schedule schedule = every("PT15M", requested);
    EXPECT_EQ(pending_of(schedule).due, noon + 7'500ms);
    advance(20min);
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 15min + 7'500ms));
    EXPECT_EQ(pending_of(schedule).due, noon + 30min + 7'500ms);
    EXPECT_FALSE(pending_of(schedule).intent.wall);
}

TEST_F(ScheduleChain, RunsAnRruleUntilItEnds) {
    ScheduleFields requested;
    requested.trigger = TriggerFields{.rrule = RruleTrigger{"",
                                                            "2027-01-05T13:00",
                                                            "FREQ=DAILY;COUNT=3",
                                                            {"2027-01-05T18:00"},
                                                            {"2027-01-06T13:00"}}};
    const Schedule schedule = made(requested);
    for (int hour = 0; hour < 72; ++hour) advance(1h);
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 1h, noon + 6h, noon + 49h));
    EXPECT_THAT(events_of(schedule, {EventStatus::pending}), IsEmpty());
}

TEST_F(ScheduleChain, RunsAYearlyDayWithoutUsers) {
    ScheduleFields requested;
    requested.trigger = TriggerFields{.yearly = YearlyFields{"02-29", "06:30"}};
    requested.timezone = "Asia/Kolkata";
    const Schedule schedule = made(requested);
    const Event next = pending_of(schedule);
    EXPECT_EQ(next.due, sys_days{2027y / 2 / 28} + 1h);
    EXPECT_EQ(next.occurrence->nominal, Nominal{2027y / 2 / 28});
}

TEST_F(ScheduleChain, EndsWithTheScheduleAndContinuesIfTheEndMoves) {
    ScheduleFields requested;
    requested.ends_at = "2027-01-05T13:00:00Z";
    const Schedule schedule = cron("0 * * * *", requested);
    advance(1h);
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 1h));
    EXPECT_THAT(events_of(schedule, {EventStatus::pending}), IsEmpty());

    ScheduleFields longer;
    longer.ends_at = std::optional<std::string>{};
    ASSERT_TRUE(edit_schedule.run(to_string(schedule.id), longer, std::nullopt, "req-2"));
    EXPECT_EQ(pending_of(schedule).due, noon + 2h);
}

TEST_F(ScheduleChain, RunsForEachUserInTheirZone) {
    const User paris = created(born("1990-05-05", "Europe/Paris"));
    const User honolulu = created(born("1990-05-05", "Pacific/Honolulu"));
    ScheduleFields requested;
    requested.per_user = true;
    const Schedule schedule = cron("0 9 * * *", requested);
    const User kolkata = created(born("1990-05-05", "Asia/Kolkata"));
    const auto due_of = [&](const User& user) {
        for (const Event& event : events_of(schedule, {EventStatus::pending})) {
            if (event.user == user.id) return event.due;
        }
        return never;
    };
    EXPECT_EQ(due_of(paris), sys_days{2027y / 1 / 6} + 8h);
    EXPECT_EQ(due_of(honolulu), sys_days{2027y / 1 / 5} + 19h);
    EXPECT_EQ(due_of(kolkata), sys_days{2027y / 1 / 6} + 3h + 30min);
    EXPECT_EQ(queries.schedule(to_string(schedule.id)).value().schedule.planned_version,
              Version{1});

    // Another zone is a new definition: the next event follows the present.
    clock.advance(8h);  // 20:00 UTC; 10:00 in Honolulu, whose 09:00 is late
    moved(honolulu, "Europe/Paris");
    EXPECT_EQ(due_of(honolulu), sys_days{2027y / 1 / 6} + 8h);
}

TEST_F(ScheduleChain, NeverSendsAnOccurrenceTwiceWhenAUserMovesBackInTime) {
    const User user = created(born("1990-05-05", "Pacific/Auckland"));
    ScheduleFields requested;
    requested.per_user = true;
    const Schedule schedule = cron("0 9 * * *", requested);
    clock.advance(8h);  // 20:00 UTC: 09:00 of the 6th in Auckland
    drain();
    ASSERT_THAT(delivered(schedule), SizeIs(1));
    moved(user, "Pacific/Honolulu");  // where it is 10:00 on the 5th
    EXPECT_EQ(pending_of(schedule).occurrence->nominal, (Nominal{2027y / 1 / 7, 9h}));
}

TEST_F(ScheduleChain, FiresOnceForAllMissedOccurrences) {
    const Schedule schedule = cron("0 * * * *");
    wake_after(5h + 30min);
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 5h));
    EXPECT_EQ(pending_of(schedule).due, noon + 6h);
    const auto dropped = events_of(schedule, {EventStatus::cancelled});
    ASSERT_THAT(dropped, SizeIs(1));
    EXPECT_EQ(std::get<Cancelled>(dropped[0].state).reason, "misfire_once");
    const auto runs = skipped(schedule);
    ASSERT_THAT(runs, SizeIs(1));
    EXPECT_EQ(runs[0].reason, "misfire_once");
    EXPECT_EQ(runs[0].first, noon + 1h);
    EXPECT_EQ(runs[0].last, noon + 4h);
    EXPECT_EQ(runs[0].count, 4U);
    EXPECT_EQ(runs[0].next, noon + 5h);
}

TEST_F(ScheduleChain, FiresOnTimeOccurrencesDespiteMissedOnes) {
    ScheduleFields requested;
    requested.grace = "PT10M";
    const Schedule schedule = cron("*/5 * * * *", requested);
    wake_after(1h + 1min);  // on time: 12:55 and 13:00
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 55min, noon + 1h));
    EXPECT_EQ(skipped(schedule).at(0).count, 10U);
}

TEST_F(ScheduleChain, FiresTheNewestMissedOccurrences) {
    ScheduleFields requested;
    requested.misfire = MisfirePolicy::all;
    requested.limit = 3;
    const Schedule schedule = cron("0 * * * *", requested);
    wake_after(2h);
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 1h, noon + 2h));
    wake_after(6h);
    EXPECT_THAT(delivered(schedule),
                ElementsAre(noon + 1h, noon + 2h, noon + 6h, noon + 7h, noon + 8h));
    const auto runs = skipped(schedule);
    ASSERT_THAT(runs, SizeIs(1));
    EXPECT_EQ(runs[0].reason, "misfire_limit");
    EXPECT_EQ(runs[0].count, 3U);
}

TEST_F(ScheduleChain, CountsOnTimeOccurrencesTowardsTheLimit) {
    ScheduleFields requested;
    requested.misfire = MisfirePolicy::all;
    requested.limit = 1;
    requested.grace = "PT5M";
    const Schedule schedule = cron("* * * * *", requested);
    wake_after(3min);
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 3min));
    const auto runs = skipped(schedule);
    ASSERT_THAT(runs, SizeIs(1));
    EXPECT_EQ(runs[0].reason, "misfire_limit");
    EXPECT_EQ(runs[0].count, 2U);
}

TEST_F(ScheduleChain, SkipsMissedOccurrences) {
    ScheduleFields requested;
    requested.misfire = MisfirePolicy::skip;
    const Schedule schedule = cron("0 * * * *", requested);
    wake_after(5h + 30min);
    EXPECT_THAT(delivered(schedule), IsEmpty());
    EXPECT_EQ(pending_of(schedule).due, noon + 6h);
    EXPECT_EQ(skipped(schedule).at(0).count, 5U);
    advance(30min);
    EXPECT_THAT(delivered(schedule), ElementsAre(noon + 6h));
}

TEST_F(ScheduleChain, DropsOccurrencesOlderThanTheWindow) {
    ScheduleFields requested;
    requested.window = std::optional<std::string>{"PT1H"};
    const Schedule schedule = cron("0 9 * * *", requested);
    wake_after(21h + 1h + 1min);  // 10:01 on the next day
    EXPECT_THAT(delivered(schedule), IsEmpty());
    EXPECT_EQ(skipped(schedule).at(0).reason, "window");
    EXPECT_EQ(std::get<Cancelled>(events_of(schedule, {EventStatus::cancelled}).at(0).state).reason,
              "window");
    EXPECT_EQ(pending_of(schedule).due, sys_days{2027y / 1 / 7} + 9h);
}

TEST_F(ScheduleChain, HandlesAYearOfMissedSecondsAtOnce) {
    const Schedule schedule = cron("* * * * * *");
    advance(1s);
    wake_after(days{365} + 500ms);
    // The events of the last minute are on time.
    EXPECT_THAT(delivered(schedule), SizeIs(1 + 60));
    EXPECT_THAT(events_of(schedule), SizeIs(1 + 60 + 1 + 1));  // one dropped, one pending
    EXPECT_EQ(skipped(schedule).at(0).count, 365U * 86'400 - 60);
}

TEST_F(ScheduleChain, DoesNotStartASecondEventIfConcurrencyIsForbidden) {
    ScheduleFields requested;
    requested.concurrency = Concurrency::forbid;
    const Schedule schedule = cron("* * * * *", requested);
    webhook.holds = true;
    for (int minute = 0; minute < 4; ++minute) {
        pass(1min);
        turn(40);
    }
    EXPECT_THAT(webhook.requests, SizeIs(1));
    const auto runs = skipped(schedule);
    ASSERT_THAT(runs, SizeIs(1));  // a run of them is one record
    EXPECT_EQ(runs[0].reason, "concurrency");
    EXPECT_EQ(runs[0].first, noon + 2min);
    EXPECT_EQ(runs[0].count, 3U);
}

TEST_F(ScheduleChain, SpreadsItsLoadByJitterAndIsNotLateForThat) {
    ScheduleFields requested;
    requested.jitter = "PT10M";
    requested.misfire = MisfirePolicy::skip;
    requested.grace = "PT0S";
    const Schedule schedule = cron("0 * * * *", requested);
    const Event event = pending_of(schedule);
    EXPECT_GT(event.jitter, 0s);
    EXPECT_LT(event.jitter, 10min);
    EXPECT_EQ(event.claimable_at, event.due + event.jitter);
    advance(1h);
    EXPECT_THAT(delivered(schedule), IsEmpty());
    advance(event.jitter);
    ASSERT_THAT(delivered(schedule), ElementsAre(noon + 1h));
    EXPECT_EQ(lateness(events_of(schedule, {EventStatus::completed}).at(0)), 0s);
    EXPECT_EQ(pending_of(schedule).due, noon + 2h);
}

TEST_F(ScheduleChain, ParksWhilePausedAndContinuesAfterwards) {
    const Schedule schedule = cron("0 * * * *");
    const auto edit = [&](bool enabled) {
        return edit_schedule.run(to_string(schedule.id), {.enabled = enabled}, std::nullopt, "r");
    };
    ASSERT_TRUE(edit(false));
    EXPECT_EQ(pending_of(schedule).claimable_at, never);
    advance(3h + 1min);
    ASSERT_TRUE(edit(true));
    drain();
    EXPECT_THAT(delivered(schedule), IsEmpty());
    EXPECT_EQ(pending_of(schedule).due, noon + 4h);
    const auto runs = skipped(schedule);
    ASSERT_THAT(runs, SizeIs(1));
    EXPECT_EQ(runs[0].reason, "paused");
    EXPECT_EQ(runs[0].count, 3U);
}

TEST_F(ScheduleChain, IsANewDefinitionAfterAnEdit) {
    const Schedule schedule = cron("0 9 * * *");
    ScheduleFields edit;
    edit.trigger = TriggerFields{.cron = "30 13 * * *"};
    ASSERT_TRUE(edit_schedule.run(to_string(schedule.id), edit, std::nullopt, "r"));
    EXPECT_EQ(pending_of(schedule).due, noon + 1h + 30min);
    edit.trigger = TriggerFields{.every = "PT7M"};
    ASSERT_TRUE(edit_schedule.run(to_string(schedule.id), edit, std::nullopt, "r"));
    EXPECT_EQ(pending_of(schedule).due, noon + 7min);
}

TEST_F(ScheduleChain, SendsADueEventWhosePayloadIsEdited) {
    const Schedule schedule = cron("0 * * * *");
    clock.advance(1h);  // due, but not claimed yet
    ScheduleFields edit;
    edit.payload = R"({"new":true})";
    ASSERT_TRUE(edit_schedule.run(to_string(schedule.id), edit, std::nullopt, "r"));
    drain();
    ASSERT_THAT(delivered(schedule), ElementsAre(noon + 1h));
    EXPECT_EQ(events_of(schedule, {EventStatus::completed}).at(0).payload, R"({"new":true})");
}

TEST_F(ScheduleChain, ContinuesAfterACancelledEvent) {
    const Schedule schedule = cron("0 * * * *");
    ASSERT_TRUE(cancel_event.run(to_string(pending_of(schedule).id), std::nullopt, "req-1"));
    EXPECT_EQ(pending_of(schedule).due, noon + 2h);
}

/// A user in Auckland gets the event of nominal noon. Then the user moves to Paris, where it is
/// still the night before, and six o'clock is planned. Nominal noon comes again there, and must not
/// fire again.
class ScheduleChainOfAMove : public ScheduleChain {
protected:
    void SetUp() override {
        clock.advance(6h);
        ScheduleFields requested;
        requested.external_id = "digest";
        requested.per_user = true;
        cron("0 */6 * * *", requested);
        const User user = created(born("1990-05-05", "Pacific/Auckland"));
        advance(5h + 30min);
        moved(user, "Europe/Paris");
        ASSERT_EQ(pending().intent.wall, local_days{2027y / 1 / 6} + 6h);
    }
    Event pending() { return pending_of(queries.schedule("ext:digest").value().schedule); }
};

TEST_F(ScheduleChainOfAMove, ContinuesAfterOccurrencesThatFiredInAnotherZone) {
    advance(pending().due - clock.now());
    EXPECT_EQ(pending().intent.wall, local_days{2027y / 1 / 6} + 18h);
}

TEST_F(ScheduleChainOfAMove, ContinuesThereAfterACancelledEvent) {
    ASSERT_TRUE(cancel_event.run(to_string(pending().id), std::nullopt, "req-1"));
    EXPECT_EQ(pending().intent.wall, local_days{2027y / 1 / 6} + 18h);
}

TEST_F(ScheduleChain, ContinuesAfterAnEventThatACallerSentEarly) {
    const Schedule schedule = cron("0 13 * * *");
    EventEdit now;
    now.target.utc = "now";
    ASSERT_TRUE(edit_event.run(to_string(pending_of(schedule).id), now, std::nullopt, "req-1"));
    drain();
    EXPECT_THAT(delivered(schedule), ElementsAre(noon));
    EXPECT_EQ(pending_of(schedule).due, noon + 25h);
}

TEST_F(ScheduleChain, DeliversEachOccurrenceOnceThroughACrash) {
    const Schedule schedule = cron("* * * * *");
    advance(1min);
    pass(1min);
    turn(3);  // claimed, possibly planned
    crash();
    for (int minute = 0; minute < 5; ++minute) advance(1min);
    const auto all = delivered(schedule);
    EXPECT_EQ(std::set<Instant>(all.begin(), all.end()).size(), all.size());
    EXPECT_EQ(all.size(), 7U);
}

TEST_F(ScheduleChain, RecordsOccurrencesThatALeapDaySkips) {
    ScheduleFields requested;
    requested.trigger = TriggerFields{.yearly = YearlyFields{"02-29", std::nullopt}};
    requested.leap = LeapPolicy::skip;
    const Schedule schedule = made(requested);
    EXPECT_EQ(pending_of(schedule).due, sys_days{2028y / 2 / 29} + 9h);
    advance(pending_of(schedule).due - clock.now());
    const auto runs = skipped(schedule);
    ASSERT_THAT(runs, SizeIs(1));
    EXPECT_EQ(runs[0].reason, "leap_skipped");
    EXPECT_EQ(runs[0].count, 3U);
    EXPECT_EQ(runs[0].next, sys_days{2032y / 2 / 29} + 9h);
}

/// For every rule, policy and sequence of downtimes: exactly the events that `catch_up` allows at
/// each start are delivered, and all others are recorded.
TEST_F(ScheduleChain, DeliversTheOccurrencesOfTheCatchUpAfterEveryDowntime) {
    const bool holds = rc::check("each look delivers what is to be caught up", [&] {
        const auto text = *rc::gen::element<std::string>("* * * * *", "*/7 * * * *", "0 */3 * * *",
                                                         "30 2 * * *", "15,45 9-17 * * MON-FRI");
        ScheduleFields requested;
        requested.misfire =
            *rc::gen::element(MisfirePolicy::all, MisfirePolicy::once, MisfirePolicy::skip);
        requested.limit = *rc::gen::inRange<std::uint32_t>(1, 6);
        requested.grace = format_duration(seconds{*rc::gen::inRange(0, 1200)});
        if (*rc::gen::arbitrary<bool>()) {
            requested.window =
                std::optional{format_duration(seconds{*rc::gen::inRange(0, 20'000)})};
        }
        requested.timezone = *rc::gen::element<std::string>("UTC", "America/New_York");
        const Schedule schedule = cron(text, requested);
        const auto rule = rule_of_schedule(schedule, nullptr, *zones.current()).value();

        const Instant begin = clock.now();
        std::vector<Instant> expected;
        std::uint64_t dropped = 0;
        for (int peek = 0; peek < 4; ++peek) {
            const Instant last = clock.now();
            advance(seconds{*rc::gen::inRange(1, 200'000)});
            const CatchUp caught = catch_up(rule.recurrence(), last, clock.now(), schedule.misfire);
            for (const auto& one : caught.fire) expected.push_back(one.instant);
            dropped += caught.dropped;
        }
        RC_ASSERT(delivered(schedule) == expected);
        std::uint64_t recorded = 0;
        for (const SkippedRun& run : skipped(schedule)) recorded += run.count;
        RC_ASSERT(recorded == dropped);
        RC_ASSERT(rule.recurrence().count(begin, clock.now()) == expected.size() + dropped);
        RC_ASSERT(pending_of(schedule).due == rule.first_after(clock.now())->instant);
        RC_ASSERT(delete_schedule.run(to_string(schedule.id), std::nullopt, "r").has_value());
    });
    EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace sundial
