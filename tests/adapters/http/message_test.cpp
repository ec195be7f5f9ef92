#include "adapters/http/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sundial::http {
namespace {

TEST(Headers, AreFoundInAnyCase) {
    Headers headers;
    headers.add("Content-Type", "application/json");
    EXPECT_EQ(headers.find("content-TYPE"), "application/json");
    EXPECT_EQ(headers.find("content"), std::nullopt);
}

TEST(Headers, SetReplacesEveryFieldOfThatName) {
    Headers headers;
    headers.add("A", "1");
    headers.add("a", "2");
    headers.set("A", "3");
    EXPECT_EQ(headers.all().size(), 1U);
    EXPECT_EQ(headers.find("a"), "3");
}

TEST(TraceContextOfHeaders, IsThatOfTheOnlyValidTraceparent) {
    const std::string given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    Headers headers;
    EXPECT_FALSE(trace_context_of(headers));
    headers.add("TraceParent", given);
    ASSERT_TRUE(trace_context_of(headers));
    EXPECT_EQ(trace_context_of(headers)->span_id, "b7ad6b7169203331");
    headers.add("traceparent", given);
    EXPECT_FALSE(trace_context_of(headers));
    Headers broken;
    broken.add("traceparent", "00-xyz");
    broken.add("tracestate", "rojo=1");
    EXPECT_FALSE(trace_context_of(broken));
}

TEST(TraceContextOfHeaders, HasTheStateOfAllItsFields) {
    const std::string given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    Headers headers;
    headers.add("tracestate", "rojo=1, congo=2");
    EXPECT_FALSE(trace_context_of(headers));
    headers.add("traceparent", given);
    headers.add("TraceState", "azul=3");
    ASSERT_TRUE(trace_context_of(headers));
    EXPECT_EQ(trace_context_of(headers)->state, "rojo=1,congo=2,azul=3");
    headers.add("tracestate", "rojo=4");
    ASSERT_TRUE(trace_context_of(headers));
    EXPECT_EQ(trace_context_of(headers)->state, "");
}

TEST(ReadTarget, DecodesPathAndQuery) {
    Request request;
    ASSERT_TRUE(read_target("/v1/users/ext%3A7?q=a+b&name=J%C3%BCrgen&flag&&x=1=2", request));
    EXPECT_EQ(request.path, "/v1/users/ext:7");
    EXPECT_EQ(request.target, "/v1/users/ext%3A7?q=a+b&name=J%C3%BCrgen&flag&&x=1=2");
    ASSERT_EQ(request.query.size(), 4U);
    EXPECT_EQ(request.query_value("q"), "a b");
    EXPECT_EQ(request.query_value("name"), "Jürgen");
    EXPECT_EQ(request.query_value("flag"), "");
    EXPECT_EQ(request.query_value("x"), "1=2");
    EXPECT_EQ(request.query_value("y"), std::nullopt);
}

TEST(ReadTarget, TakesThePathOfAnAbsoluteForm) {
    Request request;
    ASSERT_TRUE(read_target("http://example.test:8080/livez?a=1", request));
    EXPECT_EQ(request.path, "/livez");
    EXPECT_EQ(request.target, "/livez?a=1");
    ASSERT_TRUE(read_target("http://example.test", request));
    EXPECT_EQ(request.path, "/");
}

class BadTarget : public testing::TestWithParam<const char*> {};
TEST_P(BadTarget, IsRefused) {
    Request request;
    EXPECT_FALSE(read_target(GetParam(), request));
}
INSTANTIATE_TEST_SUITE_P(Escapes, BadTarget,
                         testing::Values("/a%", "/a%4", "/a%zz", "/a%00b", "/a?x=%0a", "/a?%ff=1",
                                         "/%c0%af", "/\xff", "/a?b=%ed%a0%80"));

TEST(SaneRequestId, IsVisibleAsciiOfAtMost128Characters) {
    EXPECT_TRUE(sane_request_id("req-0199/ab:c"));
    EXPECT_TRUE(sane_request_id(std::string(128, 'x')));
    EXPECT_FALSE(sane_request_id(""));
    EXPECT_FALSE(sane_request_id(std::string(129, 'x')));
    EXPECT_FALSE(sane_request_id("two words"));
    EXPECT_FALSE(sane_request_id("tab\tbed"));
    EXPECT_FALSE(sane_request_id("ümlaut"));
}

}  // namespace

namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::chrono::sys_seconds of_the_rfc{784111777s};

AnswerContext context() { return {.correlation_id = "req-1", .now = of_the_rfc}; }

TEST(HttpDate, IsThatOfTheRfc) {
    EXPECT_EQ(http_date(of_the_rfc), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(http_date(std::chrono::sys_seconds{951782400s}), "Tue, 29 Feb 2000 00:00:00 GMT");
}

TEST(ResponseHead, HasTheFieldsThatEveryAnswerHas) {
    EXPECT_EQ(response_head(json(200, "{}"), context()),
              "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Request-Id: req-1\r\n"
              "X-Content-Type-Options: nosniff\r\nContent-Type: application/json\r\n"
              "Content-Length: 2\r\n\r\n");
}

TEST(ResponseHead, OmitsBodyFieldsIfThereCanBeNoBody) {
    const std::string head = response_head(no_content(), context());
    EXPECT_THAT(head, StartsWith("HTTP/1.1 204 No Content\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("\r\nContent-")));
}

TEST(ResponseHead, ReportsWhetherTheConnectionStaysOpen) {
    AnswerContext closing = context();
    closing.keep_alive = false;
    EXPECT_THAT(response_head(json(200, ""), closing), HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(response_head(json(200, ""), context()), Not(HasSubstr("Connection:")));
    AnswerContext old = context();
    old.http_1_1 = false;
    const std::string head = response_head(json(200, ""), old);
    EXPECT_THAT(head, StartsWith("HTTP/1.0 200 OK\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nConnection: keep-alive\r\n"));
}

TEST(ResponseHead, LetsNoValueAddALine) {
    Response response = json(201, "{}");
    response.headers.add("Location", "/a\r\nSet-Cookie: b");
    EXPECT_THAT(response_head(response, context()), HasSubstr("Location: /a  Set-Cookie: b\r\n"));
}

}  // namespace

}  // namespace sundial::http
