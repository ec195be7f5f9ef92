#include "application/timezones/follow_tzdata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "application/observation/observed_storage.hpp"
#include "domain/time/text.hpp"
#include "support/engine.hpp"
#include "support/instants.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

sys_seconds second(std::string_view text) { return floor<seconds>(at(text)); }

/// A release in which one zone has another clock.
FakeTzData release(std::string name, const FakeZone& zone) {
    FakeTzData data{std::move(name)};
    data.put(zone);
    return data;
}
FakeZone paris(seconds offset, std::vector<FakeZone::Change> changes = {}) {
    return FakeZone{"Europe/Paris", offset, std::move(changes)};
}

/// Fails when the test says so, before the transaction is committed.
class StoreThatFails final : public Store {
public:
    explicit StoreThatFails(Store& store) : store_(store) {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        if (left == 0) throw Unavailable("the process was killed here");
        if (left) --*left;
        store_.transact(work);
    }
    void read(const std::function<void(Transaction&)>& work) override { store_.read(work); }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }
    std::optional<int> left;  // number of transactions before the failure

private:
    Store& store_;
};

/// All events are planned with release 2025b, which is remembered, at noon on 5 January 2027; Paris
/// is one hour east of UTC.
class FollowTzdataTest : public Engine {
protected:
    FollowTzdataTest() { follow.remember(); }

    Event a_reminder_at(const std::string& local, const std::string& zone = "Europe/Paris",
                        std::optional<GapPolicy> gap = std::nullopt,
                        std::optional<OverlapPolicy> overlap = std::nullopt) {
        NewEvent requested = a_reminder();
        requested.target = {.local = local, .zone = zone, .gap = gap, .overlap = overlap};
        return scheduled(requested);
    }
    /// At half past nine every day in Paris, without a user.
    Schedule a_daily_job(std::optional<GapPolicy> gap = std::nullopt) {
        return a_job(TriggerFields{.cron = "30 9 * * *"}, gap);
    }
    Schedule a_job(TriggerFields trigger, std::optional<GapPolicy> gap = std::nullopt) {
        ScheduleFields requested;
        requested.event_type = "JOB";
        requested.trigger = std::move(trigger);
        requested.per_user = false;
        requested.timezone = "Europe/Paris";
        requested.endpoint = to_string(an_existing_endpoint().id);
        requested.payload = R"({"at":"{targetTimestampLocal}"})";
        requested.gap = gap;
        return create_schedule.run(requested, "req-1").value().schedule;
    }
    Event pending_of_job(const Schedule& schedule) {
        EventQuery query;
        query.schedule = schedule.id;
        query.statuses = {EventStatus::pending};
        const auto events = queries.events(query).items;
        EXPECT_THAT(events, SizeIs(1));
        return events.at(0);
    }
    std::vector<EventMove> moves_of(const Event& event) {
        return in_read(store, [&](Transaction& tx) { return tx.tz().moves_of(event.id); });
    }
    /// The process dies; another one starts.
    FollowedTzdata run_again(Takeover takeover = Takeover::of_older) {
        return FollowTzdata{store, zones, ids, wakeups}.run(takeover);
    }
    FollowedTzdata run() { return follow.run(Takeover::of_older); }

    StoreThatFails failing{store};
    StorageObserver silent_observer;
    PullQueue& pull_queue = store.pull_queue();
    ObservedStorage observed{{.store = failing,
                              .queue = queue,
                              .pull_queue = pull_queue,
                              .monotonic = monotonic,
                              .observer = silent_observer,
                              .log = log}};
    FollowTzdata follow{observed, zones, ids, wakeups};
};

TEST_F(FollowTzdataTest, KeepsTheLocalTimeAndTheIdentityAndTakesTheNewInstant) {
    const User user = created(ada());
    const Event before = pending_of(user);
    ASSERT_EQ(before.due, at("2027-01-06T08:00:00Z"));

    zones.set(release("2026f", paris(2h)));
    const auto followed = run();

    Event expected = before;
    expected.due = expected.claimable_at = at("2027-01-06T07:00:00Z");
    expected.tz_release = "2026f";
    expected.version = Version{2};
    EXPECT_EQ(find(before), expected);
    EXPECT_EQ(followed.moved, 1U);
    EXPECT_THAT(followed.before, ElementsAre("2025b"));
    EXPECT_THAT(moves_of(before), ElementsAre(EventMove{.event = before.id,
                                                        .version = Version{2},
                                                        .before = before.due,
                                                        .after = expected.due,
                                                        .reason = "tzdb 2025b -> 2026f",
                                                        .at = noon}));
    ASSERT_THAT(logged("event.rescheduled"), SizeIs(1));
    const auto line = logged("event.rescheduled")[0];
    EXPECT_EQ(field<std::string>(line, "eventId"), to_string(before.id));
    EXPECT_EQ(field<std::string>(line, "reason"), "tzdb 2025b -> 2026f");
    EXPECT_EQ(field<std::string>(line, "before"), "2027-01-06T08:00:00.000Z");
    EXPECT_EQ(field<std::string>(line, "after"), "2027-01-06T07:00:00.000Z");
    EXPECT_EQ(wakeups.hints.back(), expected.due);
}

TEST_F(FollowTzdataTest, LeavesEventsWithTheSameClockAlone) {
    const Event in_new_york = a_reminder_at("2027-02-01T09:00:00", "America/New_York");
    const Event at_an_instant = scheduled(a_reminder());
    zones.set(release("2026f", paris(2h)));
    EXPECT_EQ(run().moved, 0U);
    EXPECT_EQ(find(in_new_york), in_new_york) << "not even touched";
    EXPECT_EQ(find(at_an_instant), at_an_instant);
    EXPECT_THAT(logged("event.rescheduled"), IsEmpty());
}

TEST_F(FollowTzdataTest, AnEventBeforeTheChangeKeepsItsInstant) {
    const Event soon = a_reminder_at("2027-01-20T09:00:00");
    const Event later = a_reminder_at("2027-06-20T09:00:00");
    zones.set(release("2026f", paris(1h, {{second("2027-03-28T01:00:00Z"), 2h}})));
    EXPECT_EQ(run().moved, 1U);
    EXPECT_EQ(find(soon).due, soon.due);
    EXPECT_EQ(find(soon).tz_release, "2026f") << "so that no instance checks it again";
    EXPECT_THAT(moves_of(soon), IsEmpty());
    EXPECT_EQ(find(later).due, at("2027-06-20T07:00:00Z"));
}

TEST_F(FollowTzdataTest, TheSecondRunDoesNothing) {
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    zones.set(release("2026f", paris(2h)));
    ASSERT_EQ(run().moved, 1U);
    const Event moved = find(event);
    for (const auto& again : {run(), run_again()}) {
        EXPECT_EQ(again.moved, 0U);
        EXPECT_THAT(again.before, IsEmpty());
    }
    EXPECT_EQ(find(event), moved);
}

TEST_F(FollowTzdataTest, AnotherContentOfTheSameReleaseCountsToo) {
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    zones.set(release("2025b", paris(2h)));
    EXPECT_EQ(run().moved, 1U);
    EXPECT_EQ(find(event).due, at("2027-02-01T07:00:00Z"));
    EXPECT_THAT(run_again().before, IsEmpty()) << "it is remembered";
}

TEST_F(FollowTzdataTest, EventsOfAForgottenReleaseAreComputedAgain) {
    zones.set(release("2024a", paris(3h)));
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    zones.set(FakeTzData{"2025b"});
    EXPECT_EQ(run_again().moved, 1U);
    EXPECT_EQ(find(event).due, at("2027-02-01T08:00:00Z"));
}

TEST_F(FollowTzdataTest, EventsWithoutARecordedReleaseStayAsTheyAre) {
    zones.set(release("2026a", paris(3h)));
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    EXPECT_THAT(run_again().before, IsEmpty());
    EXPECT_EQ(find(event), event);
}

TEST_F(FollowTzdataTest, AnInstanceWithAnOlderReleaseUndoesNothing) {
    zones.set(release("2026f", paris(2h)));
    ASSERT_TRUE(run_again().complete);
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    zones.set(FakeTzData{"2025b"});
    const auto followed = run();
    EXPECT_EQ(followed.moved, 0U);
    EXPECT_THAT(followed.newer, ElementsAre("2026f"));
    EXPECT_EQ(find(event), event);
    // But newer instances still find the events that it plans.
    const Event stale = a_reminder_at("2027-02-02T09:00:00");
    zones.set(release("2026f", paris(2h)));
    EXPECT_EQ(run_again().moved, 1U);
    EXPECT_EQ(find(stale).due, at("2027-02-02T07:00:00Z"));
}

TEST_F(FollowTzdataTest, ActivatingAnOlderReleaseIsIntended) {
    zones.set(release("2026f", paris(2h)));
    ASSERT_TRUE(run_again().complete);
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    zones.set(FakeTzData{"2025b"});
    EXPECT_EQ(follow.run(Takeover::of_any).moved, 1U);
    EXPECT_EQ(find(event).due, at("2027-02-01T08:00:00Z"));
}

TEST_F(FollowTzdataTest, ClaimedAttemptedAndRetriedEventsStay) {
    const Endpoint endpoint = an_existing_endpoint();
    std::vector<Event> events;
    for (int i = 0; i < 3; ++i) {
        NewEvent requested = a_reminder();
        requested.target = {.local = "2027-01-05T13:00:00", .zone = "Europe/Paris"};  // now
        requested.endpoint = to_string(endpoint.id);
        events.push_back(scheduled(requested));
    }
    const auto claims = claimed();
    ASSERT_THAT(claims, SizeIs(3));
    settle(claims[1], RetryIn{1h});
    const Event retry =
        retry_event.run(to_string(failed(claims[2]).id), RetryKey::same, "req-1").value().event;

    zones.set(release("2026f", paris(2h)));
    EXPECT_EQ(run().moved, 0U);
    for (const Event& event : {find(claims[0]), find(claims[1]), find(retry)}) {
        EXPECT_EQ(event.tz_release, "2025b");
        EXPECT_EQ(event.due, noon);
    }
}

TEST_F(FollowTzdataTest, ACancelledOccurrenceThatWasRetriedMoves) {
    const User user = created(ada());
    const Event planned = pending_of(user);
    ASSERT_TRUE(cancel_event.run(to_string(planned.id), std::nullopt, "req-1"));
    const Event back =
        retry_event.run(to_string(planned.id), RetryKey::same, "req-1").value().event;
    zones.set(release("2026f", paris(2h)));
    run();
    EXPECT_EQ(find(back).due, at("2027-01-06T07:00:00Z"));
    EXPECT_EQ(find(back).claimable_at, at("2027-01-06T07:00:00Z"));
}

TEST_F(FollowTzdataTest, ParkedEventsMoveAndStayParked) {
    const User user = created(ada());
    ScheduleFields pause;
    pause.enabled = false;
    edited_birthday(pause);
    zones.set(release("2026f", paris(2h)));
    EXPECT_EQ(run().moved, 1U);
    EXPECT_EQ(pending_of(user).due, at("2027-01-06T07:00:00Z"));
    EXPECT_EQ(pending_of(user).claimable_at, never);
}

TEST_F(FollowTzdataTest, APastInstantIsLateAndFiresOnce) {
    birthdays_go_to(an_endpoint());
    const User user = created(ada());
    pass(19h);  // 07:00Z of the birthday: it is due at 08:00Z
    zones.set(release("2026f", paris(3h)));
    EXPECT_EQ(run().moved, 1U);
    EXPECT_EQ(pending_of(user).due, at("2027-01-06T06:00:00Z"));

    EXPECT_EQ(drain().completed, 1U);
    const auto fired = events_of(user, {EventStatus::completed});
    ASSERT_THAT(fired, SizeIs(1));
    EXPECT_EQ(lateness(fired[0]), 1h);
    advance(24h);
    EXPECT_THAT(webhook.requests, SizeIs(1));
    EXPECT_EQ(pending_of(user).due, at("2028-01-06T06:00:00Z"));
}

TEST_F(FollowTzdataTest, AFiredOccurrenceDoesNotFireAgainIfItsInstantMovesAhead) {
    birthdays_go_to(an_endpoint());
    const User user = created(ada());
    EXPECT_EQ(advance(20h).completed, 1U);  // at 08:00Z
    zones.set(release("2026f", paris(0h)));
    EXPECT_EQ(run().moved, 1U) << "next year's";
    advance(48h);
    EXPECT_THAT(webhook.requests, SizeIs(1));
    EXPECT_EQ(pending_of(user).due, at("2028-01-06T09:00:00Z"));
}

TEST_F(FollowTzdataTest, APayloadWithTheLocalTimeIsRenderedAgain) {
    const User user = created(ada());
    change_birthday([](Schedule& schedule) {
        schedule.payload = R"({"at":"{targetTimestampLocal}","for":"{firstName}"})";
    });
    zones.set(release("2026f", paris(2h)));
    run();
    EXPECT_EQ(pending_of(user).payload, R"({"at":"2027-01-06T09:00:00.000+02:00","for":"Ada"})");
}

TEST_F(FollowTzdataTest, AnyOtherPayloadStaysBecauseAClientMayHaveChangedIt) {
    const User user = created(ada());
    EventEdit by_hand;
    by_hand.payload = R"({"by":"hand"})";
    ASSERT_TRUE(edit_event.run(to_string(pending_of(user).id), by_hand, std::nullopt, "req-1"));
    zones.set(release("2026f", paris(2h)));
    EXPECT_EQ(run().moved, 1U);
    EXPECT_EQ(pending_of(user).payload, R"({"by":"hand"})");
}

TEST_F(FollowTzdataTest, AnOccurrenceThatThePolicySkipsEndsWithAReason) {
    const Event event = a_reminder_at("2027-03-28T02:30:00", "Europe/Paris", GapPolicy::skip);
    const Event other = a_reminder_at("2027-03-28T02:30:00", "Europe/Paris", GapPolicy::boundary);
    zones.set(release("2026f", paris(1h, {{second("2027-03-28T01:00:00Z"), 2h}})));
    const auto followed = run();
    EXPECT_EQ(followed.dropped, 1U);
    EXPECT_EQ(std::get<Cancelled>(find(event).state).reason, "gap_skipped");
    EXPECT_EQ(find(other).due, at("2027-03-28T01:00:00Z"));
    ASSERT_THAT(logged("event.cancelled"), SizeIs(1));
    EXPECT_EQ(field<std::string>(logged("event.cancelled")[0], "reason"), "gap_skipped");
}

TEST_F(FollowTzdataTest, AScheduleContinuesAfterASkippedOccurrence) {
    change_birthday([](Schedule& schedule) { schedule.gap = GapPolicy::skip; });
    const User user = created(ada());
    const auto gap = at("2027-01-06T07:30:00Z");  // 08:30 to 09:30 does not exist
    zones.set(release("2026f", paris(1h, {{floor<seconds>(gap), 2h}})));
    EXPECT_EQ(run().dropped, 1U);
    EXPECT_THAT(events_of(user, {EventStatus::cancelled}), SizeIs(1));
    EXPECT_EQ(pending_of(user).due, at("2028-01-06T07:00:00Z"));
}

TEST_F(FollowTzdataTest, ACronOccurrenceKeepsItsNominalTimeAndRunsOnce) {
    const Schedule job = a_daily_job();
    const Event before = pending_of_job(job);
    ASSERT_EQ(before.due, at("2027-01-06T08:30:00Z"));
    zones.set(release("2026f", paris(2h)));
    EXPECT_EQ(run().moved, 1U);
    const Event after = pending_of_job(job);
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.occurrence, before.occurrence);
    EXPECT_EQ(after.due, at("2027-01-06T07:30:00Z"));
    EXPECT_EQ(after.payload, R"({"at":"2027-01-06T09:30:00.000+02:00"})");
    for (int hour = 0; hour < 48; ++hour) advance(1h);
    EXPECT_THAT(webhook.requests, SizeIs(2));
    EXPECT_EQ(pending_of_job(job).due, at("2027-01-08T07:30:00Z"));
}

TEST_F(FollowTzdataTest, ElapsedTimeSchedulesKeepTheirPace) {
    ScheduleFields requested;
    requested.event_type = "JOB";
    requested.per_user = false;
    requested.timezone = "Europe/Paris";
    requested.endpoint = to_string(an_existing_endpoint().id);
    for (const TriggerFields& trigger :
         {TriggerFields{.cron = "*/5 * * * *"},
          TriggerFields{
              .rrule = RruleTrigger{"", "2027-01-05T13:05", "FREQ=MINUTELY;INTERVAL=5", {}, {}}}}) {
        zones.set(FakeTzData{"2025b"});
        requested.trigger = trigger;
        const Schedule job = create_schedule.run(requested, "req-1").value().schedule;
        const Event before = pending_of_job(job);
        zones.set(release("2026f", paris(2h)));  // its clock was an hour ahead from the beginning
        ASSERT_TRUE(run_again().complete);
        EXPECT_EQ(pending_of_job(job).due, before.due);
        EXPECT_EQ(pending_of_job(job).tz_release, "2026f");

        const std::size_t sent = webhook.requests.size();
        for (int minute = 0; minute < 20; ++minute) advance(1min);
        EXPECT_EQ(webhook.requests.size(), sent + 4);
        ASSERT_TRUE(delete_schedule.run(to_string(job.id), std::nullopt, "req-2"));
    }
}

/// Forward, back, and by less than an hour: the job runs exactly once in every full hour of the new
/// clock.
TEST_F(FollowTzdataTest, AnHourlyJobRunsOnEveryHourOfTheNewClock) {
    for (const auto& [offset, until_first] : {std::pair{seconds{2h}, minutes{60}},
                                              {seconds{0h}, minutes{60}},
                                              {seconds{90min}, minutes{30}}}) {
        zones.set(FakeTzData{"2025b"});
        const Schedule job = a_job(TriggerFields{.cron = "0 * * * *"});
        const Instant begin = clock.now();  // at a full hour
        ASSERT_EQ(pending_of_job(job).due, begin + 1h);
        zones.set(release("2026f", paris(offset)));
        ASSERT_TRUE(run_again().complete);
        EXPECT_EQ(pending_of_job(job).due, begin + until_first);
        EXPECT_EQ(pending_of_job(job).tz_release, "2026f");
        const std::size_t sent = webhook.requests.size();
        for (int hour = 0; hour < 6; ++hour) advance(1h);
        EXPECT_EQ(webhook.requests.size(), sent + 6) << offset.count();
        ASSERT_TRUE(delete_schedule.run(to_string(job.id), std::nullopt, "req-2"));
    }
}

/// `*/15 9 * * *`: from nine to ten by the new clock, whatever the old one shows.
TEST_F(FollowTzdataTest, AJobOfOneHourRunsInThatHourOfTheNewClock) {
    const Schedule job = a_job(TriggerFields{.cron = "*/15 9 * * *"});
    ASSERT_EQ(pending_of_job(job).due, at("2027-01-06T08:00:00Z"));
    zones.set(release("2026f", paris(2h)));
    EXPECT_EQ(run().moved, 1U);
    EXPECT_EQ(pending_of_job(job).due, at("2027-01-06T07:00:00Z"));
    zones.set(release("2026g", paris(0h)));
    EXPECT_EQ(run().moved, 1U);
    EXPECT_EQ(pending_of_job(job).due, at("2027-01-06T09:00:00Z"));
    EXPECT_THAT(moves_of(pending_of_job(job)), SizeIs(2));
}

TEST_F(FollowTzdataTest, AJobRecordsASkippedOccurrenceAndContinues) {
    const Schedule job = a_daily_job(GapPolicy::skip);
    zones.set(release("2026f", paris(1h, {{second("2027-01-06T08:00:00Z"), 2h}})));
    EXPECT_EQ(run().dropped, 1U);
    EXPECT_EQ(pending_of_job(job).due, at("2027-01-07T07:30:00Z"));
    SkipQuery query;
    query.schedule = job.id;
    const auto skipped =
        in_read(store, [&](Transaction& tx) { return tx.skips().list(query).items; });
    ASSERT_THAT(skipped, SizeIs(1));
    EXPECT_EQ(skipped[0].reason, "gap_skipped");
    EXPECT_EQ(skipped[0].first, at("2027-01-06T08:30:00Z"));
}

TEST_F(FollowTzdataTest, TheSecondPassStaysTheSecondPass) {
    // 02:00 to 03:00 happens twice: first at 01:00Z, then at 02:00Z.
    const FakeZone twice = paris(1h, {{second("2027-10-31T02:00:00Z"), 0h}});
    const auto in_pass = [](bool second_pass) {
        Event event = an_event();
        event.intent.wall = parse_local("2027-10-31T02:30:00")->wall;
        event.intent.overlap = OverlapPolicy::both;
        event.occurrence = Occurrence{.schedule = an_id<ScheduleId>(),
                                      .schedule_version = Version{1},
                                      .nominal = nominal_of(*event.intent.wall, second_pass)};
        return event;
    };
    write([&](Transaction& tx) {
        const FakeTzData data{"2026f"};
        InstantsByClock instants{tx, twice, data};
        EXPECT_EQ(instants.of(in_pass(false)), at("2027-10-31T01:30:00Z"));
        EXPECT_EQ(instants.of(in_pass(true)), at("2027-10-31T02:30:00Z"));
        const FakeZone once = paris(1h);
        EXPECT_EQ((InstantsByClock{tx, once, data}.of(in_pass(true))), at("2027-10-31T01:30:00Z"))
            << "where there is one pass only, it is that";
    });
}

TEST_F(FollowTzdataTest, EventsOfARemovedZoneStayAsTheyAre) {
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    FakeTzData without{"2026f"};
    without.remove("Europe/Paris");
    zones.set(without);
    EXPECT_TRUE(run().complete);
    EXPECT_EQ(find(event), event);
}

TEST_F(FollowTzdataTest, ContinuesAfterAnInterruptionAndMovesEachEventOnce) {
    std::vector<Event> events;
    for (int i = 0; i < 450; ++i) events.push_back(a_reminder_at("2027-02-01T09:00:00"));
    zones.set(release("2026f", paris(2h)));
    failing.left = 1;
    EXPECT_THROW(run(), Unavailable);
    const auto is_moved = [&](const Event& event) { return find(event).due != event.due; };
    EXPECT_EQ(std::ranges::count_if(events, is_moved), 200);

    EXPECT_EQ(run_again().moved, 250U);
    for (const Event& event : events) {
        ASSERT_EQ(find(event).due, at("2027-02-01T07:00:00Z"));
        ASSERT_THAT(moves_of(event), SizeIs(1));
    }
}

TEST_F(FollowTzdataTest, StopsBetweenTwoBatchesWhenAsked) {
    a_reminder_at("2027-02-01T09:00:00");
    zones.set(release("2026f", paris(2h)));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(follow.run(Takeover::of_older, stop.get_token()).complete);
    EXPECT_EQ(run_again().moved, 1U) << "what was not done is still to do";
}

TEST_F(FollowTzdataTest, SwappingReleasesTwiceRestoresEachEvent) {
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    for (int i = 0; i < 3; ++i) {
        zones.set(release("2026f", paris(2h)));
        EXPECT_EQ(follow.run(Takeover::of_any).moved, 1U);
        zones.set(FakeTzData{"2025b"});
        EXPECT_EQ(follow.run(Takeover::of_any).moved, 1U);
    }
    EXPECT_EQ(find(event).due, event.due);
    EXPECT_THAT(moves_of(event), SizeIs(6));
}

TEST(TzdbChangedLine, HasTheReleasesAndTheNumberOfMovedEvents) {
    const auto line = tzdb_changed_line({"2025a", "2025b"}, "2026f", 7);
    EXPECT_EQ(line.event_name, "tzdb.changed");
    EXPECT_EQ(field<std::string>(line, "versions"), "2025a, 2025b -> 2026f");
    EXPECT_EQ(field<std::int64_t>(line, "movedCount"), 7);
}

}  // namespace
}  // namespace sundial
