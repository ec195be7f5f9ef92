#include "application/delivery/worker_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "application/delivery/tick.hpp"
#include "support/engine.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class WorkerLoopTest : public Engine {};

// Claims.

/// Issue 19, item 17.
TEST_F(WorkerLoopTest, ReportsTheStartAndTheFailureOfAClaim) {
    const Endpoint endpoint = an_existing_endpoint();
    a_due_event(endpoint);
    drain();
    EXPECT_THAT(logged("event.claim_started"), IsEmpty());  // below level info

    log.level = base::LogLevel::debug;
    a_due_event(endpoint);
    faulty.before_claim = [&] { monotonic.time += 150ms; };
    faulty.claim_fault = FaultyQueue::Fault::lost_request;
    EXPECT_THROW((void)drain(), Unavailable);
    ASSERT_THAT(logged("event.claim_started"), SizeIs(1));
    const auto began = logged("event.claim_started").front();
    EXPECT_EQ(began.level, base::LogLevel::debug);
    EXPECT_EQ(field<std::string>(began, "claimedBy"), to_string(instance_a));
    ASSERT_THAT(logged("event.claim_failed"), SizeIs(1));
    const auto failed = logged("event.claim_failed").front();
    EXPECT_EQ(failed.level, base::LogLevel::warn);
    EXPECT_EQ(field<std::string>(failed, "reason"), "connection refused");
    EXPECT_EQ(field<std::int64_t>(failed, "durationMs"), 150);
    EXPECT_EQ(field<std::string>(failed, "claimedBy"), to_string(instance_a));
}

TEST_F(WorkerLoopTest, KnowsWhenItLastClaimedEvents) {
    EXPECT_EQ(loop->last_claim(), std::nullopt);
    drain();
    EXPECT_EQ(loop->last_claim(), std::nullopt);  // nothing was due
    a_due_event(an_existing_endpoint());
    drain();
    EXPECT_EQ(loop->last_claim(), noon);
    pass(1min);
    a_due_event(an_existing_endpoint(an_endpoint().limited_to({.per_second = 1})));
    drain();
    EXPECT_EQ(loop->last_claim(), noon + 1min);
    advance(1min);
    EXPECT_EQ(loop->last_claim(), noon + 1min);
}

// Destinations.

TEST_F(WorkerLoopTest, DeliversToAWebhook) {
    const Endpoint endpoint = an_existing_endpoint();
    const Event event = a_due_event(endpoint);

    EXPECT_EQ(drain(), (TickCounters{.claimed = 1, .completed = 1}));

    ASSERT_THAT(webhook.requests, SizeIs(1));
    const DeliveryRequest& request = webhook.requests.front();
    EXPECT_EQ(request.event->id, event.id);
    EXPECT_EQ(request.event->attempt, Attempt{1});
    EXPECT_EQ(*request.endpoint, endpoint);
    EXPECT_EQ(request.target_time, "2027-01-05T12:00:00+00:00[UTC]");
    EXPECT_EQ(request.now, noon);
    EXPECT_EQ(status_of(find(event)), EventStatus::completed);
}

TEST_F(WorkerLoopTest, DeliversToAnInbox) {
    a_due_event(an_existing_endpoint(an_endpoint().inbox()));
    drain();
    EXPECT_THAT(inbox.requests, SizeIs(1));
    EXPECT_THAT(webhook.requests, IsEmpty());
}

TEST_F(WorkerLoopTest, DeliversToAHandlerOfTheTypeWhereThereIsNoEndpoint) {
    handlers.on("REMINDER", [](const Event&) { return Handled{}; });
    NewEvent requested = a_reminder();
    requested.target.utc = "now";
    scheduled(requested);
    drain();
    ASSERT_THAT(in_process.requests, SizeIs(1));
    EXPECT_EQ(in_process.requests.front().endpoint, nullptr);
}

/// A second instance on the same store, with its own handlers.
class TwoInstances : public WorkerLoopTest {
protected:
    Handlers other_handlers;
    FakeDelivery other_process;
    DeliverEvent other_deliver{store, zones, ids, {kinds, &other_process, other_handlers}};
    WorkerLoop other{
        worker_settings(instance_b),
        {faulty, plan, other_deliver, admit, judge, monotonic, random, log, observer, permit}};
};

TEST_F(TwoInstances, LeaveEventsToTheOneThatHasTheHandler) {
    handlers.on("A", [](const Event&) { return Handled{}; });
    other_handlers.on("B", [](const Event&) { return Handled{}; });
    const auto due = [&](const std::string& type) {
        NewEvent requested = a_reminder();
        requested.event_type = type;
        requested.target.utc = "now";
        return scheduled(requested);
    };
    for (int i = 0; i < 100; ++i) due("B");
    const Event last = due("A");

    EXPECT_EQ(drain(), (TickCounters{.claimed = 1, .completed = 1}));
    ASSERT_THAT(in_process.requests, SizeIs(1));
    EXPECT_EQ(in_process.requests.front().event->id, last.id);
    EXPECT_EQ(other.take_over().drain(std::nullopt),
              (TickCounters{.claimed = 100, .completed = 100}));
    EXPECT_THAT(other_process.requests, SizeIs(100));
}

TEST_F(TwoInstances, BackOffWhileNeitherHasTheHandler) {
    handlers.on("A", [](const Event&) { return Handled{}; });
    NewEvent requested = a_reminder();
    requested.target.utc = "now";
    const Event event = scheduled(requested);
    int claims = 0;
    faulty.before_claim = [&] { ++claims; };
    const Mono start = monotonic.time;

    turn(100);

    EXPECT_EQ(claims, 0);
    EXPECT_GE(monotonic.time - start, 45s);  // a peek and a wait for the tick, again and again
    EXPECT_EQ(find(event), event);
    EXPECT_THAT(in_read(store, [&](Transaction& tx) { return tx.events().attempts_of(event.id); }),
                IsEmpty());
    other_handlers.on(event.type, [](const Event&) { return Handled{}; });
    EXPECT_EQ(other.take_over().drain(std::nullopt), (TickCounters{.claimed = 1, .completed = 1}));
}

TEST_F(WorkerLoopTest, SendsTheSameTargetTimeInTheUsersZoneWithEveryAttempt) {
    birthdays_go_to(an_endpoint());
    created(ada());
    webhook.answer = [](const DeliveryRequest&) { return status_outcome(500); };
    advance(24h);
    webhook.answer = [](const DeliveryRequest&) { return accepted_outcome(); };
    advance(1s);
    ASSERT_THAT(webhook.requests, SizeIs(2));
    for (const DeliveryRequest& request : webhook.requests) {
        EXPECT_EQ(request.target_time, "2027-01-06T09:00:00+01:00[Europe/Paris]");
    }
    EXPECT_EQ(webhook.requests[1].event->attempt, Attempt{2});
}

// Events that may not be sent yet.

TEST_F(WorkerLoopTest, SendsAnEventOnceItHasAnEndpoint) {
    const User user = created(ada());
    EXPECT_EQ(advance(24h), TickCounters{});
    const Event waits = events_of(user, {EventStatus::pending}).at(0);
    EXPECT_EQ(waits.attempt, Attempt{0});

    const Endpoint endpoint = an_existing_endpoint();
    edited_birthday({.endpoint = to_string(endpoint.id)});
    EXPECT_EQ(drain(), (TickCounters{.claimed = 1, .completed = 1}));
    EXPECT_EQ(find(waits).endpoint, endpoint.id);
}

TEST_F(WorkerLoopTest, ParksEventsOfADisabledEndpointUntilItIsEnabled) {
    Endpoint endpoint = an_existing_endpoint(an_endpoint().disabled());
    write([&](Transaction& tx) {
        Event event = an_event().to_endpoint(endpoint.id);
        ASSERT_TRUE(tx.events().add(event));
    });
    drain();
    EXPECT_THAT(webhook.requests, IsEmpty());

    write([&](Transaction& tx) {
        endpoint.enabled = true;
        endpoint.version = Version{2};
        ASSERT_TRUE(tx.endpoints().update(endpoint));
    });
    unpark_events.run(endpoint.id);
    EXPECT_EQ(drain(), (TickCounters{.claimed = 1, .completed = 1}));
}

TEST_F(WorkerLoopTest, DoesNotOverlookAnEndpointThatIsEnabledWhileItsEventIsHeld) {
    Endpoint endpoint = an_existing_endpoint(an_endpoint().disabled());
    write([&](Transaction& tx) {
        ASSERT_TRUE(tx.events().add(an_event().to_endpoint(endpoint.id).build()));
    });
    faulty.after_release = [&] {  // too late for the claim, too early for UnparkEvents to see it
        faulty.after_release = {};
        write([&](Transaction& tx) {
            endpoint.enabled = true;
            endpoint.version = Version{2};
            ASSERT_TRUE(tx.endpoints().update(endpoint));
        });
    };
    EXPECT_EQ(drain(), (TickCounters{.claimed = 2, .completed = 1}));
}

TEST_F(WorkerLoopTest, DeliversAnEventWhoseCircuitClosesBeforeItsRelease) {
    const Endpoint endpoint = an_existing_endpoint();
    const auto change = [&](const auto& change_of) {
        write([&](Transaction& tx) {
            tx.circuits().put(change_of(tx.circuits().lock(endpoint.id)));
        });
    };
    change([](const Circuit& fresh) { return count(fresh, {.failed = 5}, noon, CircuitPolicy{}); });
    a_due_event(endpoint);
    // An operator closes the circuit and finds no waiting event: this one is claimed, and its
    // release already decided.
    faulty.before_release = [&] { change(closed); };
    EXPECT_EQ(drain(), (TickCounters{.claimed = 2, .completed = 1}));
}

TEST_F(WorkerLoopTest, ParksDueEventsUntilTheirScheduleIsResumed) {
    birthdays_go_to(an_endpoint());
    const User user = created(ada());
    // The schedule is paused but its events are not parked yet: the claim comes first.
    change_birthday([](Schedule& schedule) {
        schedule.enabled = false;
        schedule.version = Version{2};
    });
    advance(24h);
    EXPECT_THAT(webhook.requests, IsEmpty());
    EXPECT_EQ(events_of(user, {EventStatus::processing}).at(0).claimable_at, never);

    edited_birthday({.enabled = true});
    EXPECT_EQ(drain(), (TickCounters{.claimed = 1, .completed = 1}));
}

TEST_F(WorkerLoopTest, WaitsAMinuteForAZoneThatIsMissing) {
    birthdays_go_to(an_endpoint());
    const User user = created(ada());
    const auto move_to = [&](const char* zone) {
        write([&](Transaction& tx) {
            User moved_there = tx.users().lock(user.id).value();
            moved_there.timezone = zone;
            ASSERT_TRUE(tx.users().update(moved_there));
        });
    };
    move_to("Mars/Base");
    advance(24h);
    EXPECT_THAT(webhook.requests, IsEmpty());
    move_to("Europe/Paris");
    EXPECT_EQ(advance(1min), (TickCounters{.claimed = 1, .completed = 1}));
    EXPECT_EQ(pending_of(user).occurrence->nominal.date.year(), std::chrono::year{2028});
}

TEST_F(WorkerLoopTest, DefersAnEventWhoseSuccessorNeedsAMachineThatIsAway) {
    const Event away = a_due_event(an_existing_endpoint());
    const Event planned = a_due_event(an_existing_endpoint());
    Planning planning;
    planning.unplanned = {away.id};
    const auto decisions = deliver.decide(std::vector<SharedEvent>{away, planned}, planning);
    ASSERT_THAT(decisions, SizeIs(2));
    const auto* const deferral = std::get_if<Deferral>(&decisions[0].what);
    ASSERT_NE(deferral, nullptr);
    EXPECT_EQ(deferral->delay, 10s);
    EXPECT_TRUE(deferral->reason.starts_with("PLANNING_FAILED")) << deferral->reason;
    EXPECT_TRUE(std::holds_alternative<Destination>(decisions[1].what));
}

TEST_F(WorkerLoopTest, DisablesAnEndpointThatAnswersGone) {
    const Endpoint endpoint = an_existing_endpoint();
    const Event first = a_due_event(endpoint);
    webhook.answer = [](const DeliveryRequest&) { return status_outcome(410); };
    drain();
    EXPECT_EQ(status_of(find(first)), EventStatus::failed);
    const Endpoint gone = queries.endpoint(to_string(endpoint.id)).value();
    EXPECT_FALSE(gone.enabled);
    EXPECT_EQ(gone.version, Version{2});
    EXPECT_EQ(store.recorded().back().event_type, "EndpointUpdated");
    EXPECT_THAT(logged("endpoint.disabled"), SizeIs(1));
}

// Reports.

TEST_F(WorkerLoopTest, LogsAndReportsADelivery) {
    const Event event = a_due_event(an_existing_endpoint());
    pass(90s);
    drain();

    const auto claimed = logged("event.claimed");
    ASSERT_THAT(claimed, SizeIs(1));
    EXPECT_EQ(field<std::int64_t>(claimed[0], "eventsClaimed"), 1);
    EXPECT_EQ(field<std::string>(claimed[0], "claimedBy"), to_string(instance_a));
    EXPECT_TRUE(has_field(claimed[0], "durationMs"));

    const auto completed = logged("event.completed");
    ASSERT_THAT(completed, SizeIs(1));
    const base::LogLine& line = completed[0];
    EXPECT_EQ(line.correlation_id, "evt-" + to_string(event.id));
    EXPECT_EQ(field<std::string>(line, "eventId"), to_string(event.id));
    EXPECT_EQ(field<std::string>(line, "eventType"), "REMINDER");
    EXPECT_EQ(field<std::string>(line, "idempotencyKey"), event.key.value);
    EXPECT_EQ(field<std::int64_t>(line, "attempt"), 1);
    EXPECT_EQ(field<std::int64_t>(line, "retryCount"), 0);
    EXPECT_EQ(field<std::int64_t>(line, "statusCode"), 204);
    EXPECT_EQ(field<std::string>(line, "targetTimestampUTC"), "2027-01-05T12:00:00.000Z");
    EXPECT_EQ(field<std::string>(line, "executedAt"), "2027-01-05T12:01:30.000Z");
    EXPECT_EQ(field<bool>(line, "lateExecution"), true);
    EXPECT_EQ(field<std::int64_t>(line, "latenessMs"), 90'000);
    EXPECT_FALSE(has_field(line, "failureReason"));
    EXPECT_FALSE(has_field(line, "userId"));

    EXPECT_THAT(observer.claims, ElementsAre(1U));
    EXPECT_THAT(observer.lateness, ElementsAre(90s));
    EXPECT_EQ(observer.attempts_ended, 1U);
    EXPECT_EQ((observer.transitions[{"REMINDER", EventStatus::processing}]), 1U);
    EXPECT_EQ((observer.transitions[{"REMINDER", EventStatus::completed}]), 1U);
}

TEST_F(WorkerLoopTest, LogsRetriesAndFailures) {
    Endpoint endpoint = an_endpoint().with_retry_policy({.kind = RetryPolicy::Kind::seed});
    a_due_event(an_existing_endpoint(endpoint));
    webhook.answer = [](const DeliveryRequest&) { return status_outcome(503); };
    drain();
    for (const auto delay : {1s, 2s, 4s}) advance(delay);

    EXPECT_THAT(webhook.requests, SizeIs(4));
    const auto retrying = logged("event.retrying");
    ASSERT_THAT(retrying, SizeIs(3));
    EXPECT_EQ(field<std::int64_t>(retrying[2], "retryCount"), 3);
    EXPECT_EQ(field<std::string>(retrying[2], "failureReason"), "HTTP_STATUS 503");
    EXPECT_FALSE(has_field(retrying[2], "executedAt"));
    const auto failed = logged("event.failed");
    ASSERT_THAT(failed, SizeIs(1));
    EXPECT_EQ(field<std::int64_t>(failed[0], "retryCount"), 4);
    EXPECT_EQ(field<std::int64_t>(failed[0], "attempt"), 4);
    EXPECT_EQ(field<std::string>(failed[0], "failureReason"), "HTTP_STATUS 503");
    EXPECT_EQ(field<bool>(failed[0], "lateExecution"), false);
    EXPECT_THAT(observer.lateness, ElementsAre(0us));  // first attempts only
}

TEST_F(WorkerLoopTest, ReportsTheRecoveryOfADayOfDowntimeOnce) {
    const Endpoint endpoint = an_existing_endpoint();
    for (int i = 0; i < 50; ++i) {
        NewEvent requested = a_reminder();
        requested.target.utc = "now+" + std::to_string(i) + "m";
        requested.endpoint = to_string(endpoint.id);
        scheduled(requested);
    }
    pass(24h);
    EXPECT_EQ(drain(), (TickCounters{.claimed = 50, .completed = 50}));
    EXPECT_THAT(webhook.requests, SizeIs(50));
    turn(1);

    const auto started = logged("recovery.started");
    ASSERT_THAT(started, SizeIs(1));
    EXPECT_EQ(field<std::int64_t>(started[0], "missedCount"), 50);
    EXPECT_EQ(field<std::string>(started[0], "oldestTarget"), "2027-01-05T12:00:00.000Z");
    EXPECT_EQ(field<std::string>(started[0], "newestTarget"), "2027-01-05T12:49:00.000Z");
    ASSERT_THAT(logged("recovery.finished"), SizeIs(1));
    EXPECT_TRUE(has_field(logged("recovery.finished")[0], "durationMs"));
    for (const auto& line : logged("event.completed")) {
        EXPECT_EQ(field<bool>(line, "lateExecution"), true);
    }
    EXPECT_EQ(drain(), TickCounters{});
}

/// With a limit the rest is claimable only later; nothing was left to claim, so it was said at
/// once.
TEST_F(WorkerLoopTest, FinishesARecoveryOnceALimitHasLetEverythingThrough) {
    const Endpoint endpoint = an_existing_endpoint(an_endpoint().with_max_in_flight(4));
    for (int i = 0; i < 12; ++i) {
        NewEvent requested = a_reminder();
        requested.target.utc = "now";
        requested.endpoint = to_string(endpoint.id);
        scheduled(requested);
    }
    pass(24h);
    webhook.holds = true;
    for (int i = 0; i < 30; ++i) turn(1);
    ASSERT_THAT(logged("recovery.started"), SizeIs(1));
    ASSERT_THAT(webhook.requests, SizeIs(4));
    EXPECT_THAT(logged("recovery.finished"), IsEmpty());

    crash();  // the next process goes on
    pass(1h);
    for (int i = 0; i < 30; ++i) turn(1);
    ASSERT_THAT(logged("recovery.started"), SizeIs(2));
    EXPECT_EQ(field<std::int64_t>(logged("recovery.started")[1], "missedCount"), 12);
    EXPECT_THAT(logged("recovery.finished"), IsEmpty());
    webhook.holds = false;
    webhook.finish_all(accepted_outcome());
    for (int i = 0; i < 200 && logged("recovery.finished").empty(); ++i) {
        pass(1s);
        turn(5);
    }
    ASSERT_THAT(logged("recovery.finished"), SizeIs(1));
    EventQuery unfinished;
    unfinished.statuses = {EventStatus::pending, EventStatus::processing};
    for (const Event& event : queries.events(unfinished).items) EXPECT_GT(event.retry_count, 0U);
}

TEST_F(WorkerLoopTest, ReportsNoRecoveryIfNoEventWasMissed) {
    a_due_event(an_existing_endpoint());
    drain();
    EXPECT_THAT(logged("recovery.started"), IsEmpty());
}

TEST_F(WorkerLoopTest, TellsTheQueueAboutHintsAndSuccessors) {
    birthdays_go_to(an_endpoint());
    const User user = created(ada());
    faulty.hints.clear();
    loop->due_at(noon - 1h);
    turn(1);
    EXPECT_THAT(faulty.hints, ElementsAre(noon - 1h));
    advance(24h);
    EXPECT_THAT(faulty.hints, testing::Contains(pending_of(user).claimable_at));
}

// Driving the loop.

TEST_F(WorkerLoopTest, StopsOnceHeldEventsAreSettled) {
    const Event event = a_due_event(an_existing_endpoint());
    webhook.holds = true;
    turn(8);
    loop->stop();
    turn(3);
    EXPECT_TRUE(loop->turn());
    webhook.finish(accepted_outcome());
    loop->run();  // returns
    EXPECT_EQ(status_of(find(event)), EventStatus::completed);
    EXPECT_FALSE(loop->turn());
}

TEST_F(WorkerLoopTest, TicksUpToALimit) {
    const Endpoint endpoint = an_existing_endpoint();
    for (int i = 0; i < 5; ++i) a_due_event(endpoint);
    Tick tick{*loop};
    EXPECT_EQ(tick.run(3), (TickCounters{.claimed = 3, .completed = 3}));
    EXPECT_EQ(tick.run(std::nullopt), (TickCounters{.claimed = 2, .completed = 2}));
}

TEST_F(WorkerLoopTest, IsTurningForTwoTicksAfterATurn) {
    turn(1);
    EXPECT_TRUE(loop->turning());
    EXPECT_EQ(loop->age(), 0s);
    monotonic.time += 2s;
    EXPECT_FALSE(loop->turning());
    EXPECT_EQ(loop->age(), 2s);
}

}  // namespace
}  // namespace sundial
