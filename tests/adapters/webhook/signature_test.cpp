#include "adapters/webhook/signature.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <memory>

#include "base/text.hpp"

namespace sundial::webhook {
namespace {

const std::string vector_id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const std::chrono::sys_seconds vector_time{std::chrono::seconds(1614265330)};
const std::string vector_body = R"({"test": 2432232314})";
const std::string vector_signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

OpenKey secret(std::string_view base64) {
    return {SignatureScheme::v1, base::from_base64(base64).value()};
}

TEST(Signature, AgreesWithTheVectorOfStandardWebhooks) {
    EXPECT_EQ(sign(secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), vector_id, vector_time, vector_body),
              vector_signature);
}

TEST(Signature, OfSeveralKeysStandSideBySideInTheirOrder) {
    const std::vector<OpenKey> keys{secret("bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3"),
                                    secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")};
    EXPECT_EQ(sign(keys, vector_id, vector_time, vector_body),
              sign(keys[0], vector_id, vector_time, vector_body) + ' ' + vector_signature);
    EXPECT_EQ(sign(std::vector<OpenKey>{}, vector_id, vector_time, vector_body), "");
}

TEST(Signature, IsFoundAmongOthers) {
    const OpenKey key = secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    const auto finds = [&](const std::string& signatures) {
        return is_signed(signatures, key, vector_id, vector_time, vector_body);
    };
    EXPECT_TRUE(finds(vector_signature));
    EXPECT_TRUE(finds("v1,AAAA  v2,AAAA " + vector_signature));
    EXPECT_FALSE(finds(""));
    EXPECT_FALSE(finds(" "));
    EXPECT_FALSE(finds(vector_signature + "="));
    EXPECT_FALSE(finds(vector_signature.substr(3)));
    EXPECT_FALSE(is_signed(vector_signature, key, vector_id, vector_time, vector_body + " "));
}

/// RFC 8032, 7.1, test 1: the private key and its public key.
const std::string private_key = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=";
const std::string public_key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

TEST(Signature, OfEd25519VerifiesUnderThePublicKey) {
    const OpenKey key{SignatureScheme::v1a, base::from_base64(private_key).value()};
    const std::string signature = sign(key, vector_id, vector_time, vector_body);
    ASSERT_EQ(signature.substr(0, 4), "v1a,");
    const std::string bytes = base::from_base64(signature.substr(4)).value();
    const std::string known = base::from_base64(public_key).value();
    const auto verifies = [&](const std::string& text) {
        const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> verifier(
            EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr,
                                        reinterpret_cast<const unsigned char*>(known.data()),
                                        known.size()),
            &EVP_PKEY_free);
        const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                              &EVP_MD_CTX_free);
        EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, verifier.get());
        return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(bytes.data()),
                                bytes.size(), reinterpret_cast<const unsigned char*>(text.data()),
                                text.size()) == 1;
    };
    EXPECT_TRUE(verifies(vector_id + ".1614265330." + vector_body));
    EXPECT_FALSE(verifies(vector_id + ".1614265331." + vector_body));
}

}  // namespace
}  // namespace sundial::webhook
