#include <gmock/gmock.h>

#include <set>

#include "adapters/system/secrets.hpp"
#include "domain/api_key.hpp"

namespace sundial::system {
namespace {

TEST(ApiKeySecrets, FitInAKeyAndAreDistinct) {
    SystemApiKeySecrets secrets;
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const auto fresh = secrets.make();
        EXPECT_TRUE(parse_key_text(to_string(KeyText{"7f3a9k2m1q", fresh.secret})));
        EXPECT_EQ(fresh.hash.size(), 32U);
        EXPECT_TRUE(secrets.matches(fresh.secret, fresh.hash));
        EXPECT_TRUE(seen.insert(fresh.secret).second);
    }
}

/// Expected value: printf abc | sha256sum
TEST(ApiKeySecrets, AreKeptAsTheirSha256) {
    const SystemApiKeySecrets secrets;
    EXPECT_EQ(secrets.hash("abc").substr(0, 4), "\xba\x78\x16\xbf");
    EXPECT_FALSE(secrets.matches("abd", secrets.hash("abc")));
    EXPECT_FALSE(secrets.matches("abc", ""));
    EXPECT_FALSE(secrets.matches("abc", std::string(32, '\0')));
}

}  // namespace
}  // namespace sundial::system
