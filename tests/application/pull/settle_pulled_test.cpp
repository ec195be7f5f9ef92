#include "application/pull/settle_pulled.hpp"

#include <gmock/gmock.h>

#include "support/pull_workers.hpp"

namespace sundial {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using Fault = FaultyQueue::Fault;

class SettlePulledTest : public PullWorkers {
protected:
    static std::string reason_of(const Event& failed) {
        return std::get<Failed>(failed.state).reason;
    }
};

TEST_F(SettlePulledTest, CompletesUnderTheVersionOfTheClaim) {
    const Event event = a_due_event();
    const Event held = pulled_one();
    pass(2s);
    const auto done = completed_by(held);

    ASSERT_TRUE(done);
    EXPECT_EQ(*done, find(event));
    EXPECT_EQ(status_of(*done), EventStatus::completed);
    EXPECT_EQ(done->first_attempt_at, noon);
    const auto attempts = attempts_of(event);
    ASSERT_THAT(attempts, SizeIs(1));
    EXPECT_EQ(attempts[0].outcome, AttemptOutcome::succeeded);
    EXPECT_EQ(attempts[0].duration, 2s);
    EXPECT_EQ(to_string(*attempts[0].instance), "w-1");
}

TEST_F(SettlePulledTest, DelaysAFailureByTheRetryPolicy) {
    const Event event = a_due_event();
    const auto waits = failed_by(pulled_one(), {.reason = "printer on fire"});
    ASSERT_TRUE(waits);
    EXPECT_EQ(status_of(*waits), EventStatus::processing);
    EXPECT_FALSE(is_claimed(*waits));
    EXPECT_EQ(waits->claimable_at, noon + 4s);
    EXPECT_EQ(waits->retry_count, 1U);
    EXPECT_EQ(wakeups.hints.back(), noon + 4s);
    const AttemptRecord attempt = attempts_of(event).at(0);
    EXPECT_EQ(attempt.outcome, AttemptOutcome::retryable);
    EXPECT_EQ(attempt.error_code, "WORKER");
    EXPECT_EQ(attempt.error_text, "printer on fire");
}

TEST_F(SettlePulledTest, FailsOnceTheAttemptsAreUsedUp) {
    const Event event = a_due_event();
    for (const auto delay : {4s, 8s}) {
        EXPECT_TRUE(failed_by(pulled_one(), {.reason = "no ink"}));
        pass(delay);
    }
    const auto failed = failed_by(pulled_one(), {.reason = "no paper"});
    ASSERT_EQ(status_of(*failed), EventStatus::failed);
    EXPECT_EQ(reason_of(*failed), "WORKER no paper");
    EXPECT_EQ(failed->retry_count, 3U);
    EXPECT_EQ(attempts_of(event).size(), 3U);
}

TEST_F(SettlePulledTest, FailsAtOnceIfARetryIsNotAllowed) {
    a_due_event();
    const auto failed = failed_by(pulled_one(), {.reason = "no such order", .retry = false});
    ASSERT_EQ(status_of(*failed), EventStatus::failed);
    EXPECT_EQ(reason_of(*failed), "WORKER no such order");
    EXPECT_EQ(failed->retry_count, 0U);
    EXPECT_EQ(attempts_of(*failed).at(0).outcome, AttemptOutcome::permanent);
}

TEST_F(SettlePulledTest, AcceptsAFailureWithoutAReason) {
    a_due_event();
    EXPECT_EQ(reason_of(*failed_by(pulled_one(), {.retry = false})), "WORKER");
}

TEST_F(SettlePulledTest, StoresAnyReasonAsValidText) {
    a_due_event();
    const auto failed =
        failed_by(pulled_one(), {.reason = "no\n\xff" + std::string(100'000, 'x'), .retry = false});
    ASSERT_TRUE(failed);
    EXPECT_EQ(reason_of(*failed), "WORKER no \uFFFD" + std::string(996, 'x'));
}

TEST_F(SettlePulledTest, ReleasesWithoutUsingAnAttempt) {
    const Event event = a_due_event();
    const auto free = released_by(pulled_one());
    ASSERT_TRUE(free);
    EXPECT_FALSE(is_claimed(*free));
    EXPECT_EQ(free->retry_count, 0U);
    EXPECT_EQ(wakeups.hints.back(), noon);
    EXPECT_EQ(pulled_one("w-2").attempt, Attempt{2});
    EXPECT_EQ(attempts_of(event).at(0).outcome, AttemptOutcome::released);
}

TEST_F(SettlePulledTest, ReleasesUntilALaterTime) {
    const Event event = a_due_event();
    const Event held = pulled_one();
    const auto snoozed = settle_pulled.release(to_string(held.id), held.version, noon + 1h);
    ASSERT_TRUE(snoozed);
    EXPECT_FALSE(is_claimed(*snoozed));
    EXPECT_EQ(snoozed->claimable_at, noon + 1h);
    EXPECT_EQ(snoozed->retry_count, 0U);
    EXPECT_EQ(wakeups.hints.back(), noon + 1h);
    EXPECT_EQ(attempts_of(event).at(0).outcome, AttemptOutcome::released);
    const auto again = settle_pulled.release(to_string(held.id), held.version, noon + 1h);
    EXPECT_EQ(*again, *snoozed);
    pass(1h);
    EXPECT_EQ(pulled_one("w-2").attempt, Attempt{2});
}

TEST_F(SettlePulledTest, ExtendsWithoutANewVersion) {
    a_due_event();
    const Event held = pulled_one();
    pass(20s);
    const auto extended = extended_by(held, 1min);
    ASSERT_TRUE(extended);
    EXPECT_EQ(extended->version, held.version);
    EXPECT_EQ(extended->claimable_at, noon + 80s);
    pass(59s);
    EXPECT_THAT(pulled("w-2"), IsEmpty());
    EXPECT_TRUE(completed_by(held));
    EXPECT_EQ(defects_of(extended_by(held, 13h)), std::vector<std::string>{"/lease out_of_range"});
}

// An expired lease alone does not prevent settling: fewer duplicates, the same safety.
TEST_F(SettlePulledTest, AcceptsAResultAfterTheLeaseWhileTheEventIsNotClaimedAgain) {
    a_due_event();
    const Event held = pulled_one();
    pass(1h);
    EXPECT_EQ(status_of(*completed_by(held)), EventStatus::completed);
}

TEST_F(SettlePulledTest, LetsAStaleHolderChangeNothing) {
    const Event event = a_due_event();
    const Event stale = pulled_one("w-1");
    pass(30s);
    const Event held = pulled_one("w-2");

    EXPECT_EQ(error_of<LeaseLost>(completed_by(stale)).held, stale.version);
    EXPECT_TRUE(fails_with<LeaseLost>(failed_by(stale)));
    EXPECT_TRUE(fails_with<LeaseLost>(released_by(stale)));
    EXPECT_TRUE(fails_with<LeaseLost>(extended_by(stale)));
    EXPECT_EQ(find(event), held);
    EXPECT_EQ(observer.late_settles, 1U);  // the first result is stored
    EXPECT_THAT(logged("settle.late"), SizeIs(1));
    EXPECT_TRUE(completed_by(held));
    EXPECT_TRUE(fails_with<LeaseLost>(completed_by(stale)));
}

TEST_F(SettlePulledTest, RecordsALateFailureAsLateAndLetsTheNextHolderWork) {
    const Event event = a_due_event();
    const Event stale = pulled_one("w-1");
    pass(30s);
    pulled_one("w-2");
    EXPECT_TRUE(fails_with<LeaseLost>(failed_by(stale, {.reason = "slow"})));
    const AttemptRecord late = attempts_of(event).at(0);
    EXPECT_EQ(late.outcome, AttemptOutcome::late);
    EXPECT_EQ(late.error_text, "slow");
    pass(30s);
    EXPECT_THAT(pulled("w-3"), SizeIs(1));  // the call had no effect
}

TEST_F(SettlePulledTest, AnswersARepeatedReportAsBefore) {
    a_due_event();
    const Event first = pulled_one();
    const auto waits = failed_by(first);
    EXPECT_EQ(*failed_by(first), *waits);
    pass(4s);
    const Event second = pulled_one();
    const auto free = released_by(second);
    EXPECT_EQ(*released_by(second), *free);
    const Event third = pulled_one();
    const auto done = completed_by(third);
    EXPECT_EQ(*completed_by(third), *done);
    EXPECT_EQ(observer.transitions.at({"REMINDER", EventStatus::completed}), 1U);
    EXPECT_EQ(observer.late_settles, 0U);

    // The earlier call reported another result.
    EXPECT_TRUE(fails_with<LeaseLost>(failed_by(third)));
    EXPECT_TRUE(fails_with<LeaseLost>(completed_by(second)));
    EXPECT_TRUE(fails_with<LeaseLost>(extended_by(first)));
}

TEST_F(SettlePulledTest, AnswersAgainIfTheFirstAnswerWasLost) {
    a_due_event();
    const Event held = pulled_one();
    faulty.settle_fault = Fault::lost_reply;
    EXPECT_THROW((void)completed_by(held), Unavailable);
    EXPECT_EQ(status_of(*completed_by(held)), EventStatus::completed);
}

TEST_F(SettlePulledTest, AcceptsOnlyVersionsOfClaims) {
    const Event pending = a_due_event();
    const auto refused = completed_by(pending);
    EXPECT_EQ(error_of<InvalidStateTransition>(refused).status, EventStatus::pending);
    EXPECT_EQ(error_of<InvalidStateTransition>(refused).action, "complete");
    const Event held = pulled_one();
    const auto waits = failed_by(held);
    EXPECT_TRUE(fails_with<InvalidStateTransition>(released_by(*waits)));
    EXPECT_TRUE(fails_with<InvalidStateTransition>(extended_by(*waits)));
    Event imagined = held;
    imagined.version = Version{77};
    EXPECT_TRUE(fails_with<LeaseLost>(completed_by(imagined)));
    imagined.id = an_id<EventId>();
    EXPECT_TRUE(fails_with<NotFound>(completed_by(imagined)));
}

TEST_F(SettlePulledTest, LeavesTheClaimsOfInstancesAlone) {
    const Event sent = Engine::a_due_event(an_existing_endpoint());
    const Event held = claimed_one();
    ASSERT_EQ(held.id, sent.id);
    const auto refused = completed_by(held);
    EXPECT_EQ(error_of<InvalidStateTransition>(refused).claimed_by, instance_a);
    EXPECT_EQ(find(sent), held);
}

TEST_F(SettlePulledTest, AcceptsAReportIfTheEndpointWasDisabled) {
    a_due_event();
    const Event held = pulled_one();
    change_endpoint([](Endpoint& changed) { changed.enabled = false; });
    EXPECT_TRUE(extended_by(held));
    EXPECT_TRUE(completed_by(held));
}

TEST_F(SettlePulledTest, LetsAWaitingEventBeCancelled) {
    const Event event = a_due_event();
    ASSERT_TRUE(failed_by(pulled_one()));
    EXPECT_TRUE(cancel_event.run(to_string(event.id), std::nullopt, "req-1"));
    pass(1h);
    EXPECT_THAT(pulled(), IsEmpty());
}

TEST_F(SettlePulledTest, RecordsTheWorkerOfEachResult) {
    a_due_event();
    EXPECT_TRUE(completed_by(pulled_one("w-9")));
    const auto lines = logged("event.completed");
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(field<std::string>(lines[0], "claimedBy"), "w-9");
    EXPECT_EQ(observer.attempts_ended, 1U);
    EXPECT_EQ(observer.last_verdict, Verdict::accepted);
}

}  // namespace
}  // namespace sundial
