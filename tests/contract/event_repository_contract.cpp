#include "contract/event_repository_contract.hpp"

#include <gmock/gmock.h>

#include "contract/settlements.hpp"

namespace sundial {

Event EventRepositoryContract::failed(const Event& event) {
    given(event);
    for (const auto& [claimed, previous_lost] : claim(instance_a)) {
        EXPECT_TRUE(settle(refused(claimed, clock().now())).has_value());
    }
    return find(event.id).value();
}

namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(EventRepositoryContract, KeepsEveryMemberOfAnEvent) {
    const Event plain = an_event();
    const Event of_schedule =
        an_event()
            .with_key(std::string(128, 'k'))
            .of_type("BIRTHDAY")
            .with_priority(Priority::low)
            .of_user(an_id<UserId>())
            .to_endpoint(an_id<EndpointId>())
            .of_schedule(an_id<ScheduleId>(), year{2028} / 2 / 29, Version{7})
            .at(nine_oclock, "America/Argentina/Buenos_Aires", noon + 24h + 1us)
            .created(noon - 3us);
    Event picky = an_event().at(nine_oclock, "Europe/Rome", noon + 20h);
    picky.intent.gap = GapPolicy::boundary;
    picky.intent.overlap = OverlapPolicy::later;
    picky.tz_release = "2024a";
    picky.claimable_at = never;  // planned while its schedule is paused
    picky.trace = TraceContext{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                               .span_id = "b7ad6b7169203331",
                               .sampled = true};
    given(plain, of_schedule, picky);

    EXPECT_EQ(find(plain.id), plain);
    EXPECT_EQ(find(of_schedule.id), of_schedule);
    EXPECT_EQ(find(picky.id), picky);
    EXPECT_FALSE(find(an_id<EventId>()));
}

TEST_P(EventRepositoryContract, KeepsTheIdentityOfAnOccurrenceAndItsJitterAllItsLifeLong) {
    Event cron =
        an_event()
            .of_schedule(an_id<ScheduleId>(), Nominal{year{2027} / 10 / 31, 2h + 30min + 1us, true})
            .at(nine_oclock, "Europe/Rome", noon - 1h);
    cron.jitter = 1h - 1us;
    cron.claimable_at = target_of(cron);
    Event backfilled =
        an_event().due(noon + 1h).of_schedule(an_id<ScheduleId>(), Nominal{year{2027} / 1 / 1});
    backfilled.occurrence->origin = Origin::backfill;
    given(cron, backfilled);
    EXPECT_EQ(find(cron.id), cron);
    EXPECT_EQ(find(backfilled.id), backfilled);

    Event moved = change(cron.id, [](const Event& event, Instant now) {
        Event edited = event;
        edited.occurrence->nominal = {year{2027} / 11 / 1, 5h};
        edited.jitter = 1s;
        return retarget(edited, edited.intent, noon - 1s, now);
    });
    EXPECT_EQ(find(cron.id), moved);
    const Event claimed = claim_one();
    EXPECT_EQ(claimed.occurrence, moved.occurrence);
    EXPECT_TRUE(settle(accepted(claimed, noon + 3s)));
    const Event done = *find(cron.id);
    EXPECT_EQ(done.occurrence, moved.occurrence);
    EXPECT_EQ(done.jitter, 1s);
    EXPECT_EQ(lateness(done), 3s);

    const Event refused =
        failed(an_event().of_schedule(an_id<ScheduleId>(), Nominal{year{2027} / 1 / 2, 7us, true}));
    const Event retry = retried(refused, an_id<EventId>(), noon).value();
    EXPECT_TRUE(on_events([&](EventRepository& events) { return events.add_retry(retry); }));
    EXPECT_EQ(find(retry.id), retry);
}

TEST_P(EventRepositoryContract, CancelsDroppedEventsAndFreesTheirKeys) {
    const Event event = an_event().of_schedule(an_id<ScheduleId>(), year{2027} / 1 / 5);
    given(event);
    const Event claimed = claim_one();
    const Event dropped = write([&](Transaction& tx) {
        const Event after =
            drop(tx.events().lock(claimed.id).value(), tx.now(), "misfire_skip").value();
        tx.events().finish_dropped(after);
        return after;
    });
    EXPECT_EQ(status_of(dropped), EventStatus::cancelled);
    EXPECT_EQ(find(event.id), dropped);
    Event again = event;
    again.id = an_id<EventId>();
    EXPECT_TRUE(add(again));
    EXPECT_FALSE(settle(accepted(claimed, noon)));
    EXPECT_EQ(find(event.id), dropped);
}

TEST_P(EventRepositoryContract, FindsThePlannedEventsOfManySchedules) {
    const ScheduleId first = an_id<ScheduleId>(), second = an_id<ScheduleId>();
    const Event claimed = an_event().of_schedule(first, year{2027} / 1 / 4).due(noon);
    const Event successor = an_event().of_schedule(first, year{2027} / 1 / 5).due(noon + 24h);
    const Event other = an_event().of_schedule(second, year{2027} / 1 / 5).due(noon + 1h);
    const Event of_user =
        an_event().of_schedule(second, year{2027} / 1 / 6).of_user(an_id<UserId>()).due(noon + 1h);
    Event by_hand = an_event().of_schedule(second, year{2027} / 1 / 7).due(noon + 1h);
    by_hand.occurrence->origin = Origin::trigger;
    given(claimed, successor, other, of_user, by_hand, an_event().due(noon + 2h),
          an_event().of_schedule(an_id<ScheduleId>(), year{2027} / 1 / 5).due(noon + 1h));
    EXPECT_EQ(claim_one().id, claimed.id);
    const auto planned = [&](const std::vector<ScheduleId>& schedules) {
        return on_events(
            [&](EventRepository& events) { return events.planned_by_rule(schedules); });
    };
    EXPECT_THAT(planned({first, second, an_id<ScheduleId>()}),
                UnorderedElementsAre(find(successor.id).value(), find(other.id).value()));
    EXPECT_THAT(planned({first, first}), UnorderedElementsAre(find(successor.id).value()));
    EXPECT_THAT(planned({}), IsEmpty());
}

TEST_P(EventRepositoryContract, KnowsWhetherAScheduleHasLiveEvents) {
    const ScheduleId schedule = an_id<ScheduleId>();
    const UserId user = an_id<UserId>();
    const Event without_user = an_event().of_schedule(schedule, year{2027} / 1 / 5).due(noon + 1h);
    Event by_hand = an_event().of_schedule(schedule, year{2027} / 1 / 5).of_user(user).due(noon);
    by_hand.occurrence->origin = Origin::trigger;
    given(without_user, by_hand, an_event().due(noon + 2h));
    const auto has_live = [&](const LiveQuery& query) {
        return on_events([&](EventRepository& events) { return events.has_live(query); });
    };
    const LiveQuery no_user_query{
        .schedule = schedule, .user = std::nullopt, .origin = std::nullopt};
    const LiveQuery for_user{.schedule = schedule, .user = user, .origin = std::nullopt};
    EXPECT_TRUE(has_live(no_user_query));
    EXPECT_TRUE(has_live(for_user));
    EXPECT_FALSE(
        has_live({.schedule = an_id<ScheduleId>(), .user = std::nullopt, .origin = std::nullopt}));
    EXPECT_FALSE(has_live({.schedule = schedule, .user = an_id<UserId>(), .origin = std::nullopt}));
    EXPECT_TRUE(has_live({.schedule = schedule, .user = std::nullopt, .origin = Origin::rule}));
    EXPECT_FALSE(has_live({.schedule = schedule, .user = user, .origin = Origin::rule}));

    LiveQuery before = no_user_query;
    before.due_before = noon + 1h;
    EXPECT_FALSE(has_live(before));
    *before.due_before += 1us;
    EXPECT_TRUE(has_live(before));
    LiveQuery after = no_user_query;
    after.due_after = noon + 1h;
    EXPECT_FALSE(has_live(after));
    *after.due_after -= 1us;
    EXPECT_TRUE(has_live(after));

    const Event claimed = claim_one();
    EXPECT_EQ(claimed.id, by_hand.id);
    EXPECT_TRUE(has_live(for_user));
    EXPECT_TRUE(settle(accepted(claimed, noon)));
    EXPECT_FALSE(has_live(for_user));
    EXPECT_TRUE(has_live(no_user_query));
}

TEST_P(EventRepositoryContract, KeepsEveryPolicy) {
    for (const auto gap : {GapPolicy::compatible, GapPolicy::earlier, GapPolicy::later,
                           GapPolicy::boundary, GapPolicy::skip, GapPolicy::reject}) {
        Event event = an_event();
        event.intent.gap = gap;
        given(event);
        EXPECT_EQ(find(event.id), event);
    }
    for (const auto overlap :
         {OverlapPolicy::compatible, OverlapPolicy::earlier, OverlapPolicy::later,
          OverlapPolicy::both, OverlapPolicy::skip, OverlapPolicy::reject}) {
        Event event = an_event();
        event.intent.overlap = overlap;
        given(event);
        EXPECT_EQ(find(event.id), event);
    }
}

TEST_P(EventRepositoryContract, KeepsThePayloadByteForByteAllItsLifeLong) {
    std::string unicode =
        "{ \"b\":1.0,\n\t\"a\" : 1e0, \"a\":\"ünï – 日本 – 🎂 – \\u0000 – ' \\\\ %\" }\n";
    std::string large(256 * 1024, '\0');
    for (std::size_t i = 0; i < large.size(); ++i) {
        large[i] = static_cast<char>(' ' + static_cast<int>(i % 95));
    }
    for (const auto& payload : {unicode, large, std::string{"\"\xf4\x8f\xbf\xbf\x7f\""}}) {
        const Event event = an_event().with_payload(payload);
        given(event);
        EXPECT_EQ(find(event.id)->payload, payload);
        const Event claimed = claim_one();
        EXPECT_EQ(claimed.payload, payload);
        EXPECT_TRUE(settle(accepted(claimed, noon)));
        EXPECT_EQ(find(event.id)->payload, payload);
    }
}

TEST_P(EventRepositoryContract, LocksLiveEventsOnly) {
    const Event event = an_event();
    given(event);
    const auto lock = [&](EventId id) {
        return on_events([&](EventRepository& events) { return events.lock(id); });
    };
    EXPECT_EQ(lock(event.id), event);
    const Event claimed = claim_one();
    EXPECT_EQ(lock(event.id), claimed);
    EXPECT_TRUE(settle(accepted(claimed, noon)));
    EXPECT_FALSE(lock(event.id));
    EXPECT_FALSE(lock(an_id<EventId>()));
}

TEST_P(EventRepositoryContract, LocksEveryLiveEventOfAUser) {
    const UserId user = an_id<UserId>();
    const Event completed = an_event().of_user(user);
    given(completed);
    EXPECT_TRUE(settle(accepted(claim_one(), noon)));
    given(an_event().of_user(user));
    const Event claimed = claim_one();
    const Event pending = an_event().of_user(user).due(noon + 1h);
    given(pending, an_event().of_user(an_id<UserId>()), an_event());

    EXPECT_THAT(on_events([&](EventRepository& events) { return events.lock_of_user(user); }),
                UnorderedElementsAre(claimed, pending));
    EXPECT_THAT(
        on_events([](EventRepository& events) { return events.lock_of_user(an_id<UserId>()); }),
        IsEmpty());
}

TEST_P(EventRepositoryContract, LocksEventsPlannedByAnEarlierVersionOfASchedule) {
    const ScheduleId schedule = an_id<ScheduleId>();
    const Date day = year{2027} / 1 / 5;
    given(an_event().of_schedule(schedule, day, Version{2}));
    claim_one();  // claimed
    given(an_event().of_schedule(schedule, day, Version{2}));
    const Event claimed = claim_one();
    EXPECT_TRUE(settle(retry_in(claimed, noon, 1h)));
    const Event waiting = find(claimed.id).value();
    const Event first = an_event().of_schedule(schedule, day, Version{1});
    const Event second = an_event().of_schedule(schedule, day, Version{2});
    given(first, second);
    given(an_event().of_schedule(schedule, day, Version{3}),
          an_event().of_schedule(an_id<ScheduleId>(), day, Version{1}), an_event());
    const Event paused = an_event().of_schedule(schedule, day, Version{2});
    given(paused);
    const Event parked =
        change(paused.id, [](const Event& event, Instant now) { return park(event, now); });
    const auto behind = [&](std::optional<EventId> after, std::size_t limit) {
        return on_events([&](EventRepository& events) {
            std::vector<EventId> ids;
            for (const Event& event : events.lock_behind(schedule, Version{3}, after, limit)) {
                ids.push_back(event.id);
            }
            return ids;
        });
    };

    EXPECT_THAT(behind({}, 10), ElementsAre(waiting.id, first.id, second.id, parked.id));
    EXPECT_THAT(behind({}, 2), ElementsAre(waiting.id, first.id));
    EXPECT_THAT(behind(first.id, 2), ElementsAre(second.id, parked.id));
    EXPECT_THAT(behind(parked.id, 2), IsEmpty());
}

TEST_P(EventRepositoryContract, FindsAndCountsTheLiveEventsOfAnEndpoint) {
    const EndpointId endpoint = an_id<EndpointId>();
    given(an_event().to_endpoint(endpoint));
    claim_one();  // claimed
    given(an_event().to_endpoint(endpoint));
    const Event tried = claim_one();
    EXPECT_TRUE(settle(retry_in(tried, noon, 1h)));
    const Event waiting = find(tried.id).value();
    const Event pending = an_event().to_endpoint(endpoint).due(noon + 1h);
    const Event over = an_event().to_endpoint(endpoint).due(noon + 1h);
    given(pending, over, an_event().to_endpoint(an_id<EndpointId>()), an_event());
    cancelled(over.id);

    const auto unclaimed = [&](EndpointId id, std::size_t limit) {
        return on_events(
            [&](EventRepository& events) { return events.unclaimed_of_endpoint(id, limit); });
    };
    const auto count = [&](EndpointId id) {
        return on_events(
            [&](EventRepository& events) { return events.count_live_of_endpoint(id); });
    };
    EXPECT_THAT(unclaimed(endpoint, 10), UnorderedElementsAre(waiting, pending));
    EXPECT_EQ(unclaimed(endpoint, 1).size(), 1U);
    EXPECT_EQ(count(endpoint), 3U);
    EXPECT_THAT(unclaimed(an_id<EndpointId>(), 10), IsEmpty());
    EXPECT_EQ(count(an_id<EndpointId>()), 0U);
}

/// One event of the user in each state, with the facts that a test needs.
struct EventsOfUser {
    UserId user = an_id<UserId>();
    Event completed = an_event().of_user(user);
    Event dead_letter = an_event().of_user(user);
    Event claimed = an_event().of_user(user);
    Event waiting = an_event().of_user(user);
    Event pending = an_event().of_user(user).due(noon + 1h);
    Event of_another = an_event().of_user(an_id<UserId>()).due(noon + 1h);
};

TEST_P(EventRepositoryContract, ErasesTheEventsOfAUserButForClaimedOnes) {
    EventsOfUser all;
    given(all.completed);
    EXPECT_TRUE(settle(accepted(claim_one(), noon)));
    given(all.dead_letter);
    EXPECT_TRUE(settle(refused(claim_one(), noon)));
    given(all.claimed);
    const Event claimed = claim_one();
    given(all.waiting);
    EXPECT_TRUE(settle(retry_in(claim_one(), noon, 1h)));
    given(all.pending, all.of_another);

    on_events([&](EventRepository& events) { events.erase_of_user(all.user); });

    for (const auto& gone : {all.completed, all.dead_letter, all.waiting, all.pending}) {
        EXPECT_FALSE(find(gone.id));
        EXPECT_THAT(attempts_of(gone.id), IsEmpty());
        const auto answer = add(an_event().with_key(gone.key.value));  // the key stays
        ASSERT_TRUE(is<DuplicateIdempotencyKey>(answer));
        EXPECT_EQ(answer.error().existing, gone.id);
        EXPECT_EQ(answer.error().status, EventStatus::completed);
    }
    Event alone = claimed;
    alone.user.reset();
    EXPECT_EQ(find(claimed.id), alone);
    EXPECT_TRUE(settle(accepted(claimed, noon)));
    EXPECT_EQ(status_of(*find(claimed.id)), EventStatus::completed);
    EXPECT_EQ(find(all.of_another.id), all.of_another);
    EventQuery of_user;
    of_user.user = all.user;
    EXPECT_THAT(events_like(of_user), IsEmpty());
}

TEST_P(EventRepositoryContract, ForgetsTheUserOfFinishedAndClaimedEvents) {
    EventsOfUser all;
    given(all.completed);
    EXPECT_TRUE(settle(accepted(claim_one(), noon)));
    given(all.dead_letter);
    EXPECT_TRUE(settle(refused(claim_one(), noon)));
    given(all.claimed);
    const Event claimed = claim_one();
    given(all.pending, all.of_another);
    cancelled(all.pending.id);
    std::vector<Event> expected;
    for (const auto& event : {all.completed, all.dead_letter, all.claimed, all.pending}) {
        expected.push_back(find(event.id).value());
        expected.back().user.reset();
    }

    on_events([&](EventRepository& events) { events.forget_user(all.user); });

    for (const Event& event : expected) EXPECT_EQ(find(event.id), event);
    EXPECT_EQ(attempts_of(all.dead_letter.id).size(), 1U);
    EXPECT_EQ(find(all.of_another.id), all.of_another);
    EXPECT_TRUE(settle(accepted(claimed, noon)));
}

}  // namespace
}  // namespace sundial
