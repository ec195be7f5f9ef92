#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "contract/event_repository_contract.hpp"
#include "contract/settlements.hpp"

namespace sundial {

PlannedQuery PlannedCountContract::of_a_day(PlannedBy by, std::size_t most) {
    return {.from = noon, .to = noon + 24h, .by = by, .first_slot = noon, .most = most};
}

PlannedCounts PlannedCountContract::count(const PlannedQuery& query) {
    return read([&](Transaction& tx) { return tx.events().count_planned(query); });
}

void PlannedCountContract::paused(EventId id) {
    change(id, [](const Event& event, Instant now) { return park(event, now); });
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

TEST_P(PlannedCountContract, CountsByTheSlotOfTheTarget) {
    Event with_jitter = an_event().due(noon + 1h + 50min);
    with_jitter.jitter = 10min;
    with_jitter.claimable_at = target_of(with_jitter);
    given(an_event().due(noon + 1h), an_event().due(noon + 2h - 1us), with_jitter,
          an_event().due(noon), an_event().due(noon + 24h - 1us));
    given(an_event().due(noon - 1us), an_event().due(noon + 24h));
    const PlannedCounts found = count(of_a_day(PlannedBy::nothing));
    EXPECT_THAT(found.counts, ElementsAre(PlannedCount{.slot = noon, .count = 1},
                                          PlannedCount{.slot = noon + 1h, .count = 2},
                                          PlannedCount{.slot = noon + 2h, .count = 1},
                                          PlannedCount{.slot = noon + 23h, .count = 1}));
    EXPECT_EQ(found.end, std::nullopt);

    PlannedQuery longer = of_a_day(PlannedBy::nothing);
    longer.first_slot = noon - 2h;
    longer.slot = 6h;
    EXPECT_THAT(count(longer).counts, ElementsAre(PlannedCount{.slot = noon - 2h, .count = 4},
                                                  PlannedCount{.slot = noon + 22h, .count = 1}))
        << "a slot begins before the first event";
}

TEST_P(PlannedCountContract, CountsByZoneOrByEndpointInTheOrderOfTheFirstEvent) {
    const EndpointId endpoint = an_id<EndpointId>();
    const EndpointId other = an_id<EndpointId>();
    const WallTime wall{std::chrono::local_days{std::chrono::year{2027} / 1 / 5}};
    given(an_event().at(wall, "Europe/Paris", noon + 1min).to_endpoint(endpoint),
          an_event().at(wall, "Asia/Tokyo", noon + 2min).to_endpoint(other),
          an_event().at(wall, "Europe/Paris", noon + 3min), an_event().due(noon + 4min),
          an_event().at(wall, "Asia/Tokyo", noon + 2h).to_endpoint(endpoint));
    const PlannedCounts by_zone = count(of_a_day(PlannedBy::zone));
    EXPECT_THAT(by_zone.counts,
                ElementsAre(PlannedCount{.zone = "Europe/Paris", .slot = noon, .count = 2},
                            PlannedCount{.zone = "Asia/Tokyo", .slot = noon, .count = 1},
                            PlannedCount{.zone = "UTC", .slot = noon, .count = 1},
                            PlannedCount{.zone = "Asia/Tokyo", .slot = noon + 2h, .count = 1}));
    const PlannedCounts by_endpoint = count(of_a_day(PlannedBy::endpoint));
    EXPECT_THAT(by_endpoint.counts,
                ElementsAre(PlannedCount{.endpoint = endpoint, .slot = noon, .count = 1},
                            PlannedCount{.endpoint = other, .slot = noon, .count = 1},
                            PlannedCount{.slot = noon, .count = 2},
                            PlannedCount{.endpoint = endpoint, .slot = noon + 2h, .count = 1}));
}

TEST_P(PlannedCountContract, CountsOnlyPendingEventsThatDoNotWaitForTheirSchedule) {
    given(an_event());
    const Event under_way = claim_one();
    given(an_event());
    EXPECT_TRUE(release_claims(release_of(claim_one(), 1h)));  // PROCESSING, unsent
    const Event over = an_event().due(noon + 1h);
    const Event paused_one = an_event().due(noon + 1h);
    const Event pending = an_event().due(noon + 1h);
    given(over, paused_one, pending);
    cancelled(over.id);
    paused(paused_one.id);
    EXPECT_THAT(count(of_a_day(PlannedBy::nothing)).counts,
                ElementsAre(PlannedCount{.slot = noon + 1h, .count = 1}));
    paused(pending.id);
    EXPECT_THAT(count(of_a_day(PlannedBy::nothing)).counts, IsEmpty());
}

/// Events that wait for their schedule take part in the bound.
TEST_P(PlannedCountContract, EndsAtTheLastEventThatItReads) {
    std::vector<Event> events;
    for (int i = 0; i < 6; ++i) {
        events.push_back(an_event().due(noon + 1h + 1min * (i / 2)));
        given(events.back());
    }
    paused(events[2].id);
    const auto with_most = [&](std::size_t most) {
        const PlannedCounts found = count(of_a_day(PlannedBy::nothing, most));
        return std::pair{found.counts.empty() ? 0 : found.counts[0].count, found.end};
    };
    using Found = std::pair<std::uint64_t, std::optional<Instant>>;
    EXPECT_EQ(with_most(1), (Found{1, noon + 1h}));
    EXPECT_EQ(with_most(3), (Found{2, noon + 1h + 1min}));
    EXPECT_EQ(with_most(5), (Found{4, noon + 1h + 2min}));
    EXPECT_EQ(with_most(6), (Found{5, std::nullopt}));
    for (const Event& event : events)
        if (event.id != events[2].id) paused(event.id);
    EXPECT_EQ(with_most(5), (Found{0, noon + 1h + 2min})) << "although it counts none";
}

TEST_P(PlannedCountContract, NamesTheEventsThatRulesHavePlannedWithoutAUser) {
    const auto day = std::chrono::year{2027} / 1 / 5;
    const ScheduleId schedule = an_id<ScheduleId>();
    const Event second = an_event().of_schedule(schedule, day).due(noon + 2h);
    const Event first = an_event().of_schedule(an_id<ScheduleId>(), day).due(noon + 1h);
    const Event of_user =
        an_event().of_schedule(schedule, day).of_user(an_id<UserId>()).due(noon + 1h);
    Event by_hand = an_event().of_schedule(schedule, day).due(noon + 1h);
    by_hand.occurrence->origin = Origin::trigger;
    const Event waiting = an_event().of_schedule(an_id<ScheduleId>(), day).due(noon + 1h);
    given(second, first, of_user, by_hand, waiting, an_event().due(noon + 1h));
    paused(waiting.id);
    const PlannedCounts found = count(of_a_day(PlannedBy::zone));
    EXPECT_THAT(found.of_rules, UnorderedElementsAre(first.id, second.id));
    EXPECT_THAT(found.counts,
                ElementsAre(PlannedCount{.zone = "UTC", .slot = noon + 1h, .count = 4},
                            PlannedCount{.zone = "UTC", .slot = noon + 2h, .count = 1}));
    const PlannedCounts bounded = count(of_a_day(PlannedBy::zone, 5));
    EXPECT_THAT(bounded.of_rules, ElementsAre(first.id)) << "the second was not read";
}

/// The same events, counted one after another.
TEST_P(PlannedCountContract, CountsTheEventsOfAList) {
    std::mt19937 random{7};
    const auto any = [&](int below) {
        return static_cast<int>(random() % static_cast<unsigned>(below));
    };
    const std::vector<std::string> zones{"UTC", "Europe/Paris", "Asia/Tokyo"};
    const std::vector<EndpointId> endpoints{an_id<EndpointId>(), an_id<EndpointId>()};
    const auto day = std::chrono::year{2027} / 1 / 5;
    for (int i = 0; i < 60; ++i) {
        EventBuilder builder = an_event().due(noon + 7min * any(120));
        if (any(2) == 0) builder.to_endpoint(endpoints[static_cast<std::size_t>(any(2))]);
        if (any(3) == 0) builder.of_schedule(an_id<ScheduleId>(), day);
        Event event = builder;
        event.intent.zone = zones[static_cast<std::size_t>(any(3))];
        event.jitter = 11min * any(4);
        event.claimable_at = target_of(event);
        given(event);
        if (any(5) == 0) paused(event.id);
    }
    EventQuery list;
    list.statuses = {EventStatus::pending};
    list.page.limit = 500;
    list.target_from = noon;
    list.target_to = noon + 24h;
    const std::vector<Event> all = events_like(list);
    ASSERT_EQ(all.size(), 60U);
    for (const auto by : {PlannedBy::nothing, PlannedBy::zone, PlannedBy::endpoint}) {
        for (const std::size_t most : {7U, 59U, 60U}) {
            const PlannedQuery query = of_a_day(by, most);
            PlannedCounter expected{query};
            for (const Event& event : all) {
                expected.add({.id = event.id,
                              .due = event.due,
                              .target = target_of(event),
                              .paused = waiting_for(event) == WaitReason::schedule,
                              .of_rule = event.occurrence.has_value(),
                              .zone = event.intent.zone,
                              .endpoint = event.endpoint});
            }
            const PlannedCounts one_by_one = std::move(expected).result();
            const PlannedCounts found = count(query);
            EXPECT_THAT(found.counts, UnorderedElementsAreArray(one_by_one.counts)) << most;
            EXPECT_THAT(found.of_rules, UnorderedElementsAreArray(one_by_one.of_rules)) << most;
            EXPECT_EQ(found.end, one_by_one.end) << most;
        }
    }
}

}  // namespace
}  // namespace sundial
