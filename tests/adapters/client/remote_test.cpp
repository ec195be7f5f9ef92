#include "sundial/remote.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "adapters/client/one_response.hpp"
#include "adapters/client/wire.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class RemoteTest : public testing::Test {
protected:
    RemoteTest() { ::setenv("no_proxy", "*", 1); }
};

constexpr Instant noon = std::chrono::sys_days{std::chrono::year{2027} / 1 / 5} + 12h + 1500us;

TEST_F(RemoteTest, WritesInstantsDurationsAndPaths) {
    EXPECT_EQ(client::to_rfc3339(noon), "2027-01-05T12:00:00.001500Z");
    EXPECT_EQ(client::to_rfc3339(Instant{-1us}), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(client::to_iso_duration(90s), "PT90S");
    EXPECT_EQ(client::from_iso_duration("PT26H3M4S"), 26h + 3min + 4s);
    EXPECT_EQ(client::from_iso_duration("PT0S"), 0s);
    for (const std::string_view wrong : {"", "PT", "P1D", "PT5", "PT1M2H", "PT1.5S"}) {
        EXPECT_EQ(client::from_iso_duration(wrong), std::nullopt) << wrong;
    }
    EXPECT_EQ(client::encoded("a b/ü?"), "a%20b%2F%C3%BC%3F");
}

TEST_F(RemoteTest, ReadsInstants) {
    EXPECT_EQ(client::from_rfc3339("2027-01-05T12:00:00.0015Z"), noon);
    EXPECT_EQ(client::from_rfc3339("1970-01-01T00:00:00Z"), Instant{});
    for (const std::string_view wrong :
         {"", "2027-01-05", "2027-02-30T12:00:00Z", "2027-01-05T12:00:00", "2027-01-05T12:00:00.Z",
          "2027-01-05T12:00:00.1234567Z", "2027-01-05T12:00:00+01:00", "x027-01-05T12:00:00Z",
          "2027-01-05T12:00:00Zx"}) {
        EXPECT_EQ(client::from_rfc3339(wrong), std::nullopt) << wrong;
    }
}

TEST_F(RemoteTest, SendsAnEventAndReadsTheStoredOne) {
    const OneResponse server{
        201, R"({"id":"e1","eventType":"T","status":"PROCESSING","futureMember":[1],)"
             R"("targetTimestampUTC":"2027-01-05T12:00:00.001500Z","deliveryPayload":{ "a":1 },)"
             R"("idempotencyKey":"k","userId":null,"attempt":2,"failureReason":null,"version":9,)"
             R"("priority":"HIGH","retryCount":1,"waitingFor":"RETRY",)"
             R"("nextAttemptAt":"2027-01-05T12:00:01Z","traceparent":null})"};
    const auto event = RemoteEvents{server.client()}.create({.type = "T",
                                                             .at = noon,
                                                             .payload = "{ \"a\":1 }",
                                                             .idempotency_key = "k",
                                                             .priority = Priority::high,
                                                             .endpoint = "ext:shop",
                                                             .traceparent = "00-1-2-01"},
                                                            "request-1");
    ASSERT_TRUE(event) << event.error().detail;
    EXPECT_EQ(event->id, "e1");
    EXPECT_EQ(event->payload, "{ \"a\":1 }");
    EXPECT_EQ(event->due, noon);
    EXPECT_EQ(event->user_id, "");
    EXPECT_EQ(event->attempt, 2U);
    EXPECT_EQ(event->version, 9U);
    EXPECT_EQ(event->priority, Priority::high);
    EXPECT_EQ(event->waiting_for, "RETRY");
    EXPECT_TRUE(event->next_attempt);
    EXPECT_THAT(server.request(), HasSubstr("Idempotency-Key: request-1\r\n"));
    EXPECT_THAT(server.request(), HasSubstr("traceparent: 00-1-2-01\r\n"));
    EXPECT_TRUE(server.request().ends_with(
        R"({"eventType":"T","targetTimestampUTC":"2027-01-05T12:00:00.001500Z",)"
        R"("endpointId":"ext:shop","idempotencyKey":"k","priority":"HIGH","deliveryPayload":{ "a":1 }})"))
        << server.request();
}

TEST_F(RemoteTest, APayloadCannotEndItsMember) {
    const OneResponse server{201, "{}"};
    const RemoteEvents events{server.client()};
    const auto refused = events.create({.type = "T", .payload = R"(1,"priority":"LOW")"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "VALIDATION_FAILED");
    EXPECT_FALSE(events.update("e1", {.payload = "{"}));
    const RemoteStreams streams{server.client()};
    EXPECT_FALSE(streams.append({"A", "1"}, Expected::any(), {{.type = "T", .data = "1}"}}));
    EXPECT_FALSE(streams.append({"A", "1"}, Expected::any(),
                                {{.type = "T", .metadata = {.headers = "{}}"}}}));
    EXPECT_EQ(server.count(), 0U);
}

TEST_F(RemoteTest, AnswersOfOtherServersAreErrors) {
    for (const std::string body : {"", "<html>", "[]", "{}", "{\"data\":1}"}) {
        const OneResponse server{200, body};
        EXPECT_EQ(RemoteEvents{server.client()}.get("e1").error().code, "HTTP_ERROR") << body;
        EXPECT_EQ(RemoteEvents{server.client()}.list().error().code, "HTTP_ERROR") << body;
        EXPECT_EQ(RemoteLocks{server.client()}.try_lock("a", "b").error().code, "HTTP_ERROR");
        EXPECT_EQ(RemoteStreams{server.client()}.read({"A", "1"}).error().code, "HTTP_ERROR");
    }
}

TEST_F(RemoteTest, NamesInvalidFieldsAsInCpp) {
    const OneResponse server{400, R"({"code":"VALIDATION_FAILED","detail":"1 field is invalid",)"
                                  R"("errors":[{"pointer":"/targetTimestampLocal",)"
                                  R"("code":"bad_format","message":"must be local"}]})"};
    const auto refused = RemoteEvents{server.client()}.create({.type = "T"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().detail, "local_time must be local");
    const auto* const fields = std::get_if<embedding::InvalidFields>(&refused.error().data);
    ASSERT_NE(fields, nullptr);
    EXPECT_THAT(*fields,
                ElementsAre(embedding::InvalidField{"local_time", "bad_format", "must be local"}));
}

TEST_F(RemoteTest, ErrorsHaveTheDataOfAnEngines) {
    const OneResponse state{
        409, R"({"code":"INVALID_STATE_TRANSITION","detail":"d","eventStatus":"PROCESSING",)"
             R"("claimedBy":"w1","waitingFor":null,"version":4})"};
    EXPECT_EQ(RemoteEvents{state.client()}.cancel("e1", 3).error().data,
              (embedding::Error::Data{embedding::WrongState{
                  .event_id = "e1", .status = "PROCESSING", .claimed = true, .version = 4}}));
    EXPECT_THAT(state.request(), HasSubstr("If-Match: \"3\"\r\n"));
    const OneResponse missing{404, R"({"code":"EVENT_NOT_FOUND","detail":"d"})"};
    EXPECT_EQ(RemoteEvents{missing.client()}.get("e1").error().data,
              (embedding::Error::Data{embedding::Missing{"e1"}}));
    const OneResponse lost{409,
                           R"({"code":"LEASE_LOST","detail":"d","name":"a","fencingToken":5})"};
    const RemoteLock lock{.name = "a", .holder = "h", .token = "t", .fencing_token = 5};
    EXPECT_EQ(RemoteLocks{lost.client()}.unlock(lock).error().data,
              (embedding::Error::Data{embedding::LostLease{"a", 5}}));
    EXPECT_THAT(lost.request(), HasSubstr("Sundial-Lock-Token: t\r\n"));
    const OneResponse reused{
        422, R"({"code":"EVENT_ID_REUSED","detail":"d","conflicts":[{"eventId":"i",)"
             R"("reason":"OTHER_STREAM","stream":{"aggregateType":"B","aggregateId":"2"}}]})"};
    EXPECT_EQ(RemoteStreams{reused.client()}
                  .append({"A", "1"}, Expected::any(), {{.type = "T"}})
                  .error()
                  .data,
              (embedding::Error::Data{embedding::ReusedIds{{"i", "OTHER_STREAM", "B", "2"}}}));
}

TEST_F(RemoteTest, AMissingObjectIsNamedAsInTheCall) {
    const OneResponse endpoint{404, R"({"code":"ENDPOINT_NOT_FOUND","detail":"d"})"};
    EXPECT_EQ(RemoteEvents{endpoint.client()}.create({.type = "T", .queue = "q"}).error().data,
              (Error::Data{Missing{"ext:q"}}));
    const OneResponse user{404, R"({"code":"USER_NOT_FOUND","detail":"d"})"};
    EXPECT_EQ(RemoteEvents{user.client()}.list({.user_id = "ext:crm-7"}).error().data,
              (Error::Data{Missing{"ext:crm-7"}}));
}

TEST_F(RemoteTest, NamesInvalidParametersAsInCpp) {
    const OneResponse server{400, R"({"code":"VALIDATION_FAILED","detail":"2 fields are invalid",)"
                                  R"("errors":[{"pointer":"?limit","code":"out_of_range",)"
                                  R"("message":"must be 1 to 500"},{"pointer":"?targetFrom",)"
                                  R"("code":"bad_format","message":"must be a time"}]})"};
    EXPECT_EQ(RemoteEvents{server.client()}.list({}, {.limit = 0}).error().detail,
              "limit must be 1 to 500; due_from must be a time");
}

TEST_F(RemoteTest, AUsedKeyIsInTheError) {
    const OneResponse server{422, R"({"code":"IDEMPOTENCY_KEY_REUSED","detail":"d"})"};
    EXPECT_EQ(RemoteEvents{server.client()}.create({.type = "T"}, "key-1").error().data,
              (Error::Data{UsedKey{"key-1"}}));
}

TEST_F(RemoteTest, ListsByTheFilter) {
    const OneResponse server{200, R"({"data":[],"hasMore":true,"nextCursor":"c2"})"};
    const auto page = RemoteEvents{server.client()}.list(
        {.types = {"A", "B"}, .schedule = "weekly", .dead_letters = true},
        {.limit = 7, .latest_first = true, .after = "c1"});
    ASSERT_TRUE(page);
    EXPECT_EQ(page->next, "c2");
    EXPECT_THAT(server.request(),
                HasSubstr("?status=FAILED&dismissed=false&eventType=A%2CB&scheduleId="
                          "ext%3Aweekly&sort=-targetTimestampUTC&limit=7&cursor=c1 HTTP"));
}

TEST_F(RemoteTest, AnIdOfDotsLeadsToNoOtherRoute) {
    const OneResponse server{404, R"({"code":"AGGREGATE_NOT_FOUND","detail":"d"})"};
    EXPECT_TRUE(RemoteStreams{server.client()}.read({"..", ".."}));
    EXPECT_THAT(server.request(), testing::StartsWith("GET /v1/streams/../..?fromVersion=1&"));
}

TEST_F(RemoteTest, HeadersAreOneLineEach) {
    const OneResponse server{204, ""};
    const RemoteLock lock{.name = "a", .holder = "h", .token = "t\r\nX: 1"};
    EXPECT_EQ(RemoteLocks{server.client()}.unlock(lock).error().code, "VALIDATION_FAILED");
    EXPECT_EQ(server.count(), 0U);
}

}  // namespace
}  // namespace sundial
