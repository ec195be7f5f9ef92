#include "application/events/retry_event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

class RetryEventTest : public ControlPlane {
protected:
    Result<Event> retry(const Event& event, RetryKey key = RetryKey::same) {
        auto retried = retry_event.run(to_string(event.id), key, "req-1");
        if (!retried) return retried.error();
        return retried->event;
    }
    /// Waits an hour for its second attempt.
    Event a_waiting_event() {
        NewEvent requested = a_reminder();
        requested.target.utc = "now";
        scheduled(requested);
        const Event held = claimed_one();
        settle(held, RetryIn{1h});
        return find(held);
    }
};

TEST_F(RetryEventTest, MakesANewEventUnderTheSameKey) {
    const Event failed_one = a_failed_event();
    const Event fresh = retry(failed_one).value();
    EXPECT_NE(fresh.id, failed_one.id);
    EXPECT_EQ(fresh.id.value.bytes.back(), failed_one.id.value.bytes.back());
    EXPECT_EQ(fresh.key, failed_one.key);
    EXPECT_EQ(fresh.retry_of, failed_one.id);
    EXPECT_EQ(find(failed_one).dismissed_at, clock.now());
    EXPECT_EQ(wakeups.hints.back(), clock.now());
    EXPECT_EQ(claimed_one().id, fresh.id);
}

TEST_F(RetryEventTest, ReturnsTheFirstRetryToASecondCaller) {
    const Event failed_one = a_failed_event();
    const Event fresh = retry(failed_one).value();
    const auto error = error_of<DuplicateIdempotencyKey>(retry(failed_one));
    EXPECT_EQ(error.existing, fresh.id);
    EXPECT_EQ(error.status, EventStatus::pending);
}

TEST_F(RetryEventTest, LeavesNoDeadLetterBehind) {
    const Event retried_one = a_failed_event();
    ASSERT_TRUE(retry(retried_one));
    const auto dead = [&] {
        return in_read(store, [](Transaction& tx) {
            return tx.events().dead_letters(DeadLettersBy::reason).counted;
        });
    };
    EXPECT_EQ(dead(), 0U);
    const Event again = failed(claimed_one());
    EXPECT_EQ(dead(), 1U);
    ASSERT_TRUE(retry(again, RetryKey::fresh));
    EXPECT_EQ(dead(), 0U);
    EXPECT_EQ(find(retried_one).version, base::next(retried_one.version));
}

TEST_F(RetryEventTest, LeavesDismissedEventsUnchanged) {
    const Event reviewed = a_failed_event();
    EventEdit edit;
    edit.dismissed = true;
    const Event dismissed =
        edit_event.run(to_string(reviewed.id), edit, std::nullopt, "req-1").value();
    clock.advance(1s);
    EXPECT_TRUE(retry(reviewed));
    EXPECT_EQ(find(reviewed), dismissed);
}

TEST_F(RetryEventTest, MayRetryTheRetry) {
    const Event first = retry(a_failed_event()).value();
    const Event again = failed(claimed_one());
    ASSERT_EQ(again.id, first.id);
    EXPECT_EQ(retry(again)->retry_of, first.id);
}

TEST_F(RetryEventTest, RetriesOnlyFailedEvents) {
    const Event pending = scheduled(a_reminder());
    EXPECT_TRUE(fails_with<InvalidStateTransition>(retry(pending)));
    clock.advance(1h);
    const Event held = claimed_one();
    EXPECT_TRUE(fails_with<InvalidStateTransition>(retry(held)));
    EXPECT_TRUE(fails_with<InvalidStateTransition>(retry(completed(held))));
    EXPECT_EQ(error_of<NotFound>(retry_event.run("x", RetryKey::same, "req-1")).id, "x");
}

TEST_F(RetryEventTest, SendsACompletedOneAgainOnceUnderAFreshKey) {
    scheduled(a_reminder());
    clock.advance(1h);
    const Event done = completed(claimed_one());

    const Event fresh = retry(done, RetryKey::fresh).value();
    EXPECT_NE(fresh.key, done.key);
    EXPECT_EQ(fresh.payload, done.payload);
    EXPECT_EQ(fresh.retry_of, done.id);
    const auto error = error_of<DuplicateIdempotencyKey>(retry(done, RetryKey::fresh));
    EXPECT_EQ(error.existing, fresh.id);
}

TEST_F(RetryEventTest, KeepsTheOldKeyFreeForItsOwnRetry) {
    const Event failed_one = a_failed_event();
    ASSERT_TRUE(retry(failed_one, RetryKey::fresh));
    EXPECT_TRUE(retry(failed_one));
}

TEST_F(RetryEventTest, EndsTheWaitForARetry) {
    const Event waiting = a_waiting_event();
    clock.advance(1s);
    const auto retried = retry_event.run(to_string(waiting.id), RetryKey::same, "req-1");
    ASSERT_TRUE(retried);
    EXPECT_FALSE(retried->is_new);
    EXPECT_EQ(retried->event.id, waiting.id);
    EXPECT_EQ(retried->event.version, base::next(waiting.version));
    EXPECT_EQ(retried->event.claimable_at, clock.now());
    EXPECT_EQ(wakeups.hints.back(), clock.now());
    EXPECT_EQ(retry(waiting)->version, retried->event.version);  // nothing is left to end
    EXPECT_EQ(claimed_one().attempt, Attempt{2});
}

TEST_F(RetryEventTest, LeavesEventsThatWaitForTheirCircuitAndReportsIt) {
    NewEvent requested = a_reminder();
    requested.target.utc = "now";
    scheduled(requested);
    const Event held = claimed_one();
    const ReleasedClaim released{.id = held.id,
                                 .held = held.version,
                                 .number = held.attempt,
                                 .by = instance_a,
                                 .delay = 1h,
                                 .reason = "CIRCUIT_OPEN",
                                 .obstacle = Obstacle::circuit};
    ASSERT_TRUE(queue.release_claims(std::vector{released}).at(0));
    const auto error = error_of<InvalidStateTransition>(retry(held));
    EXPECT_EQ(error.waiting_for, WaitReason::circuit);
    EXPECT_EQ(find(held).claimable_at, clock.now() + 1h);
}

TEST_F(RetryEventTest, EndsNoWaitUnderAFreshKey) {
    EXPECT_TRUE(fails_with<InvalidStateTransition>(retry(a_waiting_event(), RetryKey::fresh)));
}

TEST_F(RetryEventTest, ContinuesTheAttemptNumbersOfTheFailedEvent) {
    const Event failed_one = a_failed_event();
    const Event fresh = retry(failed_one).value();
    EXPECT_EQ(fresh.attempt, failed_one.attempt);
    EXPECT_EQ(claimed_one().attempt, base::next(failed_one.attempt));
}

TEST_F(RetryEventTest, BeginsAgainUnderAFreshKey) {
    ASSERT_TRUE(retry(a_failed_event(), RetryKey::fresh));
    EXPECT_EQ(claimed_one().attempt, Attempt{1});
}

TEST_F(RetryEventTest, RestoresACancelledOccurrenceForItsTime) {
    const User user = created(ada());
    const Event event = pending_of(user);
    ASSERT_TRUE(cancel_event.run(to_string(event.id), std::nullopt, "req-1"));
    const Event fresh = retry(event).value();
    EXPECT_EQ(fresh.retry_of, event.id);
    EXPECT_EQ(fresh.key, event.key);
    EXPECT_EQ(fresh.claimable_at, event.due);
    EXPECT_TRUE(fails_with<DuplicateIdempotencyKey>(retry(event)));
}

TEST_F(RetryEventTest, LeavesACancelledEventOfACallerCancelled) {
    const Event event = scheduled(a_reminder());
    ASSERT_TRUE(cancel_event.run(to_string(event.id), std::nullopt, "req-1"));
    EXPECT_TRUE(fails_with<InvalidStateTransition>(retry(event)));
}

}  // namespace
}  // namespace sundial
