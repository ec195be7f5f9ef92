#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "adapters/http/api/api_fixture.hpp"
#include "adapters/http/api/routes.hpp"

namespace sundial::http {
namespace {

namespace bj = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;

class BulkApiTest : public ApiTest {
protected:
    BulkApiTest() {
        add_bulk_routes(router, {events_module, queries, clock, zones});
        add_operation_routes(router, {operations, queries});
    }

    Response bulk(const std::string& members) {
        return call("POST", "/v1/bulk", R"({"resource":"events",)" + members + '}');
    }
    /// "pointer code" of each error.
    std::vector<std::string> refused(const std::string& members) {
        const Response response = bulk(members);
        EXPECT_EQ(response.status, 400) << response.body;
        std::vector<std::string> errors;
        const bj::value body = bj::parse(response.body);
        for (const bj::value& error : body.at("errors").as_array()) {
            errors.push_back(text_of(error.at("pointer")) + ' ' + text_of(error.at("code")));
        }
        return errors;
    }
    bj::value json_of(const Response& response) {
        EXPECT_LT(response.status, 300) << response.body;
        return bj::parse(response.body);
    }
};

/// A dry run may read much, so it does not run inside the transaction that keeps an answer.
TEST_F(BulkApiTest, ADryRunIgnoresItsKey) {
    a_failed_event();
    Headers key;
    key.add("Idempotency-Key", "k");
    const std::string body =
        R"({"resource":"events","action":"retry","filter":{"status":"FAILED"},"dryRun":true})";
    for (int i = 0; i < 2; ++i) {
        const Response response = call("POST", "/v1/bulk", body, key);
        EXPECT_EQ(response.status, 200) << response.body;
        EXPECT_FALSE(response.headers.find("Idempotency-Replayed"));
    }
}

TEST_F(BulkApiTest, AnswersWithTheOperation) {
    a_failed_event();
    const Response response = bulk(R"("action":"retry","filter":{"status":"FAILED"})");
    EXPECT_EQ(response.status, 202);
    const bj::value operation = bj::parse(response.body);
    EXPECT_EQ(operation.at("kind"), "BULK");
    EXPECT_EQ(operation.at("status"), "COMPLETED");
    EXPECT_EQ(operation.at("total"), 1);
    EXPECT_EQ(operation.at("done"), 1);
    EXPECT_EQ(operation.at("failed"), 0);
    const std::string place = "/v1/operations/" + text_of(operation.at("id"));
    EXPECT_EQ(text_of(operation.at("errorsUrl")), place + "/errors");
    EXPECT_EQ(response.headers.find("Location"), place);
    EXPECT_EQ(json_of(get(place)), operation);
    EXPECT_EQ(json_of(get(place + "/errors")).at("data").as_array().size(), 0U);
    EXPECT_EQ(get("/v1/operations/01990000-0000-7000-8000-0000000000ff/errors").status, 404);
}

TEST_F(BulkApiTest, ShowsTheEffectOfADryRun) {
    const Event event = a_failed_event();
    const Response response =
        bulk(R"("action":"dismiss","filter":{"failureReason":"HTTP"},"dryRun":true)");
    EXPECT_EQ(response.status, 200);
    const bj::value preview = bj::parse(response.body);
    EXPECT_EQ(preview.at("count"), 1);
    EXPECT_EQ(text_of(preview.at("samples").at(0).at("id")), to_string(event.id));
    EXPECT_FALSE(find(event).dismissed_at);
}

TEST_F(BulkApiTest, PagesThroughFailedItems) {
    std::string ids;
    for (int i = 0; i < 3; ++i) {
        ids += (i > 0 ? ",\"" : "\"") + to_string(scheduled(a_reminder()).id) + '"';
    }
    const bj::value operation =
        json_of(bulk(R"("action":"retry","ids":[)" + ids + R"(],"perSecond":1000)"));
    EXPECT_EQ(operation.at("failed"), 3);
    const std::string errors = text_of(operation.at("errorsUrl"));
    const bj::value first = json_of(get(errors + "?limit=2"));
    EXPECT_EQ(first.at("data").at(0).at("number"), 1);
    EXPECT_EQ(first.at("data").at(0).at("type"), "event");
    EXPECT_EQ(first.at("data").at(0).at("code"), "INVALID_STATE_TRANSITION");
    EXPECT_TRUE(first.at("hasMore").as_bool());
    const bj::value rest =
        json_of(get(errors + "?limit=2&cursor=" + text_of(first.at("nextCursor"))));
    EXPECT_EQ(rest.at("data").as_array().size(), 1U);
    EXPECT_EQ(rest.at("data").at(0).at("number"), 3);
    EXPECT_FALSE(rest.at("hasMore").as_bool());
    EXPECT_EQ(get(errors + "?cursor=bm9uZQ").status, 400);
}

TEST_F(BulkApiTest, TakesEachIdOnce) {
    const std::string id = '"' + to_string(a_failed_event().id) + '"';
    const bj::value operation =
        json_of(bulk(R"("action":"dismiss","ids":[)" + id + ',' + id + ']'));
    EXPECT_EQ(operation.at("total"), 1);
    EXPECT_EQ(operation.at("done"), 1);
}

TEST_F(BulkApiTest, TakesSeveralValuesOfAFilter) {
    a_failed_event();
    const auto count = [&](const std::string& filter) {
        return json_of(bulk(R"("action":"retry","dryRun":true,"filter":{)" + filter + '}'))
            .at("count")
            .to_number<int>();
    };
    EXPECT_EQ(count(R"("eventType":["OTHER","REMINDER"],"priority":["NORMAL"])"), 1);
    EXPECT_EQ(count(R"("eventType":"OTHER")"), 0);
    EXPECT_EQ(count(R"("executedFrom":"now-1h","executedTo":"now+1h","lateExecution":false)"), 1);
    EXPECT_EQ(count(R"("dismissed":true)"), 0);
}

TEST_F(BulkApiTest, RefusesInvalidRequests) {
    EXPECT_THAT(refused(R"("action":"delete","filter":{})"), ElementsAre("/action not_allowed"));
    EXPECT_THAT(refused(R"("action":"retry")"), ElementsAre("/filter required"));
    EXPECT_THAT(refused(R"("action":"retry","filter":{},"ids":["x"])"),
                ElementsAre("/ids not_allowed"));
    EXPECT_THAT(refused(R"("action":"retry","ids":["x"])"), ElementsAre("/ids/0 bad_format"));
    EXPECT_THAT(refused(R"("action":"cancel","filter":{})"), ElementsAre("/filter required"));
    EXPECT_THAT(refused(R"("action":"retry","filter":{"userId":"ext:x","targetTo":"soon"})"),
                ElementsAre("/filter/userId not_allowed", "/filter/targetTo bad_time"));
    EXPECT_THAT(refused(R"("action":"reschedule","filter":{"q":"a"},"set":{"shift":"-1h"})"),
                ElementsAre("/set/shift bad_format"));
    EXPECT_EQ(bulk(R"("action":"retry","filter":{"limit":3})").status, 400);
    EXPECT_EQ(bulk(R"("action":"retry","filter":{},"perSecond":0)").status, 400);
}

TEST_F(BulkApiTest, RefusesTooManyRunningOperations) {
    for (std::size_t i = 0; i < max_bulk_operations; ++i) {
        write([&](Transaction& tx) {
            EXPECT_TRUE(operations.start_bulk(tx, text_of(BulkRequest{}), 0).has_value());
        });
    }
    const Response response = bulk(R"("action":"retry","filter":{})");
    EXPECT_EQ(response.status, 429);
    EXPECT_THAT(response.body, HasSubstr(R"("code":"RATE_LIMITED","retryable":true)"));
    EXPECT_EQ(response.headers.find("Retry-After"), "5");
}

TEST_F(BulkApiTest, ShowsDeadLettersInGroups) {
    const Event event = a_failed_event();
    const bj::value by_reason = json_of(get("/v1/stats/failures"));
    EXPECT_EQ(by_reason.at("by"), "reason");
    EXPECT_EQ(by_reason.at("counted"), 1);
    EXPECT_EQ(by_reason.at("complete"), true);
    const bj::value& group = by_reason.at("data").at(0);
    EXPECT_EQ(group.at("reason"), "HTTP_STATUS 400");
    EXPECT_EQ(group.at("count"), 1);
    EXPECT_EQ(group.at("oldest"), group.at("newest"));
    EXPECT_EQ(text_of(group.at("sampleIds").at(0)), to_string(event.id));
    const bj::value by_endpoint = json_of(get("/v1/stats/failures?by=endpointId"));
    EXPECT_TRUE(by_endpoint.at("data").at(0).at("endpointId").is_null());
    EXPECT_EQ(get("/v1/stats/failures?by=user").status, 400);
}

TEST_F(BulkApiTest, ListsByThePrefixOfTheReason) {
    a_failed_event();
    const auto listed = [&](const std::string& prefix) {
        return json_of(get("/v1/events?failureReason=" + prefix)).at("data").as_array().size();
    };
    EXPECT_EQ(listed("HTTP_STATUS"), 1U);
    EXPECT_EQ(listed("HTTP_STATUS%20404"), 0U);
}

}  // namespace
}  // namespace sundial::http
