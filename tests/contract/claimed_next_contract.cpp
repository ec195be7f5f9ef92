#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/event_queue_contract.hpp"
#include "contract/settlements.hpp"

namespace sundial {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST_P(ClaimedNextContract, IsTheInstantOfTheFirstEventThatIsLeft) {
    given(an_event().in_shard(0).due(noon - 1s), an_event().in_shard(0).due(noon + 5s),
          an_event().in_shard(0).due(noon + 3s).with_priority(Priority::low),
          an_event().in_shard(0).due(noon + 4s).with_priority(Priority::critical));
    const Claimed claimed = claim_with_next({9, 9, 9, 9});
    EXPECT_THAT(claimed.events, SizeIs(1));
    EXPECT_EQ(claimed.next, noon + 3s);
    advance(3s);
    EXPECT_EQ(claim_with_next({9, 9, 9, 9}).next, noon + 4s);
}

TEST_P(ClaimedNextContract, IsNeverIfNoEventIsLeft) {
    EXPECT_EQ(claim_with_next({9, 9, 9, 9}).next, never);
    given(an_event().in_shard(0));
    const Claimed claimed = claim_with_next({9, 9, 9, 9});
    ASSERT_THAT(claimed.events, SizeIs(1));
    EXPECT_TRUE(settle(accepted(claimed.events.front().event, noon)));
    EXPECT_EQ(claim_with_next({9, 9, 9, 9}).next, never);
}

TEST_P(ClaimedNextContract, IsTheEndOfTheFirstLeaseIfAllEventsAreClaimed) {
    given(an_event().in_shard(0));
    EXPECT_EQ(claim_with_next({9, 9, 9, 9}).next, noon + 30s);
    advance(1s);
    given(an_event().in_shard(0).due(noon + 1s));
    EXPECT_EQ(claim_with_next({9, 9, 9, 9}).next, noon + 30s);
}

TEST_P(ClaimedNextContract, IsPastIfTheSharesLeaveClaimableEvents) {
    given(an_event().in_shard(0).due(noon - 3s), an_event().in_shard(0).due(noon - 2s),
          an_event().in_shard(0).due(noon - 1s),
          an_event().in_shard(0).due(noon).with_priority(Priority::low));
    EXPECT_EQ(claim_with_next({9, 9, 1, 9}).next, noon - 2s);
    EXPECT_EQ(claim_with_next({9, 9, 2, 0}).next, noon + 30s);
    given(an_event().in_shard(0).due(noon - 1us).with_priority(Priority::high));
    EXPECT_EQ(claim_with_next({9, 0, 9, 9}).next, noon - 1us);
}

TEST_P(ClaimedNextContract, IsThatOfTheShardAndLaneOfEachRequest) {
    given(an_event().in_shard(0).due(noon + 2s),
          an_event().in_shard(0).due(noon + 3s).of_type("BIRTHDAY"),
          an_event().in_shard(0).due(noon + 1s).to_endpoint(an_id<EndpointId>()));
    const auto request = [](const Lane& lane, bool with_next = true) {
        return ClaimRequest{.by = instance_a,
                            .shares = {9, 9, 9, 9},
                            .lease = 30s,
                            .lane = lane,
                            .with_next = with_next};
    };
    const auto claims =
        queue().claim_ready(std::array{request(reminder_lane), request(birthday_lane, false),
                                       request(endpoint_lane), request(birthday_lane)});
    ASSERT_THAT(claims, SizeIs(4));
    EXPECT_EQ(claims[0].next, noon + 2s);
    EXPECT_EQ(claims[1].next, std::nullopt);
    EXPECT_EQ(claims[2].next, noon + 1s);
    EXPECT_EQ(claims[3].next, noon + 3s);

    std::vector<ClaimRequest> of_shards;
    const std::uint32_t shards = std::min(queue().shards(), queue().claims_at_once());
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
        given(an_event().in_shard(static_cast<std::uint8_t>(shard)).due(noon + 1s + shard * 1us));
        of_shards.push_back(request(reminder_lane));
        of_shards.back().shard = shard;
    }
    const auto claimed = queue().claim_ready(of_shards);
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
        EXPECT_EQ(claimed.at(shard).next, noon + 1s + shard * 1us);
    }
}

TEST_P(ClaimedNextContract, LeavesOutLinesAndParkedEvents) {
    const auto limited = an_id<EndpointId>();
    const Event first = an_event().in_shard(0).due(noon - 1s).to_endpoint(limited);
    given(first);
    const ClaimRequest request{.by = instance_a,
                               .shares = {9, 9, 9, 9},
                               .lease = 30s,
                               .limited = {limited},
                               .with_next = true};
    const Claimed claimed = queue().claim_ready(request);
    EXPECT_THAT(claimed.events, IsEmpty());
    EXPECT_THAT(claimed.lined_up, SizeIs(1));
    EXPECT_EQ(claimed.next, never);

    given(an_event().in_shard(0).to_endpoint(an_id<EndpointId>()));
    const auto others = queue().claim_ready(request);
    ASSERT_THAT(others.events, SizeIs(1));
    EXPECT_TRUE(release_claims(release_of(others.events.front().event, std::nullopt)));
    EXPECT_EQ(queue().claim_ready(request).next, never);
}

TEST_P(ClaimedNextContract, IsPastIfADeadInstanceHoldsAnEvent) {
    const bool others = queue().renew(instance_b).has_value();  // can use the database
    given(an_event().in_shard(0));
    const Claimed claimed = claim_with_next({9, 9, 9, 9});
    ASSERT_THAT(claimed.events, SizeIs(1));
    const auto next_without = [&](const DeadInstances& dead) {
        return queue()
            .claim_ready({.by = instance_b,
                          .shares = {0, 0, 0, 0},
                          .lease = 30s,
                          .lane = reminder_lane,
                          .dead = dead,
                          .with_next = true})
            .next;
    };
    EXPECT_EQ(next_without({}), noon + 30s);
    EXPECT_EQ(next_without({{instance_a}, clock().now()}).value_or(never) <= noon, others);
}

/// A queue that takes them over after it has looked reports no instant.
TEST_P(ClaimedNextContract, IsNotThatOfALeaseThatTheClaimHasTakenOver) {
    given(an_event().in_shard(0));
    (void)claim_with_next({9, 9, 9, 9});
    advance(30s);
    const Claimed claimed = claim_with_next({9, 9, 9, 9});
    ASSERT_THAT(claimed.events, SizeIs(1));
    EXPECT_TRUE(claimed.events.front().previous_lost);
    EXPECT_EQ(claimed.next.value_or(noon + 60s), noon + 60s);
}

TEST_P(EventQueueContract, ReportsNoNextInstantUnlessItIsRequested) {
    (void)queue().peek(all_lanes);
    given(an_event().in_shard(0), an_event().in_shard(0).due(noon + 1s));
    const Claimed claimed = queue().claim_ready(
        {.by = instance_a, .shares = {9, 9, 9, 9}, .lease = 30s, .lane = reminder_lane});
    EXPECT_THAT(claimed.events, SizeIs(1));
    EXPECT_EQ(claimed.next, std::nullopt);
}

}  // namespace
}  // namespace sundial
