#include "application/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A worker driven by hand. Its database's clock reads noon at the start and runs as `now` does.
class WorkerTest : public testing::Test {
protected:
    static WorkerSettings settings(std::size_t slots = 64) {
        return {.instance = instance_a, .slots = slots, .count_backlog = false};
    }
    void restart(const WorkerSettings& with) { worker = Worker{with}; }

    [[nodiscard]] Instant db() const { return noon + (now - start); }

    /// The next command, which must be a `Wanted`.
    template <class Wanted>
    Wanted want() {
        Command command = worker.next(now);
        if (auto* wanted = std::get_if<Wanted>(&command)) return std::move(*wanted);
        static constexpr std::array names{
            "CountBacklog", "Look",    "Claim",  "Plan",     "AskLeave", "Send",      "Abandon",
            "TellResults",  "Disable", "Settle", "GiveBack", "Extend",   "WaitUntil", "Finished"};
        throw std::logic_error(std::string{"the worker wants "} + names.at(command.index()));
    }
    /// How long it wants to wait.
    Mono wait() { return want<WaitUntil>().when - now; }

    void look(std::vector<Instant> next) {
        want<Look>();
        worker.horizon({db(), std::move(next)}, now);
    }
    void claim(const std::vector<Event>& events, bool rescued = false) {
        want<Claim>();
        give(events, rescued);
    }
    /// Answers a claim with `events`.
    void give(const std::vector<Event>& events, bool rescued = false) {
        Claimed claimed{{}, db()};
        for (const Event& event : events) {
            claimed.events.push_back(
                {sundial::claim(event, instance_a, db(), 30s).value(), rescued});
        }
        worker.claimed(claimed, now);
    }
    /// Answers a plan: all of it goes to `endpoint`.
    void plan_to(const std::shared_ptr<const Endpoint>& endpoint) {
        const Plan plan = want<Plan>();
        std::vector<Decision> decisions;
        for (const Event& event : plan.events) {
            decisions.push_back({event.id, Destination{endpoint, endpoint->retry_policy,
                                                       endpoint->timeout, "target"}});
        }
        worker.planned(std::move(decisions), never, now);
    }
    void plan() { plan_to(webhook); }
    void plan_as(decltype(Decision::what) what) {
        const Plan planned = want<Plan>();
        ASSERT_THAT(planned.events, SizeIs(1));
        worker.planned({{planned.events.front().id, std::move(what)}}, never, now);
    }
    /// Looks, claims `events`, of one shard, and has them planned.
    void take(const std::vector<Event>& events, bool rescued = false) {
        look({db()});
        claim(events, rescued);
        plan();
    }
    void claim_of_the_first_of_two_shards() {
        restart({.instance = instance_a, .shards = 2, .slots = 64, .count_backlog = false});
        look({db(), db()});
        claim(events(1));
    }
    void plan_while_claiming() {
        want<Claim>();
        plan();
        send();
    }
    Event send() { return want<Send>().event; }
    void deliver(const Event& event, const Outcome& outcome) {
        worker.delivered(event.id, outcome, 0.5, now);
    }
    void accept(const Event& event) { deliver(event, accepted()); }
    std::vector<Settled> settle(std::optional<LeaseLost> lost = std::nullopt) {
        return answer(want<Settle>(), lost);
    }
    std::vector<Settled> answer(const Settle& wanted,
                                std::optional<LeaseLost> lost = std::nullopt) {
        std::vector<Result<void>> results(wanted.batch.size());
        if (lost) std::ranges::fill(results, Result<void>{Error{*lost}});
        return worker.settled(results, now);
    }
    void tell() {
        want<TellResults>();
        worker.results_told({});
    }
    template <class Failed>
    void fail(bool transient = true, double random = 0.0) {
        worker.failed(want<Failed>(), transient, random, now);
    }

    /// How many events it claims at most.
    static std::uint32_t asked(const Claim& claim) {
        const Shares& shares = claim.request.shares;
        return shares[0] + shares[1] + shares[2] + shares[3];
    }
    static Outcome accepted() {
        Outcome outcome;
        outcome.verdict = Verdict::accepted;
        outcome.status_code = 204;
        return outcome;
    }
    static Outcome status(int code) {
        Outcome outcome;
        outcome.verdict = Verdict::permanent;
        outcome.error = DeliveryErrorCode::http_status;
        outcome.status_code = code;
        return outcome;
    }
    static std::vector<Event> events(std::size_t count, Priority priority = Priority::normal) {
        std::vector<Event> made;
        for (std::size_t i = 0; i < count; ++i) made.push_back(an_event().with_priority(priority));
        return made;
    }

    const Mono start = 1000s;
    Mono now = start;
    Worker worker{settings()};
    std::shared_ptr<const Endpoint> webhook = std::make_shared<const Endpoint>(an_endpoint());
};

// When it looks, and when it sleeps.

TEST_F(WorkerTest, LooksOncePerTickWhileNothingIsDue) {
    look({never});
    EXPECT_EQ(wait(), 1s);
    now += 1s;
    look({db() + 1h});
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, SleepsUntilWhatIsDueNextAndClaimsItWithoutAnotherLook) {
    look({db() + 300ms});
    EXPECT_EQ(wait(), 300ms);
    now += 299ms;
    EXPECT_EQ(wait(), 1ms);
    now += 1ms;
    claim({an_event()});
}

TEST_F(WorkerTest, AsksTwiceAtMostInAQuietTick) {
    restart({.instance = instance_a, .shards = 3, .count_backlog = false});
    look({never, db() + 500ms, never});
    now += 500ms;
    EXPECT_EQ(want<Claim>().request.shard, 1U);
    give(events(1));
    plan();
    accept(send());
    settle();
    look({never, never, never});
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, LooksAtOnceWhenSomethingBecameDueAndLaterWhenItWill) {
    look({never});
    worker.wake(db() + 200ms);
    EXPECT_EQ(wait(), 200ms);
    worker.wake(db());
    look({never});
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, KnowsItsOwnRetriesWithoutALook) {
    WorkerSettings slow = settings();
    slow.tick = 10s;
    restart(slow);
    take(events(1));
    const Event event = send();
    look({never});
    deliver(event, status(500));
    EXPECT_EQ(std::get<RetryIn>(settle().front().settlement.result).delay, 1s);
    EXPECT_EQ(wait(), 20ms);
    now += 20ms;
    tell();
    EXPECT_EQ(wait(), 980ms);
    now += 980ms;
    want<Claim>();
}

TEST_F(WorkerTest, RestsLongerAndLongerFromWhatOthersHoldLocked) {
    look({db()});
    claim({});
    look({db()});
    EXPECT_EQ(wait(), 5ms);
    now += 5ms;
    claim({});
    look({db() - 5ms});
    EXPECT_EQ(wait(), 10ms);
    now += 10ms;
    claim(events(1));
    plan();
    accept(send());
    settle();
    look({db()});
    want<Claim>();  // success ends the rests
}

TEST_F(WorkerTest, OfATestClockTrustsOnlyWhatItRead) {
    WorkerSettings test_clock = settings();
    test_clock.clock_stands_still = true;
    restart(test_clock);
    look({noon + 300ms});
    now += 300ms;
    EXPECT_EQ(wait(), 700ms);  // noon is still noon
    worker.wake(noon + 24h);   // it may have been moved
    want<Look>();
    worker.horizon({noon + 1s, {noon + 300ms}}, now);
    want<Claim>();
    worker.claimed(
        {{{sundial::claim(an_event(), instance_a, noon + 1s, 30s).value(), false}}, noon + 1s},
        now);
    now += 5ms;
    plan();
    EXPECT_EQ(want<Send>().now, noon + 1s);
}

// What it does while a claim is under way.

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

TEST_F(WorkerTest, ReckonsALeaseFromWhenItsClaimWasAsked) {
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

TEST_F(WorkerTest, ExtendsWhatALateClaimBringsAsSoonAsItIsTime) {
    claim_of_the_first_of_two_shards();
    const Mono asked = now;
    plan_while_claiming();
    now = asked + 10s;
    want<Extend>();
    worker.extended({});
    give(events(1));
    EXPECT_THAT(want<Extend>().held, SizeIs(2));
}

TEST_F(WorkerTest, GivesBackWhatAClaimBringsAfterItWasToldToStop) {
    look({db()});
    want<Claim>();
    worker.stop(now);
    EXPECT_EQ(wait(), 1s);
    give(events(2));
    EXPECT_THAT(want<GiveBack>().batch, SizeIs(2));
    worker.given_back(0, now);
    want<Finished>();
}

TEST_F(WorkerTest, LeavesAClaimThatFailedToItsLease) {
    look({db()});
    const Claim failed = want<Claim>();
    worker.failed(failed, true, 0.5, now);
    want<WaitUntil>();
    now += 1s;
    look({db()});
    want<Claim>();
}

TEST_F(WorkerTest, APassIsNotOverWhileAClaimIsUnderWay) {
    worker.begin_pass(std::nullopt);
    look({db()});
    want<Claim>();
    want<WaitUntil>();
    EXPECT_FALSE(worker.pass_over());
    give({});
    look({never});
    want<WaitUntil>();
    EXPECT_TRUE(worker.pass_over());
}

// What it does while a settlement is under way.

TEST_F(WorkerTest, GoesOnWhileASettlementIsUnderWay) {
    take(events(1));
    accept(send());
    const Settle first = want<Settle>();
    look({db()});
    claim(events(1));
    plan();
    accept(send());
    now += 1s;
    look({never});
    EXPECT_EQ(wait(), 1s);  // the second settlement waits for the first one's answer
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
    tell();
    look({never});
    EXPECT_EQ(wait(), 1s);
    EXPECT_THAT(answer(settling), SizeIs(1));
    EXPECT_THAT(want<Extend>().held, SizeIs(1));
}

// What it claims.

TEST_F(WorkerTest, NamesItselfAndItsLease) {
    look({db()});
    const ClaimRequest request = want<Claim>().request;
    EXPECT_EQ(request.by, instance_a);
    EXPECT_EQ(request.lease, 30s);
}

TEST_F(WorkerTest, ClaimsNoMoreThanItsFreeSlotsAndOnlyWhenHalfOfThemAreFree) {
    restart(settings(4));
    look({db()});
    EXPECT_EQ(asked(want<Claim>()), 4U);
    give(events(4));
    plan();
    std::vector<Event> sent;
    for (int i = 0; i < 4; ++i) sent.push_back(send());
    accept(sent[0]);
    now += 20ms;
    EXPECT_THAT(settle(), SizeIs(1));
    want<WaitUntil>();  // more is due, but one slot of four is not enough
    accept(sent[1]);
    EXPECT_EQ(asked(want<Claim>()), 2U);
}

TEST_F(WorkerTest, HoldsMoreThanItHasSlotsWhileTriesAreQuickButSendsNoMoreAtOnce) {
    restart(settings(4));
    look({db()});
    for (int i = 0; i < 3; ++i) {
        claim(events(4));
        plan();
        for (int sent = 0; sent < 4; ++sent) accept(send());
    }
    now += 100ms;
    EXPECT_EQ(asked(want<Claim>()), 10U);  // its slots, and half of what ended within 100 ms
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
    look({db()});
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
    look({db()});
    EXPECT_EQ(asked(want<Claim>()), 10U);
}

TEST_F(WorkerTest, GoesRoundTheShardsThatHaveSomethingDue) {
    restart({.instance = instance_a, .shards = 4, .slots = 64, .count_backlog = false});
    look({db(), never, db(), db()});
    std::vector<std::uint32_t> shards;
    for (int i = 0; i < 3; ++i) {
        shards.push_back(want<Claim>().request.shard);
        give({});
    }
    EXPECT_THAT(shards, ElementsAre(0, 2, 3));
    want<Look>();
}

TEST_F(WorkerTest, PlansBeforeItSends) {
    look({db()});
    claim(events(2));
    EXPECT_THAT(want<Plan>().events, SizeIs(2));
}

// What it sends.

TEST_F(WorkerTest, SendsWhatWasPlannedAsItsClaimReturnedIt) {
    take({an_event().due(noon - 1h)});
    const Send send = want<Send>();
    EXPECT_EQ(send.event.version, Version{2});
    EXPECT_EQ(send.event.attempt, Attempt{1});
    EXPECT_EQ(send.destination.endpoint, webhook);
    EXPECT_EQ(send.now, db());
}

TEST_F(WorkerTest, NeverClaimsThatItSentBeforeTheClaim) {
    look({db()});
    want<Claim>();
    const Instant claimed_at = db() + 40ms;  // the database is ahead of what the look suggested
    worker.claimed(
        {{{sundial::claim(an_event(), instance_a, claimed_at, 30s).value(), false}}, claimed_at},
        now);
    plan();
    EXPECT_GE(want<Send>().now, claimed_at);
}

TEST_F(WorkerTest, SendsNothingWhoseTimeOutWouldOutliveTheLease) {
    take(events(1));
    now += 16s;  // lease 30 s, margin 5 s, time-out 10 s: 15 s after the claim was issued
    const Extend extend = want<Extend>();
    worker.failed(extend, true, 0.0, now);
    const GiveBack back = want<GiveBack>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_EQ(back.batch.front().delay, 0us);
    EXPECT_THAT(back.parked, IsEmpty());
}

TEST_F(WorkerTest, CountsTheLeaseFromWhenTheClaimWasIssued) {
    look({db()});
    want<Claim>();
    now += 9s;  // a slow answer
    give(events(1));
    now += 999ms;
    plan();
    now += 5001ms;  // 15 s after it was issued: the last moment
    worker.failed(want<Extend>(), true, 0.0, now);
    send();
}

TEST_F(WorkerTest, AnExtensionMakesRoomForASend) {
    take(events(1));
    now += 16s;
    want<Extend>();
    worker.extended({});
    send();
}

TEST_F(WorkerTest, WritesAReasonWhenNoTryIsLeftAfterLostLeases) {
    Event event = an_event();
    event.retry_count = 11;  // 10 delays: 11 tries
    take({event}, true);
    const Settle settle = want<Settle>();
    ASSERT_THAT(settle.batch, SizeIs(1));
    EXPECT_THAT(std::get<Refused>(settle.batch.front().result).reason,
                testing::StartsWith("LEASE_LOST"));
    EXPECT_EQ(settle.batch.front().started_at, std::nullopt);
    EXPECT_EQ(settle.batch.front().attempt, std::nullopt);
}

TEST_F(WorkerTest, MakesTheLastTryThatIsLeft) {
    Event event = an_event();
    event.retry_count = 10;
    take({event}, true);
    send();
}

TEST_F(WorkerTest, SettlesWhatAnEarlierTryAchievedWithoutSending) {
    look({db()});
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

TEST_F(WorkerTest, GivesBackInOneStatementWhatMayNotBeSentNow) {
    look({db()});
    const auto two = events(2);
    claim(two);
    const Plan plan = want<Plan>();
    worker.planned({{plan.events[0].id, KeepBack{std::nullopt, "no endpoint"}},
                    {plan.events[1].id, KeepBack{1min, "later"}}},
                   never, now);
    const GiveBack back = want<GiveBack>();
    ASSERT_THAT(back.batch, SizeIs(2));
    EXPECT_EQ(back.batch[0].delay, std::nullopt);
    EXPECT_EQ(back.batch[1].delay, 1min);
    EXPECT_EQ(back.batch[0].held, plan.events[0].version);
    EXPECT_THAT(back.parked, ElementsAre(plan.events[0]));
    worker.given_back(0, now);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, LooksAgainWhenSomethingParkedCouldGoAfterAll) {
    look({db()});
    claim(events(1));
    plan_as(KeepBack{std::nullopt, "no endpoint"});
    want<GiveBack>();
    worker.given_back(1, now);
    look({db()});
    want<Claim>();
}

TEST_F(WorkerTest, LooksWhenASuccessorIsDue) {
    look({db()});
    claim(events(1));
    const Plan plan = want<Plan>();
    worker.planned({{plan.events.front().id, KeepBack{std::nullopt, "no endpoint"}}}, db(), now);
    want<GiveBack>();
    worker.given_back(0, now);
    want<Look>();
}

TEST_F(WorkerTest, DisablesAnEndpointThatIsGoneAndHoldsTheOthersBack) {
    take(events(2));
    const Event first = send();
    deliver(first, status(410));
    EXPECT_EQ(want<DisableEndpoint>().endpoint, webhook->id);
    worker.endpoint_disabled();
    const GiveBack back = want<GiveBack>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_NE(back.batch.front().id, first.id);
    EXPECT_EQ(back.batch.front().delay, std::nullopt);
    worker.given_back(0, now);
    EXPECT_TRUE(std::holds_alternative<Refused>(settle().front().settlement.result));
}

// How it settles.

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
    look({never});
    accept(first);
    EXPECT_EQ(wait(), 2ms);
    now += 2ms;
    EXPECT_THAT(settle(), SizeIs(1));
}

TEST_F(WorkerTest, WaitsTwentyMillisecondsForMoreWhenBusy) {
    restart(settings(4));
    take(events(4));  // all that it asked for, so more may be due
    const Event first = send();
    for (int i = 0; i < 3; ++i) send();
    accept(first);
    EXPECT_EQ(wait(), 20ms);
    now += 20ms;
    EXPECT_THAT(settle(), SizeIs(1));
}

TEST_F(WorkerTest, SettlesAHundredAtOnce) {
    restart(settings(200));
    look({db()});
    claim(events(100));
    claim({});
    plan();
    std::vector<Event> sent;
    for (int i = 0; i < 100; ++i) sent.push_back(send());
    look({never});
    for (int i = 0; i < 99; ++i) accept(sent[static_cast<std::size_t>(i)]);
    EXPECT_EQ(wait(), 2ms);
    accept(sent[99]);
    EXPECT_THAT(settle(), SizeIs(100));
}

TEST_F(WorkerTest, TellsWhatWasSettledLate) {
    take(events(1));
    const Event event = send();
    accept(event);
    const auto settled = settle(LeaseLost{event.id, event.version});
    ASSERT_THAT(settled, SizeIs(1));
    EXPECT_TRUE(settled.front().late);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, RecordsWhatATryCameTo) {
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

TEST_F(WorkerTest, GivesUpAfterTheLastTry) {
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

// How it keeps its leases.

TEST_F(WorkerTest, ExtendsEveryTenSecondsWhileItHoldsSomething) {
    take(events(1));
    const Event event = send();
    now += 10s;
    const Extend extend = want<Extend>();
    ASSERT_THAT(extend.held, SizeIs(1));
    EXPECT_EQ(extend.held.front().id, event.id);
    EXPECT_EQ(extend.held.front().held, event.version);
    EXPECT_EQ(extend.lease, 30s);
    worker.extended({});
    look({never});
    now += 9s;
    look({never});
    EXPECT_EQ(wait(), 1s);
    now += 1s;
    want<Extend>();
    worker.extended({});
    accept(event);
    settle();
    now += 1min;
    tell();
    look({never});  // nothing held, nothing to extend
}

TEST_F(WorkerTest, StartsNothingAfterTwoFailedExtensionsUntilOneSucceeds) {
    look({db()});
    claim(events(3));
    now += 10s;
    fail<Extend>();
    now += 100ms;
    fail<Extend>();
    plan();
    worker.wake(db());
    EXPECT_EQ(wait(), 200ms);  // neither send nor claim
    now += 200ms;
    want<Extend>();
    worker.extended({});
    for (int i = 0; i < 3; ++i) send();
}

TEST_F(WorkerTest, ClaimsAgainOnceWhatItDoubtedIsOver) {
    take(events(1));
    const Event event = send();
    now += 10s;
    fail<Extend>();
    now += 100ms;
    fail<Extend>();
    accept(event);
    settle();
    look({db()});
    want<Claim>();
}

TEST_F(WorkerTest, ForgetsAnUnsentEventWhoseLeaseIsLost) {
    take(events(1));
    now += 10s;
    const EventId lost = want<Extend>().held.front().id;
    const auto told = worker.extended(std::vector{lost});
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told.front().id, lost);
    EXPECT_EQ(worker.held(), 0U);
    look({never});
    EXPECT_EQ(wait(), 1s);
}

TEST_F(WorkerTest, SettlesATryUnderWayAlthoughItsLeaseIsLost) {
    take(events(1));
    const Event event = send();
    now += 10s;
    want<Extend>();
    worker.extended(std::vector{event.id});
    now += 10s;
    look({never});  // a lost lease is not extended again
    accept(event);
    EXPECT_EQ(want<Settle>().batch.front().held, event.version);
}

TEST_F(WorkerTest, NeverHasTwoTriesOfOneEventUnderWay) {
    const Event event = an_event();
    take({event});
    const Event first = send();
    now += 40s;  // frozen for longer than the lease
    want<Abandon>();
    fail<Extend>();
    look({db()});
    want<Claim>();
    Event again = first;
    again.version = Version{3};
    again.attempt = Attempt{2};
    worker.claimed({{{again, true}}, db()}, now);
    const GiveBack back = want<GiveBack>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_EQ(back.batch.front().held, Version{3});
    EXPECT_EQ(back.batch.front().delay, 1s);
    worker.given_back(0, now);
    accept(first);
    EXPECT_EQ(want<Settle>().batch.front().held, Version{2});
}

TEST_F(WorkerTest, EndsATryAtItsDeadlineAndSettlesWhatCameOfIt) {
    take(events(1));
    const Event event = send();
    now += 10s;
    fail<Extend>();
    now += 14s + 999'999us;  // one more, and the claim was issued 25 s ago
    fail<Extend>();
    EXPECT_EQ(wait(), 1us);
    now += 1us;
    EXPECT_EQ(want<Abandon>().event.id, event.id);
    Outcome ended;
    ended.verdict = Verdict::retryable;
    ended.error = DeliveryErrorCode::lease_lost;
    deliver(event, ended);
    const Settle wanted = want<Settle>();
    ASSERT_THAT(wanted.batch, SizeIs(1));
    EXPECT_EQ(wanted.batch.front().held, event.version);
    EXPECT_TRUE(std::holds_alternative<RetryIn>(wanted.batch.front().result));
}

TEST_F(WorkerTest, LetsATryGoOnOnceItsLeaseIsExtended) {
    take(events(1));
    const Event event = send();
    now += 24s;
    want<Extend>();
    worker.extended({});
    now += 20s;
    want<Extend>();
    worker.extended({});
    look({never});
    EXPECT_EQ(wait(), 1s);
    accept(event);
    settle();
}

TEST_F(WorkerTest, SendsUnderTheNewerClaimWhatTheOlderHadNotSent) {
    const Event event = an_event();
    look({db()});
    claim({event});
    now += 40s;
    fail<Extend>();
    fail<Plan>();
    look({db()});
    want<Claim>();
    Event again = event;
    again.version = Version{3};
    again.attempt = Attempt{2};
    again.state = Processing{instance_a};
    worker.claimed({{{again, true}}, db()}, now);
    now += 100ms;
    want<Extend>();
    worker.extended({});
    plan();
    EXPECT_EQ(send().version, Version{3});
    EXPECT_EQ(worker.held(), 1U);
}

// When the database is away.

TEST_F(WorkerTest, LooksAgainEverMoreSeldomUntilItIsBack) {
    const std::vector<Mono> waits{100ms, 200ms, 400ms, 800ms, 1s, 1s};  // a tick at the latest
    for (const Mono expected : waits) {
        fail<Look>();
        EXPECT_EQ(wait(), expected);
        now += 10s;
    }
    look({never});
    now += 1s;
    fail<Look>();
    EXPECT_EQ(wait(), 100ms);
}

TEST_F(WorkerTest, SpreadsItsRepetitions) {
    fail<Look>(true, 0.99);
    EXPECT_LT(wait(), 51ms);
    EXPECT_GT(wait(), 49ms);
}

TEST_F(WorkerTest, LeavesAClaimOfUnknownOutcomeToItsLease) {
    look({db()});
    fail<Claim>();
    EXPECT_EQ(worker.held(), 0U);
    EXPECT_EQ(wait(), 100ms);
    now += 100ms;
    want<Look>();  // first what is known now
}

TEST_F(WorkerTest, RepeatsASettlementUntilItIsAnswered) {
    take(events(1));
    const Event event = send();
    accept(event);
    fail<Settle>();
    EXPECT_EQ(worker.held(), 1U);
    EXPECT_EQ(wait(), 100ms);
    now += 100ms;
    EXPECT_EQ(settle().front().event.id, event.id);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, ClaimsNothingWhileItCannotSettle) {
    restart(settings(100));
    look({db()});
    claim(events(2));
    plan();
    accept(send());
    accept(send());
    fail<Settle>();
    worker.wake(db());
    EXPECT_EQ(wait(), 100ms);
    now += 100ms;
    EXPECT_THAT(settle(), SizeIs(2));
    look({db()});
    want<Claim>();
}

TEST_F(WorkerTest, SleepsWhileItMayReadAgainButCannotSettle) {
    take(events(1));
    const Event event = send();
    look({never});
    now += 1s;
    fail<Look>();
    now += 60ms;
    accept(event);
    fail<Settle>();
    EXPECT_EQ(wait(), 40ms);
    now += 40ms;
    EXPECT_EQ(wait(), 60ms);
}

TEST_F(WorkerTest, RepeatsGivingBack) {
    look({db()});
    claim(events(1));
    plan_as(KeepBack{std::nullopt, "no endpoint"});
    fail<GiveBack>();
    look({never});
    now += 100ms;
    const GiveBack back = want<GiveBack>();
    EXPECT_THAT(back.batch, SizeIs(1));
    EXPECT_THAT(back.parked, SizeIs(1));
    worker.given_back(0, now);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerTest, RepeatsPlanningAndSendsNothingBefore) {
    look({db()});
    claim(events(2));
    fail<Plan>();
    look({never});
    EXPECT_EQ(wait(), 100ms);
    now += 100ms;
    plan();
    send();
    send();
}

TEST_F(WorkerTest, FindsTheOneThatCannotBePlannedAndPutsItOff) {
    look({db()});
    const auto four = events(4);
    claim(four);
    fail<Plan>(false);
    look({never});
    now += 100ms;
    const Plan half = want<Plan>();
    EXPECT_THAT(half.events, SizeIs(2));
    worker.failed(half, false, 0.0, now);
    now += 200ms;
    const Plan single = want<Plan>();
    EXPECT_THAT(single.events, SizeIs(1));
    worker.failed(single, false, 0.0, now);
    const GiveBack back = want<GiveBack>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_EQ(back.batch.front().id, four[0].id);
    EXPECT_EQ(back.batch.front().delay, 1min);
    worker.given_back(0, now);
    now += 400ms;
    plan();
    send();
}

TEST_F(WorkerTest, LeavesToItsLeaseTheOneThatCannotBeSettled) {
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

// How it stops.

TEST_F(WorkerTest, StopsAtOnceWhenItHoldsNothing) {
    look({db()});
    worker.stop(now);
    want<Finished>();
}

TEST_F(WorkerTest, GivesBackWhatIsUnsentAndSettlesWhatIsUnderWayBeforeItStops) {
    take(events(2));
    const Event sent = send();
    worker.stop(now);
    const GiveBack back = want<GiveBack>();
    ASSERT_THAT(back.batch, SizeIs(1));
    EXPECT_NE(back.batch.front().id, sent.id);
    EXPECT_EQ(back.batch.front().delay, 0us);
    worker.given_back(0, now);
    EXPECT_EQ(wait(), 1s);
    now += 10s;
    want<Extend>();
    worker.extended({});
    accept(sent);
    settle();
    tell();
    want<Finished>();
}

TEST_F(WorkerTest, StopsWithoutWhatTakesTooLong) {
    take(events(1));
    send();
    worker.stop(now);
    now += 24s;
    want<Extend>();
    worker.extended({});
    EXPECT_EQ(wait(), 1s);
    now += 1s;
    want<Finished>();
    EXPECT_EQ(worker.held(), 1U);
}

// A pass.

TEST_F(WorkerTest, APassIsOverWhenNothingIsDue) {
    worker.begin_pass(std::nullopt);
    look({db() + 10ms});
    EXPECT_FALSE(worker.pass_over());
    want<WaitUntil>();
    EXPECT_TRUE(worker.pass_over());
    now += 10ms;
    want<WaitUntil>();  // what comes due later is of no pass
    worker.end_pass();
    want<Claim>();
}

TEST_F(WorkerTest, APassClaimsNoMoreThanItsLimitAndEndsWhenThatIsSettled) {
    worker.begin_pass(2);
    look({db()});
    const Shares shares = want<Claim>().request.shares;
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

TEST_F(WorkerTest, APassLooksEvenIfItJustDid) {
    look({never});
    worker.begin_pass(std::nullopt);
    want<Look>();
}

TEST_F(WorkerTest, APassGivesUpOnWhatOthersHoldLocked) {
    worker.begin_pass(std::nullopt);
    int claims = 0;
    while (!worker.pass_over() && claims < 100) {
        Command command = worker.next(now);
        if (std::holds_alternative<Look>(command)) {
            worker.horizon({db(), {noon}}, now);
        } else if (std::holds_alternative<Claim>(command)) {
            ++claims;
            worker.claimed({{}, db()}, now);
        } else {
            now = std::get<WaitUntil>(command).when;
        }
    }
    EXPECT_EQ(claims, 8);
}

// What was missed.

TEST_F(WorkerTest, CountsTheBacklogBeforeItClaims) {
    WorkerSettings recovering = settings();
    recovering.count_backlog = true;
    restart(recovering);
    look({db() - 1h});
    fail<CountBacklog>();
    now += 100ms;
    want<CountBacklog>();
    worker.backlog_counted();
    want<Claim>();
}

TEST_F(WorkerTest, HasCaughtUpWhenAllOfItIsSettled) {
    const Instant then = db();
    EXPECT_FALSE(worker.caught_up_to(then));
    look({noon - 1h});
    EXPECT_FALSE(worker.caught_up_to(then));
    claim({an_event().due(noon - 1h)});
    plan();
    const Event event = send();
    look({noon + 1h});
    EXPECT_FALSE(worker.caught_up_to(then));
    accept(event);
    settle();
    EXPECT_TRUE(worker.caught_up_to(then));
}

}  // namespace
}  // namespace sundial
