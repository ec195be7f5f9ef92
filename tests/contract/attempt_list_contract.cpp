#include <gmock/gmock.h>

#include "contract/event_repository_contract.hpp"
#include "contract/settlements.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<EventId> events_of(const Page<EndedAttempt>& page) {
    std::vector<EventId> events;
    for (const EndedAttempt& one : page.items) events.push_back(one.record.event);
    return events;
}

TEST_P(AttemptListContract, ListsAttemptsWithARowAndSuccessesTheLatestFirst) {
    const EndpointId crm = an_id<EndpointId>();
    const Event event = an_event().to_endpoint(crm);
    given(event);
    const Event first = claim_one();
    advance(1s);
    ASSERT_TRUE(settle(retry_in(first, noon, 1s)));
    advance(1s);
    const Event second = claim_one();
    advance(1s);
    ASSERT_TRUE(settle(accepted(second, noon + 2s)));

    const Page<EndedAttempt> page = list({});

    ASSERT_THAT(page.items, SizeIs(2));
    EXPECT_FALSE(page.has_more);
    const auto records = attempts_of(event.id);
    EXPECT_EQ(page.items[0], (EndedAttempt{records.at(1), noon + 3s}));
    EXPECT_EQ(page.items[1], (EndedAttempt{records.at(0), noon + 1s}));
}

TEST_P(AttemptListContract, FiltersByEveryMember) {
    const EndpointId crm = an_id<EndpointId>(), erp = an_id<EndpointId>();
    const Event kept = an_event().to_endpoint(crm), other = an_event().to_endpoint(erp);
    given(kept, other);
    for (const ClaimedEvent& one : claim(instance_a)) {
        const bool is_kept = one.event.id == kept.id;
        ASSERT_TRUE(settle(is_kept ? refused(one.event, noon) : accepted(one.event, noon)));
    }
    EXPECT_THAT(events_of(list({.endpoint = crm})), ElementsAre(kept.id));
    EXPECT_THAT(events_of(list({.outcomes = {AttemptOutcome::permanent, AttemptOutcome::lost}})),
                ElementsAre(kept.id));
    EXPECT_THAT(events_of(list({.outcomes = {AttemptOutcome::succeeded}})), ElementsAre(other.id));
    EXPECT_THAT(events_of(list({.status_codes = {404}})), ElementsAre(kept.id));
    EXPECT_THAT(events_of(list({.status_codes = {500, 200}})), ElementsAre(other.id));
    EXPECT_THAT(events_of(list({.event = other.id})), ElementsAre(other.id));
    EXPECT_THAT(events_of(list({.event = other.id, .status_codes = {404}})), IsEmpty());
    EXPECT_THAT(list({.from = noon, .to = noon + 1us}).items, SizeIs(2));
    EXPECT_THAT(list({.from = noon + 1us}).items, IsEmpty());
    EXPECT_THAT(list({.to = noon}).items, IsEmpty());
    EXPECT_THAT(list({.event = other.id, .to = noon}).items, IsEmpty());
}

TEST_P(AttemptListContract, WalksEachAttemptOnceThroughPages) {
    std::vector<EventId> expected;
    for (int i = 0; i < 12; ++i) {
        const Event event = an_event();
        given(event);
        const Event held = claim_one();
        if (i % 4 == 0) advance(std::chrono::hours{i + 1});
        ASSERT_TRUE(settle(i % 3 == 0 ? refused(held, noon) : accepted(held, noon)));
        expected.push_back(event.id);
    }
    std::vector<EventId> walked;
    AttemptQuery query;
    query.page.limit = 5;
    for (bool more = true; more;) {
        const Page<EndedAttempt> page = list(query);
        more = page.has_more;
        ASSERT_LE(page.items.size(), 5U);
        for (const EventId& id : events_of(page)) walked.push_back(id);
        if (!page.items.empty()) query.page.after = place_of(page.items.back());
        if (page.passed) query.page.after = page.passed;
    }
    EXPECT_THAT(walked, testing::UnorderedElementsAreArray(expected));
}

TEST_P(AttemptListContract, EndsAPageThatPassesManyAttempts) {
    const EndpointId rare = an_id<EndpointId>();
    const Event wanted = an_event().to_endpoint(rare);
    given(wanted);
    ASSERT_TRUE(settle(accepted(claim_one(), noon)));
    advance(1h);
    for (int i = 0; i < 20; ++i) {
        given(an_event());
        ASSERT_TRUE(settle(accepted(claim_one(), noon)));
        advance(1s);
    }
    AttemptQuery query{.endpoint = rare};
    query.max_passed = 6;
    int pages = 0;
    std::vector<EventId> walked;
    for (bool more = true; more; ++pages) {
        ASSERT_LT(pages, 20);
        const Page<EndedAttempt> page = list(query);
        more = page.has_more;
        for (const EventId& id : events_of(page)) walked.push_back(id);
        if (!more) continue;
        ASSERT_TRUE(page.passed.has_value() || !page.items.empty());
        query.page.after = page.passed ? *page.passed : place_of(page.items.back());
    }
    EXPECT_GT(pages, 2);
    EXPECT_THAT(walked, ElementsAre(wanted.id));
}

TEST_P(AttemptListContract, ReadsACrowdedInstantWhole) {
    std::vector<EventId> expected;
    for (int i = 0; i < 12; ++i) {
        const Event event = an_event();
        given(event);
        ASSERT_TRUE(settle(accepted(claim_one(), noon)));  // the clock stands still
        expected.push_back(event.id);
    }
    AttemptQuery query;
    query.page.limit = 5;
    query.max_passed = 6;
    std::vector<EventId> walked;
    for (bool more = true; more;) {
        const Page<EndedAttempt> page = list(query);
        more = page.has_more;
        for (const EventId& id : events_of(page)) walked.push_back(id);
        if (more) query.page.after = page.passed ? *page.passed : place_of(page.items.back());
    }
    EXPECT_THAT(walked, testing::UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace sundial
