#include <gmock/gmock.h>

#include <atomic>

#include "contract/event_repository_contract.hpp"
#include "contract/settlements.hpp"

/// Events that are added: one or many, once or again.
namespace sundial {
namespace {

using namespace std::chrono;
using testing::IsEmpty;

TEST_P(EventRepositoryContract, RefusesAKnownKeyAndNamesItsEventInEveryState) {
    const auto refuses = [&](const Event& existing, EventStatus status) {
        const Event second = an_event().with_key(existing.key.value);
        const auto answer = add(second);
        ASSERT_TRUE(is<DuplicateIdempotencyKey>(answer));
        const auto& duplicate = answer.error();
        EXPECT_EQ(duplicate.key, existing.key);
        EXPECT_EQ(duplicate.existing, existing.id);
        EXPECT_EQ(duplicate.status, status);
        EXPECT_FALSE(find(second.id));
    };
    const Event event = an_event();
    given(event);
    refuses(event, EventStatus::pending);
    const Event claimed = claim_one();
    refuses(event, EventStatus::processing);
    EXPECT_TRUE(settle(accepted(claimed, noon)));
    refuses(event, EventStatus::completed);
    refuses(failed(an_event()), EventStatus::failed);
    const Event later =
        an_event().due(noon + 1h).of_schedule(an_id<ScheduleId>(), year{2027} / 1 / 5);
    given(later);
    refuses(cancelled(later.id), EventStatus::cancelled);
}

TEST_P(EventRepositoryContract, StaysUsableInATransactionAfterAKnownKey) {
    const Event first = an_event();
    given(first);
    const Event other = an_event();
    on_events([&](EventRepository& events) {
        EXPECT_TRUE(is<DuplicateIdempotencyKey>(events.add(an_event().with_key(first.key.value))));
        EXPECT_TRUE(events.add(other));
    });
    EXPECT_TRUE(find(other.id));
}

TEST_P(EventRepositoryContract, CreatesAnEventAtItsOwnTime) {
    Event event = an_event().with_key("once").due(noon + 1h).created(noon - 24h);
    event.trace = TraceContext{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                               .span_id = "b7ad6b7169203331",
                               .sampled = true,
                               .state = "rojo=1,congo=2"};
    const auto add_now = [&](const Event& one) {
        return on_events([&](EventRepository& events) { return events.add_now(one); });
    };
    const auto added = add_now(event);
    ASSERT_TRUE(added);
    EXPECT_EQ(*added, (AddedEvent{Attempt{0}, clock().now()}));
    event.created_at = event.updated_at = clock().now();
    EXPECT_EQ(find(event.id), event);

    const Event second = an_event().with_key("once");
    ASSERT_FALSE(add_now(second));
    EXPECT_EQ(add_now(second).error().existing, event.id);
    EXPECT_FALSE(find(second.id));

    cancelled(event.id);
    EXPECT_TRUE(add_now(second));
    EXPECT_TRUE(find(second.id));
}

/// The time of a transaction does not go back.
TEST_P(EventRepositoryContract, CreatesAnEventNotBeforeItsTransaction) {
    const Event event = an_event();
    const Instant began = write([&](Transaction& tx) {
        const Instant now = tx.now();
        EXPECT_EQ(tx.events().add_now(event).value().created_at, now);
        return now;
    });
    EXPECT_EQ(find(event.id).value().created_at, began);
}

TEST_P(EventRepositoryContract, AddsOfManyEventsThoseWithNewKeys) {
    const Event known = an_event();
    given(known);
    const Event first = an_event();
    const Event second = an_event();
    const Event same_key = an_event().with_key(first.key.value);
    const Event known_key = an_event().with_key(known.key.value);
    EXPECT_EQ(on_events([&](EventRepository& events) {
                  return events.add_new(std::vector{first, known_key, same_key, second});
              }),
              2U);
    EXPECT_EQ(find(first.id), first);
    EXPECT_EQ(find(second.id), second);
    EXPECT_EQ(find(known.id), known);
    EXPECT_FALSE(find(same_key.id));
    EXPECT_FALSE(find(known_key.id));
    EXPECT_EQ(on_events([](EventRepository& events) { return events.add_new({}); }), 0U);
}

TEST_P(EventRepositoryContract, AnswersEachOfManyEventsForItself) {
    const Event known = an_event();
    given(known);
    const Event first = an_event();
    const Event second = an_event();
    const Event same_key = an_event().with_key(first.key.value);
    const Event known_key = an_event().with_key(known.key.value);
    const auto answers = on_events([&](EventRepository& events) {
        EXPECT_THAT(events.add_each({}), IsEmpty());
        return events.add_each(std::vector{first, known_key, same_key, second});
    });
    ASSERT_EQ(answers.size(), 4U);
    EXPECT_TRUE(answers[0]);
    const auto holder_of = [&](std::size_t i) {
        const auto& duplicate = answers[i].error();
        EXPECT_EQ(duplicate.status, EventStatus::pending);
        return duplicate.existing;
    };
    EXPECT_EQ(holder_of(1), known.id);
    EXPECT_EQ(holder_of(2), first.id);
    EXPECT_TRUE(answers[3]);
    EXPECT_EQ(find(first.id), first);
    EXPECT_EQ(find(second.id), second);
    EXPECT_FALSE(find(same_key.id));
    EXPECT_FALSE(find(known_key.id));
}

/// A caller that repeats an add whose answer was lost.
TEST_P(EventRepositoryContract, AnswersAnEventThatIsAddedAgainAsADuplicate) {
    const auto again = [&](const Event& event, EventStatus status) {
        const auto expect_duplicate = [&](const auto& answer) {
            ASSERT_FALSE(answer);
            EXPECT_EQ(answer.error().existing, event.id);
            EXPECT_EQ(answer.error().status, status);
        };
        const auto before = find(event.id);
        expect_duplicate(add(event));
        expect_duplicate(on_events([&](auto& events) { return events.add_now(event); }));
        expect_duplicate(
            on_events([&](auto& events) { return events.add_each(std::vector{event}).front(); }));
        EXPECT_EQ(on_events([&](auto& events) { return events.add_new(std::vector{event}); }), 0U);
        EXPECT_EQ(find(event.id), before);
    };
    for (const bool with_endpoint : {false, true}) {
        Event event = an_event();
        if (with_endpoint) event.endpoint = an_id<EndpointId>();
        given(event);
        again(event, EventStatus::pending);
        EXPECT_TRUE(settle(accepted(claim_one(), noon)));
        again(event, EventStatus::completed);
    }

    const Event twice = an_event().due(noon + 1h);
    on_events([&](EventRepository& events) {
        EXPECT_TRUE(events.add(twice));
        EXPECT_FALSE(events.add(twice));
    });
    EXPECT_EQ(find(twice.id), twice);

    const Event fresh = retried(failed(an_event()), an_id<EventId>(), noon).value();
    for (const bool is_new : {true, false}) {
        EXPECT_EQ(
            on_events([&](EventRepository& events) { return events.add_retry(fresh).has_value(); }),
            is_new);
    }
}

/// As one call for each would: a caller may send an event twice in one request.
TEST_P(EventRepositoryContract, AnswersAnEventThatIsGivenTwiceTogetherAsADuplicate) {
    const Event first = an_event();
    const Event other = an_event();
    const auto answers = on_events(
        [&](EventRepository& events) { return events.add_each(std::vector{first, other, first}); });
    ASSERT_EQ(answers.size(), 3U);
    EXPECT_TRUE(answers[0]);
    EXPECT_TRUE(answers[1]);
    ASSERT_FALSE(answers[2]);
    EXPECT_EQ(answers[2].error().key, first.key);
    EXPECT_EQ(answers[2].error().existing, first.id);
    EXPECT_EQ(answers[2].error().status, EventStatus::pending);
    EXPECT_EQ(find(first.id), first);

    const Event third = an_event();
    EXPECT_EQ(on_events([&](EventRepository& events) {
                  return events.add_new(std::vector{third, third, first});
              }),
              1U);
    EXPECT_EQ(find(third.id), third);
}

TEST_P(EventRepositoryContract, KeepsEveryMemberOfEventsAddedTogetherAlikeOrNot) {
    Event odd = an_event()
                    .of_type("BIRTHDAY")
                    .with_priority(Priority::low)
                    .of_user(an_id<UserId>())
                    .to_endpoint(an_id<EndpointId>())
                    .of_schedule(an_id<ScheduleId>(),
                                 Nominal{year{2027} / 10 / 31, 2h + 30min, true}, Version{7})
                    .with_payload("{}")
                    .at(nine_oclock, "Europe/Rome", noon + 24h)
                    .created(noon - 3us);
    odd.occurrence->origin = Origin::backfill;
    odd.intent.gap = GapPolicy::boundary;
    odd.intent.overlap = OverlapPolicy::later;
    odd.jitter = 1s;
    odd.claimable_at = target_of(odd);
    odd.tz_release = "2024a";
    odd.retry_of = an_id<EventId>();
    const auto like = [](Event event) {
        event.id = an_id<EventId>();
        event.key = IdempotencyKey{"key-" + std::to_string(next_number())};
        return event;
    };
    const Event plain = an_event();
    for (const auto& batch :
         {std::vector{like(odd), like(odd), like(odd)}, std::vector{like(plain), like(plain)},
          std::vector{like(plain), like(odd), like(plain)}, std::vector{like(odd), like(plain)}}) {
        EXPECT_EQ(on_events([&](EventRepository& events) { return events.add_new(batch); }),
                  batch.size());
        for (const Event& event : batch) EXPECT_EQ(find(event.id), event);
    }
}

TEST_P(EventRepositoryContract, AddsAThousandEventsAtOnce) {
    std::vector<Event> many;
    for (int i = 0; i < 1000; ++i) many.push_back(an_event().due(noon + 1s * i));
    EXPECT_EQ(on_events([&](EventRepository& events) { return events.add_new(many); }), 1000U);
    EXPECT_EQ(find(many.back().id), many.back());
    EXPECT_EQ(queue().depth().stored[0], 1000U);
}

TEST_P(EventRepositoryContract, MakesOneEventOfAKeyThatManyAddAtOnce) {
    std::vector<Event> rivals;
    for (int i = 0; i < 8; ++i) rivals.push_back(an_event().with_key("only-one"));
    std::atomic<int> added = 0;
    at_once(8, [&](int i) {
        const auto answer = in_transaction(store(), [&](Transaction& tx) {
            return tx.events().add(rivals[static_cast<std::size_t>(i)]);
        });
        if (answer) ++added;
    });
    EXPECT_EQ(added, 1);
    EXPECT_EQ(events_like().size(), 1U);
}

}  // namespace
}  // namespace sundial
