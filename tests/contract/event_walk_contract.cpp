#include <gmock/gmock.h>

#include <algorithm>

#include "contract/event_repository_contract.hpp"
#include "contract/settlements.hpp"

namespace sundial {

EventWalk EventListContract::a_walk(EventWalk::Through through) {
    return {.through = through, .filter = {}, .until = clock().now(), .page = {}};
}

std::vector<EventId> EventListContract::all_of(EventWalk walk, std::size_t limit) {
    walk.page.limit = limit;
    std::vector<EventId> ids;
    for (;;) {
        const auto part = read([&](Transaction& tx) { return tx.events().walk(walk); });
        EXPECT_LE(part.size(), limit);
        for (const Event& event : part) ids.push_back(event.id);
        if (part.size() < limit) break;
        const auto* failed = std::get_if<Failed>(&part.back().state);
        walk.page.after =
            PageKey{failed ? std::to_string(failed->at.time_since_epoch().count()) : "",
                    part.back().id.value};
    }
    EXPECT_EQ(read([&](Transaction& tx) { return tx.events().count(walk); }), ids.size());
    return ids;
}

std::vector<EventId> EventListContract::all_of(EventWalk::Through through, EventQuery filter) {
    EventWalk walk = a_walk(through);
    walk.filter = std::move(filter);
    return all_of(walk, 100);
}

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;
using Through = EventWalk::Through;

TEST_P(EventListContract, WalksOnlyLiveEvents) {
    const Event completed = an_event();
    given(completed);
    EXPECT_TRUE(settle(accepted(claim_one(), noon)));
    failed(an_event());
    const Event over = an_event();
    given(over);
    cancelled(over.id);
    const Event waiting = an_event();
    given(waiting);
    EXPECT_TRUE(settle(retry_in(claim_one(), noon, 1h)));
    const Event claimed = an_event();
    given(claimed);
    claim_one();
    const Event pending = an_event();
    given(pending);
    EXPECT_THAT(all_of(Through::live, {}),
                UnorderedElementsAre(waiting.id, claimed.id, pending.id));
    EventQuery filter;
    filter.statuses = {EventStatus::pending};
    EXPECT_THAT(all_of(Through::live, filter), ElementsAre(pending.id));
}

TEST_P(EventListContract, WalksInPartsOfAnySizeOverEachEventOnce) {
    constexpr int many = 23;
    std::vector<EventId> dead, live;
    for (int i = 0; i < many; ++i) {
        if (i % 5 == 0) advance(1us);  // several FAILED at one instant, others later
        dead.push_back(failed(an_event()).id);
    }
    for (int i = 0; i < many; ++i) {
        const Event event = an_event().due(noon + 1h);
        given(event);
        live.push_back(event.id);
    }
    for (const std::size_t limit : {1U, 4U, 23U, 100U}) {
        EXPECT_THAT(all_of(a_walk(Through::failed), limit), UnorderedElementsAreArray(dead));
        EXPECT_THAT(all_of(a_walk(Through::live), limit), UnorderedElementsAreArray(live));
    }
}

TEST_P(EventListContract, WalksFailedEventsByTimeAndId) {
    std::vector<EventId> first{failed(an_event()).id, failed(an_event()).id};
    std::ranges::sort(first);
    advance(1s);
    const EventId last = failed(an_event()).id;
    EXPECT_THAT(all_of(Through::failed, {}), ElementsAre(first[0], first[1], last));
}

TEST_P(EventListContract, WalksOnlyEventsThatExistedAtItsStart) {
    const Event old = failed(an_event().created(noon - 1h));
    const Event pending = an_event().due(noon + 1h).created(noon);
    given(pending);
    advance(1us);
    failed(an_event().created(noon));
    given(an_event().due(noon + 1h).created(noon + 1us));
    EventWalk walk = a_walk(Through::failed);
    walk.until = noon;
    EXPECT_THAT(all_of(walk, 100), ElementsAre(old.id));
    walk.through = Through::live;
    EXPECT_THAT(all_of(walk, 100), ElementsAre(pending.id));
}

TEST_P(EventListContract, WalksWithTheFiltersOfAList) {
    const EndpointId crm = an_id<EndpointId>();
    const Event expected =
        failed(an_event().to_endpoint(crm).of_type("INVOICE").with_key("order-7"));
    const Event reviewed = failed(an_event().to_endpoint(crm));
    EXPECT_TRUE(on_events([&](EventRepository& events) {
        return events.update_dismissed(dismiss(reviewed, true, noon).value(), reviewed.version);
    }));
    failed(an_event());
    const auto with = [&](auto change) {
        EventQuery filter;
        change(filter);
        return all_of(Through::failed, filter);
    };
    EXPECT_EQ(with([](auto&) {}).size(), 3U);
    EXPECT_EQ(with([](auto& filter) { filter.dismissed = false; }).size(), 2U);
    EXPECT_THAT(with([](auto& filter) { filter.dismissed = true; }), ElementsAre(reviewed.id));
    EXPECT_THAT(with([&](auto& filter) {
                    filter.endpoint = crm;
                    filter.dismissed = false;
                }),
                ElementsAre(expected.id));
    EXPECT_THAT(with([](auto& filter) { filter.types = {"INVOICE", "OTHER"}; }),
                ElementsAre(expected.id));
    EXPECT_THAT(with([](auto& filter) { filter.prefix = "order-"; }), ElementsAre(expected.id));
    EXPECT_THAT(with([](auto& filter) { filter.executed_to = noon; }), IsEmpty());
    EXPECT_THAT(with([](auto& filter) { filter.reason = "CONNECT"; }), IsEmpty());
}

TEST_P(EventListContract, FiltersByThePrefixOfTheReason) {
    const Event dead_letter = failed(an_event());
    const std::string reason = std::get<Failed>(dead_letter.state).reason;
    const Event over = an_event();
    given(over);
    cancelled(over.id);
    given(an_event());
    const auto with = [&](std::string prefix) {
        EventQuery query;
        query.reason = std::move(prefix);
        return ids_like(query);
    };
    EXPECT_THAT(with(reason), ElementsAre(dead_letter.id));
    EXPECT_THAT(with(reason.substr(0, 4)), ElementsAre(dead_letter.id));
    EXPECT_THAT(with("by h"), ElementsAre(over.id));
    EXPECT_THAT(with(reason + "x"), IsEmpty());
    EXPECT_THAT(with("%"), IsEmpty());
}

TEST_P(EventListContract, SortsDeadLettersIntoGroups) {
    const EndpointId crm = an_id<EndpointId>();
    const Event first = failed(an_event().to_endpoint(crm));
    advance(1s);
    const Event reviewed = failed(an_event().to_endpoint(crm));
    EXPECT_TRUE(on_events([&](EventRepository& events) {
        return events.update_dismissed(dismiss(reviewed, true, clock().now()).value(),
                                       reviewed.version);
    }));
    advance(1s);
    const Event last = failed(an_event().to_endpoint(crm));
    const Event elsewhere = failed(an_event());
    const std::string reason = std::get<Failed>(first.state).reason;
    const auto groups = [&](DeadLettersBy by) {
        const auto letters = read([&](Transaction& tx) { return tx.events().dead_letters(by); });
        EXPECT_EQ(letters.counted, 3U);
        EXPECT_TRUE(letters.complete);
        return letters.groups;
    };
    EXPECT_THAT(groups(DeadLettersBy::endpoint),
                ElementsAre(DeadLetterGroup{.endpoint = crm,
                                            .count = 2,
                                            .oldest = noon,
                                            .newest = noon + 2s,
                                            .samples = {last.id, first.id}},
                            DeadLetterGroup{.endpoint = elsewhere.endpoint,
                                            .count = 1,
                                            .oldest = noon + 2s,
                                            .newest = noon + 2s,
                                            .samples = {elsewhere.id}}));
    EXPECT_THAT(
        groups(DeadLettersBy::reason),
        ElementsAre(AllOf(Field(&DeadLetterGroup::reason, reason),
                          Field(&DeadLetterGroup::count, 3U), Field(&DeadLetterGroup::oldest, noon),
                          Field(&DeadLetterGroup::newest, noon + 2s))));
}

TEST_P(EventListContract, HasNoGroupsWithoutDeadLetters) {
    given(an_event());
    const auto letters =
        read([](Transaction& tx) { return tx.events().dead_letters(DeadLettersBy::reason); });
    EXPECT_EQ(letters.counted, 0U);
    EXPECT_THAT(letters.groups, IsEmpty());
}

}  // namespace
}  // namespace sundial
