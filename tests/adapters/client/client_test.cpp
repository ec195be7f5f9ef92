#include "sundial/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <utility>
#include <vector>

#include "support/scripted_receiver.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

/// A response of the API.
std::string api_response(int status, const std::string& body, const std::string& headers = {}) {
    return "HTTP/1.1 " + std::to_string(status) +
           " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" +
           body;
}

/// A server that gives these responses, one after the other, and repeats the last.
class ResponsesInTurn {
public:
    explicit ResponsesInTurn(std::vector<std::string> responses)
        : server_({.answer_to = [this, responses = std::move(responses)](const std::string&) {
              return responses.at(std::min(next_++, responses.size() - 1));
          }}) {}

    [[nodiscard]] ClientOptions options() const {
        return {.server = "http://127.0.0.1:" + std::to_string(server_.port()),
                .retry = {.max_attempts = 3, .base = 1ms, .cap = 2ms}};
    }
    [[nodiscard]] std::vector<std::string> requests() const { return server_.requests(); }

private:
    std::atomic<std::size_t> next_ = 0;
    ScriptedReceiver server_;
};

class ClientTest : public testing::Test {
protected:
    ClientTest() { ::setenv("no_proxy", "*", 1); }
};

TEST_F(ClientTest, SendsTheKeyAndTheConditionsOfARequest) {
    const ResponsesInTurn server{{api_response(201, R"({"id":1})", "ETag: \"4\"\r\n")}};
    ClientOptions options = server.options();
    options.key = "sk_1";
    const auto made = Client{options}.call({.method = "POST",
                                            .path = "/v1/events?dryRun=true",
                                            .body = R"({"type":"a"})",
                                            .idempotency_key = "invoice-17",
                                            .if_match = "\"3\""});
    ASSERT_TRUE(made) << made.error().detail;
    EXPECT_EQ(made->status, 201);
    EXPECT_EQ(made->body, R"({"id":1})");
    EXPECT_EQ(made->etag, "\"4\"");
    EXPECT_THAT(server.requests(),
                ElementsAre(AllOf(StartsWith("POST /v1/events?dryRun=true HTTP/1.1\r\n"),
                                  HasSubstr("\r\nAccept: application/json\r\n"),
                                  HasSubstr("\r\nContent-Type: application/json\r\n"),
                                  HasSubstr("\r\nAuthorization: Bearer sk_1\r\n"),
                                  HasSubstr("\r\nIdempotency-Key: invoice-17\r\n"),
                                  HasSubstr("\r\nIf-Match: \"3\"\r\n"),
                                  testing::EndsWith("\r\n\r\n{\"type\":\"a\"}"))));
}

TEST_F(ClientTest, SendsNoHeaderWithoutAValue) {
    const ResponsesInTurn server{{api_response(200, "{}")}};
    const auto info = Client{server.options()}.call({.path = "/v1/info"});
    ASSERT_TRUE(info);
    EXPECT_EQ(info->etag, "");
    EXPECT_THAT(server.requests(),
                ElementsAre(AllOf(Not(HasSubstr("Authorization")), Not(HasSubstr("Content-Type")),
                                  Not(HasSubstr("Idempotency-Key")), Not(HasSubstr("If-Match")))));
}

TEST_F(ClientTest, ReturnsTheServersCodeAndDetail) {
    const ResponsesInTurn server{
        {api_response(404, R"({"code":"NOT_FOUND","detail":"There is no event 7."})"),
         api_response(502, "<html>"), api_response(302, "", "Location: /v1/other\r\n")}};
    const Client client{server.options()};
    const auto refused = client.call({.path = "/v1/events/7"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "NOT_FOUND");
    EXPECT_EQ(refused.error().detail, "There is no event 7.");
    for (const char* const status : {"status 502", "status 302"}) {
        const auto unknown = client.call({.method = "POST", .path = "/v1/events"});
        ASSERT_FALSE(unknown);
        EXPECT_EQ(unknown.error().code, "HTTP_ERROR");
        EXPECT_THAT(unknown.error().detail, HasSubstr(status));
    }
}

TEST_F(ClientTest, RepeatsWhatMayBeRepeated) {
    const std::vector<std::string> responses{"", api_response(503, "{}", "Retry-After: 0\r\n"),
                                             api_response(200, "done")};
    for (const ClientRequest& request :
         {ClientRequest{.path = "/v1/info"},
          ClientRequest{.method = "DELETE", .path = "/v1/locks/a"},
          ClientRequest{.method = "POST", .path = "/v1/events", .idempotency_key = "k"}}) {
        const ResponsesInTurn server{responses};
        const auto done = Client{server.options()}.call(request);
        ASSERT_TRUE(done) << request.method;
        EXPECT_EQ(done->body, "done");
        EXPECT_THAT(server.requests(), SizeIs(3));
    }
}

TEST_F(ClientTest, RepeatsNothingElse) {
    const ResponsesInTurn lost{{"", api_response(200, "done")}};
    const auto unknown = Client{lost.options()}.call({.method = "POST", .path = "/v1/events"});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, "UNREACHABLE");
    EXPECT_THAT(lost.requests(), SizeIs(1));

    const ResponsesInTurn refusing{{api_response(409, "{}"), api_response(200, "done")}};
    EXPECT_FALSE(Client{refusing.options()}.call({.path = "/v1/info"}));
    EXPECT_THAT(refusing.requests(), SizeIs(1));
}

TEST_F(ClientTest, GivesUpAfterTheLastAttempt) {
    const ResponsesInTurn server{
        {api_response(503, R"({"code":"UNAVAILABLE","detail":"Later."})")}};
    const auto refused = Client{server.options()}.call({.path = "/v1/info"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "UNAVAILABLE");
    EXPECT_THAT(server.requests(), SizeIs(3));
}

TEST_F(ClientTest, NoAnswerInTimeIsUnreachable) {
    const ScriptedReceiver server{{.hold = true}};
    const std::string address = "http://127.0.0.1:" + std::to_string(server.port());
    const Client client{{.server = address, .timeout = 50ms, .retry = {.max_attempts = 1}}};
    const auto late = client.call({.path = "/v1/info"});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "UNREACHABLE");
    EXPECT_EQ(late.error().detail, "no answer from " + address + ": Timeout was reached");
}

TEST_F(ClientTest, SendsNothingOnceStopped) {
    const ResponsesInTurn server{{api_response(200, "{}")}};
    std::stop_source stop;
    stop.request_stop();
    ClientOptions options = server.options();
    options.retry.stop = stop.get_token();
    const auto stopped = Client{options}.call({.path = "/v1/info"});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, "STOPPED");
    EXPECT_THAT(server.requests(), SizeIs(0));
}

TEST_F(ClientTest, RefusesRequestsThatWouldMeanSomethingElse) {
    const ResponsesInTurn server{{api_response(200, "{}")}};
    const Client client{server.options()};
    for (const ClientRequest& request :
         {ClientRequest{.path = "v1/info"}, ClientRequest{.path = "/v1/events#7"},
          ClientRequest{.path = "/v1/a b"}, ClientRequest{.method = "get", .path = "/v1/info"},
          ClientRequest{.path = "/v1/info", .idempotency_key = "a\r\nX: b"},
          ClientRequest{.path = "/v1/info", .if_match = "a\nb"}}) {
        const auto refused = client.call(request);
        ASSERT_FALSE(refused) << request.path;
        EXPECT_EQ(refused.error().code, "VALIDATION_FAILED");
    }
    EXPECT_THAT(server.requests(), SizeIs(0));
}

}  // namespace
}  // namespace sundial
