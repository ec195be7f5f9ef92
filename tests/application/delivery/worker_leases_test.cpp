#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker_fixture.hpp"

namespace sundial {
namespace {

using testing::SizeIs;

// While a claim is in progress.

TEST_F(WorkerTest, PlansSendsAndSettlesWhileAClaimIsUnderWay) {
    claim_of_the_first_of_two_shards();
    want<Claim>();
    plan();
    accept(send());
    now += 20ms;
    settle();
    EXPECT_EQ(wait(), 1s);  // neither a second claim nor a look
    give(events(1));
    plan();
    send();
}

TEST_F(WorkerTest, CountsALeaseFromTheRequestOfItsClaim) {
    claim_of_the_first_of_two_shards();
    const Mono asked = now;
    plan_while_claiming();
    now += 9s;
    give(events(1));
    plan();
    send();
    now = asked + 10s;
    EXPECT_THAT(want<Extend>().held, SizeIs(2));
    worker.failed(Extend{}, true, 0.5, now);
    now = asked + 25s;
    want<Abandon>();
    want<Abandon>();
}

TEST_F(WorkerTest, ExtendsAShortLeaseLongBeforeItsLastMoments) {
    WorkerSettings short_lease = settings();
    short_lease.lease = 15s;
    restart(short_lease);
    take(events(1));
    send();
    const Mono asked = now;
    now = asked + 5s;
    want<Extend>();
    worker.extended({}, 0.5, now);
    now = asked + 10s;
    want<Extend>();  // but abandons nothing
}

TEST_F(WorkerTest, ExtendsTheLeasesOfALateClaimInTime) {
    claim_of_the_first_of_two_shards();
    const Mono asked = now;
    plan_while_claiming();
    now = asked + 10s;
    want<Extend>();
    worker.extended({}, 0.5, now);
    give(events(1));
    EXPECT_THAT(want<Extend>().held, SizeIs(2));
}

TEST_F(WorkerTest, ReleasesEventsThatAClaimReturnsAfterAStopRequest) {
    peek({db()});
    want<Claim>();
    worker.stop(now);
    EXPECT_EQ(wait(), 1s);
    give(events(2));
    EXPECT_THAT(want<ReleaseClaims>().batch, SizeIs(2));
    worker.claims_released({}, 0, 0.0, now);
    want<Finished>();
}

TEST_F(WorkerTest, ReleasesAnAttemptThatNeverBeganBecauseTheProcessStops) {
    take(events(2));
    const Event begun = send(), not_begun = send();
    worker.stop(now);
    accept(begun);
    Outcome none;
    none.begun = false;
    EXPECT_FALSE(worker.delivered(not_begun.id, none, 0.5, now));
    const auto returned = want<ReleaseClaims>().batch;
    ASSERT_THAT(returned, SizeIs(1));
    EXPECT_EQ(returned[0].id, not_begun.id);
    EXPECT_EQ(returned[0].delay, 0us);
    worker.claims_released({}, 0, 0.0, now);
    EXPECT_THAT(settle(), SizeIs(1));
}

TEST_F(WorkerTest, LetsAFailedClaimExpire) {
    peek({db()});
    const Claim failed = want<Claim>();
    worker.failed(failed, true, 0.5, now);
    want<WaitUntil>();
    now += 1s;
    peek({db()});
    want<Claim>();
}

TEST_F(WorkerTest, APassContinuesWhileAClaimIsUnderWay) {
    worker.begin_pass(std::nullopt);
    peek({db()});
    want<Claim>();
    want<WaitUntil>();
    EXPECT_FALSE(worker.pass_over());
    give({});
    peek({never});
    want<WaitUntil>();
    EXPECT_TRUE(worker.pass_over());
}

// While a settlement is in progress.

TEST_F(WorkerTest, ContinuesWhileASettlementIsUnderWay) {
    take(events(1));
    accept(send());
    const Settle first = want<Settle>();
    peek({db()});
    claim(events(1));
    plan();
    accept(send());
    now += 1s;
    peek({never});
    EXPECT_EQ(wait(), 1s);  // the second settlement waits for the response to the first
    EXPECT_THAT(answer(first), SizeIs(1));
    EXPECT_THAT(settle(), SizeIs(1));
}

TEST_F(WorkerTest, ExtendsNothingWhileASettlementIsUnderWay) {
    take(events(2));
    const Event quick = send();
    send();
    accept(quick);
    now += 20ms;
    const Settle settling = want<Settle>();
    now = start + 10s;
    report();
    peek({never});
    EXPECT_EQ(wait(), 1s);
    EXPECT_THAT(answer(settling), SizeIs(1));
    EXPECT_THAT(want<Extend>().held, SizeIs(1));
}

// Settling.

TEST_F(WorkerTest, SettlesAtOnceWhenNothingElseIsUnderWay) {
    take(events(1));
    accept(send());
    EXPECT_THAT(settle(), SizeIs(1));
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, WaitsTwoMillisecondsForMoreWhenIdle) {
    take(events(2));
    const Event first = send();
    send();
    peek({never});
    accept(first);
    EXPECT_EQ(wait(), 2ms);
    now += 2ms;
    EXPECT_THAT(settle(), SizeIs(1));
}

TEST_F(WorkerTest, WaitsTwentyMillisecondsForMoreWhenBusy) {
    restart(settings(4));
    take(events(4));  // as many as requested, so more may be due
    const Event first = send();
    for (int i = 0; i < 3; ++i) send();
    accept(first);
    EXPECT_EQ(wait(), 20ms);
    now += 20ms;
    EXPECT_THAT(settle(), SizeIs(1));
}

TEST_F(WorkerTest, SettlesAHundredAtOnce) {
    restart(settings(200));
    peek({db()});
    claim(events(100));
    claim({});
    plan();
    std::vector<Event> sent;
    for (int i = 0; i < 100; ++i) sent.push_back(send());
    peek({never});
    for (int i = 0; i < 99; ++i) accept(sent[static_cast<std::size_t>(i)]);
    EXPECT_EQ(wait(), 2ms);
    accept(sent[99]);
    EXPECT_THAT(settle(), SizeIs(100));
}

TEST_F(WorkerTest, ReportsLateSettlements) {
    take(events(1));
    const Event event = send();
    accept(event);
    const auto settled = settle(LeaseLost{event.id, event.version});
    ASSERT_THAT(settled, SizeIs(1));
    EXPECT_TRUE(settled.front().late);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, RecordsTheOutcomeOfAnAttempt) {
    take(events(1));
    const Event event = send();
    Outcome outcome = status(503);
    outcome.retry_after = 90s;
    outcome.duration = 12ms;
    outcome.response_body = "busy";
    deliver(event, outcome);
    const Settlement settlement = settle().front().settlement;
    EXPECT_EQ(std::get<RetryIn>(settlement.result).delay, 90s);
    EXPECT_EQ(settlement.held, event.version);
    EXPECT_EQ(settlement.started_at, db());
    ASSERT_TRUE(settlement.attempt);
    EXPECT_EQ(settlement.attempt->outcome, AttemptOutcome::retryable);
    EXPECT_EQ(settlement.attempt->number, event.attempt);
    EXPECT_EQ(settlement.attempt->response_body, "busy");
    EXPECT_EQ(settlement.attempt->instance, instance_a);
}

TEST_F(WorkerTest, FailsAnEventAfterTheLastAttempt) {
    Event event = an_event();
    event.retry_count = 10;
    take({event});
    deliver(send(), status(500));
    const Settlement settlement = settle().front().settlement;
    EXPECT_EQ(std::get<Refused>(settlement.result).reason, "HTTP_STATUS 500");
    EXPECT_EQ(settlement.attempt->outcome, AttemptOutcome::retryable);
}

TEST_F(WorkerTest, RetriesClientErrorsAsOftenAsTheEndpointGrants) {
    webhook = std::make_shared<const Endpoint>(an_endpoint().retrying_client_errors(1));
    Event second = an_event();
    second.retry_count = 1;
    take({an_event(), second});
    for (int i = 0; i < 2; ++i) deliver(send(), status(404));
    const auto settled = settle();
    EXPECT_TRUE(std::holds_alternative<RetryIn>(settled[0].settlement.result));
    EXPECT_TRUE(std::holds_alternative<Refused>(settled[1].settlement.result));
}

// Extending leases.

TEST_F(WorkerTest, ExtendsEveryTenSecondsWhileItHoldsSomething) {
    take(events(1));
    const Event event = send();
    now += 10s;
    const Extend extend = want<Extend>();
    ASSERT_THAT(extend.held, SizeIs(1));
    EXPECT_EQ(extend.held.front().id, event.id);
    EXPECT_EQ(extend.held.front().held, event.version);
    EXPECT_EQ(extend.lease, 30s);
    worker.extended({}, 0.5, now);
    peek({never});
    now += 9s;
    peek({never});
    EXPECT_EQ(wait(), 1s);
    now += 1s;
    want<Extend>();
    worker.extended({}, 0.5, now);
    accept(event);
    settle();
    now += 1min;
    report();
    peek({never});  // no claims, so nothing to extend
}

TEST_F(WorkerTest, StartsNothingAfterTwoFailedExtensionsUntilOneSucceeds) {
    peek({db()});
    claim(events(3));
    now += 10s;
    fail<Extend>();
    now += 100ms;
    fail<Extend>();
    plan();
    worker.wake(db());
    EXPECT_EQ(wait(), 200ms);  // neither a send nor a claim
    now += 200ms;
    want<Extend>();
    worker.extended({}, 0.5, now);
    for (int i = 0; i < 3; ++i) send();
}

TEST_F(WorkerTest, ClaimsAgainOnceTheDoubtfulClaimHasExpired) {
    take(events(1));
    const Event event = send();
    now += 10s;
    fail<Extend>();
    now += 100ms;
    fail<Extend>();
    accept(event);
    settle();
    peek({db()});
    want<Claim>();
}

TEST_F(WorkerTest, ForgetsAnUnsentEventWhoseLeaseIsLost) {
    take(events(1));
    now += 10s;
    const EventId lost = want<Extend>().held.front().id;
    const auto reported = worker.extended({.lost = {lost}}, 0.5, now);
    ASSERT_THAT(reported, SizeIs(1));
    EXPECT_EQ(reported.front()->id, lost);
    EXPECT_EQ(worker.held(), 0U);
    peek({never});
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, SettlesAnAttemptUnderWayAlthoughItsLeaseIsLost) {
    take(events(1));
    const Event event = send();
    now += 10s;
    want<Extend>();
    worker.extended({.lost = {event.id}}, 0.5, now);
    now += 10s;
    peek({never});  // a lost lease is not extended again
    accept(event);
    EXPECT_EQ(want<Settle>().batch.front().held, event.version);
}

TEST_F(WorkerTest, NeverHasTwoAttemptsOfOneEventUnderWay) {
    const Event event = an_event();
    take({event});
    const Event first = send();
    now += 40s;  // frozen for longer than the lease
    want<Abandon>();
    fail<Extend>();
    peek({db()});
    want<Claim>();
    Event again = first;
    again.version = Version{3};
    again.attempt = Attempt{2};
    worker.claimed({Claimed{{{again, true}}, db()}}, now);
    const ReleaseClaims back = want<ReleaseClaims>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_EQ(back.batch.front().held, Version{3});
    EXPECT_EQ(back.batch.front().delay, 1s);
    worker.claims_released({}, 0, 0.0, now);
    accept(first);
    EXPECT_EQ(want<Settle>().batch.front().held, Version{2});
}

TEST_F(WorkerTest, EndsAnAttemptAtItsDeadlineAndSettlesIt) {
    take(events(1));
    const Event event = send();
    now += 10s;
    fail<Extend>();
    now += 14s + 999'999us;  // one more, and the claim was issued 25 s ago
    fail<Extend>();
    EXPECT_EQ(wait(), 1us);
    now += 1us;
    EXPECT_EQ(want<Abandon>().event->id, event.id);
    Outcome ended;
    ended.verdict = Verdict::retryable;
    ended.error = DeliveryErrorCode::lease_lost;
    deliver(event, ended);
    const Settle settle = want<Settle>();
    ASSERT_THAT(settle.batch, SizeIs(1));
    EXPECT_EQ(settle.batch.front().held, event.version);
    EXPECT_TRUE(std::holds_alternative<RetryIn>(settle.batch.front().result));
}

TEST_F(WorkerTest, LetsAnAttemptGoOnOnceItsLeaseIsExtended) {
    take(events(1));
    const Event event = send();
    now += 24s;
    want<Extend>();
    worker.extended({}, 0.5, now);
    now += 20s;
    want<Extend>();
    worker.extended({}, 0.5, now);
    peek({never});
    EXPECT_EQ(wait(), 1s);
    accept(event);
    settle();
}

TEST_F(WorkerTest, SendsUnsentEventsUnderTheNewerClaim) {
    const Event event = an_event();
    peek({db()});
    claim({event});
    now += 40s;
    fail<Extend>();
    fail<Plan>();
    peek({db()});
    want<Claim>();
    Event again = event;
    again.version = Version{3};
    again.attempt = Attempt{2};
    again.state = Processing{instance_a};
    worker.claimed({Claimed{{{again, true}}, db()}}, now);
    now += 100ms;
    want<Extend>();
    worker.extended({}, 0.5, now);
    plan();
    EXPECT_EQ(send().version, Version{3});
    EXPECT_EQ(worker.held(), 1U);
}

}  // namespace
}  // namespace sundial
