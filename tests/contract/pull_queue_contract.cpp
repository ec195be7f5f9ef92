#include "contract/pull_queue_contract.hpp"

#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <random>
#include <set>

#include "contract/settlements.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(PullQueueContract, LeavesDueEventsToItsWorkers) {
    const Event event = an_event().to_endpoint(ours.id);
    given(event);

    EXPECT_THAT(claim(instance_b), IsEmpty());
    const auto claimed = pull(worker("w-1"));

    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_FALSE(claimed[0].previous_lost);
    EXPECT_EQ(claimed[0].event, sundial::claim(event, worker("w-1"), noon, 30s).value());
    EXPECT_EQ(find(event.id), claimed[0].event);
}

TEST_P(PullQueueContract, LetsAWorkerClaimOnlyItsEndpointsEvents) {
    const Event event = an_event().to_endpoint(ours.id);
    given(event, an_event().to_endpoint(theirs.id), an_event().to_endpoint(webhook.id), an_event());
    EXPECT_EQ(pull_one(worker("w-1")).id, event.id);
    EXPECT_EQ(claim(instance_b).size(), 2U);
    EXPECT_THAT(pull_of(webhook, worker("w-1"), {9, 9, 9, 9}), IsEmpty());
}

TEST_P(PullQueueContract, NeverReturnsAnEventEarly) {
    given(an_event().to_endpoint(ours.id).due(noon + 1us));
    EXPECT_THAT(pull(worker("w-1")), IsEmpty());
    advance(1us);
    EXPECT_EQ(pull(worker("w-1")).size(), 1U);
}

TEST_P(PullQueueContract, SeesTheFirstOfEachEndpointShardAndPriority) {
    const auto last = static_cast<std::uint8_t>(queue().shards() - 1);
    const auto for_us = [&](Instant due) { return an_event().to_endpoint(ours.id).due(due); };
    given(for_us(noon + 5s).in_shard(0), for_us(noon + 9s).in_shard(0),
          for_us(noon - 5s).in_shard(last).with_priority(Priority::low),
          an_event().due(noon + 1s).to_endpoint(webhook.id),
          an_event().due(noon + 2s).to_endpoint(theirs.id).in_shard(last));

    EXPECT_EQ(pull_queue().peek({}).now, noon);
    EXPECT_THAT(pull_queue().peek({}).heads, IsEmpty());
    EXPECT_THAT(pull_queue().peek(std::vector{webhook.id}).heads, IsEmpty());
    EXPECT_THAT(pull_queue().peek(std::vector{theirs.id, ours.id}).heads,
                UnorderedElementsAre(PullHead{ours.id, 0, Priority::normal, noon + 5s},
                                     PullHead{ours.id, last, Priority::low, noon - 5s},
                                     PullHead{theirs.id, last, Priority::normal, noon + 2s}));
}

TEST_P(PullQueueContract, CountsEventsThatItsWorkersHold) {
    given(an_event().to_endpoint(ours.id), an_event().to_endpoint(ours.id),
          an_event().to_endpoint(theirs.id), an_event().to_endpoint(ours.id).due(noon + 1h));
    EXPECT_EQ(pull_queue().held(ours.id), 0U);
    const auto claimed = pull(worker("w-1"));
    ASSERT_EQ(claimed.size(), 2U);
    EXPECT_EQ(pull_queue().held(ours.id), 2U);
    EXPECT_EQ(pull_queue().held(theirs.id), 0U);
    EXPECT_TRUE(settle(accepted(claimed[0].event, noon)));
    EXPECT_EQ(pull_queue().held(ours.id), 1U);
    advance(30s);
    EXPECT_EQ(pull_queue().held(ours.id), 0U);
}

TEST_P(PullQueueContract, IsInvisibleToInstances) {
    given(an_event().to_endpoint(ours.id));
    advance(10s);
    const std::vector lanes{endpoint_lane};
    EXPECT_EQ(queue().peek(lanes).next, std::vector<Instant>(queue().shards(), never));
    EXPECT_EQ(queue().backlog(lanes).missed, 0U);
    EXPECT_EQ(queue().depth().due, 1U);
    EXPECT_EQ(queue().depth().oldest_due_age, 10s);
}

TEST_P(PullQueueContract, ClaimsTheOldestOfEachPriorityAndNoMoreThanItsShare) {
    std::map<Priority, std::vector<EventId>> of_priority;
    for (int i = 0; i < 5; ++i) {
        for (const auto priority : {Priority::critical, Priority::normal, Priority::low}) {
            const Event event =
                an_event().in_shard(0).to_endpoint(ours.id).with_priority(priority).due(noon -
                                                                                        1s * i);
            given(event);
            of_priority[priority].push_back(event.id);
        }
    }
    std::map<Priority, std::set<EventId>> claimed;
    for (const auto& one : pull_of(ours, worker("w-1"), {2, 9, 0, 9})) {
        claimed[one.event.priority].insert(one.event.id);
    }
    const auto& critical = of_priority[Priority::critical];
    const auto& low = of_priority[Priority::low];
    EXPECT_EQ(claimed[Priority::critical], (std::set{critical[4], critical[3]}));
    EXPECT_THAT(claimed[Priority::normal], IsEmpty());
    EXPECT_EQ(claimed[Priority::low], (std::set<EventId>{low.begin(), low.end()}));
}

TEST_P(PullQueueContract, CountsAnExpiredLeaseAsALostAttemptOfItsWorker) {
    const Event event = an_event().to_endpoint(ours.id);
    given(event);
    const Event held = pull_one(worker("w-1"));
    advance(30s - 1us);
    EXPECT_THAT(pull(worker("w-2")), IsEmpty());
    advance(1us);

    const auto previous_lost = pull(Claimant{instance_b, "w-2"});

    ASSERT_EQ(previous_lost.size(), 1U);
    EXPECT_TRUE(previous_lost[0].previous_lost);
    EXPECT_EQ(previous_lost[0].event,
              sundial::claim(held, Claimant{instance_b, "w-2"}, noon + 30s, 30s).value());
    const AttemptRecord lost{.event = event.id,
                             .number = Attempt{1},
                             .outcome = AttemptOutcome::lost,
                             .endpoint = ours.id,
                             .started_at = noon,
                             .status_code = std::nullopt,
                             .error_code = {},
                             .error_text = {},
                             .response_body = {},
                             .instance = worker("w-1"),
                             .held = held.version};
    EXPECT_THAT(attempts_of(event.id), ElementsAre(lost));
    EXPECT_EQ(previous_lost[0].event.first_attempt_at, noon);
}

TEST_P(PullQueueContract, RecordsTheWorkerAndVersionOfEachAttempt) {
    const Event event = an_event().to_endpoint(ours.id);
    given(event);
    const Event first = pull_one(worker("w-1"));
    EXPECT_TRUE(settle(retry_in(first, noon, 1s)));
    EXPECT_FALSE(is_claimed(*find(event.id)));
    advance(1s);
    const Event second = pull_one(worker("w-2"));
    EXPECT_TRUE(release_claims(release_of(second, 0s)));
    const Event third = pull_one(worker("w-3"));
    EXPECT_TRUE(settle(accepted(third, noon + 1s)));

    const auto attempts = attempts_of(event.id);
    ASSERT_EQ(attempts.size(), 3U);
    EXPECT_EQ(attempts[0].instance, worker("w-1"));
    EXPECT_EQ(attempts[0].held, first.version);
    EXPECT_EQ(attempts[1].instance, worker("w-2"));
    EXPECT_EQ(attempts[1].held, second.version);
    EXPECT_EQ(attempts[2].outcome, AttemptOutcome::succeeded);
    EXPECT_EQ(attempts[2].instance, worker("w-3"));
    EXPECT_EQ(attempts[2].held, third.version);
}

TEST_P(PullQueueContract, AnswersARepeatedSettlementAsBefore) {
    given(an_event().to_endpoint(ours.id));
    const Event held = pull_one(worker("w-1"));
    EXPECT_TRUE(settle(accepted(held, noon)));
    const auto over = find(held.id);
    EXPECT_TRUE(settle(accepted(held, noon)));
    EXPECT_EQ(find(held.id), over);
}

TEST_P(PullQueueContract, RecordsALateReportAsLate) {
    const Event event = an_event().to_endpoint(ours.id);
    given(event);
    const Event stale = pull_one(worker("w-1"));
    advance(30s);
    const Event held = pull_one(worker("w-2"));

    EXPECT_TRUE(is<LeaseLost>(settle(accepted(stale, noon))));

    EXPECT_EQ(find(event.id), held);
    const auto attempts = attempts_of(event.id);
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].outcome, AttemptOutcome::late);
    EXPECT_EQ(attempts[0].instance, worker("w-1"));
    EXPECT_EQ(attempts[0].held, stale.version);
    EXPECT_TRUE(settle(accepted(held, noon + 30s)));
}

TEST_P(PullQueueContract, KeepsAClaimAsLongAsItIsExtended) {
    given(an_event().to_endpoint(ours.id));
    const Event held = pull_one(worker("w-1"));
    advance(20s);
    EXPECT_THAT(queue().extend(std::vector{Held{held.id, held.version}}, 30s), IsEmpty());
    EXPECT_EQ(find(held.id)->version, held.version);
    EXPECT_EQ(next_of(ours), noon + 50s);
    advance(30s - 1us);
    EXPECT_THAT(pull(worker("w-2")), IsEmpty());
}

TEST_P(PullQueueContract, MovesAnEventToAnotherEndpoint) {
    const Event event = an_event().to_endpoint(webhook.id);
    given(event);
    const auto move_to = [&](std::optional<EndpointId> endpoint) {
        write([&](Transaction& tx) {
            const auto before = tx.events().lock(event.id);
            Event after = retarget(*before, before->intent, before->due, tx.now()).value();
            after.endpoint = endpoint;
            tx.events().update(after);
        });
    };
    move_to(ours.id);
    EXPECT_THAT(claim(instance_a), IsEmpty());
    EXPECT_EQ(next_of(ours), noon);
    move_to(theirs.id);
    EXPECT_THAT(pull(worker("w-1")), IsEmpty());
    EXPECT_EQ(next_of(theirs), noon);
    move_to(std::nullopt);
    EXPECT_EQ(next_of(theirs), never);
    EXPECT_EQ(claim(instance_a).size(), 1U);
}

TEST_P(PullQueueContract, LeavesPlannedAndRetriedEventsToWorkers) {
    const Event planned = an_event().to_endpoint(ours.id);
    write([&](Transaction& tx) { return tx.events().add_new(std::vector{planned}); });
    EXPECT_THAT(claim(instance_a), IsEmpty());
    const Event held = pull_one(worker("w-1"));
    EXPECT_TRUE(settle(refused(held, noon)));
    const Event again = retried(*find(planned.id), an_id<EventId>(), noon).value();
    EXPECT_TRUE(write([&](Transaction& tx) { return tx.events().add_retry(again); }));
    EXPECT_THAT(claim(instance_a), IsEmpty());
    EXPECT_EQ(pull_one(worker("w-1")).id, again.id);
}

TEST_P(PullQueueContract, FindsAParkedEventOnceItIsReleased) {
    given(an_event().to_endpoint(ours.id));
    EXPECT_TRUE(release_claims(release_of(pull_one(worker("w-1")), std::nullopt)));
    EXPECT_EQ(next_of(ours), never);
    EXPECT_EQ(write([&](Transaction& tx) { return tx.events().unpark(ours.id, 10); }), 1U);
    EXPECT_EQ(next_of(ours), noon);
    EXPECT_THAT(claim(instance_a), IsEmpty());
    pull_one(worker("w-2"));
}

TEST_P(PullQueueContract, LetsAHundredClaimersHaveEachEventOnce) {
    constexpr int workers = 100;
    constexpr int events = 300;
    std::set<EventId> all;
    write([&](Transaction& tx) {
        std::vector<Event> many;
        for (int i = 0; i < events; ++i) {
            many.push_back(an_event().to_endpoint(ours.id));
            all.insert(many.back().id);
        }
        return tx.events().add_new(many);
    });
    std::mutex mutex;
    std::map<EventId, std::string> holder;  // by event
    std::size_t claims = 0;
    at_once(workers, [&](int i) {
        const std::string name = "w-" + std::to_string(i);
        for (auto mine = pull(worker(name), 2); !mine.empty(); mine = pull(worker(name), 2)) {
            const std::lock_guard lock(mutex);
            claims += mine.size();
            for (const auto& one : mine) holder.emplace(one.event.id, name);
        }
    });
    for (const auto& one : pull(worker("last"))) {  // events still locked when the others stopped
        ++claims;
        holder.emplace(one.event.id, "last");
    }
    EXPECT_EQ(claims, all.size());
    EXPECT_EQ(holder.size(), all.size());
    for (const auto& [id, name] : holder) {
        const auto event = find(id);
        EXPECT_EQ(std::get<Processing>(event->state).claimed_by, worker(name));
        EXPECT_EQ(event->attempt, Attempt{1});
    }
}

/// For every kind of report from a stale holder, in any number.
TEST_P(PullQueueContract, AStaleHolderChangesNothing) {
    std::mt19937 random{20270105};
    for (int round = 0; round < 20; ++round) {
        given(an_event().to_endpoint(ours.id).due(clock().now()));
        std::vector<Event> stale{pull_one(worker("w-0"))};
        const auto times = 1 + random() % 3;
        for (unsigned i = 1; i <= times; ++i) {
            advance(30s);
            stale.push_back(pull_one(worker("w-" + std::to_string(i))));
        }
        const Event held = stale.back();
        stale.pop_back();
        for (int i = 0; i < 6; ++i) {
            const Event& old = stale[random() % stale.size()];
            const Instant now = clock().now();
            const bool refused_at_all =
                random() % 2 == 0
                    ? is<LeaseLost>(
                          settle(random() % 2 == 0 ? accepted(old, now) : retry_in(old, now, 1s)))
                    : is<LeaseLost>(release_claims(release_of(old, 0s)));
            EXPECT_TRUE(refused_at_all);
            EXPECT_THAT(queue().extend(std::vector{Held{old.id, old.version}}, 1h),
                        ElementsAre(old.id));
            EXPECT_EQ(find(held.id), held);
        }
        EXPECT_TRUE(settle(accepted(held, clock().now())));
    }
}

}  // namespace
}  // namespace sundial
