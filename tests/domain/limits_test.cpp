#include "domain/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Limits unused_limits() { return {.endpoint = an_id<EndpointId>()}; }
LimitRules at_most(std::uint32_t slots) { return {.max_in_flight = slots}; }
LimitRules per_second(std::uint32_t rate, std::uint32_t burst) {
    return {.rate = RateLimit{rate, burst}};
}
LimitDemand demand(InstanceId by, std::uint32_t in_flight, std::uint32_t waiting) {
    return {.by = by, .in_flight = in_flight, .waiting = waiting, .lease = 30s};
}

TEST(Slots, AreGivenUntilThereAreNone) {
    const auto [limits, a] =
        share_out(unused_limits(), at_most(20), demand(instance_a, 0, 15), noon);
    EXPECT_EQ(a.admitted, 15U);
    EXPECT_EQ(a.slots, 15U);
    const auto [after, b] = share_out(limits, at_most(20), demand(instance_b, 0, 15), noon);
    EXPECT_EQ(b.admitted, 5U);
    EXPECT_THAT(after.leases, ElementsAre(SlotLease{instance_a, 15, noon + 30s, noon},
                                          SlotLease{instance_b, 5, noon + 30s, noon + 2s}));
}

TEST(Slots, HP07_OfADeadInstanceAreFreeAfterItsLease) {
    const Limits limits =
        share_out(unused_limits(), at_most(20), demand(instance_a, 0, 20), noon).limits;
    const auto just_before =
        share_out(limits, at_most(20), demand(instance_b, 0, 20), noon + 30s - 1us);
    EXPECT_EQ(just_before.grant.admitted, 0U);
    const auto then = share_out(limits, at_most(20), demand(instance_b, 0, 20), noon + 30s);
    EXPECT_EQ(then.grant.admitted, 20U);
    EXPECT_EQ(then.limits.leases.size(), 1U);
}

TEST(Slots, AreLeftToInstancesBelowTheirShare) {
    Limits limits = share_out(unused_limits(), at_most(20), demand(instance_a, 0, 30), noon).limits;
    limits = share_out(limits, at_most(20), demand(instance_b, 0, 30), noon).limits;
    // Twelve of its requests have ended: it may start no new one.
    const auto a = share_out(limits, at_most(20), demand(instance_a, 12, 30), noon + 1s);
    EXPECT_EQ(a.grant.share, 10U);
    EXPECT_EQ(a.grant.admitted, 0U);
    EXPECT_EQ(a.grant.slots, 12U);
    const auto b = share_out(a.limits, at_most(20), demand(instance_b, 0, 30), noon + 1s);
    EXPECT_EQ(b.grant.admitted, 8U);
}

TEST(Slots, AreNotLeftToInstancesThatStoppedAsking) {
    Limits limits = share_out(unused_limits(), at_most(20), demand(instance_a, 0, 20), noon).limits;
    limits = share_out(limits, at_most(20), demand(instance_b, 0, 20), noon).limits;
    const auto then = share_out(limits, at_most(20), demand(instance_a, 0, 20), noon + 2s);
    EXPECT_EQ(then.grant.admitted, 20U);
    EXPECT_EQ(then.limits.leases.size(), 1U);
}

TEST(Slots, AreReleasedWhenNoRequestIsInFlight) {
    Limits limits = share_out(unused_limits(), at_most(3), demand(instance_a, 0, 2), noon).limits;
    limits = share_out(limits, at_most(3), demand(instance_a, 0, 0), noon + 1s).limits;
    EXPECT_THAT(limits.leases, IsEmpty());
}

TEST(Slots, AreReleasedWhenTheLimitIsRemoved) {
    const Limits limits =
        share_out(unused_limits(), at_most(3), demand(instance_a, 0, 2), noon).limits;
    EXPECT_THAT(share_out(limits, {}, demand(instance_a, 2, 0), noon).limits.leases, IsEmpty());
}

TEST(Slots, AreFewerAtOnceWhenTheLimitIsLowered) {
    const Limits limits =
        share_out(unused_limits(), at_most(9), demand(instance_a, 0, 9), noon).limits;
    const auto lowered = share_out(limits, at_most(4), demand(instance_a, 9, 1), noon);
    EXPECT_EQ(lowered.grant.admitted, 0U);
    EXPECT_EQ(lowered.grant.slots, 4U);
}

TEST(Tokens, RefillABucketAtTheirRate) {
    const LimitRules rules = per_second(10, 3);
    const auto [limits, first] = share_out(unused_limits(), rules, demand(instance_a, 0, 5), noon);
    EXPECT_THAT(first.starts, ElementsAre(noon, noon, noon));
    EXPECT_EQ(first.admitted, 3U);
    EXPECT_EQ(first.next_token, noon + 100ms);
    const auto second = share_out(limits, rules, demand(instance_b, 0, 5), noon + 250ms);
    EXPECT_EQ(second.grant.admitted, 2U);
    const auto left_at = [&](Instant now) {
        return share_out(second.limits, rules, demand(instance_b, 0, 5), now).grant.admitted;
    };
    EXPECT_EQ(left_at(noon + 250ms), 0U);
    EXPECT_EQ(left_at(noon + 300ms), 1U);
    EXPECT_EQ(left_at(noon + 1h), 3U);
}

TEST(Tokens, CanBeReservedBeforeTheyAreThere) {
    const LimitRules rules = per_second(20, 1);
    LimitDemand ahead = demand(instance_a, 0, 5);
    ahead.ahead = 100ms;
    const auto [limits, first] = share_out(unused_limits(), rules, ahead, noon);
    EXPECT_THAT(first.starts, ElementsAre(noon, noon + 50ms, noon + 100ms));
    EXPECT_EQ(first.next_token, noon + 150ms);
    // Another instance gets the tokens after those.
    ahead.by = instance_b;
    const auto second = share_out(limits, rules, ahead, noon + 60ms);
    EXPECT_THAT(second.grant.starts, ElementsAre(noon + 150ms));
}

TEST(Tokens, AreNotLostByADemandThatComesALittleLate) {
    const LimitRules rules = per_second(20, 1);
    const Limits empty = share_out(unused_limits(), rules, demand(instance_a, 0, 1), noon).limits;
    LimitDemand late = demand(instance_a, 0, 5);
    late.since = noon + 50ms;
    const auto [limits, grant] = share_out(empty, rules, late, noon + 57ms);
    EXPECT_THAT(grant.starts, ElementsAre(noon + 57ms));
    EXPECT_EQ(grant.next_token, noon + 100ms);
    late.since = noon + 100ms;
    EXPECT_EQ(share_out(limits, rules, late, noon + 90ms).grant.admitted, 0U);
    // Of a second, it may make up for 100 ms.
    EXPECT_EQ(share_out(limits, rules, late, noon + 1100ms).grant.admitted, 3U);
}

TEST(Tokens, RefillAfterAStepBackOfTheClock) {
    const LimitRules rules = per_second(10, 3);
    LimitDemand ahead = demand(instance_a, 0, 20);
    ahead.ahead = 100ms;
    const Limits empty = share_out(unused_limits(), rules, ahead, noon + 1h).limits;
    const auto grant = share_out(empty, rules, ahead, noon).grant;
    EXPECT_EQ(grant.admitted, 0U);
    EXPECT_EQ(grant.next_token, noon + 1100ms);
}

TEST(Tokens, AreNotUsedWithoutASlot) {
    LimitRules rules = per_second(10, 10);
    rules.max_in_flight = 2;
    const auto shared = share_out(unused_limits(), rules, demand(instance_a, 0, 5), noon);
    EXPECT_EQ(shared.grant.admitted, 2U);
    EXPECT_FALSE(shared.grant.next_token);
    const auto later =
        share_out(shared.limits, per_second(10, 10), demand(instance_a, 0, 20), noon);
    EXPECT_EQ(later.grant.admitted, 8U);
}

TEST(Limits, AdmitAllWhereThereAreNone) {
    const auto shared = share_out(unused_limits(), {}, demand(instance_a, 1000, 500), noon);
    EXPECT_EQ(shared.grant.admitted, 500U);
    EXPECT_THAT(shared.grant.starts, IsEmpty());
}

RC_GTEST_PROP(Slots, AreNeverMoreThanTheLimit, ()) {
    const auto limit = *rc::gen::inRange<std::uint32_t>(1, 30);
    const std::vector<InstanceId> instances{instance_a, instance_b, InstanceId{uuid_of(1)}};
    Limits limits = unused_limits();
    std::map<InstanceId, std::pair<std::uint32_t, Instant>> in_flight;  // and until when
    Instant now = noon;
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
        now += std::chrono::milliseconds{*rc::gen::inRange(0, 12'000)};
        const InstanceId by = *rc::gen::elementOf(instances);
        auto& [count, until] = in_flight[by];
        if (until <= now) count = 0;  // it has stopped all requests that it could not extend
        count -= *rc::gen::inRange<std::uint32_t>(0, count + 1);
        const auto waiting = *rc::gen::inRange<std::uint32_t>(0, 40);
        auto shared = share_out(limits, at_most(limit), demand(by, count, waiting), now);
        limits = std::move(shared.limits);
        count += shared.grant.admitted;
        until = now + 30s;
        RC_ASSERT(count <= shared.grant.slots);
        std::uint32_t all = 0;
        for (const auto& [instance, held] : in_flight) {
            if (held.second > now) all += held.first;
        }
        RC_ASSERT(all <= limit);
    }
}

RC_GTEST_PROP(Tokens, AreNeverMoreThanBurstAndRateInAnySpan, ()) {
    const auto rate = *rc::gen::inRange<std::uint32_t>(1, 500);
    const auto burst = *rc::gen::inRange<std::uint32_t>(1, 50);
    Limits limits = unused_limits();
    std::vector<Instant> starts;
    Instant now = noon;
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
        now += std::chrono::milliseconds{*rc::gen::inRange(0, 300)};
        LimitDemand requested = demand(instance_a, 0, *rc::gen::inRange(0U, 40U));
        requested.ahead = std::chrono::milliseconds{*rc::gen::inRange(0, 200)};
        auto shared = share_out(limits, per_second(rate, burst), requested, now);
        limits = std::move(shared.limits);
        RC_ASSERT(shared.grant.starts.size() == shared.grant.admitted);
        for (const Instant start : shared.grant.starts) {
            RC_ASSERT(start >= now);
            RC_ASSERT(start <= now + requested.ahead);
            if (!starts.empty()) RC_ASSERT(start >= starts.back());
            starts.push_back(start);
            for (std::size_t count = 1; count <= starts.size(); ++count) {
                const Instant first = starts[starts.size() - count];
                const double seconds = std::chrono::duration<double>(start - first).count();
                RC_ASSERT(static_cast<double>(count) <= burst + rate * seconds + 1e-6);
            }
        }
    }
}

}  // namespace
}  // namespace sundial
