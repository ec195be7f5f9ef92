#include "application/events/cancel_event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using namespace std::chrono;

class CancelEventTest : public ControlPlane {
protected:
    Result<Event> cancel_of(const Event& event) {
        return cancel_event.run(to_string(event.id), std::nullopt, "req-1");
    }
};

TEST_F(CancelEventTest, CancelsAPendingEvent) {
    const Event event = scheduled(a_reminder());
    const Event cancelled = cancel_of(event).value();
    EXPECT_EQ(status_of(cancelled), EventStatus::cancelled);
    EXPECT_EQ(cancelled.version, Version{2});
    EXPECT_EQ(find(event), cancelled);
    clock.advance(2h);
    EXPECT_TRUE(claimed().empty());
}

/// A reminder that was cancelled can be set again.
TEST_F(CancelEventTest, FreesTheKeyForANewEvent) {
    NewEvent requested = a_reminder();
    requested.idempotency_key = "reminder-7";
    const Event first = scheduled(requested);
    EXPECT_TRUE(fails_with<DuplicateIdempotencyKey>(schedule_event.run(requested)));
    ASSERT_TRUE(cancel_of(first));
    const Event second = scheduled(requested);
    EXPECT_NE(second.id, first.id);
    EXPECT_EQ(second.key, first.key);
    EXPECT_TRUE(fails_with<DuplicateIdempotencyKey>(schedule_event.run(requested)));
}

TEST_F(CancelEventTest, AnswersTheSameWhenAskedAgain) {
    const Event event = scheduled(a_reminder());
    const Event first = cancel_of(event).value();
    clock.advance(1s);
    EXPECT_EQ(cancel_of(event).value(), first);
}

TEST_F(CancelEventTest, CancelsAnEventThatWaitsForARetry) {
    scheduled(a_reminder());
    clock.advance(1h);
    const Event held = claimed_one();
    settle(held, RetryIn{1min});
    EXPECT_EQ(status_of(cancel_of(held).value()), EventStatus::cancelled);
}

TEST_F(CancelEventTest, RefusesClaimedAndFinishedEvents) {
    scheduled(a_reminder());
    clock.advance(1h);
    const Event held = claimed_one();
    const auto error = error_of<InvalidStateTransition>(cancel_of(held));
    EXPECT_EQ(error.claimed_by, instance_a);
    EXPECT_EQ(find(held), held);
    const Event done = completed(held);
    EXPECT_TRUE(fails_with<InvalidStateTransition>(cancel_of(done)));
    EXPECT_EQ(find(done), done);
}

TEST_F(CancelEventTest, PlansTheSuccessorOfARecurringOne) {
    const User user = created(ada());
    const Event event = pending_of(user);
    ASSERT_TRUE(cancel_of(event));
    const Event successor = pending_of(user);
    EXPECT_EQ(successor.occurrence->nominal, Date{January / 6 / 2028});
    EXPECT_EQ(wakeups.hints.back(), successor.due);

    ASSERT_TRUE(cancel_of(event));
    EXPECT_EQ(pending_of(user), successor);
}

TEST_F(CancelEventTest, ParksTheSuccessorWhileTheScheduleIsPaused) {
    const User user = created(ada());
    change_birthday([](Schedule& schedule) { schedule.enabled = false; });
    ASSERT_TRUE(cancel_of(pending_of(user)));
    EXPECT_EQ(pending_of(user).claimable_at, never);
}

TEST_F(CancelEventTest, RefusesAStaleVersion) {
    const Event event = scheduled(a_reminder());
    EXPECT_TRUE(
        fails_with<OptimisticLock>(cancel_event.run(to_string(event.id), Version{7}, "req-1")));
    EXPECT_EQ(find(event), event);
}

TEST_F(CancelEventTest, ReportsAnUnknownId) {
    EXPECT_EQ(error_of<NotFound>(cancel_event.run("0199", std::nullopt, "req-1")).id, "0199");
}

}  // namespace
}  // namespace sundial
