#include "application/delivery/admit_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "adapters/memory/store.hpp"
#include "application/delivery/judge_receivers.hpp"
#include "support/builders.hpp"
#include "support/fake_ids.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Two instances that share one store.
class AdmitEventsTest : public testing::Test {
protected:
    Admission ask(InstanceId by, AdmissionRequest asked) {
        return admit.run(by, std::vector{asked}, 30s).at(0);
    }
    AdmissionRequest waiting(std::uint32_t events, LimitRules rules = {}) {
        return {.endpoint = endpoint, .rules = rules, .waiting = events};
    }
    std::vector<ReceiverChange> report(InstanceId by, ReceiverReport reported) {
        return judge.run(by, std::vector{reported});
    }
    void open() { report(instance_a, {.endpoint = endpoint, .results = {.failed = 5}}); }
    CircuitState state() {
        return in_read(store, [&](Transaction& tx) {
            const auto found = tx.circuits().find_all(std::vector{endpoint});
            return found.empty() ? CircuitState::closed : found.front().state;
        });
    }

    memory::ManualClock clock{noon};
    memory::MemoryStore store{clock};
    FakeRandom random;
    AdmitEvents admit{store, random};
    JudgeReceivers judge{store, CircuitPolicy{}};
    const EndpointId endpoint = an_id<EndpointId>();
};

TEST_F(AdmitEventsTest, AdmitsAllEventsWithoutAnObstacle) {
    const Admission admission = ask(instance_a, waiting(500));
    EXPECT_EQ(admission.admitted, 500U);
    EXPECT_FALSE(admission.probe);
    EXPECT_THAT(admission.waits, IsEmpty());
}

TEST_F(AdmitEventsTest, SharesTheSlotsOfAnEndpointAmongInstances) {
    const LimitRules three{.max_in_flight = 3};
    EXPECT_EQ(ask(instance_a, waiting(2, three)).admitted, 2U);
    const Admission b = ask(instance_b, waiting(2, three));
    EXPECT_EQ(b.admitted, 1U);
    EXPECT_EQ(b.obstacle, Obstacle::limit);
    ask(instance_a, waiting(0, three));  // nothing in flight: returns the slots
    EXPECT_EQ(ask(instance_b, {.endpoint = endpoint, .rules = three, .in_flight = 1, .waiting = 2})
                  .admitted,
              2U);
}

TEST_F(AdmitEventsTest, CountsNoSlotTwiceWhenItIsAskedAgain) {
    const LimitRules three{.max_in_flight = 3};
    EXPECT_EQ(ask(instance_a, waiting(3, three)).admitted, 3U);
    EXPECT_EQ(ask(instance_a, waiting(3, three)).admitted, 3U);
}

TEST_F(AdmitEventsTest, ReleasesTheSlotsOfARemovedLimit) {
    ask(instance_a, waiting(3, {.max_in_flight = 3}));
    ask(instance_a, waiting(0));
    EXPECT_EQ(ask(instance_b, waiting(3, {.max_in_flight = 3})).admitted, 3U);
}

TEST_F(AdmitEventsTest, HP07_FiftyWorkersShareTwentySlotsAndTheSlotOfADeadOneIsFreeAfterItsLease) {
    const LimitRules twenty{.max_in_flight = 20};
    std::vector<InstanceId> holders, others;
    for (int i = 0; i < 50; ++i) {
        const auto worker = an_id<InstanceId>();
        const bool admitted = ask(worker, waiting(1, twenty)).admitted == 1;
        (admitted ? holders : others).push_back(worker);
    }
    ASSERT_THAT(holders, SizeIs(20));
    // One instance is killed; the others continue, and report every third of their lease.
    const auto admitted_of_others = [&] {
        std::size_t came = 0;
        for (const InstanceId worker : others) came += ask(worker, waiting(1, twenty)).admitted;
        return came;
    };
    for (int third = 1; third <= 3; ++third) {
        EXPECT_EQ(admitted_of_others(), 0U) << third;
        clock.advance(10s);
        for (std::size_t i = 1; i < holders.size(); ++i) {
            ask(holders[i], {.endpoint = endpoint, .rules = twenty, .in_flight = 1});
        }
    }
    EXPECT_EQ(admitted_of_others(), 1U);
}

TEST_F(AdmitEventsTest, DefersEventsOfAnOpenCircuit) {
    open();
    random.value = 0.5;
    const Admission admission = ask(instance_b, waiting(2));
    EXPECT_EQ(admission.admitted, 0U);
    EXPECT_EQ(admission.obstacle, Obstacle::circuit);
    EXPECT_THAT(admission.waits, ElementsAre(37'500ms, 37'500ms));
}

TEST_F(AdmitEventsTest, LetsOneEventOfOneInstanceProbe) {
    open();
    clock.advance(30s);
    const Admission a = ask(instance_a, waiting(3));
    EXPECT_EQ(a.admitted, 1U);
    EXPECT_TRUE(a.probe);
    EXPECT_THAT(a.waits, SizeIs(2));
    EXPECT_EQ(state(), CircuitState::half_open);
    EXPECT_EQ(ask(instance_b, waiting(3)).admitted, 0U);
    // Its own probe is still in flight.
    AdmissionRequest again = waiting(3);
    again.may_probe = false;
    EXPECT_EQ(ask(instance_a, again).admitted, 0U);
    clock.advance(30s);  // the probe is lost with its instance
    EXPECT_TRUE(ask(instance_b, waiting(1)).probe);
}

TEST_F(AdmitEventsTest, ProbesOnlyWithinTheLimits) {
    const LimitRules one{.max_in_flight = 1};
    open();
    ask(instance_b, {.endpoint = endpoint, .rules = one, .in_flight = 1});
    clock.advance(29s);
    ask(instance_b, {.endpoint = endpoint, .rules = one, .in_flight = 1});
    clock.advance(1s);
    const Admission a = ask(instance_a, waiting(1, one));
    EXPECT_EQ(a.admitted, 0U);
    EXPECT_EQ(a.obstacle, Obstacle::circuit);
    EXPECT_EQ(state(), CircuitState::open);
}

TEST_F(AdmitEventsTest, ClosesAfterThreeProbesAndAdmitsAllEvents) {
    open();
    clock.advance(30s);
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(ask(instance_a, waiting(1)).probe);
        report(instance_a, {.endpoint = endpoint, .probe = CallResult::accepted});
    }
    EXPECT_EQ(state(), CircuitState::closed);
    EXPECT_EQ(ask(instance_b, waiting(9)).admitted, 9U);
}

TEST_F(AdmitEventsTest, AnswersForSeveralEndpointsAtOnce) {
    open();
    AdmissionRequest other{.endpoint = an_id<EndpointId>(), .rules = {}, .waiting = 2};
    const auto admissions = admit.run(instance_a, std::vector{waiting(1), other}, 30s);
    EXPECT_EQ(admissions[0].admitted, 0U);
    EXPECT_EQ(admissions[1].admitted, 2U);
    EXPECT_EQ(admissions[1].endpoint, other.endpoint);
}

TEST_F(AdmitEventsTest, ReportsChangesOfCircuits) {
    EXPECT_THAT(report(instance_a, {.endpoint = endpoint, .results = {.failed = 4}}), IsEmpty());
    const auto opened =
        report(instance_b, {.endpoint = endpoint, .results = {.accepted = 3, .failed = 1}});
    ASSERT_THAT(opened, SizeIs(1));
    EXPECT_EQ(opened[0].before, CircuitState::closed);
    EXPECT_EQ(opened[0].after, CircuitState::open);
    EXPECT_DOUBLE_EQ(opened[0].failure_ratio, 0.625);
    EXPECT_FALSE(opened[0].given_up);
    clock.advance(24h * 5);
    ask(instance_a, waiting(1));
    const auto given_up = report(instance_a, {.endpoint = endpoint, .probe = CallResult::failed});
    ASSERT_THAT(given_up, SizeIs(1));
    // The last success came at the same time as the last failure.
    EXPECT_FALSE(given_up[0].given_up);
    const auto then = report(instance_a, {.endpoint = endpoint, .results = {.failed = 1}});
    EXPECT_THAT(then, IsEmpty());
    clock.advance(24h);
    EXPECT_TRUE(report(instance_a, {.endpoint = endpoint, .results = {.failed = 1}})[0].given_up);
}

}  // namespace
}  // namespace sundial
