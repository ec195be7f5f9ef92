#include <gmock/gmock.h>

#include <atomic>

#include "contract/event_repository_contract.hpp"
#include "contract/settlements.hpp"

/// The keys of events: exchanged, freed, taken over by a retry.
namespace sundial {
namespace {

using namespace std::chrono;

TEST_P(EventRepositoryContract, ExchangesAKey) {
    const Event event = an_event().with_key("old").due(noon + 1h);
    given(event);
    Event changed = retarget(event, event.intent, noon + 2h, noon).value();
    changed.key = IdempotencyKey{"new"};
    EXPECT_TRUE(on_events([&](EventRepository& events) {
        EXPECT_TRUE(events.lock(event.id));
        return events.update_key(changed, event.key);
    }));
    EXPECT_EQ(find(event.id), changed);
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(add(an_event().with_key("new"))));
    EXPECT_TRUE(add(an_event().with_key("old")));  // the key is free
}

TEST_P(EventRepositoryContract, ExchangesNoKeyForOneThatIsTaken) {
    const Event other = an_event().with_key("taken");
    const Event event = an_event().with_key("old").due(noon + 1h);
    given(other, event);
    EXPECT_TRUE(settle(accepted(claim_one(), noon)));
    Event changed = retarget(event, event.intent, noon + 2h, noon).value();
    changed.key = other.key;
    const auto answer = on_events([&](EventRepository& events) {
        EXPECT_TRUE(events.lock(event.id));
        return events.update_key(changed, event.key);
    });
    ASSERT_TRUE(is<DuplicateIdempotencyKey>(answer));
    EXPECT_EQ(answer.error().existing, other.id);
    EXPECT_EQ(answer.error().status, EventStatus::completed);
    EXPECT_EQ(find(event.id), event);
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(add(an_event().with_key("old"))));
}

TEST_P(EventRepositoryContract, DismissesAFailedEventUnderItsVersion) {
    const Event event = failed(an_event());
    advance(1s);
    const Event dismissed = dismiss(event, true, noon + 1s, "it's \"done\": ☀").value();
    const auto update = [&](const Event& changed, Version held) {
        return on_events(
            [&](EventRepository& events) { return events.update_dismissed(changed, held); });
    };
    EXPECT_TRUE(update(dismissed, event.version));
    EXPECT_EQ(find(event.id), dismissed);

    const auto again = update(dismissed, event.version);
    ASSERT_TRUE(is<InvalidStateTransition>(again));
    EXPECT_EQ(again.error().id, event.id);
    EXPECT_EQ(again.error().version, dismissed.version);
    EXPECT_EQ(find(event.id), dismissed);

    const Event back = dismiss(dismissed, false, noon + 1s).value();
    EXPECT_TRUE(update(back, dismissed.version));
    EXPECT_EQ(find(event.id), back);
    EXPECT_FALSE(back.dismissed_at);

    Event absent = back;
    absent.id = an_id<EventId>();
    EXPECT_TRUE(is<InvalidStateTransition>(update(absent, back.version)));
}

TEST_P(EventRepositoryContract, RetriesAFailedEventOnceUnderItsKey) {
    const Event event = failed(an_event());
    advance(1s);
    const auto retry = [&](const Event& of) {
        return in_transaction(store(), [&](Transaction& tx) {
            return tx.events().add_retry(retried(of, an_id<EventId>(), tx.now()).value());
        });
    };
    EXPECT_TRUE(retry(event));
    const Event fresh = claim_one();
    EXPECT_EQ(fresh.key, event.key);
    EXPECT_EQ(fresh.retry_of, event.id);
    EXPECT_EQ(fresh.attempt, Attempt{2});  // after that of the failed one
    EXPECT_EQ(find(event.id), event);

    const auto again = retry(event);
    ASSERT_TRUE(is<DuplicateIdempotencyKey>(again));
    EXPECT_EQ(again.error().existing, fresh.id);
    EXPECT_EQ(again.error().status, EventStatus::processing);

    EXPECT_TRUE(settle(refused(fresh, noon)));
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(retry(event)));  // only the latest failure
    EXPECT_TRUE(retry(find(fresh.id).value()));
    EventQuery of_key;
    of_key.key = event.key;
    EXPECT_EQ(events_like(of_key).size(), 3U);
}

TEST_P(EventRepositoryContract, KeepsTheTraceOfTheRequestAllItsLifeLongAndInItsRetries) {
    const TraceContext trace{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                             .span_id = "b7ad6b7169203331",
                             .sampled = true,
                             .state = "rojo=00f067aa0ba902b7,congo=t 6"};
    Event event = an_event();
    event.trace = trace;
    EXPECT_EQ(failed(event).trace, trace);
    const Event fresh = retried(find(event.id).value(), an_id<EventId>(), noon).value();
    on_events([&](EventRepository& events) { EXPECT_TRUE(events.add_retry(fresh)); });
    const Event held = claim_one();
    EXPECT_EQ(held.trace, trace);
    EXPECT_TRUE(settle(accepted(held, noon)));
    EXPECT_EQ(find(held.id)->trace, trace);

    Event called_off = an_event().due(noon + 1h);
    called_off.trace = trace;
    given(called_off);
    EXPECT_EQ(cancelled(called_off.id).trace, trace);
    EXPECT_EQ(find(called_off.id)->trace, trace);
}

TEST_P(EventRepositoryContract, RestoresACancelledOccurrenceUnderItsKey) {
    const Event event =
        an_event().due(noon + 1h).of_schedule(an_id<ScheduleId>(), std::chrono::year{2027} / 1 / 5);
    given(event);
    const Event over = cancelled(event.id);
    EXPECT_EQ(on_events([&](EventRepository& events) {
                  const Event again = an_event().with_key(event.key.value);
                  return events.add_new(std::vector{again});
              }),
              0U);  // no later planning makes it again
    const Event fresh = retried(over, an_id<EventId>(), noon).value();
    on_events([&](EventRepository& events) { EXPECT_TRUE(events.add_retry(fresh)); });
    EXPECT_EQ(find(fresh.id), fresh);
    EXPECT_EQ(fresh.claimable_at, noon + 1h);
    on_events([&](EventRepository& events) {
        EXPECT_TRUE(is<DuplicateIdempotencyKey>(
            events.add_retry(retried(over, an_id<EventId>(), noon).value())));
    });
}

TEST_P(EventRepositoryContract, FreesTheKeyOfAnEventThatItsCallerCancels) {
    const Event event = an_event().with_key("reminder");
    given(event);
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(add(an_event().with_key("reminder"))));
    cancelled(event.id);
    EventQuery of_key;
    of_key.key = event.key;
    EXPECT_EQ(events_like(of_key).size(), 1U);  // it is still found by it

    const Event again = an_event().with_key("reminder");
    EXPECT_EQ(add(again).value(), Attempt{0});
    EXPECT_EQ(find(again.id), again);
    const auto answer = add(an_event().with_key("reminder"));
    ASSERT_TRUE(is<DuplicateIdempotencyKey>(answer));
    EXPECT_EQ(answer.error().existing, again.id);
}

TEST_P(EventRepositoryContract, ContinuesTheAttemptNumbersUnderAFreeKey) {
    given(an_event().with_key("reminder"));
    EXPECT_TRUE(settle(retry_in(claim_one(), noon, 0s)));
    EXPECT_TRUE(settle(retry_in(claim_one(), noon, 1h)));
    EventQuery of_key;
    of_key.key = IdempotencyKey{"reminder"};
    cancelled(events_like(of_key).at(0).id);

    Event again = an_event().with_key("reminder");
    EXPECT_EQ(add(again).value(), Attempt{2});
    again.attempt = Attempt{2};
    EXPECT_EQ(find(again.id), again);
    EXPECT_EQ(claim_one().attempt, Attempt{3});
}

TEST_P(EventRepositoryContract, FreesTheKeyOfADismissedFailureUntilThatIsTakenBack) {
    const Event event = failed(an_event().with_key("order"));
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(add(an_event().with_key("order"))));
    const auto dismiss_it = [&](const Event& before, bool dismissed) {
        const Event after = dismiss(before, dismissed, noon).value();
        on_events([&](EventRepository& events) {
            EXPECT_TRUE(events.update_dismissed(after, before.version));
        });
        return after;
    };
    const Event dismissed = dismiss_it(event, true);
    const Event restored = dismiss_it(dismissed, false);
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(add(an_event().with_key("order"))));
    dismiss_it(restored, true);
    EXPECT_EQ(add(an_event().with_key("order")).value(), Attempt{1});
}

TEST_P(EventRepositoryContract, KeepsTheKeyOfACancelledOccurrence) {
    const Event event =
        an_event().of_schedule(an_id<ScheduleId>(), std::chrono::year{2027} / 1 / 5);
    given(event);
    cancelled(event.id);
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(add(an_event().with_key(event.key.value))));
}

TEST_P(EventRepositoryContract, LetsOneOfManyConcurrentAddsHaveAFreeKey) {
    const Event event = an_event().with_key("only-one");
    given(event);
    cancelled(event.id);
    std::vector<Event> rivals;
    for (int i = 0; i < 8; ++i) rivals.push_back(an_event().with_key("only-one"));
    EXPECT_EQ(on_events([&](EventRepository& events) {
                  const auto answers = events.add_each(std::vector{rivals[0], rivals[1]});
                  return std::pair{answers[0].has_value(), answers[1].has_value()};
              }),
              (std::pair{true, false}));
    cancelled(rivals[0].id);
    std::atomic<int> added = 0;
    at_once(6, [&](int i) {
        const auto answer = in_transaction(store(), [&](Transaction& tx) {
            return tx.events().add(rivals[static_cast<std::size_t>(i) + 2]);
        });
        if (answer) ++added;
    });
    EXPECT_EQ(added, 1);
}

/// Its retry got another occurrence, and with it another key.
TEST_P(EventRepositoryContract, RetriesAFailedEventWhoseKeyIsFree) {
    const Event event = failed(an_event());
    const Event fresh = retried(event, an_id<EventId>(), noon).value();
    Event elsewhere = retarget(fresh, fresh.intent, noon + 1h, noon).value();
    elsewhere.key = IdempotencyKey{"another-occurrence"};
    const Event again = retried(event, an_id<EventId>(), noon).value();
    on_events([&](EventRepository& events) {
        EXPECT_TRUE(events.add_retry(fresh));
        EXPECT_TRUE(events.lock(fresh.id));
        EXPECT_TRUE(events.update_key(elsewhere, fresh.key));
    });
    on_events([&](EventRepository& events) { EXPECT_TRUE(events.add_retry(again)); });
    EXPECT_EQ(claim_one().id, again.id);
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(add(an_event().with_key(event.key.value))));
}

TEST_P(EventRepositoryContract, LetsOneOfRacingRetriesWin) {
    const Event event = failed(an_event());
    std::vector<Event> fresh;
    for (int i = 0; i < 4; ++i) {
        fresh.push_back(retried(event, an_id<EventId>(), noon).value());
    }
    std::atomic<int> won = 0;
    std::vector<std::optional<EventId>> reported(fresh.size());
    at_once(4, [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        const auto answer = in_transaction(
            store(), [&](Transaction& tx) { return tx.events().add_retry(fresh[at]); });
        if (answer) {
            ++won;
        } else {
            reported[at] = answer.error().existing;
        }
    });
    EXPECT_EQ(won, 1);
    const Event winner = claim_one();
    for (const auto& existing : reported) {
        if (existing) EXPECT_EQ(*existing, winner.id);
    }
}

}  // namespace
}  // namespace sundial
