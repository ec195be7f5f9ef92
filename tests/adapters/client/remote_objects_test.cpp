#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <string>
#include <vector>

#include "adapters/client/one_response.hpp"
#include "domain/retry.hpp"
#include "sundial/remote.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

class RemoteObjectsTest : public testing::Test {
protected:
    RemoteObjectsTest() { ::setenv("no_proxy", "*", 1); }
};

TEST_F(RemoteObjectsTest, CreatesAUserAndReadsTheStoredOne) {
    const OneResponse server{
        201, R"({"id":"u1","externalId":"crm-7","firstName":"Ada","lastName":"Li",)"
             R"("dateOfBirth":"1992-02-29","timezone":"Europe/Paris","futureMember":{},)"
             R"("dates":{"anniversary":"2015-06-01"},"metadata":{},"version":1})"};
    const auto user =
        RemoteUsers{server.client()}.create({.first_name = "Ada",
                                             .last_name = "Li",
                                             .date_of_birth = "1992-02-29",
                                             .timezone = "Europe/Paris",
                                             .external_id = "crm-7",
                                             .dates = {{"anniversary", "2015-06-01"}}},
                                            "request-1");
    ASSERT_TRUE(user) << user.error().detail;
    EXPECT_EQ(user->id, "u1");
    EXPECT_EQ(user->external_id, "crm-7");
    EXPECT_EQ(user->version, 1U);
    EXPECT_THAT(user->dates, ElementsAre(Pair("anniversary", "2015-06-01")));
    EXPECT_THAT(server.request(), HasSubstr("Idempotency-Key: request-1\r\n"));
    EXPECT_TRUE(server.request().ends_with(
        R"({"firstName":"Ada","lastName":"Li","dateOfBirth":"1992-02-29",)"
        R"("timezone":"Europe/Paris","externalId":"crm-7","dates":{"anniversary":"2015-06-01"}})"))
        << server.request();
}

TEST_F(RemoteObjectsTest, ChangesOnlyTheNamedFieldsOfAUser) {
    const OneResponse server{
        412, R"({"code":"OPTIMISTIC_LOCK","detail":"d","expectedVersion":3,"actualVersion":4})"};
    const auto refused = RemoteUsers{server.client()}.update(
        "ext:crm-7",
        {.timezone = "Asia/Tokyo", .external_id = "", .metadata = {{"a", std::nullopt}}}, 3);
    EXPECT_EQ(refused.error().data, (Error::Data{VersionConflict{"ext:crm-7", 3, 4}}));
    EXPECT_THAT(server.request(), StartsWith("PATCH /v1/users/ext%3Acrm-7 HTTP"));
    EXPECT_THAT(server.request(), HasSubstr("If-Match: \"3\"\r\n"));
    EXPECT_TRUE(server.request().ends_with(
        R"({"timezone":"Asia/Tokyo","externalId":null,"metadata":{"a":null}})"))
        << server.request();
}

TEST_F(RemoteObjectsTest, ListsAndRemovesUsers) {
    const OneResponse server{200, R"({"data":[{"id":"u1"},{"id":"u2"}],"hasMore":true,)"
                                  R"("nextCursor":"c2"})"};
    const auto page = RemoteUsers{server.client()}.list({.prefix = "A&b"}, {.limit = 2});
    ASSERT_TRUE(page);
    EXPECT_EQ(page->users.at(1).id, "u2");
    EXPECT_EQ(page->next, "c2");
    EXPECT_THAT(server.request(), StartsWith("GET /v1/users?q=A%26b&limit=2 HTTP"));
    const OneResponse missing{404, R"({"code":"USER_NOT_FOUND","detail":"d"})"};
    EXPECT_EQ(RemoteUsers{missing.client()}.remove("u9", 2).error().data,
              (Error::Data{Missing{"u9"}}));
    EXPECT_THAT(missing.request(), StartsWith("DELETE /v1/users/u9 HTTP"));
    const OneResponse gone{204, ""};
    EXPECT_TRUE(RemoteUsers{gone.client()}.remove("u1"));
}

TEST_F(RemoteObjectsTest, PutsASchedule) {
    const OneResponse server{200, R"({"id":"s1","externalId":"weekly report","eventType":"REPORT",)"
                                  R"("description":"every Monday","enabled":true,"perUser":false,)"
                                  R"("version":3,"nextAt":"2027-01-05T12:00:00Z"})"};
    const auto stored = RemoteSchedules{server.client()}.put({.name = "weekly report",
                                                              .event_type = "REPORT",
                                                              .rule = Cron{"0 9 * * MON"},
                                                              .timezone = "Europe/Paris",
                                                              .queue = "reports",
                                                              .payload = R"({ "a": 1 })",
                                                              .gap = Gap::boundary,
                                                              .overlap = Overlap::both,
                                                              .misfire = Misfire::once},
                                                             2);
    ASSERT_TRUE(stored) << stored.error().detail;
    EXPECT_EQ(stored->name, "weekly report");
    EXPECT_EQ(stored->version, 3U);
    EXPECT_TRUE(stored->next);
    EXPECT_THAT(server.request(), StartsWith("PUT /v1/schedules/ext%3Aweekly%20report HTTP"));
    EXPECT_THAT(server.request(), HasSubstr("If-Match: \"2\"\r\n"));
    EXPECT_TRUE(server.request().ends_with(
        R"({"eventType":"REPORT","trigger":{"cron":"0 9 * * MON"},"timezone":"Europe/Paris",)"
        R"("perUser":false,"endpointId":"ext:reports","priority":"NORMAL","enabled":true,)"
        R"("gap":"boundary","overlap":"both","misfire":"once","payload":{ "a": 1 }})"))
        << server.request();
}

TEST_F(RemoteObjectsTest, WritesRulesOfEveryKind) {
    const OneResponse server{400, R"({"code":"VALIDATION_FAILED","detail":"1 field is invalid",)"
                                  R"("errors":[{"pointer":"/trigger/rrule/rrule",)"
                                  R"("code":"bad_format","message":"must be a rule"}]})"};
    const auto put = [&](const Rule& rule) {
        return RemoteSchedules{server.client()}.put({.name = "a", .event_type = "T", .rule = rule});
    };
    EXPECT_EQ(put(Rrule{"20270105T090000", "FREQ=DAILY"}).error().detail,
              "rule.rrule.rrule must be a rule");
    EXPECT_THAT(server.request(), HasSubstr(R"("rrule":{"dtstart":"20270105T090000",)"
                                            R"("rrule":"FREQ=DAILY"}},"timezone":"UTC")"));
    const OneResponse every{400, "{}"};
    EXPECT_FALSE(
        RemoteSchedules{every.client()}.put({.name = "a", .event_type = "T", .rule = Every{90s}}));
    EXPECT_THAT(every.request(), HasSubstr(R"("trigger":{"every":"PT90S"})"));
    const OneResponse yearly{400, "{}"};
    EXPECT_FALSE(RemoteSchedules{yearly.client()}.put(
        {.name = "a", .event_type = "T", .rule = Yearly{}, .per_user = true, .leap = Leap::mar1}));
    EXPECT_THAT(yearly.request(),
                HasSubstr(R"("trigger":{"yearly":{"on":"dateOfBirth","at":"09:00"}},)"
                          R"("perUser":true,"priority":"NORMAL","enabled":true,"leap":"mar1")"));
    const OneResponse none{200, "{}"};
    EXPECT_FALSE(RemoteSchedules{none.client()}.put({.name = "", .event_type = "T"}));
    EXPECT_FALSE(RemoteSchedules{none.client()}.put(
        {.name = "a", .event_type = "T", .payload = R"(1,"enabled":false)"}));
    EXPECT_EQ(none.count(), 0U);
}

TEST_F(RemoteObjectsTest, PausesListsAndRemovesSchedules) {
    const OneResponse server{200, R"({"id":"s1","enabled":false,"version":5})"};
    const auto paused = RemoteSchedules{server.client()}.set_enabled("ext:a", false, 4);
    ASSERT_TRUE(paused);
    EXPECT_FALSE(paused->enabled);
    EXPECT_THAT(server.request(), StartsWith("PATCH /v1/schedules/ext%3Aa HTTP"));
    EXPECT_TRUE(server.request().ends_with(R"({"enabled":false})"));
    const OneResponse page{200, R"({"data":[{"id":"s1"}],"hasMore":false,"nextCursor":null})"};
    const auto list = RemoteSchedules{page.client()}.list({.types = {"A", "B"}, .enabled = true});
    ASSERT_TRUE(list);
    EXPECT_EQ(list->schedules.at(0).id, "s1");
    EXPECT_EQ(list->next, "");
    EXPECT_THAT(page.request(),
                StartsWith("GET /v1/schedules?eventType=A%2CB&enabled=true&limit=50 HTTP"));
    const OneResponse missing{404, R"({"code":"SCHEDULE_NOT_FOUND","detail":"d"})"};
    EXPECT_EQ(RemoteSchedules{missing.client()}.remove("ext:b").error().data,
              (Error::Data{Missing{"ext:b"}}));
}

TEST_F(RemoteObjectsTest, PutsAnEndpoint) {
    const OneResponse server{
        201, R"({"id":"n1","externalId":"crm","type":"WEBHOOK","url":"https://crm.example/hook",)"
             R"("enabled":true,"disabledReason":null,"secretHint":"whsec_…Q9f","version":1,)"
             R"("headers":{"X-Key":"…abc"},"timeout":"PT1M5S","secret":"whsec_1",)"
             R"("retryPolicy":{"delays":["PT5S","PT2H"]},"maxInFlight":7,)"
             R"("rateLimit":{"perSecond":9,"burst":9},"publicKey":null})"};
    const auto stored = RemoteEndpoints{server.client()}.put({.name = "crm",
                                                              .url = "https://crm.example/hook",
                                                              .headers = {{"X-Key", "abc"}},
                                                              .retry_delays = {5s, 2h},
                                                              .max_in_flight = 7,
                                                              .max_per_second = 9});
    ASSERT_TRUE(stored) << stored.error().detail;
    EXPECT_TRUE(stored->created);
    EXPECT_EQ(stored->secret, "whsec_1");
    const Endpoint& endpoint = stored->endpoint;
    EXPECT_EQ(endpoint.name, "crm");
    EXPECT_EQ(endpoint.timeout, 65s);
    EXPECT_THAT(endpoint.headers, ElementsAre("X-Key"));
    EXPECT_THAT(endpoint.retry_delays, ElementsAre(5s, 2h));
    EXPECT_EQ(endpoint.max_in_flight, 7U);
    EXPECT_EQ(endpoint.max_per_second, 9U);
    EXPECT_THAT(server.request(), StartsWith("PUT /v1/endpoints/ext%3Acrm HTTP"));
    EXPECT_TRUE(server.request().ends_with(
        R"({"name":"crm","type":"WEBHOOK","url":"https://crm.example/hook",)"
        R"("headers":{"X-Key":"abc"},"timeout":"PT10S","retryPolicy":{"delays":["PT5S","PT7200S"]},)"
        R"("maxInFlight":7,"rateLimit":{"perSecond":9,"burst":9},"enabled":true})"))
        << server.request();
}

TEST_F(RemoteObjectsTest, ReadsTheDelaysOfTheSeedsPolicy) {
    const OneResponse server{200, R"({"id":"n1","retryPolicy":"seed"})"};
    const auto endpoint = RemoteEndpoints{server.client()}.get("n1");
    ASSERT_TRUE(endpoint) << endpoint.error().detail;
    EXPECT_EQ(endpoint->retry_delays, delays({.kind = RetryPolicy::Kind::seed}));
}

TEST_F(RemoteObjectsTest, ChangesSingleSettingsOfAnEndpoint) {
    const OneResponse server{200, R"({"id":"n1","retryPolicy":"standard","timeout":"PT10S",)"
                                  R"("maxInFlight":null,"rateLimit":null,"version":6})"};
    const auto changed = RemoteEndpoints{server.client()}.update(
        "n1", {.headers = {{"X-Key", std::nullopt}},
               .retry_delays = std::vector<std::chrono::seconds>{},
               .max_in_flight = 0,
               .max_per_second = 0,
               .enabled = false,
               .retry_waiting = true,
               .if_version = 5});
    ASSERT_TRUE(changed) << changed.error().detail;
    EXPECT_EQ(changed->retry_delays, delays({.kind = RetryPolicy::Kind::standard}));
    EXPECT_FALSE(changed->max_in_flight);
    EXPECT_THAT(server.request(), StartsWith("PATCH /v1/endpoints/n1?retryWaiting=true HTTP"));
    EXPECT_THAT(server.request(), HasSubstr("If-Match: \"5\"\r\n"));
    EXPECT_TRUE(server.request().ends_with(
        R"({"headers":{"X-Key":null},"retryPolicy":"standard","maxInFlight":null,)"
        R"("rateLimit":null,"enabled":false})"))
        << server.request();
}

TEST_F(RemoteObjectsTest, AnEndpointInUseIsNotRemoved) {
    const OneResponse used{409, R"({"code":"ENDPOINT_IN_USE","detail":"d","count":2,)"
                                R"("scheduleIds":["ext:weekly"]})"};
    EXPECT_EQ(RemoteEndpoints{used.client()}.remove("ext:crm").error().data,
              (Error::Data{UsedEndpoint{"ext:crm", 2, {"ext:weekly"}}}));
    const OneResponse page{200, R"({"data":[{"id":"n1"}],"hasMore":false,"nextCursor":null})"};
    ASSERT_TRUE(RemoteEndpoints{page.client()}.list({.type = "PULL", .enabled = false}));
    EXPECT_THAT(page.request(),
                StartsWith("GET /v1/endpoints?type=PULL&enabled=false&limit=50 HTTP"));
}

TEST_F(RemoteObjectsTest, AnswersOfOtherServersAreErrors) {
    for (const std::string body : {"", "[]", "{}"}) {
        const OneResponse server{200, body};
        EXPECT_EQ(RemoteUsers{server.client()}.get("a").error().code, "HTTP_ERROR") << body;
        EXPECT_EQ(RemoteUsers{server.client()}.list().error().code, "HTTP_ERROR") << body;
        EXPECT_EQ(RemoteSchedules{server.client()}.get("a").error().code, "HTTP_ERROR") << body;
        EXPECT_EQ(RemoteSchedules{server.client()}.list().error().code, "HTTP_ERROR") << body;
        EXPECT_EQ(RemoteEndpoints{server.client()}.get("a").error().code, "HTTP_ERROR") << body;
        EXPECT_EQ(RemoteEndpoints{server.client()}.list().error().code, "HTTP_ERROR") << body;
    }
}

}  // namespace
}  // namespace sundial
