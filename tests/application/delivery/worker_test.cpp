#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker_fixture.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// When the worker looks, and when it sleeps.

TEST_F(WorkerTest, PeeksOncePerTickWhileIdle) {
    peek({never});
    EXPECT_EQ(wait(), 1s);
    now += 1s;
    peek({db() + 1h});
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, SleepsUntilTheNextEventAndClaimsItWithoutAPeek) {
    peek({db() + 300ms});
    EXPECT_EQ(wait(), 300ms);
    now += 299ms;
    EXPECT_EQ(wait(), 1ms);
    now += 1ms;
    claim({an_event()});
}

TEST_F(WorkerTest, ClaimsTheNextEventWithoutAPeekIfAClaimReportsItsInstant) {
    peek({db()});
    const Claim first = want<Claim>();
    ASSERT_THAT(first.requests, SizeIs(1));
    EXPECT_TRUE(first.requests.front().with_next);
    worker.claimed({Claimed{{}, db(), {}, db() + 300ms}}, now);
    EXPECT_EQ(wait(), 300ms);
    now += 300ms;
    claim({});
    peek({never});  // the queue has not looked
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, SendsAtMostTwoQueriesInAnIdleTick) {
    restart({.instance = instance_a, .shards = 3, .count_backlog = false});
    peek({never, db() + 500ms, never});
    now += 500ms;
    EXPECT_EQ(want<Claim>().requests.front().shard, 1U);
    give(events(1));
    plan();
    accept(send());
    settle();
    peek({never, never, never});
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, PeeksAtOnceForADueHintAndLaterForAFutureOne) {
    peek({never});
    worker.wake(db() + 200ms);
    EXPECT_EQ(wait(), 200ms);
    worker.wake(db());
    peek({never});
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, ClaimsItsOwnRetriesWithoutAPeek) {
    WorkerSettings slow = settings();
    slow.tick = 10s;
    restart(slow);
    take(events(1));
    const Event event = send();
    peek({never});
    deliver(event, status(500));
    EXPECT_EQ(std::get<RetryIn>(settle().front().settlement.result).delay, 1s);
    EXPECT_EQ(wait(), 20ms);
    now += 20ms;
    report();
    EXPECT_EQ(wait(), 980ms);
    now += 980ms;
    want<Claim>();
}

TEST_F(WorkerTest, BacksOffExponentiallyFromLockedRows) {
    peek({db()});
    claim({});
    peek({db()});
    EXPECT_EQ(wait(), 5ms);
    now += 5ms;
    claim({});
    peek({db() - 5ms});
    EXPECT_EQ(wait(), 10ms);
    now += 10ms;
    claim(events(1));
    plan();
    accept(send());
    settle();
    peek({db()});
    want<Claim>();  // success ends the back-off
}

TEST_F(WorkerTest, UsesOnlyTimesReadFromATestClock) {
    WorkerSettings test_clock = settings();
    test_clock.clock_stands_still = true;
    restart(test_clock);
    peek({noon + 300ms});
    now += 300ms;
    EXPECT_EQ(wait(), 700ms);  // noon is unchanged
    worker.wake(noon + 24h);   // the clock may have been moved
    want<Peek>();
    worker.peeked({noon + 1s, {noon + 300ms}, {}, {}, reminders_only}, now);
    want<Claim>();
    worker.claimed(
        {Claimed{{{sundial::claim(an_event(), instance_a, noon + 1s, 30s).value(), false}},
                 noon + 1s}},
        now);
    now += 5ms;
    plan();
    EXPECT_EQ(want<Send>().now, noon + 1s);
}

// Claims.

TEST_F(WorkerTest, HoldsAtMostTheEventsThatAPoolOfHandlersMayHave) {
    worker.limit({{{reminder_lane}, 4}});
    peek({db()});
    EXPECT_EQ(asked(want<Claim>()), 4U);
    give(events(4));
    plan();
    std::vector<Event> sent;
    for (int i = 0; i < 4; ++i) sent.push_back(send());
    EXPECT_GT(wait(), 0us);  // although more are due
    accept(sent[0]);
    accept(sent[1]);
    EXPECT_EQ(asked(want<Claim>()), 2U);
}

TEST_F(WorkerTest, ReleasesASnoozedEventUntilItsTime) {
    take(events(1));
    Outcome snoozed;
    snoozed.again_at = db() + 3h;
    deliver(send(), snoozed);
    const auto released = want<ReleaseClaims>().batch;
    ASSERT_THAT(released, testing::SizeIs(1));
    EXPECT_EQ(released[0].delay, std::chrono::microseconds{3h});
    EXPECT_THAT(released[0].reason, testing::StartsWith("SNOOZED"));
}

TEST_F(WorkerTest, ReleasesAnEventUntilThereMayBeAThreadForIt) {
    take(events(1));
    Outcome given_back;
    given_back.begun = false;
    given_back.again_at = db() + 1s;
    const Event sent = send();
    EXPECT_FALSE(worker.delivered(sent.id, given_back, 0.5, now));
    const auto released = want<ReleaseClaims>().batch;
    ASSERT_THAT(released, testing::SizeIs(1));
    EXPECT_EQ(released[0].delay, std::chrono::microseconds{1s});
    EXPECT_THAT(released[0].reason, testing::StartsWith("NO_THREAD"));
}

TEST_F(WorkerTest, NamesItselfAndItsLease) {
    peek({db()});
    const ClaimRequest request = want<Claim>().requests.front();
    EXPECT_EQ(request.by, instance_a);
    EXPECT_EQ(request.lease, 30s);
}

TEST_F(WorkerTest, ClaimsNoMoreThanItsFreeSlotsAndOnlyWhenHalfOfThemAreFree) {
    restart(settings(4));
    peek({db()});
    EXPECT_EQ(asked(want<Claim>()), 4U);
    give(events(4));
    plan();
    std::vector<Event> sent;
    for (int i = 0; i < 4; ++i) sent.push_back(send());
    accept(sent[0]);
    now += 20ms;
    EXPECT_THAT(settle(), SizeIs(1));
    want<WaitUntil>();  // more events are due, but one free slot of four is not enough
    accept(sent[1]);
    EXPECT_EQ(asked(want<Claim>()), 2U);
}

TEST_F(WorkerTest, HoldsMoreThanItHasSlotsWhileAttemptsAreQuickButSendsNoMoreAtOnce) {
    restart(settings(4));
    peek({db()});
    for (int i = 0; i < 3; ++i) {
        claim(events(4));
        plan();
        for (int sent = 0; sent < 4; ++sent) accept(send());
    }
    now += 100ms;
    // Its slots, plus half of the number that ended within 100 ms.
    EXPECT_EQ(asked(want<Claim>()), 10U);
    settle();
    give(events(10));
    plan();
    for (int sent = 0; sent < 4; ++sent) send();
    want<WaitUntil>();
}

TEST_F(WorkerTest, HoldsNoMoreThanItsSlotsForSeveralEndpoints) {
    restart(settings(16));
    const std::vector endpoints{webhook, std::make_shared<const Endpoint>(an_endpoint()),
                                std::make_shared<const Endpoint>(an_endpoint())};
    peek({db()});
    claim(events(9));
    std::vector<Decision> decisions;
    for (const Event& event : want<Plan>().events) {
        const auto& endpoint = endpoints[decisions.size() % endpoints.size()];
        decisions.push_back({event.id, Destination{endpoint, {}, 10s, "target"}});
    }
    worker.planned(std::move(decisions), never, now);
    for (int sent = 0; sent < 9; ++sent) accept(send());
    now += 100ms;
    EXPECT_EQ(asked(want<Claim>()), 16U);
}

TEST_F(WorkerTest, ClaimsABatchAtMost) {
    WorkerSettings wide = settings(64);
    wide.claim_batch = 10;
    restart(wide);
    peek({db()});
    EXPECT_EQ(asked(want<Claim>()), 10U);
}

TEST_F(WorkerTest, ClaimsFromDueShardsInTurn) {
    restart({.instance = instance_a, .shards = 4, .slots = 64, .count_backlog = false});
    peek({db(), never, db(), db()});
    std::vector<std::uint32_t> shards;
    for (int i = 0; i < 3; ++i) {
        shards.push_back(want<Claim>().requests.front().shard);
        give({});
    }
    EXPECT_THAT(shards, ElementsAre(0, 2, 3));
    want<Peek>();
}

TEST_F(WorkerTest, TakesTheEventsOfAllShardsOfAClaim) {
    restart({.instance = instance_a,
             .shards = 4,
             .claims_at_once = 3,
             .slots = 64,
             .count_backlog = false});
    peek({db(), db(), db(), db()});
    std::vector<std::uint32_t> shards;
    for (const ClaimRequest& one : want<Claim>().requests) shards.push_back(one.shard);
    EXPECT_THAT(shards, ElementsAre(0, 1, 2));
    const auto claimed = [&](const Event& event) {
        return Claimed{{{sundial::claim(event, instance_a, db(), 30s).value(), false}}, db()};
    };
    const Event first = an_event();
    const Event second = an_event();
    worker.claimed({claimed(first), Claimed{{}, db()}, claimed(second)}, now);
    const Claim next = want<Claim>();
    ASSERT_THAT(next.requests, SizeIs(1));
    EXPECT_EQ(next.requests.front().shard, 3U);
    give({});
    const Plan planned = want<Plan>();
    ASSERT_THAT(planned.events, SizeIs(2));
    EXPECT_EQ(planned.events[0]->id, first.id);
    EXPECT_EQ(planned.events[1]->id, second.id);
}

TEST_F(WorkerTest, PlansBeforeItSends) {
    peek({db()});
    claim(events(2));
    EXPECT_THAT(want<Plan>().events, SizeIs(2));
}

// Sending.

TEST_F(WorkerTest, SendsEventsAsTheirClaimReturnedThem) {
    take({an_event().due(noon - 1h)});
    const Send send = want<Send>();
    EXPECT_EQ(send.event->version, Version{2});
    EXPECT_EQ(send.event->attempt, Attempt{1});
    EXPECT_EQ(send.endpoint, webhook);
    EXPECT_EQ(send.now, db());
}

TEST_F(WorkerTest, NeverClaimsThatItSentBeforeTheClaim) {
    peek({db()});
    want<Claim>();
    const Instant claimed_at = db() + 40ms;  // the database's clock is ahead of the look's estimate
    worker.claimed(
        {Claimed{{{sundial::claim(an_event(), instance_a, claimed_at, 30s).value(), false}},
                 claimed_at}},
        now);
    plan();
    EXPECT_GE(want<Send>().now, claimed_at);
}

TEST_F(WorkerTest, SendsNothingWhoseTimeOutWouldOutliveTheLease) {
    take(events(1));
    // Lease 30 s, margin 5 s, timeout 10 s: the limit is 15 s after the claim was issued.
    now += 16s;
    const Extend extend = want<Extend>();
    worker.failed(extend, true, 0.0, now);
    const ReleaseClaims back = want<ReleaseClaims>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_EQ(back.batch.front().delay, 0us);
    EXPECT_THAT(back.parked, IsEmpty());
}

TEST_F(WorkerTest, CountsTheLeaseFromWhenTheClaimWasIssued) {
    peek({db()});
    want<Claim>();
    now += 9s;  // a slow response
    give(events(1));
    now += 999ms;
    plan();
    now += 5001ms;  // 15 s after the claim was issued: the last moment
    worker.failed(want<Extend>(), true, 0.0, now);
    send();
}

TEST_F(WorkerTest, AnExtensionMakesRoomForASend) {
    take(events(1));
    now += 16s;
    want<Extend>();
    worker.extended({}, 0.5, now);
    send();
}

TEST_F(WorkerTest, RecordsAReasonIfAllAttemptsWereLost) {
    Event event = an_event();
    event.retry_count = 11;  // 10 delays: 11 attempts
    take({event}, true);
    const Settle settle = want<Settle>();
    ASSERT_THAT(settle.batch, SizeIs(1));
    EXPECT_THAT(std::get<Refused>(settle.batch.front().result).reason,
                testing::StartsWith("LEASE_LOST"));
    EXPECT_EQ(settle.batch.front().started_at, std::nullopt);
    EXPECT_EQ(settle.batch.front().attempt, std::nullopt);
}

TEST_F(WorkerTest, MakesTheLastAttemptThatIsLeft) {
    Event event = an_event();
    event.retry_count = 10;
    take({event}, true);
    send();
}

TEST_F(WorkerTest, SettlesAnEarlierSuccessWithoutSending) {
    peek({db()});
    claim(events(1));
    AttemptRecord earlier{.event = an_id<EventId>(),
                          .number = Attempt{1},
                          .outcome = AttemptOutcome::late,
                          .endpoint = {},
                          .started_at = {},
                          .status_code = 200,
                          .error_code = {},
                          .error_text = {},
                          .response_body = {},
                          .instance = {}};
    plan_as(AcceptedBefore{earlier});
    const Settle settle = want<Settle>();
    EXPECT_TRUE(std::holds_alternative<Accepted>(settle.batch.front().result));
    EXPECT_EQ(settle.batch.front().status_code, 200);
}

TEST_F(WorkerTest, ReleasesInOneStatementEventsThatMustNotBeSentNow) {
    peek({db()});
    const auto two = events(2);
    claim(two);
    const Plan plan = want<Plan>();
    worker.planned({{plan.events[0]->id, Deferral{std::nullopt, "no endpoint"}},
                    {plan.events[1]->id, Deferral{1min, "later"}}},
                   never, now);
    const ReleaseClaims back = want<ReleaseClaims>();
    ASSERT_THAT(back.batch, SizeIs(2));
    EXPECT_EQ(back.batch[0].delay, std::nullopt);
    EXPECT_EQ(back.batch[1].delay, 1min);
    EXPECT_EQ(back.batch[0].held, plan.events[0]->version);
    EXPECT_THAT(back.parked, ElementsAre(plan.events[0]));
    worker.claims_released({}, 0, 0.0, now);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, PeeksAgainIfAParkedEventWasReleased) {
    peek({db()});
    claim(events(1));
    plan_as(Deferral{std::nullopt, "no endpoint"});
    want<ReleaseClaims>();
    worker.claims_released({}, 1, 0.0, now);
    peek({db()});
    want<Claim>();
}

TEST_F(WorkerTest, PeeksWhenASuccessorIsDue) {
    peek({db()});
    claim(events(1));
    const Plan plan = want<Plan>();
    worker.planned({{plan.events.front()->id, Deferral{std::nullopt, "no endpoint"}}}, db(), now);
    want<ReleaseClaims>();
    worker.claims_released({}, 0, 0.0, now);
    want<Peek>();
}

TEST_F(WorkerTest, DisablesAnEndpointThatIsGoneAndParksItsOtherEvents) {
    take(events(2));
    const Event first = send();
    deliver(first, status(410));
    EXPECT_EQ(want<DisableEndpoint>().endpoint, webhook->id);
    worker.endpoint_disabled();
    const ReleaseClaims back = want<ReleaseClaims>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_NE(back.batch.front().id, first.id);
    EXPECT_EQ(back.batch.front().delay, std::nullopt);
    worker.claims_released({}, 0, 0.0, now);
    EXPECT_TRUE(std::holds_alternative<Refused>(settle().front().settlement.result));
}

}  // namespace
}  // namespace sundial
