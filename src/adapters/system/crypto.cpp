#include "adapters/system/crypto.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "base/check.hpp"

namespace sundial::system {
namespace {

constexpr std::size_t nonce_size = 12;
constexpr std::size_t tag_size = 16;
constexpr std::size_t key_size = 32;

void require(int ok, const char* what) {
    if (ok != 1) throw std::runtime_error(std::string("OpenSSL: ") + what + " failed");
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

using Algorithm = std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)>;
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

Cipher new_cipher() {
    Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    require(cipher ? 1 : 0, "cipher context");
    return cipher;
}

}  // namespace

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    require(RAND_bytes(bytes_of(bytes), static_cast<int>(count)), "random source");
    return bytes;
}

std::uint64_t random_number() {
    // A call costs 0.6 µs, for eight bytes as for five hundred.
    thread_local std::array<std::uint64_t, 64> drawn;
    thread_local std::size_t given = drawn.size();
    if (given == drawn.size()) {
        require(RAND_bytes(reinterpret_cast<unsigned char*>(drawn.data()), sizeof(drawn)),
                "random source");
        given = 0;
    }
    return drawn[given++];
}

KeyPair new_ed25519_pair() {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), &EVP_PKEY_free);
    require(key ? 1 : 0, "key generation");
    KeyPair pair{std::string(key_size, '\0'), std::string(key_size, '\0')};
    std::size_t size = key_size;
    require(EVP_PKEY_get_raw_private_key(key.get(), bytes_of(pair.private_key), &size),
            "key generation");
    require(EVP_PKEY_get_raw_public_key(key.get(), bytes_of(pair.public_key), &size),
            "key generation");
    return pair;
}

std::string sha256(std::string_view bytes) {
    // EVP_sha256() looks the algorithm up by name in each call, which takes twice as long as the
    // hash.
    static const Algorithm algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free);
    require(algorithm ? 1 : 0, "SHA-256");
    std::string digest(32, '\0');
    unsigned int size = 0;
    require(
        EVP_Digest(bytes.data(), bytes.size(), bytes_of(digest), &size, algorithm.get(), nullptr),
        "SHA-256");
    return digest;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string encrypt(std::string_view key, std::string_view plain) {
    base::check(key.size() == key_size);
    const std::string nonce = random_bytes(nonce_size);
    std::string ciphertext(plain.size(), '\0');
    std::string tag(tag_size, '\0');
    const Cipher cipher = new_cipher();
    int written = 0;
    require(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key),
                               bytes_of(std::string_view(nonce))),
            "encryption");
    require(EVP_EncryptUpdate(cipher.get(), bytes_of(ciphertext), &written, bytes_of(plain),
                              static_cast<int>(plain.size())),
            "encryption");
    require(EVP_EncryptFinal_ex(cipher.get(), bytes_of(ciphertext) + written, &written),
            "encryption");
    require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, tag_size, tag.data()),
            "encryption");
    return nonce + ciphertext + tag;
}

std::string decrypt(std::string_view key, std::string_view sealed) {
    base::check(key.size() == key_size);
    if (sealed.size() < nonce_size + tag_size)
        throw std::invalid_argument("sealed text is too short");
    const std::string_view nonce = sealed.substr(0, nonce_size);
    const std::string_view ciphertext =
        sealed.substr(nonce_size, sealed.size() - nonce_size - tag_size);
    std::string tag{sealed.substr(sealed.size() - tag_size)};
    std::string plain(ciphertext.size(), '\0');
    const Cipher cipher = new_cipher();
    int written = 0;
    require(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key),
                               bytes_of(nonce)),
            "decryption");
    require(EVP_DecryptUpdate(cipher.get(), bytes_of(plain), &written, bytes_of(ciphertext),
                              static_cast<int>(ciphertext.size())),
            "decryption");
    require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tag_size, tag.data()),
            "decryption");
    if (EVP_DecryptFinal_ex(cipher.get(), bytes_of(plain) + written, &written) != 1) {
        throw std::invalid_argument("encrypted with another key, or altered");
    }
    return plain;
}

}  // namespace sundial::system
