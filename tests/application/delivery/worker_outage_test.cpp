#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker_fixture.hpp"

namespace sundial {
namespace {

using testing::SizeIs;

// Database outages.

TEST_F(WorkerTest, BacksOffDuringAnOutage) {
    const std::vector<Mono> waits{100ms, 200ms, 400ms, 800ms, 1s, 1s};  // at most a tick
    for (const Mono expected : waits) {
        fail<Peek>();
        EXPECT_EQ(wait(), expected);
        now += 10s;
    }
    peek({never});
    now += 1s;
    fail<Peek>();
    EXPECT_EQ(wait(), 100ms);
}

TEST_F(WorkerTest, AddsJitterToItsRepetitions) {
    fail<Peek>(true, 0.99);
    EXPECT_LT(wait(), 51ms);
    EXPECT_GT(wait(), 49ms);
}

TEST_F(WorkerTest, LetsAClaimWithAnUnknownOutcomeExpire) {
    peek({db()});
    fail<Claim>();
    EXPECT_EQ(worker.held(), 0U);
    EXPECT_EQ(wait(), 100ms);
    now += 100ms;
    want<Peek>();  // reads the current state first
}

TEST_F(WorkerTest, RepeatsASettlementUntilItIsAnswered) {
    take(events(1));
    const Event event = send();
    accept(event);
    fail<Settle>();
    EXPECT_EQ(worker.held(), 1U);
    EXPECT_EQ(wait(), 100ms);
    now += 100ms;
    EXPECT_EQ(settle().front().event->id, event.id);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, SettlesWhatItCanWhileAMachineFails) {
    take(events(2));
    const Event lost = send(), kept = send();
    accept(lost);
    accept(kept);
    want<Settle>();
    const auto settled = worker.settled(
        {.results = std::vector<Result<void, LeaseLost>>(2), .unknown = {true, false}}, 0.0, now);
    ASSERT_THAT(settled, SizeIs(1));
    EXPECT_EQ(settled.front().event->id, kept.id);
    EXPECT_EQ(worker.held(), 1U);

    // The others do not wait for the repetition.
    peek({db()});
    claim(events(1));
    plan();
    const Event other = send();
    accept(other);
    const auto alone = settle();
    ASSERT_THAT(alone, SizeIs(1));
    EXPECT_EQ(alone.front().event->id, other.id);

    now += 100ms;
    const auto repeated = settle();
    ASSERT_THAT(repeated, SizeIs(1));
    EXPECT_EQ(repeated.front().event->id, lost.id);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, ReleasesWhatItCanWhileAMachineFails) {
    peek({db()});
    claim(events(2));
    std::vector<Decision> decisions;
    for (const SharedEvent& event : want<Plan>().events) {
        decisions.push_back({event->id, Deferral{1min, "later"}});
    }
    worker.planned(std::move(decisions), never, now);
    const auto both = want<ReleaseClaims>().batch;
    ASSERT_THAT(both, SizeIs(2));
    worker.claims_released({.results = {{}, {}}, .unknown = {true, false}}, 0, 0.0, now);
    EXPECT_EQ(worker.held(), 1U);

    peek({never});
    now += 100ms;
    const auto again = want<ReleaseClaims>().batch;
    ASSERT_THAT(again, SizeIs(1));
    EXPECT_EQ(again.front().id, both.front().id);
    worker.claims_released({}, 0, 0.0, now);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, ExtendsAgainSoonWhatAFailedMachineMayNotHaveExtended) {
    take(events(3));
    now += 10s;
    const auto held = want<Extend>().held;
    ASSERT_THAT(held, SizeIs(3));
    const EventId lost = held[0].id, extended = held[1].id;
    const auto reported =
        worker.extended({.lost = {lost}, .only = std::vector<EventId>{extended}}, 0.0, now);
    ASSERT_THAT(reported, SizeIs(1));
    EXPECT_EQ(reported.front()->id, lost);
    EXPECT_EQ(worker.held(), 2U);
    send();
    send();
    peek({never});
    EXPECT_EQ(wait(), 100ms) << "a whole answer would have lasted for ten seconds";
    now += 100ms;
    EXPECT_THAT(want<Extend>().held, SizeIs(2));
    worker.extended({}, 0.5, now);
    EXPECT_EQ(wait(), 900ms) << "until the next look at the queue";
}

TEST_F(WorkerTest, ClaimsNothingWhileItCannotSettle) {
    restart(settings(100));
    peek({db()});
    claim(events(2));
    plan();
    accept(send());
    accept(send());
    fail<Settle>();
    worker.wake(db());
    EXPECT_EQ(wait(), 100ms);
    now += 100ms;
    EXPECT_THAT(settle(), SizeIs(2));
    peek({db()});
    want<Claim>();
}

TEST_F(WorkerTest, SleepsWhileItMayReadAgainButCannotSettle) {
    take(events(1));
    const Event event = send();
    peek({never});
    now += 1s;
    fail<Peek>();
    now += 60ms;
    accept(event);
    fail<Settle>();
    EXPECT_EQ(wait(), 40ms);
    now += 40ms;
    EXPECT_EQ(wait(), 60ms);
}

TEST_F(WorkerTest, RepeatsAReleaseOfClaims) {
    peek({db()});
    claim(events(1));
    plan_as(Deferral{std::nullopt, "no endpoint"});
    fail<ReleaseClaims>();
    peek({never});
    now += 100ms;
    const ReleaseClaims back = want<ReleaseClaims>();
    EXPECT_THAT(back.batch, SizeIs(1));
    EXPECT_THAT(back.parked, SizeIs(1));
    worker.claims_released({}, 0, 0.0, now);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, RepeatsPlanningAndSendsNothingBefore) {
    peek({db()});
    claim(events(2));
    fail<Plan>();
    peek({never});
    EXPECT_EQ(wait(), 100ms);
    now += 100ms;
    plan();
    send();
    send();
}

TEST_F(WorkerTest, FindsAndDefersTheEventThatCannotBePlanned) {
    peek({db()});
    const auto four = events(4);
    claim(four);
    fail<Plan>(false);
    peek({never});
    now += 100ms;
    const Plan half = want<Plan>();
    EXPECT_THAT(half.events, SizeIs(2));
    worker.failed(half, false, 0.0, now);
    now += 200ms;
    const Plan single = want<Plan>();
    EXPECT_THAT(single.events, SizeIs(1));
    worker.failed(single, false, 0.0, now);
    const ReleaseClaims back = want<ReleaseClaims>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_EQ(back.batch.front().id, four[0].id);
    EXPECT_EQ(back.batch.front().delay, 1min);
    worker.claims_released({}, 0, 0.0, now);
    now += 400ms;
    plan();
    send();
}

TEST_F(WorkerTest, LetsTheLeaseExpireIfAnEventCannotBeSettled) {
    take(events(2));
    const Event first = send();
    accept(first);
    accept(send());
    fail<Settle>(false);
    now += 100ms;
    const Settle single = want<Settle>();
    EXPECT_THAT(single.batch, SizeIs(1));
    worker.failed(single, false, 0.0, now);
    EXPECT_EQ(worker.held(), 1U);
    EXPECT_THAT(settle(), SizeIs(1));
}

// Stopping.

TEST_F(WorkerTest, StopsAtOnceWhenItHoldsNothing) {
    peek({db()});
    worker.stop(now);
    want<Finished>();
}

TEST_F(WorkerTest, ReleasesUnsentEventsAndSettlesTheOthersBeforeItStops) {
    take(events(2));
    const Event sent = send();
    worker.stop(now);
    const ReleaseClaims back = want<ReleaseClaims>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_NE(back.batch.front().id, sent.id);
    EXPECT_EQ(back.batch.front().delay, 0us);
    worker.claims_released({}, 0, 0.0, now);
    EXPECT_EQ(wait(), 1s);
    now += 10s;
    want<Extend>();
    worker.extended({}, 0.5, now);
    accept(sent);
    settle();
    report();
    want<Finished>();
}

TEST_F(WorkerTest, StopsWithoutWaitingForSlowAttempts) {
    take(events(1));
    send();
    worker.stop(now);
    now += 24s;
    want<Extend>();
    worker.extended({}, 0.5, now);
    EXPECT_EQ(wait(), 1s);
    now += 1s;
    want<Finished>();
    EXPECT_EQ(worker.held(), 1U);
}

// A pass.

TEST_F(WorkerTest, APassEndsWhenNoEventIsDue) {
    worker.begin_pass(std::nullopt);
    peek({db() + 10ms});
    EXPECT_FALSE(worker.pass_over());
    want<WaitUntil>();
    EXPECT_TRUE(worker.pass_over());
    now += 10ms;
    want<WaitUntil>();  // later events do not belong to the pass
    worker.end_pass();
    want<Claim>();
}

TEST_F(WorkerTest, APassClaimsNoMoreThanItsLimitAndEndsWhenThatIsSettled) {
    worker.begin_pass(2);
    peek({db()});
    const Shares shares = want<Claim>().requests.front().shares;
    EXPECT_EQ(shares[0] + shares[1] + shares[2] + shares[3], 2U);
    give(events(2));
    plan();
    const Event first = send();
    const Event second = send();
    want<WaitUntil>();
    accept(first);
    accept(second);
    EXPECT_FALSE(worker.pass_over());
    settle();
    want<WaitUntil>();
    EXPECT_TRUE(worker.pass_over());
}

TEST_F(WorkerTest, APassAlwaysPeeks) {
    peek({never});
    worker.begin_pass(std::nullopt);
    want<Peek>();
}

TEST_F(WorkerTest, APassEndsIfOthersHoldTheRows) {
    worker.begin_pass(std::nullopt);
    int claims = 0;
    while (!worker.pass_over() && claims < 100) {
        Command command = worker.next(now);
        if (std::holds_alternative<Peek>(command)) {
            worker.peeked({db(), {noon}, {}, {}, reminders_only}, now);
        } else if (std::holds_alternative<Claim>(command)) {
            ++claims;
            worker.claimed({Claimed{{}, db()}}, now);
        } else {
            now = std::get<WaitUntil>(command).when;
        }
    }
    EXPECT_EQ(claims, 8);
}

// Missed times.

TEST_F(WorkerTest, CountsTheBacklogBeforeItClaims) {
    WorkerSettings recovering = settings();
    recovering.count_backlog = true;
    restart(recovering);
    peek({db() - 1h});
    want<CountBacklog>();
    worker.backlog_counted();
    want<Claim>();
}

TEST_F(WorkerTest, ClaimsThoughTheBacklogCannotBeCounted) {
    WorkerSettings recovering = settings();
    recovering.count_backlog = true;
    restart(recovering);
    peek({db() - 1h});
    fail<CountBacklog>();
    now += 100ms;
    want<Claim>();
}

/// A shard that was empty at the last look must not starve beside one that always has events.
TEST_F(WorkerTest, PeeksAtAllShardsEvenIfOneHasMoreToClaim) {
    const auto one_has_more = [&] {
        restart({.instance = instance_a, .shards = 2, .count_backlog = false});
        peek({db(), never});
    };
    one_has_more();
    worker.wake(db());
    want<Claim>();  // at first, because hints arrive all the time

    one_has_more();
    worker.wake(db());
    now += 50ms;
    want<Peek>();

    one_has_more();
    now += 1s - 1us;
    want<Claim>();

    one_has_more();
    now += 1s;
    want<Peek>();
}

TEST_F(WorkerTest, DefersEventsThatNoLeaseIsLongEnoughFor) {
    WorkerSettings short_lease = settings();
    short_lease.lease = 15s;
    restart(short_lease);
    Endpoint slow = an_endpoint();
    slow.timeout = 20s;
    peek({db()});
    claim(events(1));
    plan_to(std::make_shared<const Endpoint>(slow));
    const ReleaseClaims released = want<ReleaseClaims>();
    ASSERT_THAT(released.batch, SizeIs(1));
    EXPECT_EQ(released.batch[0].delay, 1min);
    EXPECT_THAT(released.batch[0].reason, testing::HasSubstr("scheduler.lease"));
}

TEST_F(WorkerTest, HasCaughtUpOnceAllEventsAreSettled) {
    const Instant then = db();
    EXPECT_FALSE(worker.caught_up_to(then));
    peek({noon - 1h});
    EXPECT_FALSE(worker.caught_up_to(then));
    claim({an_event().due(noon - 1h)});
    plan();
    const Event event = send();
    peek({noon + 1h});
    EXPECT_FALSE(worker.caught_up_to(then));
    accept(event);
    settle();
    EXPECT_TRUE(worker.caught_up_to(then));
}

}  // namespace
}  // namespace sundial
