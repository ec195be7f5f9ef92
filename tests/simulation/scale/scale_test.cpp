#include "simulation/scale/scale.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/builders.hpp"

namespace sundial::simulation {
namespace {

/// 25 µs of a node's CPU time per event, 5 µs of an instance's.
ScaleSettings a_site() {
    return {.node_cores = 1,
            .events = 20'000,
            .costs = {.peek = {Cost{100}, Cost{5}},
                      .claim = {Cost{200}, Cost{10}},
                      .settle = {Cost{200}, Cost{15}},
                      .commit = Cost{100},
                      .network = Cost{100},
                      .event = Cost{5},
                      .answer = Cost{0}}};
}

TEST(Machine, WorksOnAsManyAsItHasCpusAndLetsTheOthersWait) {
    Machine machine{2};
    EXPECT_EQ(machine.run(Cost{0}, Cost{10}), Cost{10});
    EXPECT_EQ(machine.run(Cost{0}, Cost{10}), Cost{10});
    EXPECT_EQ(machine.run(Cost{1}, Cost{10}), Cost{20});
    EXPECT_EQ(machine.run(Cost{50}, Cost{10}), Cost{60});
    EXPECT_EQ(machine.busy(), Cost{40});
}

TEST(Machine, IsFreeBeforeWorkThatArrivesLater) {
    Machine machine{1};
    EXPECT_EQ(machine.run(Cost{100}, Cost{10}), Cost{110});
    EXPECT_EQ(machine.run(Cost{0}, Cost{10}), Cost{10});
    EXPECT_EQ(machine.run(Cost{5}, Cost{85}), Cost{95});
    EXPECT_EQ(machine.run(Cost{0}, Cost{6}), Cost{116});  // five are left before the first
    EXPECT_EQ(machine.run(Cost{0}, Cost{5}), Cost{100});
    EXPECT_EQ(machine.run(Cost{0}, Cost{1}), Cost{117});
    EXPECT_EQ(machine.run(Cost{200}, Cost{0}), Cost{200});
    EXPECT_EQ(machine.run(Cost{200}, Cost{1}), Cost{201});
    EXPECT_EQ(machine.busy(), Cost{118});
}

/// How long it takes to settle one event of each of so many shards.
Cost settled_in(std::size_t shards, std::size_t nodes, std::size_t sessions) {
    ScaleSettings settings = a_site();
    settings.nodes = nodes;
    settings.node_cores = 4;  // no session waits for another
    settings.sessions = sessions;
    settings.events = shards;
    Cluster cluster{settings};
    std::vector<Settlement> settlements;
    for (std::size_t i = 0; i < shards; ++i) {
        settlements.push_back({.id = EventId{uuid_of(i)},
                               .held = Version{2},
                               .number = Attempt{1},
                               .by = instance_a,
                               .result = Accepted{},
                               .started_at = noon,
                               .status_code = 200,
                               .attempt = {}});
    }
    Cost answered{0};
    EXPECT_EQ(cluster.settle(settlements, answered).size(), shards);
    return answered;
}

TEST(Cluster, SettlesAsManyShardsAtOnceAsTheInstanceHasSessions) {
    const Cost shard{215 + 100 + 2 * 100};  // its statement, commit and two round trips
    const Cost call{100};
    EXPECT_EQ(settled_in(16, 4, 1), 16 * shard + call);
    EXPECT_EQ(settled_in(16, 4, 4), 4 * shard + call);
    EXPECT_EQ(settled_in(5, 4, 4), 3 * shard + call) << "a session has at least two";
    EXPECT_EQ(settled_in(3, 4, 4), 3 * shard + call);
    EXPECT_EQ(settled_in(4, 1, 4), Cost{215 + 100} + call) << "one transaction";
}

TEST(Scale, OneNodeIsAsFastAsItsStatementsAllow) {
    ScaleSettings settings = a_site();
    settings.instances = 4;
    const Scaled scaled = simulate_scale(settings);
    EXPECT_LT(scaled.events_per_second, 1e6 / 25);
    EXPECT_GT(scaled.events_per_second, 0.75 * 1e6 / 25);
    EXPECT_GT(scaled.nodes_busy, 0.8);
}

TEST(Scale, NetworkDelaySlowsOneInstance) {
    ScaleSettings settings = a_site();
    const Scaled nearby = simulate_scale(settings);
    settings.costs.network = Cost{20'000};
    EXPECT_LT(simulate_scale(settings).events_per_second, 0.5 * nearby.events_per_second);
}

// Not four times: a transaction takes two round trips more than on one node.
TEST(Scale, FourTimesTheNodesAndInstancesDoMoreWork) {
    ScaleSettings settings = a_site();
    settings.instances = 4;
    const double one = simulate_scale(settings).events_per_second;
    settings.instances *= 4;
    settings.nodes *= 4;
    settings.shards *= 4;
    settings.events *= 4;
    const double four = simulate_scale(settings).events_per_second;
    EXPECT_GT(four, 2.5 * one);
    EXPECT_LT(four, 4.1 * one);
}

TEST(Scale, SharedMachinesAreSlowerThanSeparateOnes) {
    ScaleSettings settings = a_site();
    settings.instances = 4;
    settings.costs.event = Cost{25};  // as much as the node's
    const double apart = simulate_scale(settings).events_per_second;
    settings.one_machine = true;
    EXPECT_LT(simulate_scale(settings).events_per_second, 0.8 * apart);
}

TEST(Scale, WithTimeToSpareEventsStartWithinAFewRoundsOfTheShards) {
    ScaleSettings settings = a_site();
    settings.instances = 4;
    settings.spread = Cost{4e6};  // 5,000 a second, an eighth of the capacity
    const Scaled scaled = simulate_scale(settings);
    EXPECT_NEAR(scaled.events_per_second, 5'000, 100);
    const double claim_ms = 0.2 + 0.1 + 0.1;  // an empty claim, with its commit and its round trip
    EXPECT_GE(scaled.p50_ms, claim_ms);
    EXPECT_LT(scaled.p99_ms, 4 * 16 * claim_ms);
}

}  // namespace
}  // namespace sundial::simulation
