#include <gmock/gmock.h>

#include <atomic>

#include "contract/event_repository_contract.hpp"
#include "contract/settlements.hpp"

/// Edits of live events: retarget, park, resume, cancel, and races with a claim.
namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(EventRepositoryContract, RetargetsAPendingEvent) {
    const Event event = an_event().due(noon + 1h);
    given(event);
    advance(1s);
    const Event changed = change(event.id, [](Event pending, Instant now) {
        return retarget(pending, {.wall = nine_oclock, .zone = "Asia/Tokyo"}, noon + 10s, now);
    });
    EXPECT_EQ(find(event.id), changed);
    EXPECT_EQ(changed.version, Version{2});
    EXPECT_THAT(claim(instance_a), IsEmpty());
    advance(9s);
    EXPECT_EQ(claim_one().id, event.id);
}

TEST_P(EventRepositoryContract, ReplacesAllThatAnEditMayChange) {
    const Event event = an_event().due(noon + 1h);
    given(event);
    const Event changed = change(event.id, [](Event pending, Instant now) -> Result<Event> {
        Event next = retarget(pending, pending.intent, noon + 2h, now).value();
        next.type = "BIRTHDAY";
        next.priority = Priority::critical;
        next.user = an_id<UserId>();
        next.endpoint = an_id<EndpointId>();
        next.occurrence = Occurrence{an_id<ScheduleId>(), Version{4}, year{2027} / 5 / 6};
        next.tz_release = "2026c";
        next.payload = "{\"other\":true}";
        return next;
    });
    EXPECT_EQ(find(event.id), changed);
    const Event bare = change(event.id, [](Event pending, Instant now) -> Result<Event> {
        Event next = retarget(pending, pending.intent, noon, now).value();
        next.user.reset();
        next.endpoint.reset();
        next.occurrence.reset();
        return next;
    });
    EXPECT_EQ(find(event.id), bare);
    const auto claimed = claim(instance_a);
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].event, sundial::claim(bare, instance_a, noon, 30s).value());
}

TEST_P(EventRepositoryContract, ParksAPendingEventAndResumesIt) {
    const Event event = an_event();
    given(event);
    const Event parked =
        change(event.id, [](const Event& pending, Instant now) { return park(pending, now); });
    EXPECT_EQ(find(event.id), parked);
    EXPECT_THAT(claim(instance_a), IsEmpty());
    EXPECT_EQ(queue().peek(all_lanes).next[shard_of(event.id, queue().shards())], never);
    change(event.id, [](const Event& pending, Instant now) {
        return resume(pending, pending.intent, noon, now);
    });
    EXPECT_EQ(claim_one().version, Version{4});
}

TEST_P(EventRepositoryContract, MovesACancelledEventToItsHistory) {
    const Event event = an_event();
    given(event);
    const Event over = cancelled(event.id);
    EXPECT_EQ(find(event.id), over);
    EXPECT_EQ(over.version, Version{2});
    EXPECT_THAT(claim(instance_a), IsEmpty());
    EXPECT_THAT(attempts_of(event.id), IsEmpty());
}

TEST_P(EventRepositoryContract, CancelsAnEventThatWaitsForItsNextAttempt) {
    given(an_event());
    const Settlement settlement = retry_in(claim_one(), noon, 1s);
    EXPECT_TRUE(settle(settlement));
    const Event over = cancelled(settlement.id);
    EXPECT_EQ(find(settlement.id), over);
    EXPECT_EQ(over.retry_count, 1U);
    EXPECT_THAT(attempts_of(settlement.id), ElementsAre(*settlement.attempt));
    advance(1s);
    EXPECT_THAT(claim(instance_a), IsEmpty());
}

TEST_P(EventRepositoryContract, UnparksTheEventsOfAnEndpointInBatches) {
    const EndpointId endpoint = an_id<EndpointId>();
    const auto park_one = [&](const std::optional<EndpointId>& of) {
        Event event = an_event();
        event.endpoint = of;
        given(event);
        EXPECT_TRUE(release_claims(release_of(claim_one(), std::nullopt)));
        return find(event.id).value();
    };
    std::vector<Event> parked;
    for (int i = 0; i < 5; ++i) parked.push_back(park_one(endpoint));
    const Event of_another = park_one(an_id<EndpointId>());
    const Event of_none = park_one(std::nullopt);
    const Event paused = an_event().to_endpoint(endpoint);
    given(paused);
    change(paused.id, [](const Event& event, Instant now) { return park(event, now); });
    const Event pending = an_event().to_endpoint(endpoint).due(noon + 1h);
    given(pending);
    advance(7s);
    const auto unpark = [&] {
        return on_events([&](EventRepository& events) { return events.unpark(endpoint, 2); });
    };

    EXPECT_EQ(unpark(), 2U);
    EXPECT_EQ(claim(instance_b).size(), 2U);
    EXPECT_EQ(unpark(), 2U);
    EXPECT_EQ(unpark(), 1U);
    EXPECT_EQ(unpark(), 0U);
    EXPECT_EQ(claim(instance_b).size(), 3U);
    for (const Event& event : parked) {
        Event unparked = event;
        unparked.claimable_at = unparked.updated_at = noon + 7s;
        unparked.version = base::next(event.version);
        EXPECT_EQ(find(event.id), sundial::claim(unparked, instance_b, noon + 7s, 30s).value());
    }
    EXPECT_EQ(find(of_another.id), of_another);
    EXPECT_EQ(find(of_none.id), of_none);
    EXPECT_EQ(find(pending.id), pending);
    EXPECT_EQ(find(paused.id)->claimable_at, never);
}

TEST_P(EventRepositoryContract, UnparksTheEventsWithoutAnEndpointInBatches) {
    const auto park_one = [&](const std::optional<EndpointId>& of) {
        Event event = an_event();
        event.endpoint = of;
        given(event);
        EXPECT_TRUE(release_claims(release_of(claim_one(), std::nullopt)));
        return find(event.id).value();
    };
    const std::vector<Event> parked{park_one(std::nullopt), park_one(std::nullopt)};
    const Event of_an_endpoint = park_one(an_id<EndpointId>());
    const Event paused = an_event();
    given(paused);
    change(paused.id, [](const Event& event, Instant now) { return park(event, now); });
    advance(7s);
    const auto unpark = [&] {
        return on_events([&](EventRepository& events) { return events.unpark(std::nullopt, 1); });
    };

    EXPECT_EQ(unpark(), 1U);
    EXPECT_EQ(claim(instance_b).size(), 1U);
    EXPECT_EQ(unpark(), 1U);
    EXPECT_EQ(unpark(), 0U);
    EXPECT_EQ(claim(instance_b).size(), 1U);
    for (const Event& event : parked) {
        EXPECT_EQ(find(event.id)->version, base::next(base::next(event.version)));
    }
    EXPECT_EQ(find(of_an_endpoint.id), of_an_endpoint);
    EXPECT_EQ(find(paused.id)->claimable_at, never);
}

/// Two edits of one event race claimers. Every change must build on the one before.
TEST_P(EventRepositoryContract, LeavesOneConsistentResultOfEditsThatRaceAClaim) {
    const Event event = an_event();
    given(event);
    std::atomic<std::uint64_t> changes = 0;
    at_once(3, [&](int i) {
        if (i == 2) {
            changes += claim(instance_a).size();
            return;
        }
        for (int n = 0; n < 10; ++n) {
            bool changed = false;
            store().transact([&](Transaction& tx) {
                changed = false;
                const auto live = tx.events().lock(event.id);
                if (!live) return false;
                const auto next = retarget(*live, live->intent, noon - 1s * n, tx.now());
                if (!next) return false;
                tx.events().update(*next);
                changed = true;
                return true;
            });
            if (changed) ++changes;
        }
    });
    const Event result = find(event.id).value();
    EXPECT_EQ(result.version, Version{1 + changes});
    if (is_claimed(result)) {
        EXPECT_EQ(result.attempt, Attempt{1});
        EXPECT_TRUE(settle(accepted(result, noon)));
    } else {
        EXPECT_EQ(changes, 20U);
    }
}

}  // namespace
}  // namespace sundial
