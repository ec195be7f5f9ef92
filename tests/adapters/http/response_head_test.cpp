#include "adapters/http/response_head.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sundial::http {
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
