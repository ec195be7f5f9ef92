#include <gtest/gtest.h>

#include "base/log.hpp"

namespace sundial::base {
namespace {

TEST(Redacted, KeepsTextWithoutSecrets) {
    for (const char* text : {"", "request answered", "no response from http://127.0.0.1:8080",
                             "see https://example.com/a@b", "postgresql://sundial@db/sundial",
                             "whsec_", "key:7f3a9k2m1q", "a:b@c"}) {
        EXPECT_EQ(redacted(text), text);
    }
}

TEST(Redacted, HidesCredentials) {
    EXPECT_EQ(redacted("key sundial_sk_7f3a9k2m1q_AAAA-_0123 is wrong"),
              "key sundial_sk_7f3a9k2m1q_*** is wrong");
    EXPECT_EQ(redacted("Authorization: Bearer abc.def~1+/=="), "Authorization: Bearer ***");
    EXPECT_EQ(redacted("AUTHORIZATION: BEARER x, bearer y"),
              "AUTHORIZATION: BEARER ***, bearer ***");
    EXPECT_EQ(redacted("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, whsec_x"), "whsec_***, whsec_***");
    EXPECT_EQ(redacted("cannot reach postgresql://sundial:geheim@db/sundial"),
              "cannot reach postgresql://sundial:***@db/sundial");
    EXPECT_EQ(redacted("https://a:p@ss@b and http://c:d@e"), "https://a:***@b and http://c:***@e");
}

TEST(Redacted, HidesAKeyBehindItsScheme) {
    EXPECT_EQ(redacted("Bearer sundial_sk_7f3a9k2m1q_AAAA"), "Bearer ***");
}

TEST(Redacted, HidesPasswordsOfConnectionStrings) {
    EXPECT_EQ(redacted("host=db password=geheim user=a"), "host=db password=*** user=a");
    EXPECT_EQ(redacted("PASSWORD = 'it\\'s a secret' host=db"), "PASSWORD = *** host=db");
    EXPECT_EQ(redacted("password=a\\ b host=db"), "password=*** host=db");
    EXPECT_EQ(redacted("password='not closed"), "password=***");
    EXPECT_EQ(redacted("postgresql:///x?user=a&password=p%20q&sslpassword=r#s"),
              "postgresql:///x?user=a&password=***&sslpassword=***#s");
}

TEST(Redacted, HidesPasswordsThatAreNotEscaped) {
    EXPECT_EQ(redacted("postgresql://a:b?c#d@h/x"), "postgresql://a:***@h/x");
    EXPECT_EQ(redacted("postgres://a:b/c@d@h/x is wrong"), "postgres://a:***@h/x is wrong");
    EXPECT_EQ(redacted("a=postgresql://a:b@h/x,b=postgresql://c:d/e@k/y"),
              "a=postgresql://a:***@h/x,b=postgresql://c:***@k/y");
    EXPECT_EQ(redacted("redis://:a/b@h:6379/0"), "redis://:***@h:6379/0");
}

TEST(Redacted, KeepsTextsThatNameAPassword) {
    for (const char* const text : {"password authentication failed for user \"a\"",
                                   "password=", "the password", "passwordless = no"})
        EXPECT_EQ(redacted(text), text);
}

TEST(Redacted, HidesTruncatedSecrets) {
    EXPECT_EQ(redacted("sundial_sk_7f3a9k2m1q"), "sundial_sk_7f3a9k2m1q");
    EXPECT_EQ(redacted("sundial_sk_7f3a9k2m1q_A"), "sundial_sk_7f3a9k2m1q_***");
}

}  // namespace
}  // namespace sundial::base
