#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/http/api/api_fixture.hpp"
#include "adapters/http/api/routes.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;

class EndpointRoutesTest : public ApiTest {
protected:
    /// A webhook endpoint with the external id crm.
    void an_endpoint_crm() {
        const auto made = call("POST", "/v1/endpoints",
                               R"({"externalId":"crm","name":"CRM","type":"WEBHOOK",)"
                               R"("url":"https://crm.example/hook"})");
        ASSERT_EQ(made.status, 201) << made.body;
    }
    std::string an_event_for_crm() {
        const auto made = call("POST", "/v1/events",
                               R"({"eventType":"T","targetTimestampUTC":"now+1h",)"
                               R"("endpointId":"ext:crm","deliveryPayload":{}})");
        EXPECT_EQ(made.status, 201) << made.body;
        return text_member(made.body, "id");
    }
};

TEST_F(EndpointRoutesTest, PutAWholeEndpointByItsExternalId) {
    const std::string whole = R"({"name":"CRM","type":"WEBHOOK","url":"https://crm.example/hook",)"
                              R"("maxInFlight":7})";
    const auto made = call("PUT", "/v1/endpoints/ext:crm", whole);
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_THAT(text_member(made.body, "secret"), HasSubstr("whsec_"));
    EXPECT_TRUE(made.secret);
    const auto same = call("PUT", "/v1/endpoints/ext:crm", whole);
    EXPECT_EQ(same.status, 200);
    EXPECT_EQ(text_member(same.body, "secret"), "");
    EXPECT_THAT(same.body, HasSubstr(R"("version":1)"));
    const auto replaced =
        call("PUT", "/v1/endpoints/ext:crm",
             R"({"name":"New","type":"WEBHOOK","url":"https://crm.example/new"})");
    EXPECT_EQ(replaced.status, 200);
    EXPECT_THAT(replaced.body, HasSubstr(R"("maxInFlight":null)"));
    EXPECT_THAT(replaced.body, HasSubstr(R"("version":2)"));

    const auto partial = call("PUT", "/v1/endpoints/ext:crm", R"({"maxInFlight":7})");
    EXPECT_EQ(partial.status, 400);
    EXPECT_THAT(partial.body, HasSubstr(R"("pointer":"/name","code":"required")"));
    EXPECT_THAT(partial.body, HasSubstr(R"("pointer":"/type","code":"required")"));
    const auto other_id =
        call("PUT", "/v1/endpoints/ext:crm", R"({"externalId":"erp","name":"New","type":"INBOX"})");
    EXPECT_THAT(other_id.body, HasSubstr(R"("pointer":"/externalId")"));
}

TEST_F(EndpointRoutesTest, PutSomeMembersByTheId) {
    an_endpoint_crm();
    const std::string path =
        "/v1/endpoints/" + text_member(get("/v1/endpoints/ext:crm").body, "id");
    const auto changed = call("PUT", path, R"({"name":"New","type":"WEBHOOK","format":"RAW"})");
    EXPECT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(text_member(changed.body, "name"), "New");
    EXPECT_EQ(text_member(changed.body, "url"), "https://crm.example/hook");
    EXPECT_THAT(call("PUT", path, R"({"format":"ENVELOPE"})").body,
                HasSubstr(R"("pointer":"/format","code":"not_allowed")"));
}

TEST_F(EndpointRoutesTest, DeleteAnEndpoint) {
    an_endpoint_crm();
    Headers stale, current;
    stale.add("If-Match", "\"7\"");
    current.add("If-Match", "\"1\"");
    EXPECT_EQ(call("DELETE", "/v1/endpoints/ext:crm", {}, stale).status, 412);
    EXPECT_EQ(call("DELETE", "/v1/endpoints/ext:crm", {}, current).status, 204);
    EXPECT_EQ(get("/v1/endpoints/ext:crm").status, 404);
    const auto again = call("DELETE", "/v1/endpoints/ext:crm");
    EXPECT_EQ(again.status, 404);
    EXPECT_EQ(text_member(again.body, "code"), "ENDPOINT_NOT_FOUND");
    EXPECT_EQ(text_member(again.body, "detail"), "there is no endpoint 'ext:crm'");
}

TEST_F(EndpointRoutesTest, NameThePrefixOfAnExternalIdThatLacksIt) {
    an_endpoint_crm();
    const auto bare = get("/v1/endpoints/crm");
    EXPECT_EQ(bare.status, 404);
    EXPECT_EQ(text_member(bare.body, "detail"),
              "there is no endpoint 'crm'; an external id is written 'ext:crm'");
    const std::string no_id = "01a227c6-1959-7ca2-86b4-9eb94670dc9c";
    EXPECT_EQ(text_member(get("/v1/endpoints/" + no_id).body, "detail"),
              "there is no endpoint '" + no_id + "'");
}

TEST_F(EndpointRoutesTest, CountTheEventsThatPreventADeletionOrCancelThem) {
    an_endpoint_crm();
    const std::string event = an_event_for_crm();
    an_event_for_crm();
    const auto refused = call("DELETE", "/v1/endpoints/ext:crm");
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(text_member(refused.body, "code"), "ENDPOINT_IN_USE");
    EXPECT_THAT(refused.body, HasSubstr(R"("count":2)"));
    EXPECT_THAT(refused.body, HasSubstr("2 live events point to the endpoint; cancelEvents=true"));
    EXPECT_EQ(call("DELETE", "/v1/endpoints/ext:crm?cancelEvents=perhaps").status, 400);

    EXPECT_EQ(call("DELETE", "/v1/endpoints/ext:crm?cancelEvents=true").status, 204);
    EXPECT_EQ(text_member(get("/v1/events/" + event).body, "status"), "CANCELLED");
}

TEST_F(EndpointRoutesTest, NameTheSchedulesThatPreventADeletion) {
    an_endpoint_crm();
    ASSERT_EQ(call("PATCH", "/v1/schedules/ext:birthday", R"({"endpointId":"ext:crm"})").status,
              200);
    const auto refused = call("DELETE", "/v1/endpoints/ext:crm?cancelEvents=true");
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(refused.body, HasSubstr(R"("count":0)"));
    EXPECT_THAT(refused.body, HasSubstr(R"("scheduleIds":["ext:birthday"])"));
    EXPECT_THAT(refused.body, HasSubstr("schedules send to the endpoint, such as 'ext:birthday'"));
}

}  // namespace
}  // namespace sundial::http
