#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "adapters/redis/connection.hpp"
#include "application/ports/failures.hpp"

namespace sundial::redis {
namespace {

struct UrlCase {
    const char* name;
    const char* url;
    Address address;
    friend void PrintTo(const UrlCase& one, std::ostream* out) { *out << one.url; }
};

class RedisUrl : public testing::TestWithParam<UrlCase> {};

TEST_P(RedisUrl, IsTakenApart) {
    const Address found = parse_url(GetParam().url);
    const Address& expected = GetParam().address;
    EXPECT_EQ(found.host, expected.host);
    EXPECT_EQ(found.port, expected.port);
    EXPECT_EQ(found.user, expected.user);
    EXPECT_EQ(found.password, expected.password);
    EXPECT_EQ(found.database, expected.database);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, RedisUrl,
    testing::Values(
        UrlCase{"host", "redis://locks.example", {.host = "locks.example"}},
        UrlCase{"port", "redis://127.0.0.1:7000/", {.host = "127.0.0.1", .port = 7000}},
        UrlCase{"ipv6", "redis://[::1]:7000/3", {.host = "::1", .port = 7000, .database = 3}},
        UrlCase{"ipv6_without_port", "redis://[::1]", {.host = "::1"}},
        UrlCase{"password",
                "redis://:p%40ss%2F@h/1",
                {.host = "h", .password = "p@ss/", .database = 1}},
        UrlCase{"password_only", "redis://secret@h", {.host = "h", .password = "secret"}},
        UrlCase{"user", "redis://me:it@h", {.host = "h", .user = "me", .password = "it"}}),
    [](const auto& test) { return std::string{test.param.name}; });

TEST(RedisUrlRefused, SaysWhyAndNeverShowsThePassword) {
    for (const char* url :
         {"", "redis://", "rediss://h", "h:6379", "redis://:hush@h:99999", "redis://:hush@h:x",
          "redis://:hush%4@h", "redis://:hush@h/x", "redis://:hush@h/-1", "redis://:hush@:1"}) {
        try {
            (void)parse_url(url);
            ADD_FAILURE() << url;
        } catch (const CannotStart& refused) {
            EXPECT_EQ(std::string{refused.what()}.find("hush"), std::string::npos) << url;
        }
    }
}

}  // namespace
}  // namespace sundial::redis
