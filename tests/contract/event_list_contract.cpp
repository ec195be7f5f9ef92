#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "contract/event_repository_contract.hpp"
#include "contract/settlements.hpp"

namespace sundial {

std::vector<EventId> EventListContract::ids_like(const EventQuery& query) {
    std::vector<EventId> ids;
    for (const Event& event : events_like(query)) ids.push_back(event.id);
    return ids;
}

std::vector<Event> EventListContract::walk(EventQuery query, std::size_t limit) {
    query.page.limit = limit;
    std::vector<Event> all;
    for (bool more = true; more;) {
        const auto page = read([&](Transaction& tx) { return tx.events().list(query); });
        more = page.has_more;
        EXPECT_LE(page.items.size(), limit);
        if (more) EXPECT_EQ(page.items.size(), limit);
        if (page.items.empty()) break;
        all.insert(all.end(), page.items.begin(), page.items.end());
        query.page.after = place_of(all.back(), query.sort);
    }
    return all;
}

PageKey place_of(const Event& event, EventQuery::Sort sort) {
    const auto text_of = [](Instant instant) {
        return std::to_string(instant.time_since_epoch().count());
    };
    std::string value;
    switch (sort) {
        case EventQuery::Sort::target:
            value = text_of(event.due);
            break;
        case EventQuery::Sort::executed_at:
            if (const auto* completed = std::get_if<Completed>(&event.state)) {
                value = text_of(completed->at);
            }
            if (const auto* over = std::get_if<Failed>(&event.state)) value = text_of(over->at);
            break;
        case EventQuery::Sort::created_at:
            break;  // sorted by id
        case EventQuery::Sort::lateness:
            if (const auto late = lateness(event)) value = std::to_string(late->count());
            break;
    }
    return {value, event.id.value};
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(EventListContract, ListsLiveAndFinishedEventsTogetherByTarget) {
    const Event completed = an_event().due(noon - 2s);
    given(completed);
    EXPECT_TRUE(settle(accepted(claim_one(), noon)));
    const Event last = an_event().due(noon + 2h);
    const Event first = an_event().due(noon - 3s);
    const Event cancelled_one = an_event().due(noon + 1h);
    given(last, first, cancelled_one);
    cancelled(cancelled_one.id);

    EXPECT_THAT(ids_like({}), ElementsAre(first.id, completed.id, cancelled_one.id, last.id));
    EXPECT_EQ(events_like().back(), last);
    EXPECT_EQ(events_like()[1], find(completed.id));
}

TEST_P(EventListContract, ListsNothingWhenThereIsNothing) {
    const auto page = read([](Transaction& tx) { return tx.events().list({}); });
    EXPECT_THAT(page.items, IsEmpty());
    EXPECT_FALSE(page.has_more);
}

TEST_P(EventListContract, FiltersByStatus) {
    given(an_event());
    const Event completed = claim_one();
    EXPECT_TRUE(settle(accepted(completed, noon)));
    const Event dead_letter = failed(an_event());
    given(an_event());
    const Event processing = claim_one();
    const Event over = an_event();
    given(over);
    cancelled(over.id);
    const Event pending = an_event();
    given(pending);
    const auto of = [&](std::vector<EventStatus> statuses) {
        EventQuery query;
        query.statuses = std::move(statuses);
        return ids_like(query);
    };
    EXPECT_THAT(of({EventStatus::pending}), ElementsAre(pending.id));
    EXPECT_THAT(of({EventStatus::processing}), ElementsAre(processing.id));
    EXPECT_THAT(of({EventStatus::completed}), ElementsAre(completed.id));
    EXPECT_THAT(of({EventStatus::failed}), ElementsAre(dead_letter.id));
    EXPECT_THAT(of({EventStatus::cancelled}), ElementsAre(over.id));
    EXPECT_THAT(of({EventStatus::pending, EventStatus::failed}),
                UnorderedElementsAre(pending.id, dead_letter.id));
}

/// Each filter of EventQuery, for live and finished events.
TEST_P(EventListContract, FiltersByMembersOfAnEvent) {
    const UserId user = an_id<UserId>();
    const ScheduleId schedule = an_id<ScheduleId>();
    const EndpointId endpoint = an_id<EndpointId>();
    const auto day = std::chrono::year{2027} / 1 / 5;
    const Event expected = an_event()
                               .of_type("BIRTHDAY")
                               .with_priority(Priority::high)
                               .of_user(user)
                               .of_schedule(schedule, day)
                               .to_endpoint(endpoint)
                               .at(WallTime{std::chrono::local_days{day}}, "Asia/Tokyo", noon + 1h);
    const Event other = an_event()
                            .of_type("OTHER")
                            .with_priority(Priority::low)
                            .of_user(an_id<UserId>())
                            .of_schedule(an_id<ScheduleId>(), day)
                            .to_endpoint(an_id<EndpointId>())
                            .due(noon + 1h);
    const Event plain = an_event().due(noon + 1h);
    given(expected, other, plain);
    const auto finds_only_expected = [&](auto ask) {
        EventQuery query;
        ask(query);
        return ids_like(query) == std::vector{expected.id};
    };
    const auto check_all = [&] {
        EXPECT_TRUE(finds_only_expected([](EventQuery& q) { q.types = {"BIRTHDAY", "NONE"}; }));
        EXPECT_TRUE(finds_only_expected(
            [](EventQuery& q) { q.priorities = {Priority::high, Priority::critical}; }));
        EXPECT_TRUE(finds_only_expected([](EventQuery& q) { q.zones = {"Asia/Tokyo"}; }));
        EXPECT_TRUE(finds_only_expected([&](EventQuery& q) { q.user = user; }));
        EXPECT_TRUE(finds_only_expected([&](EventQuery& q) { q.schedule = schedule; }));
        EXPECT_TRUE(finds_only_expected([&](EventQuery& q) { q.endpoint = endpoint; }));
        EXPECT_TRUE(finds_only_expected([&](EventQuery& q) { q.key = expected.key; }));
        EXPECT_TRUE(finds_only_expected([&](EventQuery& q) {
            q.types = {"BIRTHDAY", "REMINDER"};
            q.user = user;
            q.endpoint = endpoint;
        }));
        EventQuery none;
        none.user = user;
        none.types = {"OTHER"};
        EXPECT_THAT(ids_like(none), IsEmpty());
    };
    check_all();
    cancelled(expected.id);
    check_all();
    EventQuery two_types;
    two_types.types = {"OTHER", "BIRTHDAY"};
    EXPECT_EQ(ids_like(two_types).size(), 2U);
}

TEST_P(EventListContract, FiltersByTargetFromInclusiveToExclusive) {
    const Event before = an_event().due(noon - 1us);
    const Event at = an_event().due(noon);
    const Event last = an_event().due(noon + 1h - 1us);
    const Event after = an_event().due(noon + 1h);
    given(before, at, last, after);
    EventQuery query;
    query.target_from = noon;
    EXPECT_THAT(ids_like(query), ElementsAre(at.id, last.id, after.id));
    query.target_to = noon + 1h;
    EXPECT_THAT(ids_like(query), ElementsAre(at.id, last.id));
    query.target_from.reset();
    EXPECT_THAT(ids_like(query), ElementsAre(before.id, at.id, last.id));
}

TEST_P(EventListContract, FiltersByWhenItWasExecuted) {
    given(an_event());
    EXPECT_TRUE(settle(accepted(claim_one(), noon)));
    advance(1us);
    const Event dead_letter = failed(an_event());
    const Event over = an_event();
    given(over);
    cancelled(over.id);
    given(an_event());
    EventQuery query;
    query.executed_from = noon + 1us;
    EXPECT_THAT(ids_like(query), ElementsAre(dead_letter.id));  // not the cancelled event
    query.executed_from = noon;
    EXPECT_EQ(ids_like(query).size(), 2U);
    query.executed_to = noon + 1us;
    EXPECT_EQ(ids_like(query).size(), 1U);
    query.executed_from.reset();
    EXPECT_EQ(ids_like(query).size(), 1U);
}

TEST_P(EventListContract, FiltersByLateExecution) {
    const Event punctual = an_event();
    given(punctual);
    EXPECT_TRUE(settle(accepted(claim_one(), noon + 1s)));
    const Event late = an_event();
    given(late);
    EXPECT_TRUE(settle(accepted(claim_one(), noon + 1s + 1us)));
    const Event late_and_waiting = an_event();
    given(late_and_waiting);
    EXPECT_TRUE(settle(retry_in(claim_one(), noon + 2s, 1h)));
    const Event pending = an_event();
    given(pending);
    EventQuery query;
    query.late_execution = true;
    EXPECT_THAT(ids_like(query), UnorderedElementsAre(late.id, late_and_waiting.id));
    query.late_execution = false;
    EXPECT_THAT(ids_like(query), UnorderedElementsAre(punctual.id, pending.id));
}

TEST_P(EventListContract, FiltersByTheReasonForWaiting) {
    const auto released = [&](std::optional<std::chrono::microseconds> delay,
                              std::optional<Obstacle> obstacle) {
        given(an_event());
        ReleasedClaim back = release_of(claim_one(), delay);
        back.obstacle = obstacle;
        EXPECT_TRUE(release_claims(back));
        return back.id;
    };
    given(an_event());
    const EventId retrying = claim_one().id;
    EXPECT_TRUE(settle(retry_in(*find(retrying), noon, 1h)));
    const EventId for_circuit = released(1h, Obstacle::circuit);
    const EventId for_limit = released(1h, Obstacle::limit);
    const EventId for_endpoint = released(std::nullopt, std::nullopt);
    const Event paused = an_event();
    given(paused);
    write([&](Transaction& tx) {
        tx.events().update(park(tx.events().lock(paused.id).value(), tx.now()).value());
    });
    given(an_event().due(noon + 2h));
    failed(an_event());
    EventQuery query;
    for (const auto& [reason, id] :
         std::vector<std::pair<WaitReason, EventId>>{{WaitReason::retry, retrying},
                                                     {WaitReason::circuit, for_circuit},
                                                     {WaitReason::limit, for_limit},
                                                     {WaitReason::endpoint, for_endpoint},
                                                     {WaitReason::schedule, paused.id}}) {
        query.waiting_for = {reason};
        for (const auto sort : {EventQuery::Sort::target, EventQuery::Sort::executed_at,
                                EventQuery::Sort::created_at, EventQuery::Sort::lateness}) {
            query.sort = sort;
            EXPECT_THAT(ids_like(query), ElementsAre(id)) << to_string(reason);
        }
    }
    query.waiting_for = {WaitReason::circuit, WaitReason::limit};
    EXPECT_THAT(ids_like(query), UnorderedElementsAre(for_circuit, for_limit));
}

TEST_P(EventListContract, FiltersByDismissal) {
    const Event dead_letter = failed(an_event());
    const Event reviewed = failed(an_event());
    EXPECT_TRUE(on_events([&](EventRepository& events) {
        return events.update_dismissed(dismiss(reviewed, true, noon).value(), reviewed.version);
    }));
    EventQuery query;
    query.dismissed = true;
    EXPECT_THAT(ids_like(query), ElementsAre(reviewed.id));
    query.dismissed = false;
    query.statuses = {EventStatus::failed};
    EXPECT_THAT(ids_like(query), ElementsAre(dead_letter.id));
}

TEST_P(EventListContract, FindsThePrefixOfAnIdOrAKeyLetterByLetter) {
    const Event one = an_event().with_key("Order_17-a");
    const Event other = an_event().with_key("OrderX17-b");
    given(one, other);
    const auto starting = [&](std::string prefix) {
        EventQuery query;
        query.prefix = std::move(prefix);
        return ids_like(query);
    };
    EXPECT_THAT(starting("Order"), UnorderedElementsAre(one.id, other.id));
    EXPECT_THAT(starting("Order_"), ElementsAre(one.id));  // `_` is not a wildcard
    EXPECT_THAT(starting("%17"), IsEmpty());
    EXPECT_THAT(starting("order"), IsEmpty());
    EXPECT_THAT(starting("17"), IsEmpty());
    EXPECT_THAT(starting("\\"), IsEmpty());
    EXPECT_THAT(starting("Order_17-a"), ElementsAre(one.id));
    EXPECT_THAT(starting(to_string(other.id)), ElementsAre(other.id));
    EXPECT_THAT(starting(to_string(one.id).substr(0, 20)), UnorderedElementsAre(one.id, other.id));
    cancelled(one.id);
    EXPECT_THAT(starting("Order_"), ElementsAre(one.id));
}

TEST_P(EventListContract, SortsBothWaysWithMissingValuesLastAndWalksEveryRowOnce) {
    // Equal and different targets, creation times, execution times and latenesses, and rows without
    // a value.
    for (int i = 0; i < 12; ++i) {
        given(an_event().due(noon - 1s * (i % 3)).created(the_day_before + 1us * (i % 4)));
        const Event claimed = claim_one();
        EXPECT_TRUE(settle(i % 2 == 0 ? accepted(claimed, noon + 1s * (i % 5))
                                      : refused(claimed, noon + 1s * (i % 5))));
        if (i % 3 == 0) advance(1us);
    }
    for (int i = 0; i < 5; ++i) {
        const Event event = an_event().due(noon + 1h);
        given(event);
        if (i % 2 == 0) cancelled(event.id);
    }
    using Sort = EventQuery::Sort;
    for (const auto sort : {Sort::target, Sort::executed_at, Sort::created_at, Sort::lateness}) {
        for (const bool descending : {false, true}) {
            EventQuery query;
            query.sort = sort;
            query.page.descending = descending;
            query.page.limit = 500;
            const auto all = events_like(query);
            ASSERT_EQ(all.size(), 17U);
            for (std::size_t i = 1; i < all.size(); ++i) {
                const PageKey a = place_of(all[i - 1], sort);
                const PageKey b = place_of(all[i], sort);
                ASSERT_FALSE(a.value.empty() && !b.value.empty());
                if (a.value.empty() != b.value.empty()) continue;
                const auto number = [](const PageKey& key) {
                    return key.value.empty() ? 0 : std::stoll(key.value);
                };
                const auto first = std::pair{number(a), a.id};
                const auto second = std::pair{number(b), b.id};
                ASSERT_TRUE(descending ? first > second : first < second);
            }
            for (const std::size_t limit : {1U, 3U, 16U, 17U}) {
                EXPECT_EQ(walk(query, limit), all) << "limit " << limit;
            }
        }
    }
}

TEST_P(EventListContract, WalksEachRowOnceWhileOthersAreInserted) {
    std::set<EventId> there;
    for (int i = 0; i < 20; ++i) {
        const Event event = an_event().due(noon + 1s * (i % 4));
        given(event);
        there.insert(event.id);
    }
    for (const bool descending : {false, true}) {
        EventQuery query;
        query.page = {.limit = 3, .descending = descending, .after = std::nullopt};
        std::vector<EventId> seen;
        for (int turn = 0;; ++turn) {
            const auto page = read([&](Transaction& tx) { return tx.events().list(query); });
            for (const Event& event : page.items) {
                if (there.contains(event.id)) seen.push_back(event.id);
            }
            if (!page.has_more) break;
            query.page.after = place_of(page.items.back(), query.sort);
            if (turn < 9)
                given(an_event().due(noon + 1s * (turn % 4)));  // before and after the page
        }
        EXPECT_EQ(seen.size(), there.size());
        EXPECT_EQ((std::set<EventId>{seen.begin(), seen.end()}), there);
    }
}

TEST_P(EventListContract, KeepsAWalkWithinItsFilter) {
    const UserId user = an_id<UserId>();
    for (int i = 0; i < 7; ++i) given(an_event().of_user(user).due(noon + 1s), an_event());
    EventQuery query;
    query.user = user;
    EXPECT_EQ(walk(query, 2).size(), 7U);
}

TEST_P(EventListContract, ReportsWhetherThereAreMoreEvents) {
    given(an_event(), an_event(), an_event());
    EventQuery query;
    query.page.limit = 3;
    EXPECT_FALSE(read([&](Transaction& tx) { return tx.events().list(query); }).has_more);
    query.page.limit = 2;
    EXPECT_TRUE(read([&](Transaction& tx) { return tx.events().list(query); }).has_more);
}

}  // namespace
}  // namespace sundial
