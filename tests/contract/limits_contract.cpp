#include "contract/limits_contract.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "application/delivery/admit_events.hpp"
#include "contract/settlements.hpp"
#include "support/fake_ids.hpp"

namespace sundial {

std::pair<std::vector<ClaimedEvent>, std::vector<LineHead>> LimitsContract::claim_beside(
    EndpointId limited) {
    std::pair<std::vector<ClaimedEvent>, std::vector<LineHead>> all;
    for (std::uint32_t shard = 0; shard < queue().shards(); ++shard) {
        Claimed claimed = queue().claim_ready({instance_a, shard, {9, 9, 9, 9}, 30s, {limited}});
        std::ranges::move(claimed.events, std::back_inserter(all.first));
        std::ranges::move(claimed.lined_up, std::back_inserter(all.second));
    }
    return all;
}

Event LimitsContract::blocked(EndpointId endpoint, std::optional<Obstacle> obstacle,
                              std::chrono::microseconds delay) {
    given(an_event().to_endpoint(endpoint));
    const Event claimed = claim_one();
    ReleasedClaim back = release_of(claimed, delay);
    back.obstacle = obstacle;
    EXPECT_TRUE(release_claims(back));
    return find(claimed.id).value();
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_P(LimitsContract, KeepsEveryMemberOfACircuit) {
    Circuit circuit{.endpoint = an_id<EndpointId>(),
                    .state = CircuitState::half_open,
                    .parts = {{{7, 3}, {0, 0}, {4'000'000, 2'000'000}, {1, 1}, {2, 0}, {9, 8}}},
                    .part_began = noon - 7us,
                    .opened_at = noon - 1h,
                    .open_for = 480s,
                    .probe_at = noon + 1us,
                    .prober = instance_a,
                    .probes_answered = 2,
                    .accepted_at = noon - 24h,
                    .failing_since = noon - 23h};
    put(circuit);
    EXPECT_EQ(circuit_of(circuit.endpoint), circuit);

    circuit = {.endpoint = circuit.endpoint};
    put(circuit);
    EXPECT_EQ(circuit_of(circuit.endpoint), circuit);
}

TEST_P(LimitsContract, HasAClosedCircuitWithoutReports) {
    const auto endpoint = an_id<EndpointId>();
    EXPECT_EQ(circuit_of(endpoint), Circuit{.endpoint = endpoint});
    const auto other = an_id<EndpointId>();
    EXPECT_THAT(read([&](Transaction& tx) { return tx.circuits().find_all(std::vector{other}); }),
                IsEmpty());
    EXPECT_THAT(read([&](Transaction& tx) { return tx.circuits().find_all({}); }), IsEmpty());
}

TEST_P(LimitsContract, FindsAndListsCircuitsThoseThatAreNotClosedFirst) {
    const Circuit first{.endpoint = an_id<EndpointId>()};
    const Circuit second{.endpoint = an_id<EndpointId>(), .state = CircuitState::open};
    const Circuit third{.endpoint = an_id<EndpointId>()};
    for (const Circuit& circuit : {third, second, first}) put(circuit);
    const auto find_all = [&](std::vector<EndpointId> ids) {
        return read([&](Transaction& tx) { return tx.circuits().find_all(ids); });
    };
    EXPECT_THAT(find_all({third.endpoint, first.endpoint, third.endpoint, an_id<EndpointId>()}),
                ElementsAre(first, third));
    const auto list = [&](std::size_t limit) {
        return read([&](Transaction& tx) { return tx.circuits().list(limit); });
    };
    EXPECT_THAT(list(10), ElementsAre(second, first, third));
    EXPECT_THAT(list(2), ElementsAre(second, first));
}

TEST_P(LimitsContract, KeepsLimitsAndTheLeasesOfEachInstance) {
    Limits limits{
        .endpoint = an_id<EndpointId>(),
        .bucket_full_at = noon + 3us,
        .leases = {{instance_a, 7, noon + 30s, noon}, {instance_b, 0, noon + 29s, noon + 2s}}};
    const Limits others{.endpoint = an_id<EndpointId>(),
                        .leases = {{instance_a, 1, noon + 30s, noon}}};
    put(limits);
    put(others);
    EXPECT_EQ(limits_of(limits.endpoint), limits);

    limits.leases.erase(limits.leases.begin());
    limits.leases.front().slots = 3;
    put(limits);
    EXPECT_EQ(limits_of(limits.endpoint), limits);
    limits.leases.clear();
    put(limits);
    EXPECT_EQ(limits_of(limits.endpoint), limits);
    EXPECT_EQ(limits_of(others.endpoint), others);
}

TEST_P(LimitsContract, HasFullLimitsBeforeTheFirstRequest) {
    const auto endpoint = an_id<EndpointId>();
    EXPECT_EQ(limits_of(endpoint), Limits{.endpoint = endpoint});
}

TEST_P(LimitsContract, RollsBothBackWithTheTransaction) {
    const auto endpoint = an_id<EndpointId>();
    store().transact([&](Transaction& tx) {
        static_cast<void>(tx.circuits().lock(endpoint));
        tx.circuits().put({.endpoint = endpoint, .state = CircuitState::open});
        static_cast<void>(tx.limits().lock(endpoint));
        tx.limits().put({.endpoint = endpoint, .leases = {{instance_a, 7, noon, noon}}});
        return false;
    });
    EXPECT_EQ(circuit_of(endpoint).state, CircuitState::closed);
    EXPECT_THAT(limits_of(endpoint).leases, IsEmpty());
}

// A transaction never reads rows that another one is about to change; otherwise slots and results
// would be lost.
TEST_P(LimitsContract, AllowsOneChangeAtATime) {
    constexpr int many = 8, times = 5;
    const auto endpoint = an_id<EndpointId>();
    at_once(many, [&](int) {
        for (int i = 0; i < times; ++i) {
            write([&](Transaction& tx) {
                Circuit circuit = tx.circuits().lock(endpoint);
                ++circuit.parts[0].calls;
                tx.circuits().put(circuit);
                Limits limits = tx.limits().lock(endpoint);
                limits.bucket_full_at += 1s;
                if (limits.leases.empty()) limits.leases.push_back({instance_a, 0, noon, noon});
                ++limits.leases[0].slots;
                tx.limits().put(limits);
            });
        }
    });
    EXPECT_EQ(circuit_of(endpoint).parts[0].calls, many * times);
    EXPECT_EQ(limits_of(endpoint).bucket_full_at, Instant{} + many * times * 1s);
    EXPECT_EQ(limits_of(endpoint).leases[0].slots, many * times);
}

TEST_P(LimitsContract, KeepsTheLimitsOfAnEndpoint) {
    Endpoint limited = an_endpoint().limited_to({50, 100}).with_max_in_flight(20);
    const Endpoint free = an_endpoint();
    write([&](Transaction& tx) {
        ASSERT_TRUE(tx.endpoints().add(limited));
        ASSERT_TRUE(tx.endpoints().add(free));
    });
    const auto find = [&](EndpointId id) {
        return read([&](Transaction& tx) { return tx.endpoints().find(id); });
    };
    EXPECT_EQ(find(limited.id), limited);
    EXPECT_EQ(find(free.id), free);
    limited.rate_limit.reset();
    limited.max_in_flight = 1;
    write([&](Transaction& tx) { ASSERT_TRUE(tx.endpoints().update(limited)); });
    EXPECT_EQ(find(limited.id), limited);
}

TEST_P(LimitsContract, CountsWaitingEventsByObstacle) {
    const auto endpoint = an_id<EndpointId>();
    blocked(endpoint, std::nullopt);
    for (int i = 0; i < 2; ++i) blocked(endpoint, Obstacle::circuit);
    for (int i = 0; i < 3; ++i) blocked(endpoint, Obstacle::limit);
    const QueueDepth depth = queue().depth();
    EXPECT_EQ(depth.waiting_for_retry, 1U);
    EXPECT_EQ(depth.waiting_for_circuit, 2U);
    EXPECT_EQ(depth.waiting_for_limit, 3U);
}

TEST_P(LimitsContract, ForgetsTheObstacleWithTheNextClaim) {
    const Event waiting = blocked(an_id<EndpointId>(), Obstacle::circuit, 1s);
    advance(1s);
    const Event claimed = claim_one();
    EXPECT_EQ(claimed.id, waiting.id);
    EXPECT_EQ(claimed.retry_count, 0U);  // no attempt is used
    EXPECT_EQ(queue().depth().waiting_for_circuit, 0U);
    EXPECT_TRUE(settle(retry_in(claimed, noon, 1h)));
    EXPECT_EQ(queue().depth().waiting_for_circuit, 0U);
    EXPECT_EQ(queue().depth().waiting_for_retry, 1U);
}

TEST_P(LimitsContract, ForgetsTheObstacleOfACancelledEvent) {
    const Event waiting = blocked(an_id<EndpointId>(), Obstacle::limit);
    write([&](Transaction& tx) {
        const Event locked = tx.events().lock(waiting.id).value();
        tx.events().finish(cancel(locked, tx.now(), "no").value());
    });
    EXPECT_EQ(queue().depth().waiting_for_limit, 0U);
}

TEST_P(LimitsContract, ForgetsTheObstacleOfAMovedEvent) {
    const Event waiting = blocked(an_id<EndpointId>(), Obstacle::circuit);
    write([&](Transaction& tx) {
        const Event locked = tx.events().lock(waiting.id).value();
        tx.events().update(expedite(locked, tx.now()).value());
    });
    EXPECT_EQ(queue().depth().waiting_for_circuit, 0U);
    EXPECT_EQ(queue().depth().due, 1U);
}

// Lines.

TEST_P(LimitsContract, LinesUpFreeEventsOfLimitedEndpointsWithoutClaimingThem) {
    const Endpoint limited = stored(an_endpoint().limited_to({1, 1}));
    const Endpoint free = stored(an_endpoint());
    const Event waits = an_event().to_endpoint(limited.id).with_priority(Priority::high);
    const Event goes = an_event().to_endpoint(free.id);
    given(waits, goes);
    EXPECT_THAT(queue().peek(all_lanes).limited, ElementsAre(limited.id));
    EXPECT_THAT(queue().peek(all_lanes).lines, IsEmpty());

    const auto [claimed, lined_up] = claim_beside(limited.id);
    ASSERT_THAT(claimed, SizeIs(1));
    EXPECT_EQ(claimed[0].event.id, goes.id);
    const LineHead head{limited.id, shard_in(waits), Priority::high, waits.claimable_at};
    EXPECT_THAT(lined_up, ElementsAre(head));
    Event waiting = waits;
    waiting.obstacle = Obstacle::limit;
    EXPECT_EQ(find(waits.id), waiting);  // nothing else has changed
    EXPECT_THAT(attempts_of(waits.id), IsEmpty());

    const QueuePeek peeked = queue().peek(all_lanes);
    EXPECT_THAT(peeked.lines, ElementsAre(head));
    EXPECT_GT(peeked.next[shard_in(waits)], noon);
    EXPECT_THAT(claim_beside(limited.id).first, IsEmpty());
    const QueueDepth depth = queue().depth();
    EXPECT_EQ(depth.waiting_for_limit, 1U);
    EXPECT_EQ(depth.waiting_for_retry, 0U);
    EXPECT_EQ(depth.due, 0U);
    advance(2s);
    EXPECT_EQ(queue().backlog(all_lanes).missed, 1U);
}

TEST_P(LimitsContract, ClaimsFromALineOldestFirstInEachPriority) {
    const EndpointId endpoint = stored(an_endpoint().with_max_in_flight(1)).id;
    constexpr std::uint32_t shard = 0;
    const auto in_line = [&] { return an_event().to_endpoint(endpoint).in_shard(shard); };
    const Event first = in_line().due(noon - 2s);
    given(in_line().due(noon - 1s), first, in_line().due(noon));
    EXPECT_THAT(claim_beside(endpoint).second, SizeIs(3));
    const auto claim_one_in_line = [&](std::array<std::uint32_t, 4> shares) {
        return queue().claim_from_line({instance_a, endpoint, shard, shares, 30s});
    };
    EXPECT_THAT(claim_one_in_line({1, 1, 0, 1}).events, IsEmpty());
    const Claimed claimed = claim_one_in_line({0, 0, 1, 0});
    ASSERT_THAT(claimed.events, SizeIs(1));
    const Event& event = claimed.events[0].event;
    EXPECT_EQ(event.id, first.id);
    EXPECT_EQ(event.attempt, Attempt{1});
    EXPECT_EQ(event.version, Version{2});
    EXPECT_EQ(event, sundial::claim(first, instance_a, noon, 30s).value());
    EXPECT_EQ(claimed.now, noon);
    EXPECT_THAT(claim_one_in_line({0, 0, 9, 0}).events, SizeIs(2));
    EXPECT_THAT(queue().peek(all_lanes).lines, IsEmpty());
    EXPECT_EQ(queue().depth().waiting_for_limit, 0U);
}

TEST_P(LimitsContract, ClaimsFromALineAsPartOfATransaction) {
    const EndpointId endpoint = stored(an_endpoint().with_max_in_flight(1)).id;
    const Event event = an_event().to_endpoint(endpoint);
    given(event);
    EXPECT_THAT(claim_beside(endpoint).second, SizeIs(1));
    store().transact([&](Transaction&) {
        const auto claimed =
            queue().claim_from_line({instance_a, endpoint, shard_in(event), {0, 0, 1, 0}, 30s});
        EXPECT_THAT(claimed.events, SizeIs(1));
        return false;
    });
    EXPECT_THAT(queue().peek(all_lanes).lines, SizeIs(1));
}

TEST_P(LimitsContract, LeavesTheLineWithAnEdit) {
    const EndpointId endpoint = stored(an_endpoint().with_max_in_flight(1)).id;
    const EndpointId other = stored(an_endpoint()).id;
    const Event event = an_event().to_endpoint(endpoint);
    given(event);
    EXPECT_THAT(claim_beside(endpoint).second, SizeIs(1));
    write([&](Transaction& tx) {
        const Event locked = tx.events().lock(event.id).value();
        Event edited = retarget(locked, locked.intent, locked.due, tx.now()).value();
        edited.endpoint = other;
        tx.events().update(edited);
    });
    EXPECT_THAT(queue().peek(all_lanes).lines, IsEmpty());
    EXPECT_EQ(claim_one().id, event.id);
}

TEST_P(LimitsContract, UndoesAClaimThatALimitDidNotAllow) {
    const EndpointId endpoint = stored(an_endpoint().with_max_in_flight(1)).id;
    given(an_event().to_endpoint(endpoint));
    const Event claimed = claim_one();
    ReleasedClaim back = release_of(claimed, -1s);
    back.obstacle = Obstacle::limit;
    EXPECT_TRUE(release_claims(back));
    EXPECT_TRUE(release_claims(back)) << "repeated, because its answer was lost";
    const Event waits = find(claimed.id).value();
    EXPECT_EQ(waits.attempt, Attempt{0});
    EXPECT_EQ(waits.version, Version{3});
    EXPECT_EQ(waits.claimable_at, noon - 1s);
    EXPECT_THAT(attempts_of(waits.id), IsEmpty());
    EXPECT_THAT(queue().peek(all_lanes).lines, SizeIs(1));
    EXPECT_THAT(claim(instance_a), IsEmpty());
    const Claimed again =
        queue().claim_from_line({instance_b, endpoint, shard_in(waits), {0, 0, 1, 0}, 30s});
    ASSERT_THAT(again.events, SizeIs(1));
    EXPECT_EQ(again.events[0].event.attempt, Attempt{1});
    EXPECT_FALSE(release_claims(back));  // another instance holds it
}

/// A release that was decided while the circuit was open, and written after it closed.
TEST_P(LimitsContract, ReleasesEventsAtOnceIfTheirCircuitHasClosed) {
    FakeRandom random;
    AdmitEvents admit{store(), random};
    const auto open = an_id<EndpointId>(), closed = an_id<EndpointId>();
    put(Circuit{.endpoint = open, .state = CircuitState::open});
    put(Circuit{.endpoint = closed, .state = CircuitState::closed});
    std::vector<BlockedEvent> released;
    for (const EndpointId endpoint : {open, closed, an_id<EndpointId>()}) {
        const Event waiting = blocked(endpoint, Obstacle::circuit);
        released.push_back({waiting.id, Version{waiting.version.value - 1}, endpoint});
    }
    EXPECT_EQ(admit.release_if_closed(released), 2U);
    EXPECT_EQ(queue().depth().waiting_for_circuit, 1U);
    EXPECT_EQ(claim(instance_b).size(), 2U);
    EXPECT_EQ(admit.release_if_closed(released), 0U);  // another instance holds them
}

TEST_P(LimitsContract, ExpeditesEventsThatWaitForAnObstacleOfAnEndpoint) {
    const auto endpoint = an_id<EndpointId>();
    const Event retrying = blocked(endpoint, std::nullopt);
    const Event limited = blocked(endpoint, Obstacle::limit);
    const Event others = blocked(an_id<EndpointId>(), Obstacle::circuit);
    std::vector<Event> waiting;
    for (int i = 0; i < 3; ++i) waiting.push_back(blocked(endpoint, Obstacle::circuit));
    advance(1min);
    const auto expedite = [&](std::size_t limit) {
        return write([&](Transaction& tx) {
            return tx.events().expedite(endpoint, WaitReason::circuit, limit);
        });
    };
    EXPECT_EQ(expedite(2), 2U);
    EXPECT_EQ(queue().depth().waiting_for_circuit, 2U);
    EXPECT_EQ(expedite(2), 1U);
    EXPECT_EQ(expedite(2), 0U);
    for (const Event& before : waiting) {
        const Event after = this->find(before.id).value();
        EXPECT_EQ(after.claimable_at, noon + 1min);
        EXPECT_EQ(after.version, base::next(before.version));
    }
    for (const Event& other : {retrying, limited, others}) EXPECT_EQ(find(other.id), other);
    EXPECT_EQ(claim(instance_b).size(), 3U);
}

TEST_P(LimitsContract, EndsTheWaitForARetryOfOneEndpoint) {
    const auto endpoint = an_id<EndpointId>();
    const auto retrying = [&](EndpointId to) {
        given(an_event().to_endpoint(to));
        EXPECT_TRUE(settle(retry_in(claim_one(), noon, 1h)));
    };
    retrying(endpoint);
    retrying(endpoint);
    retrying(an_id<EndpointId>());
    blocked(endpoint, Obstacle::circuit);
    blocked(endpoint, Obstacle::limit);
    given(an_event().to_endpoint(endpoint).due(noon + 1h));
    const auto expedite = [&](std::size_t limit) {
        return in_transaction(store(),
                              [&](Transaction& tx) -> Result<std::size_t> {
                                  return tx.events().expedite(endpoint, WaitReason::retry, limit);
                              })
            .value();
    };
    EXPECT_EQ(expedite(1), 1U);
    EXPECT_EQ(expedite(9), 1U);
    EXPECT_EQ(expedite(9), 0U);
    const auto claimed = claim(instance_b);
    ASSERT_EQ(claimed.size(), 2U);
    for (const auto& one : claimed) {
        EXPECT_EQ(one.event.endpoint, endpoint);
        EXPECT_EQ(one.event.retry_count, 1U);
        EXPECT_EQ(one.event.version, Version{5});
    }
}

TEST_P(LimitsContract, ShowsTheObstacle) {
    const Event waiting = blocked(an_id<EndpointId>(), Obstacle::limit);
    EXPECT_EQ(waiting.obstacle, Obstacle::limit);
    EXPECT_EQ(waiting_for(waiting), WaitReason::limit);
    write([&](Transaction& tx) { EXPECT_EQ(tx.events().lock(waiting.id), waiting); });
}

}  // namespace
}  // namespace sundial
