#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker_fixture.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// A worker whose heartbeat was renewed at the start.
class WorkerHeartbeat : public WorkerTest {
protected:
    WorkerHeartbeat() { renew(); }
    void renew() { worker.heartbeat({now + silent_after, start, dead}, now); }
    /// After an interruption.
    void begin_again() { worker.heartbeat({now + silent_after, now, dead}, now); }

    DeadInstances dead;
};

TEST_F(WorkerHeartbeat, IsNeededBeforeTheFirstClaim) {
    restart(settings());
    worker.heartbeat({now, now, {}}, now);
    peek({db()});
    EXPECT_EQ(wait(), 1s);  // no claim
    now += 2ms;
    begin_again();
    want<Claim>();
}

TEST_F(WorkerHeartbeat, LetsNothingStartWithoutARenewalForFourSeconds) {
    peek({db()});
    claim(events(2));
    plan();
    send();
    now += silent_after - 1us;
    send();
    peek({never});
    worker.wake(db());
    now += 1us;
    want<Abandon>();
    want<Abandon>();
    EXPECT_EQ(wait(), 1s);  // neither a claim of the due event nor a send
}

TEST_F(WorkerHeartbeat, WakesTheWorkerInTimeToAbort) {
    take(events(1));
    send();
    peek({never});
    now += 3'500ms;
    peek({never});
    EXPECT_EQ(wait(), 500ms);
}

TEST_F(WorkerHeartbeat, ThatEndsAbortsAttemptsAndReleasesWhatIsUnsent) {
    restart(settings(1));
    renew();
    peek({db()});
    claim(events(1));
    plan();
    const Event sent = send();
    now += silent_after;
    EXPECT_EQ(want<Abandon>().event->id, sent.id);
    Outcome aborted;
    aborted.verdict = Verdict::retryable;
    aborted.error = DeliveryErrorCode::lease_lost;
    deliver(sent, aborted);
    const Settlement settlement = settle().front().settlement;
    EXPECT_TRUE(std::holds_alternative<RetryIn>(settlement.result));
    EXPECT_EQ(settlement.held, sent.version);
}

TEST_F(WorkerHeartbeat, ThatEndsReleasesUnsentClaims) {
    peek({db()});
    claim(events(3));
    now += silent_after;
    const ReleaseClaims released = want<ReleaseClaims>();
    ASSERT_THAT(released.batch, SizeIs(3));
    EXPECT_EQ(released.batch[0].delay, 0us);
    worker.claims_released({}, 0, 0.0, now);
    EXPECT_EQ(worker.held(), 0U);
}

TEST_F(WorkerHeartbeat, ThatIsRenewedLetsTheWorkerGoOn) {
    take(events(1));
    const Event sent = send();
    for (int i = 0; i < 9; ++i) {
        now += 1s;
        renew();
        peek({never});
        EXPECT_EQ(wait(), 1s);
    }
    accept(sent);
    EXPECT_THAT(settle(), SizeIs(1));
}

/// Such as after a freeze: other instances may have taken all that was claimed before.
TEST_F(WorkerHeartbeat, VoidsEarlierClaimsWhenItBeginsAgain) {
    take(events(2));
    const Event sent = send();
    now += 1min;
    begin_again();
    EXPECT_EQ(want<Abandon>().event->id, sent.id);
    want<Extend>();
    worker.extended({}, 0.5, now);
    EXPECT_THAT(want<ReleaseClaims>().batch, SizeIs(1));
    worker.claims_released({}, 0, 0.0, now);
    peek({db()});
    claim(events(1));
    plan();
    EXPECT_NE(send().id, sent.id);  // a new claim counts
}

TEST_F(WorkerHeartbeat, VoidsAClaimThatIsAnsweredAfterAnInterruption) {
    peek({db()});
    want<Claim>();
    now += 5s;
    begin_again();
    give(events(2));
    EXPECT_THAT(want<ReleaseClaims>().batch, SizeIs(2));
}

TEST_F(WorkerHeartbeat, ShowsAtOnceWhatADeadInstanceHeld) {
    peek({never});
    EXPECT_EQ(wait(), 1s);
    dead = {{instance_b}, db()};
    renew();
    EXPECT_THAT(want<Peek>().dead.ids, ElementsAre(instance_b));
    worker.peeked({db(), {db()}}, now);
    EXPECT_EQ(want<Claim>().requests.front().dead, dead);
}

TEST_F(WorkerHeartbeat, TellsDeliveriesWhichClaimTheyBelongTo) {
    peek({db()});
    const Mono asked = now;
    want<Claim>();
    now += 30ms;
    give(events(1));
    plan();
    EXPECT_EQ(want<Send>().claimed, asked);
}

}  // namespace
}  // namespace sundial
