#include "contract/race_contract.hpp"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "application/endpoints/delete_endpoint.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/users/delete_user.hpp"
#include "application/users/edit_user.hpp"
#include "contract/settlements.hpp"
#include "support/deaf_ports.hpp"

namespace sundial {

void RaceContract::race(std::initializer_list<std::function<void()>> racers) {
    std::barrier start{static_cast<std::ptrdiff_t>(racers.size())};
    std::vector<std::future<void>> running;
    for (const auto& racer : racers) {
        running.push_back(std::async(std::launch::async, [&start, &racer] {
            start.arrive_and_wait();
            racer();
        }));
    }
    for (auto& one : running) one.get();
}

namespace {

using testing::IsEmpty;
using testing::SizeIs;

EventQuery with_key(const IdempotencyKey& key, EventStatus status) {
    EventQuery query;
    query.key = key;
    query.statuses = {status};
    return query;
}

TEST_P(RaceContract, ManyCreationsAtOnceAreAnsweredEachForItself) {
    NoWakeups wakeups;
    ScheduleEvent schedule{store(), zones, ids, wakeups};
    constexpr int threads = 8, each = 25;
    std::array<std::vector<Event>, threads> stored;
    std::atomic<int> known = 0, refused = 0;
    at_once(threads, [&](int thread) {
        for (int i = 0; i < each; ++i) {
            NewEvent requested;
            requested.event_type = i % 10 == 5 ? "" : "REMINDER";
            requested.target.utc = "2027-06-01T00:00:00Z";
            // All threads share every second key.
            requested.idempotency_key =
                "key-" + std::to_string(i) + (i % 2 == 0 ? "" : "-of-" + std::to_string(thread));
            const auto event = schedule.run(requested);
            if (event) {
                EXPECT_EQ(event->key.value, requested.idempotency_key);
                stored[static_cast<std::size_t>(thread)].push_back(*event);
            } else if (is<DuplicateIdempotencyKey>(event)) {
                ++known;
            } else {
                ++refused;
            }
        }
    });

    // All threads share 13 keys. Of its own 12, each thread sends two without a type.
    EXPECT_EQ(known, 13 * (threads - 1));
    EXPECT_EQ(refused, 2 * threads);
    std::size_t count = 0;
    for (const auto& events : stored) {
        for (const Event& event : events) EXPECT_EQ(find(event.id), event);
        count += events.size();
    }
    EXPECT_EQ(count, 13U + 10U * threads);
}

TEST_P(RaceContract, TwoRetriesOfAFailedEventMakeOne) {
    NoWakeups wakeups;
    RetryEvent retry{store(), ids, wakeups};
    for (int round = 0; round < rounds; ++round) {
        const Event event = an_event();
        given(event);
        ASSERT_TRUE(settle(refused(claim_one(), noon)));
        std::optional<Result<RetriedEvent>> one, other;
        race({[&] { one = retry.run(to_string(event.id), RetryKey::same, "req-1"); },
              [&] { other = retry.run(to_string(event.id), RetryKey::same, "req-1"); }});

        ASSERT_NE(one->has_value(), other->has_value());
        const Event made = (*one ? **one : **other).event;
        const Result<RetriedEvent>& reported = *one ? *other : *one;
        ASSERT_TRUE(is<DuplicateIdempotencyKey>(reported));
        EXPECT_EQ(std::get<DuplicateIdempotencyKey>(reported.error()).existing, made.id);
        EXPECT_THAT(events_like(with_key(event.key, EventStatus::pending)), SizeIs(1));
        EXPECT_THAT(events_like(with_key(event.key, EventStatus::failed)), SizeIs(1));
        ASSERT_TRUE(settle(accepted(claim_one(), noon)));
    }
}

TEST_P(RaceContract, TwoRepetitionsOfACompletedEventMakeOne) {
    NoWakeups wakeups;
    RetryEvent retry{store(), ids, wakeups};
    for (int round = 0; round < rounds; ++round) {
        const Event event = an_event();
        given(event);
        ASSERT_TRUE(settle(accepted(claim_one(), noon)));
        std::optional<Result<RetriedEvent>> one, other;
        race({[&] { one = retry.run(to_string(event.id), RetryKey::fresh, "req-1"); },
              [&] { other = retry.run(to_string(event.id), RetryKey::fresh, "req-1"); }});

        ASSERT_NE(one->has_value(), other->has_value());
        EXPECT_TRUE(is<DuplicateIdempotencyKey>(*one ? *other : *one));
        ASSERT_TRUE(settle(accepted(claim_one(), noon)));
    }
}

TEST_P(RaceContract, AnEventIsCancelledOrClaimedButNeverBoth) {
    NoWakeups wakeups;
    CancelEvent cancel_event{store(), zones, ids, wakeups};
    for (int round = 0; round < rounds; ++round) {
        const Event event = an_event().in_shard(0);
        given(event);
        std::optional<Result<Event>> cancelled;
        std::vector<ClaimedEvent> claimed;
        race({[&] { cancelled = cancel_event.run(to_string(event.id), std::nullopt, "req-1"); },
              [&] { claimed = claim_in(0, instance_a, {9, 9, 9, 9}); }});

        const Event after = find(event.id).value();
        EXPECT_EQ(after.version, Version{2});
        if (claimed.empty()) {
            // The claim may also have skipped the event because the canceller had locked it.
            ASSERT_TRUE(cancelled->has_value());
            EXPECT_EQ(status_of(after), EventStatus::cancelled);
            EXPECT_THAT(claim(instance_a), IsEmpty());
        } else {
            ASSERT_TRUE(is<InvalidStateTransition>(*cancelled));
            EXPECT_EQ(after, claimed.at(0).event);
            ASSERT_TRUE(settle(accepted(after, noon)));
        }
    }
}

TEST_P(RaceContract, OfTwoEditsOfOneVersionOfAnEventOneWins) {
    NoWakeups wakeups;
    EditEvent edit{store(), zones, ids, wakeups};
    EventEdit to_one, to_two;
    to_one.payload = "1";
    to_two.payload = "2";
    for (int round = 0; round < rounds; ++round) {
        const Event event = an_event();
        given(event);
        std::optional<Result<Event>> one, two;
        race({[&] { one = edit.run(to_string(event.id), to_one, event.version, "req-1"); },
              [&] { two = edit.run(to_string(event.id), to_two, event.version, "req-1"); }});

        ASSERT_NE(one->has_value(), two->has_value());
        const Result<Event>& refused = *one ? *two : *one;
        ASSERT_TRUE(is<OptimisticLock>(refused));
        EXPECT_EQ(std::get<OptimisticLock>(refused.error()).actual, Version{2});
        const Event after = find(event.id).value();
        EXPECT_EQ(after.payload, *one ? "1" : "2");
        EXPECT_EQ(after.version, Version{2});
    }
}

TEST_P(RaceContract, OfTwoEditsOfOneVersionOfAUserOneWinsAndMovesItsEvents) {
    NoWakeups wakeups;
    EditUser edit{store(), zones, ids, wakeups};
    UserEdit to_honolulu, to_auckland;
    to_honolulu.timezone = "Pacific/Honolulu";
    to_auckland.timezone = "Pacific/Auckland";
    for (int round = 0; round < rounds; ++round) {
        const User user = a_user();
        const auto morning = std::chrono::local_days{std::chrono::year{2027} / 2 / 28} + 9h;
        const Event event = an_event().of_user(user.id).at(morning, user.timezone, noon + 54 * 24h);
        write([&](Transaction& tx) { ASSERT_TRUE(tx.users().add(user)); });
        given(event);
        std::optional<Result<EditedUser>> one, two;
        race({[&] { one = edit.run(to_string(user.id), to_honolulu, user.version, "req-1"); },
              [&] { two = edit.run(to_string(user.id), to_auckland, user.version, "req-2"); }});

        ASSERT_NE(one->has_value(), two->has_value());
        EXPECT_TRUE(is<OptimisticLock>(*one ? *two : *one));
        const Event after = find(event.id).value();
        EXPECT_EQ(after.version, Version{2});
        EXPECT_EQ(after.intent.zone, *one ? "Pacific/Honolulu" : "Pacific/Auckland");
        EXPECT_EQ(after.due.time_since_epoch(), morning.time_since_epoch() + (*one ? 10h : -13h));
    }
}

TEST_P(RaceContract, AnEventGetsAnEndpointOrTheEndpointIsDeletedButNeverBoth) {
    NoWakeups wakeups;
    ScheduleEvent schedule{store(), zones, ids, wakeups};
    EditEvent edit{store(), zones, ids, wakeups};
    DeleteEndpoint delete_endpoint{store(), zones, ids, wakeups};
    for (int round = 0; round < rounds; ++round) {
        const Endpoint endpoint = an_endpoint();
        write([&](Transaction& tx) { ASSERT_TRUE(tx.endpoints().add(endpoint)); });
        const Event event = an_event().due(noon + 1h);
        given(event);
        const std::string reference = to_string(endpoint.id);
        NewEvent requested;
        requested.event_type = "REMINDER";
        requested.endpoint = reference;
        requested.target.utc = "now+1h";
        EventEdit to_endpoint;
        to_endpoint.endpoint = reference;

        std::optional<Result<Event>> created, moved;
        std::optional<Result<void>> deleted;
        race({[&] { created = schedule.run(requested); },
              [&] { moved = edit.run(to_string(event.id), to_endpoint, std::nullopt, "req-1"); },
              [&] {
                  deleted = delete_endpoint.run(reference, EventsOfEndpoint::prevent, std::nullopt,
                                                "req-1");
              }});

        const auto live =
            read([&](Transaction& tx) { return tx.events().count_live_of_endpoint(endpoint.id); });
        const std::uint64_t given_to_it = (*created ? 1U : 0U) + (*moved ? 1U : 0U);
        ASSERT_EQ(live, given_to_it);
        if (*deleted) {
            ASSERT_EQ(live, 0U);
            EXPECT_TRUE(is<ValidationFailed>(*created));
            EXPECT_TRUE(is<ValidationFailed>(*moved));
        } else {
            ASSERT_TRUE(is<EndpointInUse>(*deleted));
            ASSERT_TRUE(
                delete_endpoint.run(reference, EventsOfEndpoint::cancelled, std::nullopt, "req-2"));
        }
    }
}

TEST_P(RaceContract, AnEventGoesWithItsUserOrIsDeliveredWithoutIt) {
    DeleteUser delete_user{store(), ids};
    for (int round = 0; round < rounds; ++round) {
        const User user = a_user();
        const Event event = an_event().of_user(user.id).in_shard(0);
        write([&](Transaction& tx) { ASSERT_TRUE(tx.users().add(user)); });
        given(event);
        std::optional<Result<void>> deleted;
        std::vector<ClaimedEvent> claimed;
        race({[&] {
                  deleted =
                      delete_user.run(to_string(user.id), UserHistory::erase, std::nullopt, "r");
              },
              [&] { claimed = claim_in(0, instance_a, {9, 9, 9, 9}); }});

        ASSERT_TRUE(deleted->has_value());
        const auto after = find(event.id);
        ASSERT_EQ(after.has_value(), !claimed.empty());
        if (!after) continue;
        EXPECT_FALSE(after->user);
        EXPECT_EQ(after->version, claimed.at(0).event.version);
        ASSERT_TRUE(settle(accepted(claimed.at(0).event, noon)));
        EXPECT_EQ(status_of(find(event.id).value()), EventStatus::completed);
    }
}

TEST_P(RaceContract, AHolderWithAnExpiredLeaseSettlesOrLosesTheEvent) {
    for (int round = 0; round < rounds; ++round) {
        const Event event = an_event().in_shard(0);
        given(event);
        const Event held = claim_one(instance_a);
        advance(31s);
        std::optional<Result<void>> settled;
        std::vector<ClaimedEvent> claimed;
        race({[&] { settled = settle(accepted(held, noon)); },
              [&] { claimed = claim_in(0, instance_b, {9, 9, 9, 9}); }});

        ASSERT_EQ(settled->has_value(), claimed.empty());
        const Event after = find(event.id).value();
        if (claimed.empty()) {
            EXPECT_EQ(status_of(after), EventStatus::completed);
            EXPECT_THAT(claim(instance_b), IsEmpty());
        } else {
            EXPECT_TRUE(is<LeaseLost>(*settled));
            EXPECT_EQ(after, claimed.at(0).event);
            EXPECT_EQ(after.version, Version{3});
            ASSERT_TRUE(settle(accepted(after, noon)));
        }
        const auto attempts = attempts_of(event.id);
        EXPECT_EQ(attempts.back().outcome, AttemptOutcome::succeeded);
        if (!claimed.empty()) EXPECT_EQ(attempts.front().outcome, AttemptOutcome::late);
    }
}

}  // namespace
}  // namespace sundial
