#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <string>

#include "adapters/http/api/api_fixture.hpp"
#include "adapters/http/api/routes.hpp"

namespace sundial::http {
namespace {

namespace bj = boost::json;
using testing::AllOf;
using testing::HasSubstr;

class ConsoleApiTest : public ApiTest {
protected:
    ConsoleApiTest() {
        add_attempt_routes(router, {queries, clock});
        add_instance_routes(router, {instances, store, [this] { ++wakes; }});
        add_stats_routes(router, {stats, clock});
    }
    bj::value json_of(const Response& response) {
        EXPECT_LT(response.status, 300) << response.body;
        return bj::parse(response.body);
    }
    std::string refusal(const std::string& target) {
        const Response response = get(target);
        EXPECT_EQ(response.status, 400) << response.body;
        return response.body;
    }

    int wakes = 0;
    CollectStats collected{instance_a};
    StatsModule stats{ports, collected};
    InstancesModule instances{{.id = instance_a,
                               .started_at = noon - 1min,
                               .version = "1.0",
                               .roles = {"api"},
                               .slots = 64},
                              {.store = store,
                               .monotonic = monotonic,
                               .facts =
                                   [](Instant now) {
                                       return ReportInstance::Facts{.held = 2,
                                                                    .last_claim_at = now - 2s};
                                   },
                               .drain = {}},
                              ids};
};

TEST_F(ConsoleApiTest, ListsAttempts) {
    const Event event = a_failed_event();
    const bj::value page =
        json_of(get("/v1/attempts?outcome=PERMANENT,LOST&statusCode=400&from=now-1h"));
    ASSERT_EQ(page.at("data").as_array().size(), 1U);
    const bj::value& attempt = page.at("data").at(0);
    EXPECT_EQ(attempt.at("id").as_string(), to_string(event.id) + ".1");
    EXPECT_EQ(attempt.at("outcome").as_string(), "PERMANENT");
    EXPECT_EQ(attempt.at("statusCode").as_int64(), 400);
    EXPECT_EQ(attempt.at("error").at("code").as_string(), "HTTP_STATUS");
    EXPECT_EQ(attempt.at("endedAt").as_string(), "2027-01-05T12:00:00.000Z");
    EXPECT_EQ(attempt.at("instanceId").as_string(), to_string(instance_a));
    EXPECT_TRUE(attempt.at("worker").is_null());
    EXPECT_EQ(json_of(get("/v1/attempts/" + to_string(event.id) + ".1")), attempt);
}

TEST_F(ConsoleApiTest, PagesThroughAttempts) {
    for (int i = 0; i < 3; ++i) a_failed_event();
    const bj::value first = json_of(get("/v1/attempts?limit=2"));
    EXPECT_EQ(first.at("data").as_array().size(), 2U);
    EXPECT_TRUE(first.at("hasMore").as_bool());
    const std::string cursor{first.at("nextCursor").as_string()};
    const bj::value second = json_of(get("/v1/attempts?limit=2&cursor=" + cursor));
    EXPECT_EQ(second.at("data").as_array().size(), 1U);
    EXPECT_FALSE(second.at("hasMore").as_bool());
}

TEST_F(ConsoleApiTest, ShowsASuccessFromItsEvent) {
    NewEvent requested = a_reminder();
    requested.target.utc = "now";
    scheduled(requested);
    const Event event = completed(claimed_one());
    const bj::value page = json_of(get("/v1/attempts?eventId=" + to_string(event.id)));
    const bj::value& attempt = page.at("data").at(0);
    EXPECT_EQ(attempt.at("outcome").as_string(), "SUCCEEDED");
    EXPECT_EQ(attempt.at("statusCode").as_int64(), 200);
    EXPECT_TRUE(attempt.at("error").is_null());
    EXPECT_TRUE(attempt.at("response").is_null());
}

TEST_F(ConsoleApiTest, CountsAndExpandsEvents) {
    const User user = created(ada());
    NewEvent requested = a_reminder();
    requested.user = to_string(user.id);
    requested.endpoint = to_string(an_existing_endpoint().id);
    const Event event = scheduled(requested);
    const bj::value page = json_of(
        get("/v1/events?limit=1&count=exact&sort=-createdAt&expand=user,schedule,endpoint"));
    EXPECT_EQ(page.at("totalCount").as_int64(), 2);  // and the birthday
    EXPECT_TRUE(page.at("totalCountComplete").as_bool());
    const bj::value& first = page.at("data").at(0);
    EXPECT_EQ(first.at("user").at("firstName").as_string(), "Ada");
    EXPECT_TRUE(first.at("schedule").is_null());
    EXPECT_EQ(first.at("endpoint").at("type").as_string(), "WEBHOOK");
    const std::string cursor{page.at("nextCursor").as_string()};
    const bj::value second =
        json_of(get("/v1/events?limit=1&sort=-createdAt&expand=schedule&cursor=" + cursor));
    EXPECT_EQ(second.at("data").at(0).at("schedule").at("externalId").as_string(), "birthday");
    EXPECT_FALSE(second.as_object().contains("totalCount"));

    const Event ended = a_failed_event();
    const bj::value one =
        json_of(get("/v1/events/" + to_string(ended.id) + "?expand=attempts,user"));
    EXPECT_EQ(one.at("attempts").as_array().size(), 1U);
    EXPECT_TRUE(one.at("user").is_null());
    EXPECT_FALSE(json_of(get("/v1/events/" + to_string(event.id))).as_object().contains("user"));
}

TEST_F(ConsoleApiTest, ShowsAddedObjectsThatChangedWhileTheEventDidNot) {
    const std::string path = "/v1/events/" + to_string(scheduled(a_reminder()).id);
    const Response plain = get(path);
    Headers known;
    known.add("If-None-Match", std::string(plain.headers.find("ETag").value_or("")));
    EXPECT_EQ(call("GET", path, {}, known).status, 304);
    const Response expanded = call("GET", path + "?expand=endpoint", {}, known);
    EXPECT_EQ(expanded.status, 200);
    EXPECT_EQ(expanded.headers.find("ETag"), plain.headers.find("ETag"));
}

TEST_F(ConsoleApiTest, RefusesInvalidFiltersOfAttempts) {
    EXPECT_THAT(refusal("/v1/attempts?from=tomorrow"), HasSubstr("?from"));
    EXPECT_THAT(refusal("/v1/attempts?endpointId=ext:none"), HasSubstr("?endpointId"));
    EXPECT_THAT(refusal("/v1/attempts?outcome=GONE"), HasSubstr("outcome"));
    EXPECT_THAT(refusal("/v1/attempts?statusCode=20"), HasSubstr("statusCode"));
    EXPECT_THAT(refusal("/v1/attempts?eventId=x"), HasSubstr("eventId"));
    EXPECT_THAT(refusal("/v1/attempts?cursor=x"), HasSubstr("INVALID_CURSOR"));
    for (const char* id :
         {"x", "01990000-0000-7000-8000-000000000001", "01990000-0000-7000-8000-000000000001.1"}) {
        const Response response = get(std::string("/v1/attempts/") + id);
        EXPECT_EQ(response.status, 404);
        EXPECT_THAT(response.body, HasSubstr("ATTEMPT_NOT_FOUND"));
    }
}

TEST_F(ConsoleApiTest, ListsInstancesAndDrainsOne) {
    instances.report.run();
    const bj::value page = json_of(get("/v1/instances"));
    const bj::value& own = page.at("data").at(0);
    EXPECT_EQ(own.at("id").as_string(), to_string(instance_a));
    EXPECT_EQ(own.at("status").as_string(), "RUNNING");
    EXPECT_EQ(own.at("startedAt").as_string(), "2027-01-05T11:59:00.000Z");
    EXPECT_EQ(own.at("silentMs").as_int64(), 0);
    EXPECT_EQ(own.at("leasesHeld").as_int64(), 2);
    EXPECT_EQ(own.at("slots").as_int64(), 64);
    EXPECT_EQ(own.at("lastClaimAt").as_string(), "2027-01-05T11:59:58.000Z");

    const Response drained = call("POST", "/v1/instances/" + to_string(instance_a) + "/drain");
    EXPECT_EQ(drained.status, 202) << drained.body;
    EXPECT_THAT(drained.body, HasSubstr(R"("status":"DRAINING")"));
    EXPECT_EQ(wakes, 1);

    ASSERT_TRUE(clock.set(noon + 20s));
    EXPECT_THAT(get("/v1/instances").body,
                AllOf(HasSubstr(R"("status":"DRAINING")"), HasSubstr(R"("silentMs":20000,)")));
    ASSERT_TRUE(clock.set(noon + 1min));
    EXPECT_THAT(get("/v1/instances").body,
                AllOf(HasSubstr(R"("status":"SILENT")"), HasSubstr(R"("silentMs":60000,)")));
    const Response unknown = call("POST", "/v1/instances/" + to_string(instance_b) + "/drain");
    EXPECT_EQ(unknown.status, 404);
    EXPECT_THAT(unknown.body, HasSubstr("INSTANCE_NOT_FOUND"));
}

TEST_F(ConsoleApiTest, AddsUpAWindow) {
    const Event event = a_failed_event();
    collected.started({event, nullptr, noon, true, 20ms});
    collected.settled({event, EventStatus::failed, 5ms, noon});
    stats.record.run();
    const bj::value found = json_of(get("/v1/stats?window=PT10M"));
    EXPECT_EQ(found.at("failed").as_int64(), 1);
    EXPECT_EQ(found.at("failureRatio").to_number<double>(), 1.0);
    EXPECT_NEAR(found.at("lateness").at("p99").to_number<double>(), 0.02, 0.002);
    EXPECT_EQ(found.at("now").at("deadLetters").at("count").as_int64(), 1);
    EXPECT_TRUE(found.at("now").at("deadLetters").at("complete").as_bool());
    EXPECT_TRUE(found.at("now").at("oldestDueAge").is_null());
    EXPECT_THAT(refusal("/v1/stats?window=PT1S"), HasSubstr("?window"));
    EXPECT_THAT(refusal("/v1/stats?window=P99Y"), HasSubstr("?window"));
}

TEST_F(ConsoleApiTest, ShowsSeries) {
    const Event event = a_failed_event();
    collected.settled({event, EventStatus::failed, 5ms, noon});
    stats.record.run();
    const bj::value found =
        json_of(get("/v1/stats/series?metric=failed&by=eventType&from=now-2m&to=now%2B1m"));
    ASSERT_EQ(found.at("data").as_array().size(), 1U);
    const bj::value& line = found.at("data").at(0);
    EXPECT_EQ(line.at("key").as_string(), "REMINDER");
    EXPECT_EQ(bj::serialize(line.at("points")), "[0,0,1]");
    EXPECT_EQ(found.at("step").as_string(), "PT60S");
    EXPECT_THAT(refusal("/v1/stats/series?metric=speed"), HasSubstr("metric"));
    EXPECT_THAT(refusal("/v1/stats/series"), HasSubstr("metric"));
    EXPECT_THAT(refusal("/v1/stats/series?metric=failed&step=PT30S"), HasSubstr("?step"));
    EXPECT_THAT(refusal("/v1/stats/series?metric=backlog&by=endpointId"), HasSubstr("?by"));
}

TEST_F(ConsoleApiTest, ShowsAHeatmap) {
    const Event event = a_failed_event();
    collected.settled({event, EventStatus::failed, 5ms, noon});
    stats.record.run();
    stats.record.finish();  // hours are written at the end
    scheduled(a_reminder());
    const bj::value past = json_of(
        get("/v1/stats/heatmap?by=status&from=2027-01-05T11:00:00Z&to=2027-01-05T13:00:00Z"));
    EXPECT_EQ(past.at("bucket").as_string(), "PT3600S");
    EXPECT_EQ(past.at("from").as_string(), "2027-01-05T11:00:00.000Z");
    EXPECT_FALSE(past.at("moreSchedules").as_bool());
    EXPECT_EQ(past.at("data").at(0).at("key").as_string(), "FAILED");
    EXPECT_EQ(bj::serialize(past.at("data").at(0).at("past")), "[0,1]");
    EXPECT_TRUE(past.at("data").at(0).at("limit").is_null());
    const bj::value none = json_of(get("/v1/stats/heatmap?forecast=false&from=now-5h&to=now-3h"));
    EXPECT_TRUE(none.at("data").as_array().empty());
    EXPECT_THAT(refusal("/v1/stats/heatmap?bucket=PT30M"), HasSubstr("?bucket"));
    EXPECT_THAT(refusal("/v1/stats/heatmap?to=now-2d"), HasSubstr("?from"));
    EXPECT_THAT(refusal("/v1/stats/heatmap?to=now%2B90d"), HasSubstr("?to"));
    EXPECT_THAT(refusal("/v1/stats/heatmap?by=type"), HasSubstr("by"));
}

}  // namespace
}  // namespace sundial::http
