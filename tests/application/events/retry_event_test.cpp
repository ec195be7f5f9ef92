#include "application/events/retry_event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

class RetryEventTest : public ControlPlane {
protected:
    Result<Event> retry(const Event& event, RetryKey key = RetryKey::same) {
        return retry_event.run(to_string(event.id), key);
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

TEST_F(RetryEventTest, TellsTheSecondWhoWasFirst) {
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

TEST_F(RetryEventTest, LeavesWhatWasDismissedAsItIs) {
    const Event reviewed = a_failed_event();
    EventEdit edit;
    edit.dismissed = true;
    const Event dismissed = edit_event.run(to_string(reviewed.id), edit, std::nullopt).value();
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

TEST_F(RetryEventTest, TakesOnlyWhatFailed) {
    const Event pending = scheduled(a_reminder());
    EXPECT_TRUE(fails_with<InvalidStateTransition>(retry(pending)));
    clock.advance(1h);
    const Event held = claimed_one();
    EXPECT_TRUE(fails_with<InvalidStateTransition>(retry(held)));
    EXPECT_TRUE(fails_with<InvalidStateTransition>(retry(completed(held))));
    EXPECT_EQ(error_of<NotFound>(retry_event.run("x", RetryKey::same)).id, "x");
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

}  // namespace
}  // namespace sundial
