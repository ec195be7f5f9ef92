#include <gmock/gmock.h>

#include "adapters/http/api/api_fixture.hpp"
#include "adapters/http/api/routes.hpp"
#include "support/fake_ids.hpp"

namespace sundial::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PullRoutesTest : public ApiTest {
protected:
    PullRoutesTest() {
        add_pull_routes(router, {pull, zones});
        endpoint = text_member(call("POST", "/v1/endpoints",
                                    R"({"name":"Printers","externalId":"printers","type":"PULL"})")
                                   .body,
                               "id");
    }
    Response claim(const std::string& body) {
        return call("POST", "/v1/endpoints/ext:printers/claim", body);
    }
    Response claim_under_key(const std::string& body) {
        Headers headers;
        headers.add("Idempotency-Key", "k");
        return call("POST", "/v1/endpoints/ext:printers/claim", body, headers);
    }
    std::string a_due_event() {
        return text_member(call("POST", "/v1/events",
                                R"({"eventType":"PRINT","targetTimestampUTC":"now",)"
                                R"("endpointId":"ext:printers","deliveryPayload":{"page":7}})")
                               .body,
                           "id");
    }

    Handlers handlers;
    FakeDelivery in_process;
    SendPermit permit;
    PullQueue& pull_queue = store.pull_queue();
    EngineObserver observer;
    DeliveryModule delivery{{.store = store,
                             .queue = queue,
                             .zones = zones,
                             .ids = ids,
                             .random = random,
                             .monotonic = monotonic,
                             .log = log,
                             .observer = observer,
                             .kinds = kinds,
                             .in_process = in_process,
                             .handlers = handlers,
                             .permit = permit},
                            {.instance = instance_a, .shards = queue.shards()},
                            CircuitPolicy{}};
    WakeupsModule hints{{delivery.loop, pull_queue, monotonic, log},
                        {.tick = std::chrono::seconds{1}}};
    PullModule pull{ports, {pull_queue, queue, delivery, hints, observer}};
    std::string endpoint;
};

TEST_F(PullRoutesTest, ReturnsDueEvents) {
    const std::string id = a_due_event();
    const Response work = claim(R"({"worker":"w-1"})");
    EXPECT_EQ(work.status, 200);
    EXPECT_THAT(work.body,
                AllOf(HasSubstr(R"({"data":[{)"), HasSubstr(id), HasSubstr(R"("claimedBy":"w-1")"),
                      HasSubstr(R"("deliveryPayload":{"page":7})"), HasSubstr(R"("version":2)"),
                      HasSubstr(R"("leaseExpiresAt":"2027-01-05T12:00:30.000Z")")));
    EXPECT_EQ(claim(R"({"worker":"w-2"})").body, R"({"data":[]})");
}

TEST_F(PullRoutesTest, ReleasesEventsOfAnUndeliveredResponse) {
    a_due_event();
    const Response work = claim(R"({"worker":"w-1"})");
    ASSERT_TRUE(work.undelivered);
    work.undelivered();
    EXPECT_THAT(claim(R"({"worker":"w-2"})").body, HasSubstr("w-2"));
    EXPECT_FALSE(claim(R"({"worker":"w-2"})").undelivered);
}

/// A worker that did not get the response asks again, and gets the same claims.
TEST_F(PullRoutesTest, UnderAKeyReturnsTheSameWorkAgain) {
    const std::string id = a_due_event();
    const Response first = claim_under_key(R"({"worker":"w-1"})");
    EXPECT_THAT(first.body, HasSubstr(id));
    EXPECT_FALSE(first.undelivered);
    EXPECT_EQ(claim_under_key(R"({"worker":"w-1"})").body, first.body);
    EXPECT_EQ(claim(R"({"worker":"w-1"})").body, R"({"data":[]})");
}

TEST_F(PullRoutesTest, WaitsUnderAKeyToo) {
    const std::string order = R"({"worker":"w-1","wait":"PT20S"})";
    const Response wait = claim_under_key(order);
    ASSERT_TRUE(wait.later);
    const Response longer = wait.later->answer(false);
    ASSERT_TRUE(longer.later);
    const std::string id = a_due_event();
    const Response work = longer.later->answer(false);
    EXPECT_THAT(work.body, HasSubstr(id));
    EXPECT_FALSE(work.undelivered);
    const Response again = claim_under_key(order);
    EXPECT_EQ(again.body, work.body);
    EXPECT_EQ(again.headers.find("Idempotency-Replayed"), "true");
}

TEST_F(PullRoutesTest, IsUnderWayUnderItsKeyWhileItWaits) {
    const std::string order = R"({"worker":"w-1","wait":"PT20S"})";
    Response wait = claim_under_key(order);
    ASSERT_TRUE(wait.later);
    EXPECT_THAT(claim_under_key(order).body, HasSubstr("IDEMPOTENCY_IN_PROGRESS"));
    wait = wait.later->answer(false);
    EXPECT_THAT(claim_under_key(order).body, HasSubstr("IDEMPOTENCY_IN_PROGRESS"));
    wait = Response{};  // the client disconnects
    EXPECT_TRUE(claim_under_key(order).later);
}

TEST_F(PullRoutesTest, MayFindWorkUnderTheKeyThatFoundNone) {
    const std::string order = R"({"worker":"w-1","wait":"PT20S"})";
    const Response wait = claim_under_key(order);
    ASSERT_TRUE(wait.later);
    EXPECT_EQ(wait.later->answer(true).body, R"({"data":[]})");
    const std::string id = a_due_event();
    EXPECT_THAT(claim_under_key(order).body, HasSubstr(id));
}

TEST_F(PullRoutesTest, WaitsForWorkIfAskedTo) {
    const Response wait = claim(R"({"worker":"w-1","wait":"PT20S"})");
    ASSERT_TRUE(wait.later);
    EXPECT_EQ(wait.later->at_most, std::chrono::seconds{20});
    bool woken = false;
    const auto listening = wait.later->listen([&] { woken = true; });
    pull.watch.turn();
    EXPECT_FALSE(woken);
    EXPECT_TRUE(wait.later->answer(false).later);  // woken without a reason: it continues to wait

    a_due_event();
    monotonic.time += std::chrono::seconds{1};
    pull.watch.turn();
    EXPECT_TRUE(woken);
    EXPECT_THAT(wait.later->answer(false).body, HasSubstr(R"("claimedBy":"w-1")"));
    EXPECT_EQ(wait.later->answer(true).body, R"({"data":[]})");
}

TEST_F(PullRoutesTest, DoesNotWaitOnceTheServerStops) {
    pull.watch.stop();
    EXPECT_EQ(claim(R"({"worker":"w-1","wait":"PT20S"})").body, R"({"data":[]})");
}

TEST_F(PullRoutesTest, AcceptsTheReportsOfWorkers) {
    const std::string id = "/v1/events/" + a_due_event();
    (void)claim(R"({"worker":"w-1"})");
    const Response extended = call("POST", id + "/extend", R"({"version":2,"lease":"PT1H"})");
    EXPECT_EQ(extended.status, 200);
    EXPECT_EQ(extended.headers.find("ETag"), "\"2\"");
    EXPECT_THAT(extended.body, HasSubstr(R"("leaseExpiresAt":"2027-01-05T13:00:00.000Z")"));
    EXPECT_THAT(call("POST", id + "/release", R"({"version":2})").body,
                HasSubstr(R"("claimedBy":null)"));
    (void)claim(R"({"worker":"w-2"})");
    // A stack trace, for instance: the contents of a reason are never refused.
    const std::string reason = R"(no\nink\t)" + std::string(5000, 'x');
    EXPECT_THAT(call("POST", id + "/fail", R"({"version":4,"reason":")" + reason + "\"}").body,
                HasSubstr(R"("nextAttemptAt":"2027-01-05T12:00:01.000Z")"));
    clock.advance(std::chrono::seconds{1});
    (void)claim(R"({"worker":"w-3"})");
    EXPECT_THAT(call("POST", id + "/complete", R"({"version":6})").body,
                HasSubstr(R"("status":"COMPLETED")"));
}

TEST_F(PullRoutesTest, RefusesAnotherVersion) {
    const std::string id = "/v1/events/" + a_due_event();
    const Response early = call("POST", id + "/complete", R"({"version":1})");
    EXPECT_EQ(early.status, 409);
    EXPECT_EQ(text_member(early.body, "code"), "INVALID_STATE_TRANSITION");
    (void)claim(R"({"worker":"w-1"})");
    const Response stale = call("POST", id + "/fail", R"({"version":9,"retry":false})");
    EXPECT_EQ(stale.status, 409);
    EXPECT_EQ(text_member(stale.body, "code"), "LEASE_LOST");
    EXPECT_THAT(stale.body, HasSubstr(R"("version":9)"));
}

TEST_F(PullRoutesTest, ReportsAnInvalidOrder) {
    for (const char* body : {R"({})", R"({"worker":""})", R"({"worker":"w","limit":101})",
                             R"({"worker":"w","lease":"30"})", R"({"worker":"w","lease":"PT0S"})",
                             R"({"worker":"w","wait":"PT61S"})", R"({"worker":"w","nap":1})"}) {
        const Response refused = claim(body);
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_EQ(text_member(refused.body, "code"), "VALIDATION_FAILED") << body;
    }
    const std::string webhook =
        text_member(call("POST", "/v1/endpoints",
                         R"({"name":"CRM","type":"WEBHOOK","url":"https://crm.example/hook"})")
                        .body,
                    "id");
    EXPECT_EQ(call("POST", "/v1/endpoints/" + webhook + "/claim", R"({"worker":"w"})").status, 400);
    EXPECT_EQ(call("POST", "/v1/endpoints/ext:nobody/claim", R"({"worker":"w"})").status, 404);
    ASSERT_EQ(call("PATCH", "/v1/endpoints/" + endpoint, R"({"enabled":false})").status, 200);
    const Response disabled = claim(R"({"worker":"w"})");
    EXPECT_EQ(disabled.status, 409);
    EXPECT_EQ(text_member(disabled.body, "code"), "ENDPOINT_DISABLED");
}

TEST_F(PullRoutesTest, APullEndpointHasNoSettingsForRequests) {
    for (const char* requested :
         {R"({"name":"a","type":"PULL","url":"https://a.example/"})",
          R"({"name":"a","type":"PULL","secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})",
          R"({"name":"a","type":"PULL","headers":{"X-A":"b"}})"}) {
        EXPECT_EQ(call("POST", "/v1/endpoints", requested).status, 400) << requested;
    }
    EXPECT_EQ(call("PATCH", "/v1/endpoints/" + endpoint, R"({"url":"https://a.example/"})").status,
              400);
    EXPECT_EQ(call("PATCH", "/v1/endpoints/" + endpoint, R"({"headers":{"X-A":"b"}})").status, 400);
    EXPECT_EQ(call("POST", "/v1/endpoints/" + endpoint + "/test").status, 400);
    EXPECT_THAT(get("/v1/endpoints?type=PULL").body, HasSubstr("Printers"));
}

}  // namespace
}  // namespace sundial::http
