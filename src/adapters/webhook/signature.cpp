#include "adapters/webhook/signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "base/text.hpp"

namespace sundial::webhook {
namespace {

constexpr std::size_t ed25519_signature_size = 64;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
             digest.data(), &size) == nullptr) {
        throw std::runtime_error("OpenSSL: HMAC failed");
    }
    return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string ed25519(std::string_view private_key, std::string_view text) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(private_key),
                                     private_key.size()),
        &EVP_PKEY_free);
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                          &EVP_MD_CTX_free);
    std::array<unsigned char, ed25519_signature_size> signature{};
    std::size_t size = signature.size();
    if (!key || !context ||
        EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
        EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(text), text.size()) != 1) {
        throw std::runtime_error("OpenSSL: an Ed25519 signature failed");
    }
    return {reinterpret_cast<const char*>(signature.data()), size};
}

}  // namespace

std::string sign(const OpenKey& key, std::string_view id, std::chrono::sys_seconds timestamp,
                 std::string_view body) {
    std::string text{id};
    text += '.' + std::to_string(timestamp.time_since_epoch().count()) + '.';
    text += body;
    const std::string signature = key.scheme == SignatureScheme::v1a ? ed25519(key.bytes, text)
                                                                     : hmac_sha256(key.bytes, text);
    return std::string(to_string(key.scheme)) + ',' + base::to_base64(signature);
}

std::string sign(std::span<const OpenKey> keys, std::string_view id,
                 std::chrono::sys_seconds timestamp, std::string_view body) {
    std::string signatures;
    for (const OpenKey& key : keys) {
        if (!signatures.empty()) signatures += ' ';
        signatures += sign(key, id, timestamp, body);
    }
    return signatures;
}

bool is_signed(std::string_view signatures, const OpenKey& key, std::string_view id,
               std::chrono::sys_seconds timestamp, std::string_view body) {
    const std::string own = sign(key, id, timestamp, body);
    while (!signatures.empty()) {
        const auto end = std::min(signatures.find(' '), signatures.size());
        if (signatures.substr(0, end) == own) return true;
        signatures.remove_prefix(std::min(end + 1, signatures.size()));
    }
    return false;
}

}  // namespace sundial::webhook
