#include "adapters/system/secrets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>

#include "application/ports/failures.hpp"
#include "base/text.hpp"
#include "domain/api_key.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::system {
namespace {

const std::string key(32, 'k');

TEST(SecretBox, OpensItsSealedText) {
    SecretBox box({key});
    const auto made = box.seal(std::nullopt);
    ASSERT_TRUE(made);
    EXPECT_EQ("whsec_" + base::to_base64(box.open(made->sealed)), made->shown);
    EXPECT_EQ(made->sealed.find(made->shown.substr(6)), std::string::npos);
    EXPECT_NE(box.seal(std::nullopt)->shown, made->shown);
}

TEST(SecretBox, TakesASecretOfOnesOwn) {
    SecretBox box({key});
    const auto made = box.seal("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->hint, "whsec_…aSw");
    EXPECT_EQ(base::to_base64(box.open(made->sealed)), "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
}

TEST(SecretBox, RefusesInvalidSecrets) {
    SecretBox box({key});
    for (const std::string wrong :
         {"", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_short", "whsec_!!!!"}) {
        const auto refused = box.seal(wrong);
        ASSERT_FALSE(refused) << wrong;
        EXPECT_EQ(refused.error().errors.at(0).pointer, "/secret");
    }
}

TEST(SecretBox, WithoutAKeySealsNothingAndNamesTheSetting) {
    SecretBox box({});
    const auto refused = box.seal(std::nullopt);
    ASSERT_FALSE(refused);
    const auto& error = refused.error().errors.at(0);
    EXPECT_NE(error.message.find("security.encryption_key"), std::string::npos);
}

TEST(SecretBox, NoticesAnotherKeyAndEveryChangedByte) {
    SecretBox box({key});
    const std::string sealed = box.seal(std::nullopt)->sealed;
    EXPECT_THROW((void)SecretBox({std::string(32, 'x')}).open(sealed), Corrupt);
    for (std::size_t i = 9; i < sealed.size(); ++i) {
        std::string changed = sealed;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        EXPECT_THROW((void)box.open(changed), Corrupt) << i;
    }
}

TEST(SecretBox, MakesPairsOfKeysWhosePrivateHalfOnlyItCanOpen) {
    SecretBox box({key});
    const auto pair = box.new_key_pair();
    ASSERT_TRUE(pair);
    EXPECT_TRUE(pair->public_key.starts_with("whpk_"));
    EXPECT_EQ(base::from_base64(pair->public_key.substr(5))->size(), 32U);
    EXPECT_EQ(box.open(pair->sealed).size(), 32U);
    EXPECT_NE(box.new_key_pair()->public_key, pair->public_key);
    EXPECT_FALSE(SecretBox({}).new_key_pair());
}

TEST(SecretBox, SealsUnderItsFirstKeyAndOpensWithAnyKey) {
    const std::string next(32, 'n');
    SecretBox before({key}), between({next, key}), after({next});
    const auto made = before.seal(std::nullopt);
    EXPECT_EQ(between.open(made->sealed), before.open(made->sealed));
    EXPECT_THROW((void)after.open(made->sealed), Corrupt);

    const auto moved = between.resealed(made->sealed);
    ASSERT_TRUE(moved);
    EXPECT_EQ(after.open(*moved), before.open(made->sealed));
    EXPECT_FALSE(between.resealed(*moved));
    EXPECT_THROW((void)after.resealed(made->sealed), Corrupt);
}

TEST(ParseEncryptionKeys, TakesOneOrSeveralOf32Bytes) {
    const std::string one = base::to_base64(key), other = base::to_base64(std::string(32, 'x'));
    const std::vector<std::string> both{key, std::string(32, 'x')};
    EXPECT_EQ(parse_encryption_keys(one + "\n", "the key"), std::vector<std::string>{key});
    EXPECT_EQ(parse_encryption_keys(one + "," + other, "the key"), both);
    EXPECT_EQ(parse_encryption_keys("\n" + one + "\n" + other + " ", "the key"), both);
    for (const std::string& wrong : {std::string(), std::string(" ,"), std::string("c2hvcnQ="),
                                     one + ";" + other, one + ",c2hvcnQ="}) {
        EXPECT_THROW((void)parse_encryption_keys(wrong, "the key"), CannotStart) << wrong;
    }
}

TEST(KeysFromFile, MakesTheFileOnceForItsOwnerAlone) {
    const TemporaryFolder folder;
    const auto file = folder.file("sundial.key");
    const auto made = keys_from_file(file);
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].size(), 32U);
    EXPECT_EQ(keys_from_file(file), made);
    struct stat status{};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);

    std::ofstream(file) << "not a key";
    EXPECT_THROW((void)keys_from_file(file), CannotStart);
}

}  // namespace

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
