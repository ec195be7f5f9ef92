// Reads of a queue that claim nothing: the next claimable instants, the backlog and the depth.
#include <gmock/gmock.h>

#include "contract/event_queue_contract.hpp"
#include "contract/settlements.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(EventQueueContract, SeesNothingAheadInAnEmptyQueue) {
    const QueuePeek peeked = queue().peek(reminders_only);
    EXPECT_EQ(peeked.now, noon);
    EXPECT_EQ(peeked.next, std::vector<Instant>(queue().shards(), never));
}

TEST_P(EventQueueContract, SeesTheNextClaimableInstantOfEachShard) {
    const auto last = static_cast<std::uint8_t>(queue().shards() - 1);
    given(an_event().in_shard(last).due(noon + 7s),
          an_event().in_shard(last).due(noon + 3s).with_priority(Priority::low),
          an_event().in_shard(last).due(noon + 5s).with_priority(Priority::critical));
    std::vector<Instant> expected(queue().shards(), never);
    expected[last] = noon + 3s;
    EXPECT_EQ(queue().peek(reminders_only).next, expected);
}

TEST_P(EventQueueContract, SeesDueEventsLeasesAndRetriesAheadButNoFinishedOrParkedEvents) {
    given(an_event().in_shard(0).due(noon - 5s));
    EXPECT_EQ(queue().peek(reminders_only).next[0], noon - 5s);
    Event held = claim_one();
    EXPECT_EQ(queue().peek(reminders_only).next[0], noon + 30s);  // the end of its lease
    EXPECT_TRUE(settle(retry_in(held, noon, 4s)));
    EXPECT_EQ(queue().peek(reminders_only).next[0], noon + 4s);
    advance(4s);
    held = claim_one();
    EXPECT_TRUE(release_claims(release_of(held, std::nullopt)));
    EXPECT_EQ(queue().peek(reminders_only).next[0], never);
    given(an_event().in_shard(0));
    held = claim_one();
    EXPECT_TRUE(settle(accepted(held, noon)));
    EXPECT_EQ(queue().peek(reminders_only).next[0], never);
    EXPECT_EQ(queue().peek(reminders_only).now, noon + 4s);
}

TEST_P(EventQueueContract, SeesOnlyTheLanesAskedFor) {
    const auto last = static_cast<std::uint8_t>(queue().shards() - 1);
    given(an_event().in_shard(0).due(noon - 7s),
          an_event().in_shard(last).of_type("BIRTHDAY").due(noon - 5s),
          an_event().in_shard(last).to_endpoint(an_id<EndpointId>()).due(noon - 3s));
    const auto seen = [&](const std::vector<Lane>& lanes) {
        const QueuePeek peeked = queue().peek(lanes);
        EXPECT_EQ(peeked.now, noon);
        EXPECT_EQ(peeked.lanes, lanes);
        std::vector<Instant> firsts;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            const auto begin =
                peeked.next.begin() + static_cast<std::ptrdiff_t>(lane * queue().shards());
            firsts.push_back(*std::min_element(begin, begin + queue().shards()));
        }
        EXPECT_EQ(peeked.next.size(), lanes.size() * queue().shards());
        return firsts;
    };
    EXPECT_THAT(seen({}), IsEmpty());
    EXPECT_THAT(seen({Lane{"OTHER"}}), ElementsAre(never));
    EXPECT_THAT(seen({birthday_lane, endpoint_lane}), ElementsAre(noon - 5s, noon - 3s));
    EXPECT_THAT(seen(all_lanes), ElementsAre(noon - 3s, noon - 7s, noon - 5s));
    EXPECT_EQ(queue().backlog({}).missed, 0U);
    EXPECT_EQ(queue().backlog(std::vector{Lane{"OTHER"}}).missed, 0U);
    EXPECT_EQ(queue().backlog(reminders_only).newest, noon - 7s);
    const Backlog both = queue().backlog(std::vector{birthday_lane, endpoint_lane});
    EXPECT_EQ(std::tuple(both.missed, both.oldest, both.newest),
              std::tuple(2U, noon - 5s, noon - 3s));
    const auto first = [&](const std::vector<Lane>& lanes) {
        return queue().first_missed(noon - 1h, noon, lanes);
    };
    EXPECT_EQ(first({}), std::nullopt);
    EXPECT_EQ(first({endpoint_lane, birthday_lane}), noon - 5s);
    EXPECT_EQ(first(all_lanes), noon - 7s);
    EXPECT_EQ(queue().depth().due, 1U);
    EXPECT_EQ(queue().depth().oldest_due_age, 3s);
    EXPECT_EQ(queue().depth().without_endpoint, 2U);
}

TEST_P(EventQueueContract, HasNoBacklogWithinATick) {
    EXPECT_EQ(queue().backlog(reminders_only).missed, 0U);
    given(an_event().due(noon - 1s), an_event().due(noon + 1s));
    EXPECT_EQ(queue().backlog(reminders_only).missed, 0U);
}

TEST_P(EventQueueContract, CountsTheBacklogOfADayOfDowntime) {
    for (int i = 0; i < 50; ++i) given(an_event().due(noon + 1min * i));
    given(an_event().due(noon + 25h));
    advance(24h);
    const Backlog backlog = queue().backlog(reminders_only);
    EXPECT_EQ(backlog.missed, 50U);
    EXPECT_EQ(backlog.oldest, noon);
    EXPECT_EQ(backlog.newest, noon + 49min);

    EXPECT_EQ(claim(instance_a).size(), 50U);
    EXPECT_EQ(queue().backlog(reminders_only).missed, 0U);  // all are claimed
    advance(30s);
    EXPECT_EQ(queue().backlog(reminders_only).missed, 50U);  // and their holder is gone
}

TEST_P(EventQueueContract, ExcludesAttemptedEventsFromTheBacklog) {
    const Event vanished = an_event().due(noon - 2s);
    given(vanished);
    claim_one(instance_a);
    given(an_event().due(noon - 1s));
    EXPECT_TRUE(settle(retry_in(claim_one(instance_b), noon, 4s)));
    advance(29s);
    EXPECT_EQ(queue().backlog(reminders_only).missed, 0U);
    advance(1s);
    EXPECT_EQ(queue().backlog(reminders_only).missed, 1U);
    EXPECT_EQ(queue().backlog(reminders_only).oldest, noon - 2s);
    EXPECT_EQ(queue().backlog(reminders_only).newest, noon - 2s);
    claim(instance_b);
    EXPECT_EQ(queue().backlog(reminders_only).missed, 0U);
}

TEST_P(EventQueueContract, CountsEventsThatWaitForALimitButNotForAnEndpoint) {
    given(an_event().due(noon - 3s));
    ReleasedClaim limited = release_of(claim_one(), 1h);
    limited.obstacle = Obstacle::limit;
    EXPECT_TRUE(release_claims(limited));
    given(an_event().due(noon - 2s));
    EXPECT_TRUE(release_claims(release_of(claim_one(), std::nullopt)));
    EXPECT_EQ(queue().backlog(reminders_only).missed, 1U);
    EXPECT_EQ(queue().backlog(reminders_only).newest, noon - 3s);
}

TEST_P(EventQueueContract, FindsTheFirstEventThatWasMissed) {
    const auto first = [&](Instant from = noon - 1h) {
        return queue().first_missed(from, noon, reminders_only);
    };
    EXPECT_EQ(first(), std::nullopt);
    given(an_event().due(noon), an_event().due(noon - 1s), an_event().due(noon - 2s));
    EXPECT_EQ(first(), noon - 2s);
    EXPECT_EQ(first(noon - 1s), noon - 1s);
    auto held = claim(instance_a);
    ASSERT_EQ(held.size(), 3U);
    std::ranges::sort(held, {}, [](const ClaimedEvent& one) { return one.event.due; });
    EXPECT_EQ(first(), noon - 2s);  // its attempt is under way
    EXPECT_TRUE(settle(retry_in(held[0].event, noon, 1h)));
    EXPECT_EQ(first(), noon - 1s);
    EXPECT_TRUE(release_claims(release_of(held[1].event, std::nullopt)));
    EXPECT_EQ(first(), std::nullopt);
}

TEST_P(EventQueueContract, HasNoDepthWhenEmpty) {
    const QueueDepth depth = queue().depth();
    EXPECT_THAT(depth.stored, ElementsAre(0, 0, 0, 0, 0));
    EXPECT_EQ(depth.due, 0U);
    EXPECT_EQ(depth.without_endpoint, 0U);
    EXPECT_EQ(depth.oldest_due_age, 0us);
    EXPECT_EQ(depth.waiting_for_retry, 0U);
    EXPECT_EQ(depth.waiting_for_endpoint, 0U);
    EXPECT_EQ(depth.waiting_for_schedule, 0U);
    EXPECT_EQ(depth.dead_letters, 0U);
}

TEST_P(EventQueueContract, MeasuresItsDepth) {
    const auto claimed_alone = [&] {
        given(an_event());
        return claim_one();
    };
    claimed_alone();                                                         // claimed
    EXPECT_TRUE(settle(retry_in(claimed_alone(), noon, 1h)));                // waiting for a retry
    EXPECT_TRUE(release_claims(release_of(claimed_alone(), std::nullopt)));  // parked
    EXPECT_TRUE(settle(accepted(claimed_alone(), noon)));                    // completed
    EXPECT_TRUE(settle(refused(claimed_alone(), noon)));                     // failed
    const Event cancelled = an_event().due(noon + 1h);
    const Event parked = an_event().due(noon + 1h);
    given(cancelled, parked, an_event().to_endpoint(an_id<EndpointId>()).due(noon - 7s),
          an_event().due(noon + 1h));
    write([&](Transaction& tx) {
        tx.events().finish(cancel(tx.events().lock(cancelled.id).value(), noon, "no").value());
        tx.events().update(park(tx.events().lock(parked.id).value(), noon).value());
    });

    const QueueDepth depth = queue().depth();

    EXPECT_THAT(depth.stored, ElementsAre(3, 3, 1, 1, 1));
    EXPECT_EQ(depth.due, 1U);
    EXPECT_EQ(depth.oldest_due_age, 7s);
    EXPECT_EQ(depth.waiting_for_retry, 1U);
    EXPECT_EQ(depth.waiting_for_endpoint, 1U);
    EXPECT_EQ(depth.waiting_for_schedule, 1U);
    EXPECT_EQ(depth.dead_letters, 1U);
}

TEST_P(EventQueueContract, CountsADeadLetterUntilItIsDismissed) {
    const Event event = an_event();
    given(event);
    EXPECT_TRUE(settle(refused(claim_one(), noon)));
    EXPECT_EQ(queue().depth().dead_letters, 1U);
    write([&](Transaction& tx) {
        const Event failed = tx.events().find(event.id).value();
        EXPECT_TRUE(
            tx.events().update_dismissed(dismiss(failed, true, noon).value(), failed.version));
    });
    EXPECT_EQ(queue().depth().dead_letters, 0U);
    EXPECT_EQ(queue().depth().stored[static_cast<std::size_t>(EventStatus::failed)], 1U);
}

}  // namespace
}  // namespace sundial
