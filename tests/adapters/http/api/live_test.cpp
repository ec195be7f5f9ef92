#include <gmock/gmock.h>

#include "adapters/http/api/api_fixture.hpp"
#include "adapters/http/api/live_hub.hpp"
#include "application/audit/recorded_changes.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;
using testing::Not;

class LiveTest : public ApiTest {
protected:
    LiveTest() { add_live_routes(router, {hub, queries}); }

    static LiveRequest asking(std::set<LiveTopic> topics, Role role = Role::admin) {
        return {.topics = std::move(topics), .role = role};
    }
    /// The text that the client gets after the next push.
    std::string after_push(LiveHub::Client& client) {
        monotonic.time += 1s;
        (void)hub->turn();
        return hub->next(client).value();
    }
    std::string positions_id(const std::string& text) {
        const auto at = text.rfind("id: ");
        return at == std::string::npos ? "" : text.substr(at + 4, text.find('\n', at) - at - 4);
    }

    CollectStats collected{instance_a};
    StatsModule stats{ports, collected};
    StreamsModule streams{{.store = store,
                           .feed = store.feed(),
                           .digest = digest,
                           .monotonic = monotonic,
                           .log = log},
                          1s};
    std::shared_ptr<LiveHub> hub = std::make_shared<LiveHub>(LiveHub::Ports{.streams = streams,
                                                                            .meter = store.feed(),
                                                                            .stats = stats.read,
                                                                            .queries = queries,
                                                                            .store = store,
                                                                            .monotonic = monotonic,
                                                                            .log = log});
};

TEST_F(LiveTest, SendsChangesWithTheirPosition) {
    const auto client = hub->join(asking({LiveTopic::users}));
    EXPECT_THAT(hub->next(*client).value(), HasSubstr("id: "));
    EXPECT_EQ(hub->next(*client), "");
    const User user = created(ada());
    const std::string text = after_push(*client);
    EXPECT_THAT(text, HasSubstr("event: users.created\ndata: {\"id\":\"" + to_string(user.id)));
    EXPECT_THAT(text, HasSubstr("\"version\":1"));
    EXPECT_THAT(text, HasSubstr("\"firstName\""));
    EXPECT_THAT(text, Not(HasSubstr("Ada")));
    EXPECT_NE(positions_id(text), "");
    EXPECT_EQ(hub->next(*client), "");
}

TEST_F(LiveTest, SendsOnlyTheRequestedTopics) {
    const auto client = hub->join(asking({LiveTopic::endpoints}));
    (void)hub->next(*client);
    created(ada());
    EXPECT_EQ(after_push(*client), "");
}

TEST_F(LiveTest, CountsTheClientsThatAreThere) {
    auto first = hub->join(asking({LiveTopic::users}));
    const auto second = hub->join(asking({LiveTopic::users}));
    EXPECT_EQ(hub->clients(), 2U);
    first.reset();
    EXPECT_EQ(hub->clients(), 1U);
}

TEST_F(LiveTest, ShowsKeysToAdminsOnly) {
    const auto admin = hub->join(asking({LiveTopic::keys}, Role::admin));
    const auto writer = hub->join(asking({LiveTopic::keys}, Role::write));
    (void)hub->next(*admin);
    (void)hub->next(*writer);
    write(
        [&](Transaction& tx) { tx.record(api_key_created(an_api_key(), {ids.fresh(), "req-1"})); });
    EXPECT_THAT(after_push(*admin), HasSubstr("event: keys.created"));
    EXPECT_EQ(hub->next(*writer), "");
}

TEST_F(LiveTest, ContinuesAfterTheLastEventId) {
    auto client = hub->join(asking({LiveTopic::users}));
    (void)hub->next(*client);
    const User first = created(ada());
    const std::string id = positions_id(after_push(*client));
    client.reset();
    const User second = created(ada());  // while no client is there

    LiveRequest again = asking({LiveTopic::users});
    again.position = std::stoull(id);
    client = hub->join(again);
    const std::string missed = hub->next(*client).value();
    EXPECT_THAT(missed, HasSubstr(to_string(second.id)));
    EXPECT_THAT(missed, Not(HasSubstr(to_string(first.id))));
    const User third = created(ada());
    const std::string text = after_push(*client);
    EXPECT_THAT(text, HasSubstr(to_string(third.id)));
    EXPECT_THAT(text, Not(HasSubstr(to_string(second.id))));
}

TEST_F(LiveTest, TellsAClientToReadAgainIfItsPositionIsNotOfThisFeed) {
    LiveRequest request = asking({LiveTopic::users});
    request.position = 1'000'000;
    const auto client = hub->join(request);
    EXPECT_THAT(hub->next(*client).value(), HasSubstr("event: reset"));
}

TEST_F(LiveTest, SendsASnapshotOfTheStatsEverySecond) {
    const auto client = hub->join(asking({LiveTopic::stats}));
    (void)hub->turn();
    EXPECT_THAT(hub->next(*client).value(), HasSubstr("event: stats\ndata: {\"from\""));
    monotonic.time += 500ms;
    (void)hub->turn();
    EXPECT_EQ(hub->next(*client), "");
    EXPECT_THAT(after_push(*client), HasSubstr("event: stats"));
}

TEST_F(LiveTest, HintsAtEventsThatMatch) {
    LiveRequest of_type = asking({LiveTopic::events});
    of_type.event_types = {"OTHER"};
    LiveRequest failed = asking({LiveTopic::events});
    failed.statuses = {EventStatus::failed};
    const auto all = hub->join(asking({LiveTopic::events})), other = hub->join(of_type),
               failures = hub->join(failed);
    for (const auto& client : {all, other, failures}) (void)hub->next(*client);
    const Event event = an_event();
    hub->settled({event, EventStatus::completed, 1ms, noon});
    const std::string text = after_push(*all);
    EXPECT_THAT(text, HasSubstr("event: events.changed"));
    EXPECT_THAT(text, HasSubstr(to_string(event.id)));
    EXPECT_THAT(text, HasSubstr("COMPLETED"));
    EXPECT_EQ(hub->next(*other), "");
    EXPECT_EQ(hub->next(*failures), "");
}

TEST_F(LiveTest, BoundsAHint) {
    const auto client = hub->join(asking({LiveTopic::events}));
    (void)hub->next(*client);
    for (int i = 0; i < 150; ++i) hub->settled({an_event(), EventStatus::failed, 1ms, noon});
    EXPECT_THAT(after_push(*client), HasSubstr("\"more\":true"));
}

TEST_F(LiveTest, WakesAClientThatWaits) {
    const auto client = hub->join(asking({LiveTopic::users}));
    (void)hub->next(*client);
    (void)hub->turn();
    int woken = 0;
    const auto wait = hub->wait(client, [&] { ++woken; });
    EXPECT_EQ(woken, 0);
    created(ada());
    monotonic.time += 5s;
    (void)hub->turn();
    EXPECT_EQ(woken, 1);
    const auto at_once = hub->wait(client, [&] { ++woken; });
    EXPECT_EQ(woken, 2);
}

TEST_F(LiveTest, DropsAClientThatReadsTooSlowly) {
    const auto slow = hub->join(asking({LiveTopic::stats}));
    (void)hub->next(*slow);
    for (std::size_t i = 0; i <= LiveHub::max_kept; ++i) {
        monotonic.time += 1s;
        (void)hub->turn();
    }
    EXPECT_EQ(hub->next(*slow), std::nullopt);
}

TEST_F(LiveTest, ServesABoundedNumberOfClients) {
    std::vector<std::shared_ptr<LiveHub::Client>> clients;
    for (std::size_t i = 0; i < max_live_clients; ++i) {
        clients.push_back(hub->join(asking({LiveTopic::events})));
        ASSERT_TRUE(clients.back());
    }
    const Response refused = get("/v1/live?topics=stats");
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("OVERLOADED"));
    clients.pop_back();
    EXPECT_EQ(get("/v1/live?topics=stats").status, 200);
}

TEST_F(LiveTest, EndsAllStreamsWhenItStops) {
    const auto client = hub->join(asking({LiveTopic::users}));
    (void)hub->next(*client);
    int woken = 0;
    const auto wait = hub->wait(client, [&] { ++woken; });
    hub->stop();
    EXPECT_EQ(woken, 1);
    EXPECT_EQ(hub->next(*client), std::nullopt);
}

TEST_F(LiveTest, RefusesInvalidRequests) {
    EXPECT_EQ(get("/v1/live").status, 400);
    EXPECT_EQ(get("/v1/live?topics=weather").status, 400);
    EXPECT_EQ(get("/v1/live?topics=events&endpointId=ext:none").status, 400);
    Headers seen;
    seen.add("Last-Event-ID", "x");
    EXPECT_EQ(call("GET", "/v1/live?topics=users", {}, seen).status, 400);
}

}  // namespace
}  // namespace sundial::http
