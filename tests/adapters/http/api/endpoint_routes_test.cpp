#include "adapters/http/api/endpoint_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/http/api/api_fixture.hpp"

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
