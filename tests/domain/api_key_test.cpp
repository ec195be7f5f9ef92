#include "domain/api_key.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::MatchesRegex;

const std::string secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_-";

ApiKeyId id_of(const char* text) { return ApiKeyId{base::parse_uuid(text).value()}; }

TEST(ApiKey, IsNamedByTheLastFiftyBitsOfItsId) {
    EXPECT_EQ(handle_of(id_of("ffffffff-ffff-7fff-bffc-000000000000")), "0000000000");
    EXPECT_EQ(handle_of(id_of("00000000-0000-7000-8000-000000000001")), "0000000001");
    EXPECT_EQ(handle_of(id_of("00000000-0000-7000-8003-ffffffffffff")), "zzzzzzzzzz");
}

/// The checksum by Python: zlib.crc32 in base 62.
TEST(ApiKey, HasATextThatScannersFind) {
    const std::string text = to_string(KeyText{"0000000001", secret});
    EXPECT_EQ(text, "sundial_sk_0000000001_" + secret + "4EmPLq");
    EXPECT_THAT(text, MatchesRegex("sundial_sk_[0-9a-z]{10}_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}"));
}

TEST(ApiKey, IsReadFromItsText) {
    const auto key = parse_key_text(to_string(KeyText{"7f3a9k2m1q", secret}));
    ASSERT_TRUE(key);
    EXPECT_EQ(key->handle, "7f3a9k2m1q");
    EXPECT_EQ(key->secret, secret);
}

RC_GTEST_PROP(ApiKeyText, IsNoKeyWithAnyOtherCharacterAnywhere, ()) {
    const std::string text = to_string(KeyText{"7f3a9k2m1q", secret});
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const char other = *rc::gen::distinctFrom(text[at]);
    std::string wrong = text;
    wrong[at] = other;
    RC_ASSERT(!parse_key_text(wrong));
}

TEST(ApiKey, IsNothingElse) {
    const std::string text = to_string(KeyText{"7f3a9k2m1q", secret});
    for (const std::string& wrong :
         {std::string(), std::string("sundial_sk_"), text + "x", text.substr(1), " " + text,
          text.substr(0, text.size() - 1), to_string(KeyText{"7F3A9K2M1Q", secret}),
          to_string(KeyText{"7f3a9k2m1", secret + "A"})}) {
        EXPECT_FALSE(parse_key_text(wrong)) << wrong;
    }
}

TEST(ApiKey, ExpiresAtItsInstant) {
    ApiKey key = an_api_key();
    EXPECT_FALSE(expired(key, noon));
    key.expires_at = noon;
    EXPECT_FALSE(expired(key, noon - std::chrono::microseconds(1)));
    EXPECT_TRUE(expired(key, noon));
}

TEST(ApiKey, NamesItsRoles) {
    for (const Role role : {Role::read, Role::write, Role::admin}) {
        EXPECT_EQ(parse_role(to_string(role)), role);
    }
    EXPECT_FALSE(parse_role("read"));
    EXPECT_LT(Role::read, Role::write);
    EXPECT_LT(Role::write, Role::admin);
}

}  // namespace
}  // namespace sundial
