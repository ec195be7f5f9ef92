#include <gmock/gmock.h>

#include <algorithm>

#include "contract/event_queue_contract.hpp"
#include "contract/settlements.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// SQLite is used by one instance, which has no heartbeat.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HeartbeatContract);

/// Time passes, in which `alive` sends heartbeats. Returns the last answer.
Renewal pass(EventQueue& queue, Clock& clock, std::chrono::microseconds time, InstanceId alive) {
    Renewal renewal;
    while (time > 0us) {
        const auto step = std::min<std::chrono::microseconds>(time, renew_every);
        EXPECT_TRUE(clock.set(clock.now() + step).has_value());
        renewal = queue.renew(alive).value();
        time -= step;
    }
    return renewal;
}

TEST_P(HeartbeatContract, FindsAnInstanceDeadThatSendsNone) {
    EXPECT_EQ(queue().renew(instance_a)->next_death, std::nullopt);
    EXPECT_EQ(queue().renew(instance_b)->next_death, dead_after);
    const Renewal before = pass(queue(), clock(), dead_after - 1us, instance_b);
    EXPECT_THAT(before.dead.ids, IsEmpty());
    EXPECT_THAT(before.alive, ElementsAre(instance_a));
    EXPECT_EQ(before.next_death, 1us);
    const Renewal after = pass(queue(), clock(), 1us, instance_b);
    EXPECT_THAT(after.dead.ids, ElementsAre(instance_a));
    EXPECT_THAT(after.alive, IsEmpty());
    EXPECT_EQ(after.dead.as_of, noon + dead_after);
    EXPECT_EQ(after.next_death, std::nullopt);
}

TEST_P(HeartbeatContract, FindsNoInstanceDeadThatSendsThem) {
    (void)queue().renew(instance_a);
    (void)queue().renew(instance_b);
    for (int i = 0; i < 10; ++i) {
        EXPECT_THAT(pass(queue(), clock(), renew_every, instance_b).dead.ids, IsEmpty());
        EXPECT_THAT(queue().renew(instance_a)->dead.ids, IsEmpty());
    }
}

TEST_P(HeartbeatContract, DoesNotCountTheTimeInWhichItAnsweredNobody) {
    (void)queue().renew(instance_a);
    (void)queue().renew(instance_b);
    pass(queue(), clock(), 2s, instance_b);
    advance(6s);
    const Renewal back = queue().renew(instance_b).value();
    EXPECT_THAT(back.dead.ids, IsEmpty());
    EXPECT_EQ(back.next_death, dead_after);
    EXPECT_THAT(pass(queue(), clock(), dead_after - 1us, instance_b).dead.ids, IsEmpty());
    EXPECT_THAT(pass(queue(), clock(), 1us, instance_b).dead.ids, ElementsAre(instance_a));
}

TEST_P(HeartbeatContract, KeepsInstancesAliveThatComeBackWithTheDatabase) {
    (void)queue().renew(instance_a);
    (void)queue().renew(instance_b);
    advance(6s);
    EXPECT_THAT(queue().renew(instance_b)->dead.ids, IsEmpty());
    pass(queue(), clock(), 1s, instance_b);
    (void)queue().renew(instance_a);
    EXPECT_THAT(pass(queue(), clock(), 4s, instance_b).dead.ids, IsEmpty());
}

TEST_P(HeartbeatContract, LetsADeadInstanceLiveAgain) {
    (void)queue().renew(instance_a);
    (void)queue().renew(instance_b);
    ASSERT_THAT(pass(queue(), clock(), 5s, instance_b).dead.ids, ElementsAre(instance_a));
    (void)queue().renew(instance_a);
    const Renewal again = queue().renew(instance_b).value();
    EXPECT_THAT(again.dead.ids, IsEmpty());
    EXPECT_THAT(again.alive, ElementsAre(instance_a));
}

TEST_P(HeartbeatContract, FindsNoInstanceDeadThatHasRetired) {
    (void)queue().renew(instance_a);
    (void)queue().renew(instance_b);
    queue().retire(instance_a);
    EXPECT_THAT(pass(queue(), clock(), 5s, instance_b).dead.ids, IsEmpty());
    queue().retire(instance_a);  // once more changes nothing
}

TEST_P(HeartbeatContract, ForgetsADeadInstanceAfterAWhile) {
    (void)queue().renew(instance_a);
    (void)queue().renew(instance_b);
    ASSERT_THAT(pass(queue(), clock(), 5s, instance_b).dead.ids, SizeIs(1));
    advance(remembered_for);
    (void)queue().renew(instance_b);
    EXPECT_THAT(pass(queue(), clock(), 5s, instance_b).dead.ids, IsEmpty());
}

/// An instance of an earlier version sends none. Only its leases end its claims.
TEST_P(HeartbeatContract, FindsNoInstanceDeadThatNeverSentOne) {
    given(an_event());
    (void)claim_one(instance_a);
    (void)queue().renew(instance_b);
    EXPECT_THAT(pass(queue(), clock(), 20s, instance_b).dead.ids, IsEmpty());
}

TEST_P(HeartbeatContract, ClaimsWhatADeadInstanceHeldAsALostAttempt) {
    const Event to_endpoint = an_event().to_endpoint(an_id<EndpointId>());
    const Event to_handler = an_event();
    given(to_endpoint, to_handler);
    const auto held = claim(instance_a);
    ASSERT_THAT(held, SizeIs(2));
    advance(5s);
    EXPECT_THAT(claim(instance_b), IsEmpty());

    const auto again = claim_left_by(instance_a);

    ASSERT_THAT(again, SizeIs(2));
    for (const ClaimedEvent& one : again) {
        EXPECT_TRUE(one.previous_lost);
        const auto before = std::ranges::find(
            held, one.event.id, [](const ClaimedEvent& claimed) { return claimed.event.id; });
        EXPECT_EQ(one.event,
                  sundial::claim(before->event, instance_b, noon + 5s, 30s, true).value());
        const auto attempts = attempts_of(one.event.id);
        ASSERT_THAT(attempts, SizeIs(1));
        EXPECT_EQ(attempts[0].outcome, AttemptOutcome::lost);
        EXPECT_EQ(attempts[0].instance, Claimant{instance_a});
        EXPECT_EQ(attempts[0].started_at, noon);
        EXPECT_FALSE(settle(accepted(before->event, noon)));  // its version is past
    }
}

TEST_P(HeartbeatContract, SeesWhatADeadInstanceHeldAsClaimable) {
    given(an_event().to_endpoint(an_id<EndpointId>()), an_event());
    ASSERT_THAT(claim(instance_a), SizeIs(2));
    advance(5s);
    const auto first = [&](const DeadInstances& dead, const Lane& lane) {
        return std::ranges::min(queue().peek(std::vector{lane}, dead).next);
    };
    for (const Lane& lane : {endpoint_lane, reminder_lane}) {
        EXPECT_EQ(first({}, lane), noon + 30s);
        EXPECT_EQ(first({{instance_b}, clock().now()}, lane), noon + 30s);
        EXPECT_LE(first({{instance_b, instance_a}, clock().now()}, lane), clock().now());
    }
}

TEST_P(HeartbeatContract, LeavesWhatAnInstanceClaimedAfterItWasFoundDead) {
    given(an_event());
    advance(1s);
    (void)claim_one(instance_a);
    EXPECT_THAT(claim_left_by(instance_a, noon + 1s - 1us), IsEmpty());
    EXPECT_THAT(claim_left_by(instance_a, noon + 1s), SizeIs(1));
}

TEST_P(HeartbeatContract, LeavesClaimsOfOtherInstancesAndOfPullWorkers) {
    const Endpoint pulled = an_endpoint().pull();
    write([&](Transaction& tx) { (void)tx.endpoints().add(pulled); });
    given(an_event(), an_event().to_endpoint(pulled.id));
    (void)claim_one(instance_b);
    std::size_t of_worker = 0;
    for (std::uint32_t shard = 0; shard < queue().shards(); ++shard) {
        of_worker += pull_queue()
                         .claim({.endpoint = pulled.id,
                                 .by = {instance_a, "w-1"},
                                 .shard = shard,
                                 .shares = {1, 1, 1, 1},
                                 .lease = 30s})
                         .events.size();
    }
    ASSERT_EQ(of_worker, 1U);
    EXPECT_THAT(claim_left_by(instance_a), IsEmpty());
}

}  // namespace
}  // namespace sundial
