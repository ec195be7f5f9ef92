#include "domain/event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "support/builders.hpp"
#include "support/event_actions.hpp"

namespace sundial {
namespace {

Event a_claimed_event() { return claim(an_event(), instance_a, noon, lease).value(); }
Event a_waiting_event() { return wait_for_retry(a_claimed_event(), noon + 1s, noon + 5s).value(); }
Event a_failed_event() { return fail(a_claimed_event(), noon + 1s, "HTTP_STATUS 404").value(); }

struct Situation {
    std::string_view name;
    Event event;
    Instant now;
    std::set<std::string_view> allowed;
    friend void PrintTo(const Situation& one, std::ostream* out) { *out << one.name; }
};

const std::set<std::string_view> settling{"complete", "fail", "give up", "wait for retry",
                                          "release"};

std::vector<Situation> every_situation() {
    const std::set<std::string_view> planning{"cancel", "retarget", "park", "resume"};
    auto with_claim = [](std::set<std::string_view> actions) {
        actions.insert("claim");
        return actions;
    };
    const Event parked = park(an_event(), the_day_before).value();
    const Event deferred = release(a_claimed_event(), noon, never).value();
    return {
        {"pending_before_it_is_due", an_event(), noon - 1us, planning},
        {"pending_when_due", an_event(), noon, with_claim(planning)},
        {"pending_but_parked", parked, noon + 24h, planning},
        {"claimed", a_claimed_event(), noon + lease - 1us, settling},
        {"claimed_with_its_lease_over", a_claimed_event(), noon + lease, with_claim(settling)},
        {"waiting", a_waiting_event(), noon + 5s - 1us, {"cancel", "expedite"}},
        {"waiting_when_the_next_try_is_due",
         a_waiting_event(),
         noon + 5s,
         {"cancel", "claim", "expedite"}},
        {"waiting_but_parked", deferred, noon + 24h, {"cancel", "expedite"}},
        {"completed", complete(a_claimed_event(), noon).value(), noon + 24h, {}},
        {"failed", a_failed_event(), noon + 24h, {"dismiss"}},
        {"cancelled", cancel(an_event(), noon, "").value(), noon + 24h, {}},
    };
}

class EverySituation : public testing::TestWithParam<Situation> {};

TEST_P(EverySituation, AllowsItsActionsAndNoOther) {
    const auto& [name, event, now, allowed] = GetParam();
    for (const EventAction& action : event_actions()) {
        const Result<Event> result = action.run(event, now);
        EXPECT_EQ(result.has_value(), allowed.contains(action.name)) << action.name;
    }
}

TEST_P(EverySituation, ReportsWhyAnActionIsRefused) {
    const auto& [name, event, now, allowed] = GetParam();
    for (const EventAction& action : event_actions()) {
        if (allowed.contains(action.name)) continue;
        const Result<Event> result = action.run(event, now);
        ASSERT_FALSE(result);
        const auto* error = std::get_if<InvalidStateTransition>(&result.error());
        ASSERT_NE(error, nullptr);
        EXPECT_EQ(error->id, event.id);
        EXPECT_EQ(error->action, action.name);
        EXPECT_EQ(error->status, status_of(event));
        EXPECT_EQ(error->claimed_by.has_value(), is_claimed(event));
        EXPECT_EQ(error->version, event.version);
    }
}

INSTANTIATE_TEST_SUITE_P(Event, EverySituation, testing::ValuesIn(every_situation()),
                         [](const auto& test) { return std::string{test.param.name}; });

TEST(Claim, MakesTheClaimerTheHolderForOneLease) {
    const Event claimed = a_claimed_event();
    EXPECT_EQ(claimed.state, EventState{Processing{instance_a}});
    EXPECT_EQ(claimed.claimable_at, noon + lease);
    EXPECT_EQ(claimed.attempt, Attempt{1});
    EXPECT_EQ(claimed.version, Version{2});
    EXPECT_EQ(claimed.retry_count, 0U);
    EXPECT_EQ(claimed.updated_at, noon);
}

TEST(Claim, CountsTheAttemptOfAHolderWithAnExpiredLease) {
    const Event previous_lost = claim(a_claimed_event(), instance_b, noon + lease, lease).value();
    EXPECT_EQ(previous_lost.state, EventState{Processing{instance_b}});
    EXPECT_EQ(previous_lost.attempt, Attempt{2});
    EXPECT_EQ(previous_lost.version, Version{3});
    EXPECT_EQ(previous_lost.retry_count, 1U);
    EXPECT_EQ(previous_lost.first_attempt_at, noon);
    EXPECT_EQ(claim(previous_lost, instance_a, noon + 2 * lease, lease)->first_attempt_at, noon);
}

TEST(Claim, CountsNothingWhenTheNextAttemptIsDue) {
    const Event again = claim(a_waiting_event(), instance_b, noon + 5s, lease).value();
    EXPECT_EQ(again.attempt, Attempt{2});
    EXPECT_EQ(again.retry_count, 1U);  // counts the failed attempt, not the claim
}

TEST(WaitForRetry, SpendsTheAttemptAndFreesTheEvent) {
    const Event waiting = a_waiting_event();
    EXPECT_EQ(waiting.state, EventState{Processing{}});
    EXPECT_EQ(waiting.claimable_at, noon + 5s);
    EXPECT_EQ(waiting.retry_count, 1U);
    EXPECT_EQ(waiting.version, Version{3});
    EXPECT_FALSE(is_claimed(waiting));
}

TEST(Claim, MayBeThatOfAWorker) {
    EXPECT_FALSE(held_by_worker(an_event()));
    EXPECT_FALSE(held_by_worker(a_claimed_event()));
    EXPECT_TRUE(held_by_worker(claim(an_event(), {instance_a, "crm-7"}, noon, lease).value()));
    EXPECT_FALSE(held_by_worker(a_waiting_event()));
}

TEST(Release, SpendsNoAttemptAndKeepsTheNumberFromReuse) {
    const Event released = release(a_claimed_event(), noon + 1s, noon + 9s).value();
    EXPECT_EQ(released.state, EventState{Processing{}});
    EXPECT_EQ(released.claimable_at, noon + 9s);
    EXPECT_EQ(released.retry_count, 0U);
    EXPECT_EQ(claim(released, instance_b, noon + 9s, lease)->first_attempt_at, std::nullopt);
    EXPECT_EQ(claim(released, instance_b, noon + 9s, lease)->attempt, Attempt{2});
}

TEST(Fail, CountsNoRetryForARefusal) { EXPECT_EQ(a_failed_event().retry_count, 0U); }

TEST(GiveUp, CountsTheLastAttemptToo) {
    const Event over = give_up(a_claimed_event(), noon + 1s, "TIMEOUT").value();
    EXPECT_EQ(over.state, (EventState{Failed{noon + 1s, "TIMEOUT"}}));
    EXPECT_EQ(over.retry_count, 1U);
}

TEST(FinalStates, AreNeverLookedAtAgain) {
    const Event done = complete(a_claimed_event(), noon + 1s).value();
    EXPECT_EQ(done.state, EventState{Completed{noon + 1s}});
    EXPECT_EQ(done.claimable_at, never);
    EXPECT_TRUE(is_final(done));
    EXPECT_FALSE(claimable(done, never));
}

TEST(Retarget, MovesTheMomentAndKeepsTheKey) {
    const Event event = an_event().with_key("birthday-7");
    const Intent intent{.wall = WallTime{1798794000s}, .zone = "Asia/Tokyo"};
    const Event moved = retarget(event, intent, noon - 9h, the_day_before).value();
    EXPECT_EQ(moved.intent, intent);
    EXPECT_EQ(moved.due, noon - 9h);
    EXPECT_EQ(moved.claimable_at, noon - 9h);
    EXPECT_EQ(moved.key, event.key);
    EXPECT_EQ(moved.version, Version{2});
}

TEST(Park, LastsThroughARetargetUntilTheEventIsResumed) {
    const Event parked = park(an_event(), the_day_before).value();
    const Event moved = retarget(parked, parked.intent, noon + 1h, the_day_before).value();
    EXPECT_EQ(moved.due, noon + 1h);
    EXPECT_EQ(moved.claimable_at, never);

    const Event resumed = resume(moved, moved.intent, noon + 2h, noon).value();
    EXPECT_EQ(resumed.due, noon + 2h);
    EXPECT_EQ(resumed.claimable_at, noon + 2h);
}

TEST(Retried, IsAFreshEventUnderTheSameKeyDueWhenItWas) {
    Event failed = dismiss(a_failed_event(), true, noon + 1h).value();
    failed.first_attempt_at = noon;
    const auto id = an_id<EventId>();
    const Event fresh = retried(failed, id, noon + 2h).value();
    const Event expected = [&] {
        Event event = failed;
        event.id = id;
        event.state = Pending{};
        event.claimable_at = event.created_at = event.updated_at = noon + 2h;
        event.version = Version{1};
        event.retry_count = 0;
        event.retry_of = failed.id;
        event.first_attempt_at.reset();
        event.dismissed_at.reset();
        return event;
    }();
    EXPECT_EQ(fresh, expected);
    EXPECT_EQ(fresh.due, noon);
}

TEST(Retried, RequiresAFailedEvent) {
    for (const Situation& situation : every_situation()) {
        const auto fresh = retried(situation.event, an_id<EventId>(), noon + 48h);
        EXPECT_EQ(fresh.has_value(), situation.name == "failed") << situation.name;
    }
}

TEST(Retried, BringsACancelledOccurrenceBackForItsTarget) {
    const Event pending = an_event()
                              .due(noon + 24h)
                              .of_schedule(an_id<ScheduleId>(), std::chrono::year{2027} / 1 / 6);
    const Event cancelled = cancel(pending, noon, "cancelled on request").value();
    const Event fresh = retried(cancelled, an_id<EventId>(), noon + 1h).value();
    EXPECT_EQ(fresh.retry_of, cancelled.id);
    EXPECT_EQ(fresh.claimable_at, noon + 24h);
    EXPECT_EQ(fresh.attempt, Attempt{0});
    EXPECT_EQ(retried(cancelled, an_id<EventId>(), noon + 48h)->claimable_at, noon + 48h);
}

TEST(WaitingFor, NamesTheObstacleOfALiveEvent) {
    EXPECT_EQ(waiting_for(an_event()), std::nullopt);
    EXPECT_EQ(waiting_for(park(an_event(), noon).value()), WaitReason::schedule);
    const Event claimed = a_claimed_event();
    EXPECT_EQ(waiting_for(claimed), std::nullopt);
    EXPECT_EQ(waiting_for(wait_for_retry(claimed, noon, noon + 1s).value()), WaitReason::retry);
    EXPECT_EQ(waiting_for(release(claimed, noon, never).value()), WaitReason::endpoint);
    EXPECT_EQ(waiting_for(release(claimed, noon, noon + 1s, Obstacle::limit).value()),
              WaitReason::limit);
    const Event blocked = release(claimed, noon, noon + 1s, Obstacle::circuit).value();
    EXPECT_EQ(waiting_for(blocked), WaitReason::circuit);
    EXPECT_EQ(waiting_for(claim(blocked, instance_b, noon + 1s, lease).value()), std::nullopt);
    EXPECT_EQ(waiting_for(expedite(blocked, noon).value()), WaitReason::retry);
    EXPECT_EQ(waiting_for(cancel(blocked, noon, "").value()), std::nullopt);
    EXPECT_EQ(cancel(blocked, noon, "")->obstacle, std::nullopt);
}

/// As another program stores a local time: its instant is not known.
Event without_instant() {
    Event event = park(an_event(), noon).value();
    event.intent.wall = std::chrono::local_days{std::chrono::year{2027} / 1 / 5} + 9h;
    event.tz_release.clear();
    return event;
}

TEST(WithoutInstant, WaitsForNothingThatAPersonCanChange) {
    const Event event = without_instant();
    EXPECT_FALSE(has_instant(event));
    EXPECT_EQ(waiting_for(event), std::nullopt);
    EXPECT_FALSE(claimable(event, noon + 1000h));
    Event known = event;
    known.tz_release = "2025b";
    EXPECT_TRUE(has_instant(known));
    EXPECT_EQ(waiting_for(known), WaitReason::schedule);
}

TEST(Reject, EndsAnEventThatNeverHadAnInstantForGood) {
    const auto rejected = reject(without_instant(), noon, "unknown_zone");
    ASSERT_TRUE(rejected);
    EXPECT_EQ(std::get<Failed>(rejected->state).reason, "unknown_zone");
    EXPECT_FALSE(retried(*rejected, a_failed_event().id, noon));
    EXPECT_FALSE(repeated(*rejected, a_failed_event().id, IdempotencyKey{"k"}, noon));
    EXPECT_TRUE(dismiss(*rejected, true, noon));
    EXPECT_FALSE(reject(*rejected, noon, "again"));
    EXPECT_FALSE(reject(an_event(), noon, "it has an instant"));
}

TEST(Missed, IsTrueOfDueEventsWithoutAnAttempt) {
    const Event event = an_event();
    EXPECT_FALSE(missed(event, noon));
    EXPECT_TRUE(missed(event, noon + 1us));
    const Event claimed = a_claimed_event();
    EXPECT_TRUE(missed(claimed, noon + 1us));
    EXPECT_TRUE(missed(release(claimed, noon, noon + 1h, Obstacle::limit).value(), noon + 1us));
    EXPECT_FALSE(missed(release(claimed, noon, never).value(), noon + 1us));
    EXPECT_FALSE(missed(claim(claimed, instance_b, noon + lease, lease).value(), noon + 1h));
    EXPECT_FALSE(missed(complete(claimed, noon).value(), noon + 1h));
    EXPECT_FALSE(missed(retried(a_failed_event(), an_id<EventId>(), noon).value(), noon + 1h));
    const Event late = an_event().due(noon - 24h).created(noon);
    EXPECT_FALSE(missed(late, noon));
}

TEST(Dismiss, MarksAndUnmarksADeadLetter) {
    const Event dismissed = dismiss(a_failed_event(), true, noon + 1h).value();
    EXPECT_EQ(dismissed.dismissed_at, noon + 1h);
    EXPECT_EQ(status_of(dismissed), EventStatus::failed);
    EXPECT_EQ(dismissed.version, Version{4});
    EXPECT_EQ(dismiss(dismissed, false, noon + 2h)->dismissed_at, std::nullopt);
}

TEST(Dismiss, KeepsANoteUntilItIsTakenBack) {
    const Event dismissed = dismiss(a_failed_event(), true, noon + 1h, "refunded").value();
    EXPECT_EQ(dismissed.dismissal_note, "refunded");
    const Event corrected = dismiss(dismissed, true, noon + 2h, "refunded twice").value();
    EXPECT_EQ(corrected.dismissal_note, "refunded twice");
    EXPECT_EQ(corrected.dismissed_at, noon + 1h);
    EXPECT_EQ(dismiss(corrected, false, noon + 3h)->dismissal_note, std::nullopt);
    EXPECT_EQ(
        repeated(corrected, an_id<EventId>(), IdempotencyKey{"again"}, noon + 3h)->dismissal_note,
        std::nullopt);
}

TEST(Lateness, IsFromDueToTheFirstAttempt) {
    Event event = an_event();
    EXPECT_EQ(lateness(event), std::nullopt);
    EXPECT_FALSE(late_execution(event));
    event.first_attempt_at = noon + 1s;
    EXPECT_EQ(lateness(event), 1s);
    EXPECT_FALSE(late_execution(event));
    event.first_attempt_at = noon + 1s + 1us;
    EXPECT_TRUE(late_execution(event));
}

TEST(Repeated, GivesAFinishedEventAnotherKey) {
    const Event done = complete(a_claimed_event(), noon + 1s).value();
    for (const Event& over : {done, a_failed_event()}) {
        const auto id = an_id<EventId>();
        const Event fresh = repeated(over, id, IdempotencyKey{"again"}, noon + 1h).value();
        EXPECT_EQ(fresh.id, id);
        EXPECT_EQ(fresh.key, IdempotencyKey{"again"});
        EXPECT_EQ(fresh.retry_of, over.id);
        EXPECT_EQ(fresh.payload, over.payload);
        EXPECT_TRUE(claimable(fresh, noon + 1h));
    }
}

TEST(Repeated, RequiresACompletedOrFailedEvent) {
    for (const Event& event : {an_event().build(), a_claimed_event(), a_waiting_event(),
                               cancel(an_event(), noon, "").value()}) {
        EXPECT_FALSE(repeated(event, an_id<EventId>(), IdempotencyKey{"again"}, noon));
    }
}

TEST(Expedite, EndsTheWaitAndSpendsNoAttempt) {
    const Event parked = release(a_claimed_event(), noon, never).value();
    const Event expedited = expedite(parked, noon + 1h).value();
    EXPECT_EQ(expedited.state, EventState{Processing{}});
    EXPECT_EQ(expedited.claimable_at, noon + 1h);
    EXPECT_EQ(expedited.retry_count, parked.retry_count);
    EXPECT_EQ(expedited.version, base::next(parked.version));
}

}  // namespace
}  // namespace sundial
