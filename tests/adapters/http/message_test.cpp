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
}  // namespace sundial::http
