#include "application/events/schedule_event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/trace_context.hpp"
#include "support/control_plane.hpp"
#include "support/recorded_spans.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ScheduleEventTest : public ControlPlane {
protected:
    static NewEvent at(TargetFields target) {
        NewEvent requested = a_reminder();
        requested.target = std::move(target);
        return requested;
    }
    std::vector<std::string> refused(TargetFields target) {
        return defects_of(schedule_event.run(at(std::move(target))));
    }
    Instant due(TargetFields target) { return scheduled(at(std::move(target))).due; }
};

TEST_F(ScheduleEventTest, StoresTheRequestedEvent) {
    const Endpoint crm = an_existing_endpoint(an_endpoint().with_external_id("crm"));
    const User user = created(ada());
    NewEvent requested = a_reminder();
    requested.priority = Priority::high;
    requested.user = to_string(user.id);
    requested.endpoint = "ext:crm";
    requested.idempotency_key = "renew-7";
    requested.payload = "{ \"text\" :  \"Renew\"}";

    const Event event = scheduled(requested);

    EXPECT_EQ(find(event), event);
    EXPECT_EQ(event.type, "REMINDER");
    EXPECT_EQ(event.priority, Priority::high);
    EXPECT_EQ(event.user, user.id);
    EXPECT_EQ(event.endpoint, crm.id);
    EXPECT_EQ(event.key, IdempotencyKey{"renew-7"});
    EXPECT_EQ(event.payload, "{ \"text\" :  \"Renew\"}");
    EXPECT_EQ(event.due, noon + 1h);
    EXPECT_EQ(event.claimable_at, noon + 1h);
    EXPECT_EQ(event.version, Version{1});
    EXPECT_EQ(event.tz_release, "2025b");
    EXPECT_FALSE(event.occurrence);
    EXPECT_EQ(wakeups.hints.back(), noon + 1h);
}

TEST_F(ScheduleEventTest, KeepsTheTraceOfTheRequest) {
    NewEvent requested = a_reminder();
    EXPECT_FALSE(scheduled(requested).trace);
    requested.trace = TraceContext{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                                   .span_id = "b7ad6b7169203331",
                                   .sampled = true};
    const Event event = scheduled(requested);
    EXPECT_EQ(event.trace, requested.trace);
    EXPECT_EQ(find(event).trace, requested.trace);
}

TEST_F(ScheduleEventTest, PutsItsOwnSpanBetweenTheRequestAndTheEvents) {
    RecordedSpans tracer;
    ScheduleEvent traced{store, zones, ids, wakeups, no_endpoint_kinds, tracer};
    NewEvent requested = a_reminder();
    requested.trace = TraceContext{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                                   .span_id = "b7ad6b7169203331",
                                   .sampled = true};
    const Event one = traced.run(requested).value();
    ASSERT_EQ(tracer.spans.size(), 1U);
    EXPECT_EQ(tracer.spans[0].name, "create");
    EXPECT_EQ(tracer.spans[0].parent_id, requested.trace->span_id);
    EXPECT_EQ(one.trace, tracer.spans[0].context);

    const auto many = traced.run_each(std::vector{requested, requested});
    ASSERT_EQ(tracer.spans.size(), 2U);
    for (const auto& event : many) EXPECT_EQ(event->trace, tracer.spans[1].context);

    const Event first = traced.run(a_reminder()).value();  // a trace begins here
    EXPECT_TRUE(tracer.spans[2].parent_id.empty());
    EXPECT_EQ(first.trace, tracer.spans[2].context);
}

TEST_F(ScheduleEventTest, GivesEachItsOwnKeyIfNoneIsGiven) {
    EXPECT_NE(scheduled(a_reminder()).key, scheduled(a_reminder()).key);
}

TEST_F(ScheduleEventTest, RefusesAKnownKeyAndNamesItsEvent) {
    NewEvent requested = a_reminder();
    requested.idempotency_key = "renew-7";
    const Event first = scheduled(requested);
    const auto error = error_of<DuplicateIdempotencyKey>(schedule_event.run(requested));
    EXPECT_EQ(error.existing, first.id);
    EXPECT_EQ(error.status, EventStatus::pending);
}

TEST_F(ScheduleEventTest, IsDueAtOnceWhenItsTargetIsPast) {
    const Event event = scheduled(at({.utc = "2027-01-05T11:00:00Z"}));
    EXPECT_EQ(event.due, noon - 1h);
    EXPECT_EQ(claimed_one().id, event.id);
}

TEST_F(ScheduleEventTest, TakesALocalTimeInItsZone) {
    const Event event = scheduled(at({.local = "2027-01-06T09:00:00", .zone = "America/New_York"}));
    EXPECT_EQ(event.due, sys_days{January / 6 / 2027} + 14h);
    EXPECT_EQ(event.intent.wall, local_days{January / 6 / 2027} + 9h);
    EXPECT_EQ(event.intent.zone, "America/New_York");
}

TEST_F(ScheduleEventTest, TakesTheZoneOfTheTextOrElseOfTheUser) {
    EXPECT_EQ(due({.local = "2027-01-06T09:00[America/New_York]"}),
              sys_days{January / 6 / 2027} + 14h);
    NewEvent requested = at({.local = "2027-01-06T09:00"});
    requested.user = to_string(created(born("1990-01-01", "Asia/Kolkata")).id);
    EXPECT_EQ(scheduled(requested).due, sys_days{January / 6 / 2027} + 3h + 30min);
    requested.target.zone = "Europe/Paris";
    EXPECT_EQ(scheduled(requested).due, sys_days{January / 6 / 2027} + 8h);
}

TEST_F(ScheduleEventTest, KeepsTheZoneThatAnInstantIsShownIn) {
    const Event event = scheduled(at({.utc = "2027-01-06T09:00:00Z", .zone = "America/New_York"}));
    EXPECT_EQ(event.due, sys_days{January / 6 / 2027} + 9h);
    EXPECT_EQ(event.intent.zone, "America/New_York");
    EXPECT_FALSE(event.intent.wall);
}

TEST_F(ScheduleEventTest, MovesATimeInAGapByThePolicy) {
    TargetFields target{.local = "2027-03-14T02:30", .zone = "America/New_York"};
    EXPECT_EQ(due(target), sys_days{March / 14 / 2027} + 7h + 30min);
    target.gap = GapPolicy::boundary;
    EXPECT_EQ(due(target), sys_days{March / 14 / 2027} + 7h);
    for (const auto policy : {GapPolicy::reject, GapPolicy::skip}) {
        target.gap = policy;
        EXPECT_THAT(refused(target), ElementsAre("/targetTimestampLocal nonexistent_time"));
    }
}

TEST_F(ScheduleEventTest, ChoosesThePassOfATimeThatOccursTwice) {
    TargetFields target{.local = "2027-11-07T01:30", .zone = "America/New_York"};
    EXPECT_EQ(due(target), sys_days{November / 7 / 2027} + 5h + 30min);
    target.overlap = OverlapPolicy::later;
    EXPECT_EQ(due(target), sys_days{November / 7 / 2027} + 6h + 30min);
    for (const auto policy : {OverlapPolicy::reject, OverlapPolicy::skip}) {
        target.overlap = policy;
        EXPECT_THAT(refused(target), ElementsAre("/targetTimestampLocal ambiguous_time"));
    }
    target.overlap = OverlapPolicy::both;
    EXPECT_THAT(refused(target), ElementsAre("/overlap not_allowed"));
}

TEST_F(ScheduleEventTest, RemembersThePassThatAnOffsetChose) {
    const Event event =
        scheduled(at({.local = "2027-11-07T01:30-05:00", .zone = "America/New_York"}));
    EXPECT_EQ(event.due, sys_days{November / 7 / 2027} + 6h + 30min);
    EXPECT_EQ(event.intent.overlap, OverlapPolicy::later);
    EXPECT_THAT(refused({.local = "2027-11-07T01:30-08:00", .zone = "America/New_York"}),
                ElementsAre("/targetTimestampLocal offset_mismatch"));
}

TEST_F(ScheduleEventTest, RefusesAnInvalidTime) {
    EXPECT_THAT(refused({}), ElementsAre("/targetTimestampUTC required"));
    EXPECT_THAT(refused({.utc = "tomorrow"}), ElementsAre("/targetTimestampUTC bad_time"));
    EXPECT_THAT(refused({.utc = "now+60000d"}), ElementsAre("/targetTimestampUTC out_of_range"));
    EXPECT_THAT(refused({.utc = "2077-01-06T00:00:00Z"}),
                ElementsAre("/targetTimestampUTC out_of_range"));
    EXPECT_THAT(refused({.utc = "now", .local = "2027-01-06T09:00"}),
                ElementsAre("/targetTimestampLocal not_allowed"));
    EXPECT_THAT(refused({.utc = "now", .gap = GapPolicy::later}), ElementsAre("/gap not_allowed"));
    EXPECT_THAT(refused({.local = "2027-01-06T09:00"}), ElementsAre("/targetTimezone required"));
    EXPECT_THAT(refused({.local = "2027-02-30T09:00", .zone = "Mars/Base"}),
                ElementsAre("/targetTimestampLocal bad_time", "/targetTimezone unknown_zone"));
    EXPECT_THAT(refused({.local = "2027-01-06T09:00", .zone = "Mars/Base"}),
                ElementsAre("/targetTimezone unknown_zone"));
    EXPECT_THAT(refused({.utc = "2027-01-06T09:00:00+05:00[Europe/Paris]"}),
                ElementsAre("/targetTimestampUTC offset_mismatch"));
}

/// Whether or not the event names something that is looked up before it is stored.
TEST_F(ScheduleEventTest, StoresNothingOfAnEventTooFarAhead) {
    NewEvent requested = at({.utc = "2077-01-06T00:00:00Z"});
    requested.idempotency_key = "renew-7";
    const auto too_far = ElementsAre("/targetTimestampUTC out_of_range");
    EXPECT_THAT(defects_of(schedule_event.run(requested)), too_far);
    EXPECT_THAT(refused({.local = "2077-01-06T00:00", .zone = "Europe/Paris"}),
                ElementsAre("/targetTimestampLocal out_of_range"));
    EXPECT_THAT(queries.events({}).items, IsEmpty());
    NewEvent nearer = requested;
    nearer.target.utc = "2027-01-06T00:00:00Z";
    EXPECT_TRUE(schedule_event.run(nearer));
    EXPECT_THAT(defects_of(schedule_event.run(requested)), too_far);  // and the key is taken
    requested.endpoint = to_string(an_existing_endpoint(an_endpoint()).id);
    EXPECT_THAT(defects_of(schedule_event.run(requested)), too_far);
}

TEST_F(ScheduleEventTest, MayLieFiftyYearsAhead) {
    EXPECT_EQ(due({.utc = "2077-01-04T00:00:00Z"}), sys_days{January / 4 / 2077});
}

TEST_F(ScheduleEventTest, ReportsAllErrorsAtOnceAndStoresNothing) {
    NewEvent requested = at({.utc = "soon"});
    requested.event_type = "no spaces";
    requested.user = "ext:nobody";
    requested.endpoint = "0199";
    requested.idempotency_key = "a.dot";
    EXPECT_THAT(defects_of(schedule_event.run(requested)),
                UnorderedElementsAre("/eventType bad_format", "/idempotencyKey bad_format",
                                     "/userId not_allowed", "/endpointId not_allowed",
                                     "/targetTimestampUTC bad_time"));
    EXPECT_THAT(queries.events({}).items, IsEmpty());
    EXPECT_THAT(wakeups.hints, IsEmpty());
}

TEST_F(ScheduleEventTest, TakesAnEndpointThatIsDisabled) {
    NewEvent requested = a_reminder();
    requested.endpoint = to_string(an_existing_endpoint(an_endpoint().disabled()).id);
    EXPECT_TRUE(schedule_event.run(requested));
}

TEST_F(ScheduleEventTest, IsPartOfTheOpenTransaction) {
    std::optional<Event> event;
    store.transact([&](Transaction&) {
        event = scheduled(a_reminder());
        return false;
    });
    EXPECT_FALSE(queries.event(to_string(event->id)));
    store.transact([&](Transaction&) { return event = scheduled(a_reminder()), true; });
    EXPECT_EQ(find(*event), event);
}

class ManyEventsTest : public ScheduleEventTest {
protected:
    /// In this order: valid for Ada, with a known key, of an unknown user, valid and the earliest.
    std::vector<NewEvent> some() {
        const User user = created(ada());
        known = scheduled(with_key("known"));
        NewEvent for_ada = with_key("later");
        for_ada.user = to_string(user.id);
        for_ada.target = {.local = "2027-03-01T09:00:00"};
        NewEvent without_user = with_key("of-nobody");
        without_user.user = "ext:nobody";
        without_user.event_type = "";
        NewEvent first = with_key("first");
        first.target = {.utc = "2027-02-01T00:00:00Z"};
        wakeups.hints.clear();
        return {for_ada, with_key("known"), without_user, first};
    }
    static NewEvent with_key(const std::string& key) {
        NewEvent requested = a_reminder();
        requested.idempotency_key = key;
        return requested;
    }
    std::size_t stored() {
        return in_read(store, [](Transaction& tx) { return tx.events().list({}).items.size(); });
    }
    std::optional<Event> known;
};

TEST_F(ManyEventsTest, AreStoredIndependently) {
    const auto requested = some();
    const std::size_t before = stored();
    const auto answers = schedule_event.run_each(requested);
    ASSERT_EQ(answers.size(), 4U);
    ASSERT_TRUE(answers[0]);
    EXPECT_EQ(find(*answers[0]), *answers[0]);
    EXPECT_EQ(answers[0]->intent.zone, "Europe/Paris");
    ASSERT_FALSE(answers[1]);
    EXPECT_EQ(std::get<DuplicateIdempotencyKey>(answers[1].error()).existing, known->id);
    EXPECT_THAT(defects_of(answers[2]), ElementsAre("/eventType required", "/userId not_allowed"));
    ASSERT_TRUE(answers[3]);
    EXPECT_EQ(find(*answers[3]), *answers[3]);
    EXPECT_THAT(wakeups.hints, ElementsAre(answers[3]->due));  // the earliest of them
    EXPECT_EQ(stored(), before + 2);
}

TEST_F(ManyEventsTest, AreStoredAllOrNone) {
    auto requested = some();
    const std::size_t before = stored();
    const auto refused = schedule_event.run_all(requested);
    EXPECT_TRUE(refused[0]);
    EXPECT_FALSE(refused[1]);
    EXPECT_THAT(wakeups.hints, IsEmpty());
    EXPECT_EQ(stored(), before);

    requested.erase(requested.begin() + 1, requested.begin() + 3);
    for (const auto& answer : schedule_event.run_all(requested)) {
        ASSERT_TRUE(answer);
        EXPECT_EQ(find(*answer), *answer);
    }
    EXPECT_EQ(stored(), before + 2);
}

TEST_F(ManyEventsTest, WithTheSameKeyAreOneEvent) {
    const auto answers = schedule_event.run_each(std::vector{with_key("same"), with_key("same")});
    ASSERT_TRUE(answers[0]);
    ASSERT_FALSE(answers[1]);
    EXPECT_EQ(std::get<DuplicateIdempotencyKey>(answers[1].error()).existing, answers[0]->id);
}

}  // namespace
}  // namespace sundial
