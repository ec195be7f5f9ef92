#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/endpoint.hpp"
#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SigningKey key(std::string sealed, Instant until = never) {
    return {.scheme = SignatureScheme::v1, .sealed = std::move(sealed), .signs_until = until};
}
SigningKey pair_key(std::string sealed) {
    return {.scheme = SignatureScheme::v1a, .sealed = std::move(sealed)};
}

TEST(SigningAt, ExcludesExpiredKeys) {
    const std::vector<SigningKey> keys{key("new"), key("old", noon), key("older", noon - 1s)};
    EXPECT_THAT(signing_at(keys, noon - 1us), ElementsAre(keys[0], keys[1]));
    EXPECT_THAT(signing_at(keys, noon), ElementsAre(keys[0]));
    EXPECT_THAT(signing_at({}, noon), IsEmpty());
}

TEST(Rotated, TheNewKeySignsFirstAndTheOldOneForAWhile) {
    const std::vector<SigningKey> keys{key("old")};
    EXPECT_THAT(rotated(keys, {key("new")}, noon, 24h).value(),
                ElementsAre(key("new"), key("old", noon + 24h)));
    EXPECT_THAT(rotated(keys, {key("new")}, noon, 7 * 24h).value(),
                ElementsAre(key("new"), key("old", noon + 7 * 24h)));
}

TEST(Rotated, OlderKeysEndNoLaterThanTheReplacedKey) {
    const std::vector<SigningKey> keys{key("old"), key("older", noon + 2h), key("ended", noon)};
    EXPECT_THAT(rotated(keys, {key("new")}, noon, 1h).value(),
                ElementsAre(key("new"), key("old", noon + 1h), key("older", noon + 1h)));
    EXPECT_THAT(rotated(keys, {key("new")}, noon, 24h).value(),
                ElementsAre(key("new"), key("old", noon + 24h), key("older", noon + 2h)));
}

TEST(Rotated, AfterZeroNothingOldSigns) {
    const std::vector<SigningKey> keys{key("old"), key("older", noon + 1h),
                                       key("oldest", noon + 1h)};
    EXPECT_THAT(rotated(keys, {key("new")}, noon, 0s).value(), ElementsAre(key("new")));
}

TEST(Rotated, EachSchemeOnItsOwn) {
    const std::vector<SigningKey> keys{key("old"), pair_key("old pair")};
    const auto after = rotated(keys, {key("new"), pair_key("new pair")}, noon, 1h).value();
    ASSERT_EQ(after.size(), 4U);
    EXPECT_EQ(after[1], pair_key("new pair"));
    EXPECT_EQ(after[3].signs_until, noon + 1h);
}

TEST(Rotated, NoMoreThanThreeSignAtOnce) {
    const std::vector<SigningKey> two{key("old"), key("older", noon + 1h)};
    EXPECT_TRUE(rotated(two, {key("new")}, noon, 1h));
    const std::vector<SigningKey> three{key("old"), key("older", noon + 1h),
                                        key("oldest", noon + 1us)};
    const auto refused = rotated(three, {key("new")}, noon, 1h);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().errors.at(0).code, "not_allowed");
    EXPECT_TRUE(rotated(three, {key("new")}, noon + 1us, 1h));
}

TEST(Rotated, TheOldSignsForSevenDaysAtMost) {
    for (const std::chrono::seconds wrong : {-1s, std::chrono::seconds(7 * 24h) + 1s}) {
        const auto refused = rotated(std::vector{key("old")}, {key("new")}, noon, wrong);
        ASSERT_FALSE(refused) << wrong.count();
        EXPECT_EQ(refused.error().errors.at(0).pointer, "/oldSignsFor");
    }
}

}  // namespace
}  // namespace sundial
