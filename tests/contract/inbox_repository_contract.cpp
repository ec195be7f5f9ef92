#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

InboxRequest a_request(EndpointId endpoint, std::string body = "{}") {
    return {.id = an_id<EventId>().value,
            .endpoint = endpoint,
            .received_at = noon + 1us,
            .headers = {{"webhook-id", "key-1"}, {"X-Team", "ü"}, {"X-Team", ""}},
            .body = std::move(body)};
}

TEST_P(InboxRepositoryContract, ShowsTheNewestRequestsOfAnEndpointFirst) {
    const EndpointId endpoint = an_id<EndpointId>();
    const InboxRequest first = a_request(endpoint);
    const InboxRequest second = a_request(endpoint, "{\"a\" : 1.0, \"ü\":\"🎂\"}\n");
    const InboxRequest of_another = a_request(an_id<EndpointId>());
    write([&](Transaction& tx) {
        tx.inbox().add(first);
        tx.inbox().add(of_another);
        tx.inbox().add(second);
    });
    EXPECT_THAT(list(endpoint, 10).items, ElementsAre(second, first));
    EXPECT_FALSE(list(endpoint, 10).has_more);
    EXPECT_THAT(list(of_another.endpoint, 10).items, ElementsAre(of_another));
    EXPECT_THAT(list(an_id<EndpointId>(), 10).items, IsEmpty());
}

TEST_P(InboxRepositoryContract, IsReadPageByPageWhileMoreArrive) {
    const EndpointId endpoint = an_id<EndpointId>();
    std::vector<InboxRequest> all;
    for (int i = 0; i < 5; ++i) {
        all.push_back(a_request(endpoint));
        write([&](Transaction& tx) { tx.inbox().add(all.back()); });
    }
    const auto first = list(endpoint, 2);
    EXPECT_THAT(first.items, ElementsAre(all[4], all[3]));
    EXPECT_TRUE(first.has_more);
    write([&](Transaction& tx) { tx.inbox().add(a_request(endpoint)); });
    const auto second = list(endpoint, 3, PageKey{"", first.items.back().id});
    EXPECT_THAT(second.items, ElementsAre(all[2], all[1], all[0]));
    EXPECT_FALSE(second.has_more);
}

TEST_P(InboxRepositoryContract, IsEmptiedOneEndpointAtATime) {
    const EndpointId endpoint = an_id<EndpointId>();
    const EndpointId other = an_id<EndpointId>();
    write([&](Transaction& tx) {
        tx.inbox().add(a_request(endpoint));
        tx.inbox().add(a_request(other));
    });
    write([&](Transaction& tx) { tx.inbox().clear(endpoint); });
    EXPECT_THAT(list(endpoint, 10).items, IsEmpty());
    EXPECT_EQ(list(other, 10).items.size(), 1U);
}

TEST_P(InboxRepositoryContract, KeepsTheNewestTenThousandOfEachEndpoint) {
    const EndpointId endpoint = an_id<EndpointId>();
    const InboxRequest of_another = a_request(an_id<EndpointId>());
    std::vector<InboxRequest> all;
    for (int i = 0; i < 10'003; ++i) all.push_back(a_request(endpoint));
    write([&](Transaction& tx) {
        tx.inbox().add(of_another);
        for (const auto& request : all) tx.inbox().add(request);
    });
    std::size_t seen = 0;
    std::optional<PageKey> after;
    for (bool more = true; more;) {
        const auto page = list(endpoint, 500, after);
        more = page.has_more;
        ASSERT_FALSE(page.items.empty());
        after = PageKey{"", page.items.back().id};
        seen += page.items.size();
        ASSERT_LE(seen, all.size());
    }
    EXPECT_EQ(seen, 10'000U);
    EXPECT_EQ(after->id, all[3].id);
    EXPECT_THAT(list(of_another.endpoint, 10).items, ElementsAre(of_another));
}

}  // namespace
}  // namespace sundial
