#include "adapters/otlp/collector.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>

#include "support/scripted_receiver.hpp"

namespace sundial::otlp {
namespace {

using namespace std::chrono_literals;
using Result = Receipt::Result;

TEST(CollectorReceipt, FollowsTheProtocol) {
    for (const long status : {200L, 202L}) {
        EXPECT_EQ(receipt_of(status, "", "{}").result, Result::accepted) << status;
    }
    for (const long status : {429L, 502L, 503L, 504L}) {
        EXPECT_EQ(receipt_of(status, "", "").result, Result::repeat) << status;
    }
    for (const long status : {301L, 400L, 401L, 404L, 413L, 500L, 501L}) {
        EXPECT_EQ(receipt_of(status, "", "").result, Result::refused) << status;
    }
}

TEST(CollectorReceipt, TakesTheWaitThatTheCollectorAsksForUpToAMinute) {
    EXPECT_EQ(receipt_of(503, "7", "").after, 7s);
    EXPECT_EQ(receipt_of(429, "86400", "").after, 60s);
    EXPECT_FALSE(receipt_of(503, "", "").after);
    EXPECT_FALSE(receipt_of(503, "Wed, 21 Oct 2026 07:28:00 GMT", "").after);
}

TEST(CollectorReceipt, CountsRejectedSpans) {
    EXPECT_EQ(receipt_of(200, "", R"({"partialSuccess":{"rejectedSpans":"3"}})").rejected, 3U);
    EXPECT_EQ(receipt_of(200, "", R"({"partialSuccess":{"rejectedSpans":2}})").rejected, 2U);
    for (const char* body : {"", "{}", "no JSON", "[]", R"({"partialSuccess":{}})",
                             R"({"partialSuccess":{"rejectedSpans":-1}})"}) {
        EXPECT_EQ(receipt_of(200, "", body).rejected, 0U) << body;
    }
}

TEST(CollectorEndpoint, IsTheUrlOfACollectorWithoutThePathOfTraces) {
    for (const char* url :
         {"http://127.0.0.1:4318", "https://otlp.example/prefix", "http://[::1]:4318/"}) {
        EXPECT_FALSE(refuse_endpoint(url)) << url;
    }
    for (const char* url : {"127.0.0.1:4318", "grpc://127.0.0.1:4317", "http://", "https://a b",
                            "http://127.0.0.1:4318/v1/traces", "http://127.0.0.1:4318?x=1",
                            "http://token@127.0.0.1:4318", "https://sundial:word@otlp.example"}) {
        EXPECT_TRUE(refuse_endpoint(url)) << url;
    }
}

TEST(CollectorHeader, IsANameAndAValueWithEscapes) {
    using Header = std::pair<std::string, std::string>;
    EXPECT_EQ(header_in("Authorization=Bearer%20a%2Cb"), (Header{"Authorization", "Bearer a,b"}));
    EXPECT_EQ(header_in(" x-team = crm=eu "), (Header{"x-team", "crm=eu"}));
    for (const char* text : {"", "name", "=value", "a b=c", "a=%", "a=%2", "a=%zz", "a=b%0d%0ac"}) {
        EXPECT_FALSE(header_in(text)) << text;
    }
}

TEST(SendBatch, PostsJsonWithTheGivenHeaders) {
    ScriptedReceiver collector({.answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"});
    const std::atomic<bool> stopping{false};
    const Receipt receipt =
        send_batch({.endpoint = "http://127.0.0.1:" + std::to_string(collector.port()) + "/",
                    .headers = {{"X-Team", "crm"}}},
                   R"({"resourceSpans":[]})", stopping);
    EXPECT_EQ(receipt.result, Result::accepted) << receipt.reason;
    ASSERT_EQ(collector.requests().size(), 1U);
    const std::string request = collector.requests().front();
    EXPECT_TRUE(request.starts_with("POST /v1/traces HTTP/1.1\r\n")) << request;
    EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos) << request;
    EXPECT_NE(request.find("X-Team: crm\r\n"), std::string::npos) << request;
    EXPECT_TRUE(request.ends_with(R"({"resourceSpans":[]})")) << request;
}

TEST(SendBatch, MayBeRepeatedIfThereIsNoResponse) {
    ScriptedReceiver closes({.answer = ""});
    ScriptedReceiver hangs({.answer = "", .hold = true});
    const std::atomic<bool> stopping{false};
    const auto sent_to = [&](const ScriptedReceiver& collector) {
        return send_batch(
            {.endpoint = "http://127.0.0.1:" + std::to_string(collector.port()), .timeout = 100ms},
            "{}", stopping);
    };
    EXPECT_EQ(sent_to(closes).result, Result::repeat);
    EXPECT_EQ(sent_to(hangs).result, Result::repeat);
    EXPECT_FALSE(sent_to(closes).reason.empty());
}

}  // namespace
}  // namespace sundial::otlp
