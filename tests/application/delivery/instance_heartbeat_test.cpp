#include "application/delivery/instance_heartbeat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <vector>

#include "support/engine.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using Fault = FaultyQueue::Fault;

/// Says what the test says.
class FakePresence final : public Presence {
public:
    void show(InstanceId own) override { shown.push_back(own); }
    void withdraw(InstanceId own) override { withdrawn.push_back(own); }
    [[nodiscard]] bool has_ended(InstanceId other) override {
        return std::ranges::find(ended, other) != ended.end();
    }
    std::vector<InstanceId> shown, withdrawn, ended;
};

class InstanceHeartbeatTest : public Engine {
protected:
    InstanceHeartbeatTest() { own.begin(); }

    InstanceHeartbeat heartbeat_of(InstanceId id) {
        return {id,
                {.queue = faulty,
                 .monotonic = monotonic,
                 .log = log,
                 .permit = permit,
                 .presence = presence}};
    }
    [[nodiscard]] bool may_send() const { return permit.allows(monotonic.time, monotonic.time); }
    /// Beats as often as requested until `time` has passed.
    void beat_for(std::chrono::microseconds time) {
        for (const Mono end = monotonic.time + time; monotonic.time < end;) {
            pass(std::min(own.beat(), end) - monotonic.time);
        }
    }

    FakePresence presence;
    InstanceHeartbeat own = heartbeat_of(instance_a);
};

TEST_F(InstanceHeartbeatTest, PermitsNothingBeforeTheFirstAnswer) {
    EXPECT_FALSE(may_send());
    faulty.renew_fault = Fault::lost_reply;
    (void)own.beat();
    EXPECT_FALSE(may_send());
    (void)own.beat();
    EXPECT_TRUE(may_send());
    EXPECT_THAT(logged("heartbeat.lost"), IsEmpty());
}

TEST_F(InstanceHeartbeatTest, IsRenewedOnceASecond) {
    EXPECT_EQ(own.beat(), monotonic.time + renew_every);
    beat_for(10s);
    EXPECT_TRUE(may_send());
    EXPECT_EQ(own.state().until, monotonic.time - renew_every + silent_after);
}

TEST_F(InstanceHeartbeatTest, PermitsFourSecondsFromBeforeTheCall) {
    const Mono sent_at = monotonic.time;
    faulty.before_renew = [this] { pass(3s); };
    EXPECT_EQ(own.beat(), monotonic.time + 10ms);  // at once, but not without a pause
    EXPECT_EQ(permit.until(), sent_at + 4s);
    EXPECT_TRUE(may_send());
    pass(1s - 1us);
    EXPECT_TRUE(may_send());
    pass(1us);
    EXPECT_FALSE(may_send());
}

TEST_F(InstanceHeartbeatTest, IsRepeatedSoonAfterAFailure) {
    (void)own.beat();
    pass(1s);
    faulty.renew_fault = Fault::lost_request;
    EXPECT_EQ(own.beat(), monotonic.time + 250ms);
    pass(250ms);
    faulty.renew_fault = Fault::lost_request;
    (void)own.beat();
    EXPECT_EQ(permit.until(), monotonic.time + 4s - 1'250ms);
    EXPECT_THAT(logged("heartbeat.failed"), SizeIs(1));  // not one for each failure
}

TEST_F(InstanceHeartbeatTest, PermitsNoEarlierClaimAfterAnInterruption) {
    (void)own.beat();
    const Mono claimed = monotonic.time;
    pass(4s);
    EXPECT_FALSE(permit.allows(claimed, monotonic.time));
    (void)own.beat();
    EXPECT_FALSE(permit.allows(claimed, monotonic.time));
    EXPECT_FALSE(permit.allows(monotonic.time - 1us, monotonic.time));
    EXPECT_TRUE(may_send());
    EXPECT_EQ(own.state().since, monotonic.time);
    const auto lost = logged("heartbeat.lost");
    ASSERT_THAT(lost, SizeIs(1));
    EXPECT_EQ(field<std::int64_t>(lost[0], "silentMs"), 0);
}

TEST_F(InstanceHeartbeatTest, KeepsEarlierClaimsWithoutAnInterruption) {
    (void)own.beat();
    const Mono claimed = monotonic.time;
    beat_for(10s);
    pass(4s - 1us - (monotonic.time - (permit.until() - silent_after)));
    (void)own.beat();
    EXPECT_TRUE(permit.allows(claimed, monotonic.time));
}

TEST_F(InstanceHeartbeatTest, ThatIsAnsweredTooLatePermitsNothingAndIsRepeatedAtOnce) {
    (void)own.beat();
    pass(1s);
    faulty.before_renew = [this] { pass(5s); };
    EXPECT_EQ(own.beat(), monotonic.time);
    EXPECT_FALSE(may_send());
    faulty.before_renew = {};
    (void)own.beat();
    EXPECT_TRUE(may_send());
}

TEST_F(InstanceHeartbeatTest, LooksAgainWhenAnotherInstanceWouldBeDead) {
    (void)queue.renew(instance_b);
    const Mono began = monotonic.time;
    beat_for(4s);
    const Mono next = own.beat();
    EXPECT_EQ(next - began, dead_after);
    pass(next - monotonic.time);
    EXPECT_THAT(own.state().dead.ids, IsEmpty());
    (void)own.beat();
    EXPECT_THAT(own.state().dead.ids, ElementsAre(instance_b));
    beat_for(3s);
    const auto dead = logged("instance.dead");
    ASSERT_THAT(dead, SizeIs(1));
    EXPECT_EQ(field<std::string>(dead[0], "instance"), to_string(instance_b));
}

TEST_F(InstanceHeartbeatTest, ShowsThatTheInstanceRunsBeforeTheFirstBeat) {
    EXPECT_THAT(presence.shown, ElementsAre(instance_a));
}

TEST_F(InstanceHeartbeatTest, FindsAnInstanceDeadAsSoonAsItsProcessHasEnded) {
    (void)queue.renew(instance_b);
    (void)own.beat();
    EXPECT_THAT(own.state().dead.ids, IsEmpty());
    presence.ended = {instance_b};
    pass(1s);
    (void)own.beat();
    EXPECT_EQ(own.state().dead, (DeadInstances{{instance_b}, clock.now()}));
    ASSERT_THAT(logged("instance.dead"), SizeIs(1));
    EXPECT_TRUE(field<bool>(logged("instance.dead")[0], "ended"));
}

/// Also once its heartbeat shows it, and whichever was found first.
TEST_F(InstanceHeartbeatTest, ReportsAnEndedInstanceOnce) {
    const auto instance_c = an_id<InstanceId>();
    (void)queue.renew(instance_b);
    beat_for(3s);
    (void)queue.renew(instance_c);
    presence.ended = {instance_c};
    (void)own.beat();
    beat_for(10s);
    EXPECT_THAT(own.state().dead.ids, UnorderedElementsAre(instance_b, instance_c));
    ASSERT_THAT(logged("instance.dead"), SizeIs(2));
    EXPECT_FALSE(field<bool>(logged("instance.dead")[1], "ended"));
}

/// Only what the database names: another one may use another database.
TEST_F(InstanceHeartbeatTest, IgnoresAnEndedInstanceOfWhichTheDatabaseKnowsNothing) {
    presence.ended = {instance_b};
    (void)own.beat();
    EXPECT_THAT(own.state().dead.ids, IsEmpty());
}

TEST_F(InstanceHeartbeatTest, EndsWithTheInstance) {
    (void)own.beat();
    own.end(true);
    EXPECT_THAT(presence.withdrawn, ElementsAre(instance_a));
    EXPECT_TRUE(may_send());  // leases count
    EXPECT_EQ(queue.renew(instance_b)->next_death, std::nullopt);
}

TEST_F(InstanceHeartbeatTest, StaysBehindWithTheClaimsOfAnInstanceThatCouldNotSettleThem) {
    (void)own.beat();
    own.end(false);
    EXPECT_THAT(presence.withdrawn, IsEmpty());  // a delivery may still be under way
    EXPECT_EQ(queue.renew(instance_b)->next_death, dead_after);
}

/// Two instances on one store, both driven by hand: their loops and their heartbeats.
class TwoHearts : public Engine {
protected:
    std::unique_ptr<WorkerLoop> an_instance(InstanceId id) {
        WorkerSettings settings = worker_settings(id);
        settings.clock_stands_still = false;
        auto instance = std::make_unique<WorkerLoop>(
            settings, WorkerPorts{faulty, plan, deliver, admit, judge, monotonic, random, log,
                                  observer, permits.emplace_back(), presence});
        instance->begin_heartbeat();
        return instance;
    }
    /// Both clocks move on; `living` instances beat and work.
    void run(std::vector<WorkerLoop*> living, std::chrono::microseconds time) {
        constexpr auto step = 10ms;
        for (auto left = time; left > 0us; left -= step) {
            for (WorkerLoop* one : living) {
                Mono& next = next_beat[one];
                if (next <= monotonic.time)
                    next = one->heartbeat_answered(one->send_heartbeat()).at;
                for (int i = 0; i < 12; ++i) (void)one->turn();
            }
            pass(step);
        }
    }

    FakePresence presence;
    std::list<SendPermit> permits;
    std::map<WorkerLoop*, Mono> next_beat;
    std::unique_ptr<WorkerLoop> first = an_instance(instance_a), second = an_instance(instance_b);
};

TEST_F(TwoHearts, SendWhatADeadOneHeldWithinFiveSecondsAndOnce) {
    run({first.get(), second.get()}, 2s);
    const Event event = a_due_event(an_existing_endpoint());
    webhook.holds = true;
    run({first.get()}, 30ms);
    ASSERT_THAT(webhook.requests, SizeIs(1));
    const Mono killed = monotonic.time;

    run({second.get()}, 4s);
    EXPECT_THAT(webhook.requests, SizeIs(1));
    while (webhook.requests.size() == 1 && monotonic.time < killed + 10s) run({second.get()}, 10ms);

    EXPECT_LT(monotonic.time - killed, 5s);
    ASSERT_THAT(webhook.requests, SizeIs(2));
    EXPECT_EQ(webhook.requests.back().event->attempt, Attempt{2});
    EXPECT_EQ(find(event).retry_count, 1U);
    EXPECT_THAT(logged("lease.expired"), SizeIs(1));
    run({second.get()}, 30s);
    EXPECT_THAT(webhook.requests, SizeIs(2));
}

TEST_F(TwoHearts, SendWhatAnEndedOneHeldAtTheNextBeatAndOnce) {
    run({first.get(), second.get()}, 2s);
    a_due_event(an_existing_endpoint());
    webhook.holds = true;
    run({first.get()}, 30ms);
    ASSERT_THAT(webhook.requests, SizeIs(1));

    presence.ended = {instance_a};
    run({second.get()}, renew_every + 100ms);
    ASSERT_THAT(webhook.requests, SizeIs(2));
    EXPECT_EQ(webhook.requests.back().event->attempt, Attempt{2});
    run({second.get()}, 30s);
    EXPECT_THAT(webhook.requests, SizeIs(2));
}

/// It comes back with its receiver's answer, which is too late.
TEST_F(TwoHearts, LetAFrozenOneSettleNothingThatWasTakenOver) {
    run({first.get(), second.get()}, 2s);
    const Event event = a_due_event(an_existing_endpoint());
    webhook.holds = true;
    run({first.get()}, 30ms);
    ASSERT_THAT(webhook.requests, SizeIs(1));
    run({second.get()}, 5s);
    ASSERT_THAT(webhook.requests, SizeIs(2));
    const Event taken_over = find(event);

    webhook.finish(accepted_outcome());
    run({first.get()}, 1s);
    EXPECT_EQ(find(event), taken_over);
    EXPECT_THAT(logged("settle.late"), SizeIs(1));

    webhook.finish(accepted_outcome());
    run({first.get(), second.get()}, 1s);
    EXPECT_EQ(status_of(find(event)), EventStatus::completed);
    EXPECT_EQ(find(event).attempt, Attempt{2});
    EXPECT_THAT(webhook.requests, SizeIs(2));
}

TEST_F(TwoHearts, DoNotTakeOverWhatOneHeldWhileTheDatabaseAnsweredNobody) {
    run({first.get(), second.get()}, 2s);
    a_due_event(an_existing_endpoint());
    webhook.holds = true;
    run({first.get()}, 30ms);
    ASSERT_THAT(webhook.requests, SizeIs(1));

    pass(6s);
    run({second.get()}, 1s);
    run({first.get(), second.get()}, 1s);
    EXPECT_THAT(logged("instance.dead"), IsEmpty());
    EXPECT_THAT(webhook.requests, SizeIs(1));
    EXPECT_THAT(webhook.abandoned, SizeIs(1));  // it had not renewed its heartbeat
}

}  // namespace
}  // namespace sundial
