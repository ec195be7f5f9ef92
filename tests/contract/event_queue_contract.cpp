#include "contract/event_queue_contract.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "contract/settlements.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::vector<EventId> ids_of(const std::vector<ClaimedEvent>& claimed) {
    std::vector<EventId> ids;
    for (const auto& one : claimed) ids.push_back(one.event.id);
    return ids;
}

TEST_P(EventQueueContract, ClaimsByTheRuleOfTheDomain) {
    const Event event = an_event()
                            .of_user(an_id<UserId>())
                            .to_endpoint(an_id<EndpointId>())
                            .of_schedule(an_id<ScheduleId>(), std::chrono::year{2027} / 1 / 5)
                            .with_priority(Priority::high);
    given(event);
    advance(1s);

    const auto claimed = claim(instance_a);

    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].event, sundial::claim(event, instance_a, noon + 1s, 30s).value());
    EXPECT_FALSE(claimed[0].previous_lost);
    EXPECT_EQ(find(event.id), claimed[0].event);
}

TEST_P(EventQueueContract, ReturnsTheTimeOfTheClaim) {
    advance(5us);
    EXPECT_EQ(
        queue()
            .claim_ready(
                {.by = instance_a, .shares = {1, 1, 1, 1}, .lease = 30s, .lane = reminder_lane})
            .now,
        noon + 5us);
}

TEST_P(EventQueueContract, LeavesAnEventAloneUntilItIsDueToTheMicrosecond) {
    const Event event = an_event().due(noon + 10'000'001us);
    given(event);
    advance(10s);
    EXPECT_THAT(claim(instance_a), IsEmpty());
    advance(1us);
    EXPECT_THAT(ids_of(claim(instance_a)), ElementsAre(event.id));
}

TEST_P(EventQueueContract, KeepsTheFirstAndTheLastInstantThatCanBeNamed) {
    using namespace std::chrono;
    const Event first = an_event().due(sys_days{year{1} / 1 / 1});
    const Event last = an_event().due(sys_days{year{9999} / 12 / 31} + 24h - 1us);
    given(first, last);
    EXPECT_EQ(find(last.id), last);
    EXPECT_EQ(claim_one().id, first.id);
    EXPECT_EQ(find(first.id)->due, first.due);
}

TEST_P(EventQueueContract, LeavesAnEventAloneWhileItsLeaseLasts) {
    given(an_event());
    claim_one(instance_a);
    EXPECT_THAT(claim(instance_b), IsEmpty());
    advance(30s - 1us);
    EXPECT_THAT(claim(instance_b), IsEmpty());
}

TEST_P(EventQueueContract, ClaimsAnEventWithAnExpiredLease) {
    const Event event = an_event().to_endpoint(an_id<EndpointId>());
    given(event);
    const Event held = claim_one(instance_a);
    advance(30s);

    const auto previous_lost = claim(instance_b);

    ASSERT_EQ(previous_lost.size(), 1U);
    EXPECT_TRUE(previous_lost[0].previous_lost);
    EXPECT_EQ(previous_lost[0].event, sundial::claim(held, instance_b, noon + 30s, 30s).value());
    EXPECT_EQ(previous_lost[0].event.version, Version{3});
    EXPECT_EQ(previous_lost[0].event.attempt, Attempt{2});
    EXPECT_EQ(previous_lost[0].event.retry_count, 1U);
    const AttemptRecord lost{.event = event.id,
                             .number = Attempt{1},
                             .outcome = AttemptOutcome::lost,
                             .endpoint = event.endpoint,
                             .started_at = noon,
                             .status_code = std::nullopt,
                             .error_code = {},
                             .error_text = {},
                             .response_body = {},
                             .instance = instance_a,
                             .held = held.version};
    EXPECT_THAT(attempts_of(event.id), ElementsAre(lost));
}

TEST_P(EventQueueContract, ClaimsAgainAfterEachLostHolder) {
    const Event event = an_event();
    given(event);
    for (std::uint32_t tries = 1; tries <= 4; ++tries) {
        const Event held = claim_one(tries % 2 == 0 ? instance_a : instance_b);
        EXPECT_EQ(held.attempt, Attempt{tries});
        EXPECT_EQ(held.retry_count, tries - 1);
        advance(30s);
    }
    EXPECT_EQ(attempts_of(event.id).size(), 3U);
}

TEST_P(EventQueueContract, BeginsALostAttemptAtItsClaimHoweverOftenTheLeaseWasExtended) {
    const Event event = an_event();
    given(event);
    advance(5ms);
    const Event held = claim_one(instance_a);
    advance(20s);
    EXPECT_THAT(queue().extend(std::vector{Held{held.id, held.version}}, 30s), IsEmpty());
    advance(30s);

    EXPECT_EQ(claim_one(instance_b).first_attempt_at, noon + 5ms);

    ASSERT_EQ(attempts_of(event.id).size(), 1U);
    EXPECT_EQ(attempts_of(event.id)[0].started_at, noon + 5ms);
    advance(30s);
    EXPECT_EQ(claim_one(instance_a).first_attempt_at, noon + 5ms);
}

TEST_P(EventQueueContract, DoesNotTakeAReleasedAttemptForTheFirst) {
    given(an_event());
    EXPECT_TRUE(release_claims(release_of(claim_one(instance_a), 1s)));
    advance(1s);
    EXPECT_EQ(claim_one(instance_a).first_attempt_at, std::nullopt);
    advance(30s);
    EXPECT_EQ(claim_one(instance_b).first_attempt_at, noon + 1s);
}

TEST_P(EventQueueContract, KeepsTheStartOfAnAttemptBeforeALostOne) {
    given(an_event());
    EXPECT_TRUE(settle(retry_in(claim_one(instance_a), noon + 1ms, 1s)));
    advance(1s);
    claim_one(instance_a);
    advance(30s);
    EXPECT_EQ(claim_one(instance_b).first_attempt_at, noon + 1ms);
}

TEST_P(EventQueueContract, ClaimsNoMoreThanTheShareOfEachPriority) {
    std::map<Priority, std::set<EventId>> of_priority;
    for (int i = 0; i < 5; ++i) {
        for (const auto priority :
             {Priority::critical, Priority::high, Priority::normal, Priority::low}) {
            const Event event = an_event().in_shard(0).with_priority(priority);
            given(event);
            of_priority[priority].insert(event.id);
        }
    }
    std::map<Priority, int> count;
    for (const auto& claimed : claim_in(0, instance_a, {3, 0, 1, 7})) {
        ++count[claimed.event.priority];
        EXPECT_TRUE(of_priority[claimed.event.priority].contains(claimed.event.id));
    }
    EXPECT_EQ(count, (std::map<Priority, int>{
                         {Priority::critical, 3}, {Priority::normal, 1}, {Priority::low, 5}}));
    EXPECT_THAT(claim_in(0, instance_a, {0, 0, 0, 0}), IsEmpty());
}

TEST_P(EventQueueContract, ClaimsTheOldestOfEachPriorityFirst) {
    const Event newest = an_event().in_shard(0).due(noon - 1s);
    const Event oldest = an_event().in_shard(0).due(noon - 3s);
    const Event middle = an_event().in_shard(0).due(noon - 2s);
    const Event low = an_event().in_shard(0).due(noon - 9s).with_priority(Priority::low);
    given(newest, oldest, middle, low);

    EXPECT_THAT(ids_of(claim_in(0, instance_a, {0, 0, 2, 0})),
                UnorderedElementsAre(oldest.id, middle.id));
    EXPECT_THAT(ids_of(claim_in(0, instance_a, {0, 0, 2, 1})),
                UnorderedElementsAre(newest.id, low.id));
}

TEST_P(EventQueueContract, OrdersByWhenItBecameClaimableNotByWhenItWasDue) {
    const Event first_due = an_event().in_shard(0).due(noon - 9s);
    given(first_due);
    EXPECT_TRUE(settle(retry_in(claim_one(), noon, 8s)));  // claimable again at noon + 8 s
    const Event claimable_first = an_event().in_shard(0).due(noon + 7s);
    given(claimable_first);
    advance(8s);
    EXPECT_THAT(ids_of(claim_in(0, instance_b, {0, 0, 1, 0})), ElementsAre(claimable_first.id));
}

TEST_P(EventQueueContract, ClaimsOnlyInTheShardThatIsNamed) {
    const auto shards = queue().shards();
    std::vector<Event> events;
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
        events.push_back(an_event().in_shard(static_cast<std::uint8_t>(shard)));
        given(events.back());
    }
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
        EXPECT_THAT(ids_of(claim_in(shard, instance_a, {9, 9, 9, 9})),
                    ElementsAre(events[shard].id));
    }
}

TEST_P(EventQueueContract, LetsThreeClaimersOfFiveHaveTenDistinctEvents) {
    for (int i = 0; i < 10; ++i) given(an_event().in_shard(0));
    std::mutex mutex;
    std::vector<Event> all;
    at_once(3, [&](int i) {
        const InstanceId by{uuid_of(0xc000'0000'0000 + static_cast<std::uint64_t>(i))};
        const auto claimed = claim_in(0, by, {5, 5, 5, 5});
        EXPECT_LE(claimed.size(), 5U);
        const std::lock_guard lock{mutex};
        for (const auto& one : claimed) all.push_back(one.event);
    });
    // Concurrent claimers skip each other's locked rows. This claims the rest.
    for (const auto& one : claim_in(0, instance_b, {5, 5, 5, 5})) all.push_back(one.event);

    std::set<EventId> distinct;
    for (const Event& event : all) {
        distinct.insert(event.id);
        EXPECT_EQ(event.version, Version{2});
    }
    EXPECT_EQ(all.size(), 10U);
    EXPECT_EQ(distinct.size(), 10U);
}

TEST_P(EventQueueContract, LetsAHundredClaimersOfTenHaveEachOfAThousandEventsOnce) {
    constexpr int claimers = 100;
    constexpr std::uint32_t each = 10;
    std::vector<Event> events;
    for (int i = 0; i < claimers * static_cast<int>(each); ++i) events.push_back(an_event());
    write([&](Transaction& tx) { EXPECT_EQ(tx.events().add_new(events), events.size()); });

    const auto shards = queue().shards();
    std::mutex mutex;
    std::map<EventId, int> times_claimed;
    at_once(claimers, [&](int i) {
        const InstanceId by{uuid_of(0xc000'0000'0000 + static_cast<std::uint64_t>(i))};
        std::uint32_t have = 0;
        for (auto shard = static_cast<std::uint32_t>(i); have < each; ++shard) {
            for (const auto& one : claim_in(shard % shards, by, {0, 0, each - have, 0})) {
                ++have;
                EXPECT_EQ(holder_of(one.event), by);
                EXPECT_EQ(one.event.version, Version{2});
                const std::lock_guard lock{mutex};
                ++times_claimed[one.event.id];
            }
        }
        EXPECT_EQ(have, each);
    });
    EXPECT_EQ(times_claimed.size(), events.size());
    for (const auto& [id, times] : times_claimed) EXPECT_EQ(times, 1) << to_string(id);
    EXPECT_THAT(claim(instance_b), IsEmpty());
}

TEST_P(EventQueueContract, CompletesEachEventOnceWithManyWorkers) {
    std::vector<Event> events;
    for (int i = 0; i < 200; ++i) events.push_back(an_event());
    write([&](Transaction& tx) { EXPECT_EQ(tx.events().add_new(events), events.size()); });
    std::atomic<std::size_t> completed = 0;
    at_once(4, [&](int i) {
        const InstanceId by{uuid_of(0xc000'0000'0000 + static_cast<std::uint64_t>(i))};
        while (completed < events.size()) {
            std::vector<Settlement> settlements;
            for (const auto& one : claim(by, 3)) settlements.push_back(accepted(one.event, noon));
            for (const auto& answer : queue().settle(settlements)) {
                EXPECT_TRUE(answer.has_value());
                ++completed;
            }
        }
    });
    EXPECT_EQ(completed, events.size());
    for (const Event& event : events) {
        const auto now = find(event.id);
        ASSERT_TRUE(now);
        EXPECT_EQ(status_of(*now), EventStatus::completed);
        EXPECT_EQ(now->version, Version{3});
    }
}

TEST_P(EventQueueContract, ExtendsALeaseAndChangesNothingElse) {
    given(an_event());
    const Event held = claim_one();
    advance(20s);
    EXPECT_THAT(queue().extend(std::vector{Held{held.id, held.version}}, 30s), IsEmpty());

    Event expected = held;
    expected.claimable_at = noon + 50s;
    EXPECT_EQ(find(held.id), expected);
    advance(29s);
    EXPECT_THAT(claim(instance_b), IsEmpty());
    EXPECT_TRUE(settle(accepted(held, noon)));
}

TEST_P(EventQueueContract, ExtendsAnExpiredLeaseThatWasNotTaken) {
    given(an_event());
    const Event held = claim_one();
    advance(31s);
    EXPECT_THAT(queue().extend(std::vector{Held{held.id, held.version}}, 30s), IsEmpty());
    EXPECT_THAT(claim(instance_b), IsEmpty());
}

TEST_P(EventQueueContract, NamesTheLeasesThatAreLost) {
    const Event taken = an_event();
    given(taken);
    const Event stale = claim_one(instance_a);
    advance(30s);
    claim_one(instance_b);
    given(an_event().due(noon + 30s));
    const Event finished = claim_one(instance_a);
    EXPECT_TRUE(settle(accepted(finished, noon)));
    given(an_event().due(noon + 30s));
    const Event waiting = claim_one(instance_a);
    EXPECT_TRUE(settle(retry_in(waiting, noon, 9s)));
    given(an_event().due(noon + 30s));
    const Event held = claim_one(instance_a);
    const EventId unknown = an_id<EventId>();

    const std::vector<Held> holds{{stale.id, stale.version},
                                  {finished.id, finished.version},
                                  {held.id, held.version},
                                  {waiting.id, waiting.version},
                                  {unknown, Version{2}}};
    EXPECT_THAT(queue().extend(holds, 40s),
                UnorderedElementsAre(stale.id, finished.id, waiting.id, unknown));
    EXPECT_EQ(find(held.id)->claimable_at, noon + 70s);
    EXPECT_EQ(find(stale.id)->claimable_at, noon + 60s);
    EXPECT_THAT(queue().extend({}, 40s), IsEmpty());
}

TEST_P(EventQueueContract, ClaimsFromAsManyShardsAtOnceAsItSays) {
    std::vector<EventId> all;
    for (int i = 0; i < 40; ++i) {
        const Event event = an_event();
        given(event);
        all.push_back(event.id);
    }
    std::vector<ClaimRequest> requests;
    for (std::uint32_t shard = 0; shard < queue().shards(); ++shard) {
        requests.push_back({.by = instance_a,
                            .shard = shard,
                            .shares = {40, 40, 40, 40},
                            .lease = 30s,
                            .lane = reminder_lane});
    }
    std::vector<EventId> found;
    ASSERT_GE(queue().claims_at_once(), 1U);
    for (std::span<const ClaimRequest> left{requests}; !left.empty();) {
        const auto together = std::min<std::size_t>(left.size(), queue().claims_at_once());
        const auto claims = queue().claim_ready(left.first(together));
        ASSERT_EQ(claims.size(), together);
        for (std::size_t i = 0; i < claims.size(); ++i) {
            for (const ClaimedEvent& one : claims[i].events) {
                EXPECT_EQ(shard_of(one.event.id, queue().shards()), left[i].shard);
                EXPECT_EQ(find(one.event.id), one.event);
                found.push_back(one.event.id);
            }
        }
        left = left.subspan(claims.size());
    }
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(all));
}

TEST_P(EventQueueContract, ClaimsEventsWithoutAnEndpointByTheirType) {
    const Event birthday = an_event().of_type("BIRTHDAY").due(noon - 3s);
    const Event reminder = an_event().due(noon - 2s);
    const Event webhook = an_event().of_type("BIRTHDAY").to_endpoint(an_id<EndpointId>());
    given(birthday, reminder, webhook);
    const auto claim_in_lane = [&](const Lane& lane) {
        std::vector<EventId> ids;
        for (std::uint32_t shard = 0; shard < queue().shards(); ++shard) {
            const Claimed claimed = queue().claim_ready({.by = instance_a,
                                                         .shard = shard,
                                                         .shares = {9, 9, 9, 9},
                                                         .lease = 30s,
                                                         .lane = lane});
            for (const EventId id : ids_of(claimed.events)) ids.push_back(id);
        }
        return ids;
    };
    EXPECT_THAT(claim_in_lane(Lane{"OTHER"}), IsEmpty());
    EXPECT_THAT(claim_in_lane(reminder_lane), ElementsAre(reminder.id));
    EXPECT_THAT(claim_in_lane(endpoint_lane), ElementsAre(webhook.id));
    EXPECT_EQ(find(birthday.id), birthday);
    EXPECT_THAT(attempts_of(birthday.id), IsEmpty());
    EXPECT_THAT(claim_in_lane(birthday_lane), ElementsAre(birthday.id));
    advance(30s);
    EXPECT_THAT(claim_in_lane(reminder_lane), ElementsAre(reminder.id));  // its lease has expired
    EXPECT_THAT(attempts_of(reminder.id), SizeIs(1));
    EXPECT_THAT(attempts_of(birthday.id), IsEmpty());
}

}  // namespace
}  // namespace sundial
