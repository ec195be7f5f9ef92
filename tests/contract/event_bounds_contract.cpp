#include <gmock/gmock.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "application/requests/unindexed_orders.hpp"
#include "contract/event_repository_contract.hpp"
#include "contract/settlements.hpp"

// Bounds of the events that a page or a count reads (ADR 0036).

namespace sundial {

ExecutionListContract::ExecutionListContract() {
    for (int i = 0; i < 40; ++i) {
        given(an_event().of_type(i % 10 == 3 ? "BIRTHDAY" : "REMINDER"));
        const Event claimed = claim_one();
        EXPECT_TRUE(settle(i % 4 == 0 ? refused(claimed, clock().now())
                                      : accepted(claimed, clock().now())));
        if (i % 8 == 5) {
            const Event over = an_event().of_type("BIRTHDAY").due(noon + 48h);
            given(over);
            cancelled(over.id);
        }
        if (i <= 20) advance(700ms);
        if (i >= 33) advance(1h);
    }
    for (int i = 0; i < 6; ++i) given(an_event().of_type("BIRTHDAY").due(noon + 48h + 1s * i));
}

std::vector<EventId> ExecutionListContract::walk_pages(EventQuery query) {
    std::vector<EventId> ids;
    pages = 0;
    for (bool more = true; more && pages < 300; ++pages) {
        const auto page = read([&](Transaction& tx) { return page_of_events(tx, query); });
        for (const Event& event : page.items) ids.push_back(event.id);
        EXPECT_LE(page.items.size(), query.page.limit);
        more = page.has_more;
        if (!more) continue;
        EXPECT_TRUE(page.passed || !page.items.empty());
        PageKey last = page.passed ? *page.passed : place_of(page.items.back(), query.sort);
        EXPECT_NE(last, query.page.after);
        query.page.after = std::move(last);
    }
    return ids;
}

std::vector<EventId> ExecutionListContract::all_like(EventQuery query) {
    query.max_passed.reset();
    query.page.limit = 500;
    return ids_like(query);
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

/// A page whose filter matches few of many events ends early, with the place to continue from.
TEST_P(EventListContract, SkipsABoundedNumberOfEventsPerPage) {
    constexpr std::size_t max = 4;
    std::vector<EventId> rare;
    for (int i = 0; i < 60; ++i) {
        const bool is_rare = i % 20 == 19, is_finished = i % 3 == 0;
        const auto from_noon = 1s * (1 + i % 7);
        const Event event = an_event()
                                .of_type(is_rare ? "BIRTHDAY" : "REMINDER")
                                .due(is_finished ? noon - from_noon : noon + from_noon)
                                .created(the_day_before + 1us * i);
        given(event);
        if (is_rare) rare.push_back(event.id);
        if (is_finished) EXPECT_TRUE(settle(accepted(claim_one(), noon)));
    }
    for (const auto sort : {EventQuery::Sort::target, EventQuery::Sort::created_at}) {
        for (const bool descending : {false, true}) {
            EventQuery query;
            query.types = {"BIRTHDAY"};
            query.sort = sort;
            query.max_passed = max;
            query.page = {.limit = 50, .descending = descending, .after = std::nullopt};
            std::vector<EventId> found;
            int pages = 0;
            for (bool more = true; more; ++pages) {
                const auto page = read([&](Transaction& tx) { return tx.events().list(query); });
                for (const Event& event : page.items) found.push_back(event.id);
                more = page.has_more;
                if (!more) break;
                ASSERT_TRUE(page.passed);
                ASSERT_NE(page.passed, query.page.after);
                query.page.after = page.passed;
            }
            EXPECT_THAT(found, UnorderedElementsAreArray(rare));
            EXPECT_GE(pages, 3) << "a page may pass `max` events of each index";
        }
    }
}

TEST_P(EventListContract, APageThatPassedTheMaximumHasMore) {
    for (int i = 0; i < 3; ++i) given(an_event().due(noon + 1s * i));
    for (const auto sort : {EventQuery::Sort::target, EventQuery::Sort::created_at}) {
        for (const bool descending : {false, true}) {
            EventQuery query;
            query.types = {"RARE"};
            query.sort = sort;
            query.page.descending = descending;
            query.max_passed = 3;
            int pages = 0;
            for (bool more = true; more; ++pages) {
                ASSERT_LE(pages, 3) << "the walk does not end";
                const auto page = read([&](Transaction& tx) { return tx.events().list(query); });
                EXPECT_THAT(page.items, IsEmpty());
                more = page.has_more;
                ASSERT_EQ(page.passed.has_value(), more);
                query.page.after = page.passed;
            }
            EXPECT_GE(pages, 2) << "the first page passed 3 events, although there are no others";
        }
        // In the order of creation, each shard may be read for its part of the maximum alone.
        if (sort == EventQuery::Sort::created_at) continue;
        EventQuery query;
        query.types = {"RARE"};
        query.max_passed = 4;
        EXPECT_FALSE(read([&](Transaction& tx) { return tx.events().list(query); }).has_more);
    }
}

TEST_P(EventListContract, SkipsAnyNumberIfNoBoundIsGivenOrNoFilterIsRare) {
    for (int i = 0; i < 30; ++i) given(an_event().due(noon + 1s * i));
    EventQuery query;
    query.types = {"RARE"};
    EXPECT_FALSE(read([&](Transaction& tx) { return tx.events().list(query); }).has_more);
    query.types.clear();
    query.max_passed = 3;
    const auto page = read([&](Transaction& tx) { return tx.events().list(query); });
    EXPECT_EQ(page.items.size(), 30U);
    EXPECT_FALSE(page.has_more);
}

TEST_P(EventListContract, EndsAPageThatHasManyBytes) {
    const std::string payload = '"' + std::string(max_page_bytes / 3, 'x') + '"';
    for (int i = 0; i < 8; ++i) given(an_event().due(noon + 1s * i).with_payload(payload));
    using Sort = EventQuery::Sort;
    for (const auto sort : {Sort::target, Sort::executed_at, Sort::created_at, Sort::lateness}) {
        EventQuery query;
        query.sort = sort;
        std::vector<std::size_t> sizes;
        for (bool more = true; more;) {
            const auto page = read([&](Transaction& tx) { return tx.events().list(query); });
            sizes.push_back(page.items.size());
            more = page.has_more;
            query.page.after = place_of(page.items.back(), sort);
        }
        EXPECT_THAT(sizes, ElementsAre(3, 3, 2));
    }
}

EventQuery query_by_execution(bool descending, std::size_t max_passed) {
    EventQuery query;
    query.sort = EventQuery::Sort::executed_at;
    query.page.descending = descending;
    query.max_passed = max_passed;
    return query;
}

TEST_P(ExecutionListContract, EndsAPageThatPassesManyEvents) {
    for (const bool descending : {true, false}) {
        EventQuery query = query_by_execution(descending, 8);
        query.types = {"BIRTHDAY"};
        const auto rare = all_like(query);
        ASSERT_THAT(rare, SizeIs(4 + 5 + 6));
        EXPECT_EQ(walk_pages(query), rare);
        EXPECT_GE(pages, 4) << "30 events outside the crowded instant, at most 11 a page";
        query.max_passed = 10'000;
        EXPECT_EQ(walk_pages(query), rare);
        EXPECT_EQ(pages, 1);
    }
}

TEST_P(ExecutionListContract, HasEachEventOnceInPagesOfAnySize) {
    struct Size {
        std::size_t limit, max_passed;
    };
    for (const bool descending : {true, false}) {
        for (const Size size : {Size{7, 20}, Size{40, 20}, Size{40, 10'000}, Size{50, 10'000}}) {
            EventQuery query = query_by_execution(descending, size.max_passed);
            const auto all = all_like(query);
            ASSERT_THAT(all, SizeIs(40 + 5 + 6));
            query.page.limit = size.limit;  // 40 were executed
            EXPECT_EQ(walk_pages(query), all) << size.limit << " of " << size.max_passed;
        }
    }
}

TEST_P(ExecutionListContract, HasTheEventsThatAFilterLeaves) {
    using Status = EventStatus;
    const auto expect_all = [&](EventQuery query) {
        query.page.limit = 6;
        EXPECT_EQ(walk_pages(query), all_like(query));
    };
    for (const std::vector<Status>& statuses :
         std::vector<std::vector<Status>>{{Status::completed},
                                          {Status::pending, Status::cancelled},
                                          {Status::failed, Status::cancelled},
                                          {Status::processing}}) {
        EventQuery query = query_by_execution(true, 20);
        query.statuses = statuses;
        expect_all(query);
    }
    struct Time {
        std::optional<Instant> from, to;
    };
    for (const Time& time : {Time{noon + 5s, {}}, Time{{}, noon + 5s}, Time{noon + 2s, noon + 2h},
                             Time{noon + 24h, {}}}) {
        for (const bool descending : {true, false}) {
            EventQuery query = query_by_execution(descending, 20);
            query.executed_from = time.from;
            query.executed_to = time.to;
            expect_all(query);
        }
    }
    EventQuery waiting = query_by_execution(true, 20);
    waiting.waiting_for = {WaitReason::retry};
    EXPECT_THAT(walk_pages(waiting), IsEmpty());
}

/// The events of such a time are found by it. If there are many, the list is read in its order.
TEST_P(ExecutionListContract, InAnotherOrderPassesABoundedNumberToo) {
    EventQuery query;
    query.types = {"BIRTHDAY"};
    query.executed_from = noon - 1h;
    query.max_passed = 10;
    const auto rare = all_like(query);
    ASSERT_THAT(rare, SizeIs(4));
    EXPECT_EQ(walk_pages(query), rare);
    EXPECT_GE(pages, 3);
    query.max_passed = 10'000;
    for (const auto sort : {EventQuery::Sort::target, EventQuery::Sort::created_at}) {
        query.sort = sort;
        EXPECT_EQ(walk_pages(query), all_like(query));
        EXPECT_EQ(pages, 1);
    }
    const auto count = [&](std::size_t most) {
        return read([&](Transaction& tx) { return tx.events().count_like(query, most); });
    };
    EXPECT_EQ(count(1'000), (BoundedCount{4, true}));
    EXPECT_FALSE(count(5).complete);
}

TEST_P(EventListContract, EndsAPageByExecutionThatHasManyBytes) {
    const std::string payload = '"' + std::string(max_page_bytes / 3, 'x') + '"';
    for (int i = 0; i < 8; ++i) {
        given(an_event().with_payload(payload));
        if (i >= 6) continue;
        ASSERT_TRUE(settle(accepted(claim_one(), noon)));
        advance(1h);
    }
    EventQuery query;
    query.sort = EventQuery::Sort::executed_at;
    query.page.descending = true;
    query.max_passed = 100;
    std::vector<std::size_t> sizes;
    for (bool more = true; more;) {
        const auto page = read([&](Transaction& tx) { return page_of_events(tx, query); });
        sizes.push_back(page.items.size());
        more = page.has_more;
        query.page.after = place_of(page.items.back(), query.sort);
    }
    EXPECT_THAT(sizes, ElementsAre(3, 3, 2));
}

TEST_P(EventListContract, CountsWhatMatchesUpToABound) {
    const UserId user = an_id<UserId>();
    for (int i = 0; i < 3; ++i) given(an_event().of_user(user));
    for (int i = 0; i < 4; ++i) given(an_event().of_type("OTHER").due(noon + 1h));
    const Event done = failed(an_event().due(noon - 1h));
    const auto count = [&](const EventQuery& query, std::size_t most) {
        return read([&](Transaction& tx) { return tx.events().count_like(query, most); });
    };
    EventQuery query;
    EXPECT_EQ(count(query, 100), (BoundedCount{8, true}));
    EXPECT_EQ(count(query, 8), (BoundedCount{8, true}));
    EXPECT_EQ(count(query, 7), (BoundedCount{7, false}));
    query.sort = EventQuery::Sort::executed_at;  // counts the same in every order
    query.page.descending = true;
    query.page.limit = 1;
    EXPECT_EQ(count(query, 100), (BoundedCount{8, true}));
    query.user = user;
    EXPECT_EQ(count(query, 100), (BoundedCount{3, true}));
    EXPECT_EQ(count(query, 2), (BoundedCount{2, false}));
    query = {};
    query.key = done.key;
    EXPECT_EQ(count(query, 100), (BoundedCount{1, true}));
    query = {};
    query.types = {"OTHER"};
    EXPECT_EQ(count(query, 100), (BoundedCount{4, true}));
    EXPECT_FALSE(count(query, 3).complete);
    query.types = {"NONE"};
    EXPECT_FALSE(count(query, 3).complete);
    EXPECT_EQ(count(query, 100), (BoundedCount{0, true}));
}

TEST_P(EventListContract, CountsTheEventsThatEndedInATimeUpToABound) {
    const Event before = failed(an_event().due(noon - 1h));
    advance(10s);
    failed(an_event().due(noon - 1h));
    const Event waiting = an_event().due(noon + 1h);
    given(waiting, an_event().due(noon + 2h));
    cancelled(waiting.id);
    const auto ended = [&](Instant from, std::optional<Instant> to, std::size_t most) {
        return read([&](Transaction& tx) { return tx.events().count_ended(from, to, most); });
    };
    const Instant first = std::get<Failed>(before.state).at;
    EXPECT_EQ(ended(first, std::nullopt, 10), 3U);
    EXPECT_EQ(ended(first, first + 1us, 10), 1U);
    EXPECT_EQ(ended(first + 1us, std::nullopt, 10), 2U);
    EXPECT_EQ(ended(first - 1h, first, 10), 0U);
    EXPECT_EQ(ended(first, first - 1h, 10), 0U);
    EXPECT_EQ(ended(first, std::nullopt, 3), 3U);
    EXPECT_EQ(ended(first, std::nullopt, 2), 3U);
    EXPECT_EQ(ended(first, std::nullopt, 1), 2U) << "one more than the bound";
    const auto executed = [&](Instant from, std::optional<Instant> to, std::size_t most) {
        return read([&](Transaction& tx) { return tx.events().count_executed(from, to, most); });
    };
    EXPECT_EQ(executed(first, std::nullopt, 10), 2U) << "not the cancelled one";
    EXPECT_EQ(executed(first, first + 1us, 10), 1U);
    EXPECT_EQ(executed(first + 1us, std::nullopt, 10), 1U);
    EXPECT_EQ(executed(first, std::nullopt, 1), 2U);
    EXPECT_EQ(executed(first, std::nullopt, 0), 1U);
}

}  // namespace
}  // namespace sundial
