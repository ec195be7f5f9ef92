#include "adapters/system/secrets.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "adapters/system/crypto.hpp"
#include "application/ports/failures.hpp"
#include "base/text.hpp"

namespace sundial::system {
namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::string_view public_key_prefix = "whpk_";
constexpr std::size_t key_id_size = 8;
constexpr std::size_t sealing_key_size = 32;

ValidationFailed no_key(const char* pointer) {
    return invalid(
        pointer, "not_allowed",
        "secrets cannot be stored without an encryption key: set security.encryption_key to 32 "
        "random bytes in base64 (openssl rand -base64 32)");
}

/// The bytes of a secret given by a caller; empty if the text does not have the format of a secret.
std::optional<std::string> key_bytes_of(std::string_view given) {
    if (!given.starts_with(secret_prefix)) return std::nullopt;
    auto bytes = base::from_base64(given.substr(secret_prefix.size()));
    if (!bytes || bytes->size() < 24 || bytes->size() > 64) return std::nullopt;
    return bytes;
}

}  // namespace

SecretBox::SecretBox(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
        keys_.push_back({base::to_base64(sha256(key)).substr(0, key_id_size), key});
    }
}

std::string SecretBox::sealed_now(std::string_view secret) const {
    const Key& key = keys_.front();
    return key.id + "." + base::to_base64(encrypt(key.bytes, secret));
}

Result<NewSecret, ValidationFailed> SecretBox::seal(const std::optional<std::string>& given) {
    if (keys_.empty()) return no_key("/secret");
    const auto bytes = given ? key_bytes_of(*given) : random_bytes(32);
    if (!bytes) {
        return invalid("/secret", "bad_format",
                       "a secret is 'whsec_' followed by 24 to 64 bytes in base64");
    }
    const std::string shown = std::string(secret_prefix) + base::to_base64(*bytes);
    const auto last = shown.find_last_not_of('=');
    return NewSecret{.shown = shown,
                     .sealed = sealed_now(*bytes),
                     .hint = std::string(secret_prefix) + "…" + shown.substr(last - 2, 3)};
}

Result<NewKeyPair, ValidationFailed> SecretBox::new_key_pair() {
    if (keys_.empty()) return no_key("/ed25519");
    const KeyPair pair = new_ed25519_pair();
    return NewKeyPair{
        .public_key = std::string(public_key_prefix) + base::to_base64(pair.public_key),
        .sealed = sealed_now(pair.private_key)};
}

std::optional<std::string> SecretBox::seal_text(std::string_view text) {
    if (keys_.empty()) return std::nullopt;
    return sealed_now(text);
}

std::string SecretBox::open(const std::string& sealed) {
    const auto ciphertext =
        sealed.size() > key_id_size && sealed[key_id_size] == '.'
            ? base::from_base64(std::string_view(sealed).substr(key_id_size + 1))
            : std::nullopt;
    if (!ciphertext) throw Corrupt("a stored secret has an unknown format");
    const auto key = std::ranges::find(keys_, sealed.substr(0, key_id_size), &Key::id);
    if (key == keys_.end()) {
        throw Corrupt(
            "a secret was encrypted with another key; add that key to security.encryption_key, "
            "after the first");
    }
    try {
        return decrypt(key->bytes, *ciphertext);
    } catch (const std::invalid_argument& error) {
        throw Corrupt(std::string("a stored secret cannot be decrypted: ") + error.what());
    }
}

std::optional<std::string> SecretBox::resealed(const std::string& sealed) {
    if (!keys_.empty() && sealed.starts_with(keys_.front().id + '.')) return std::nullopt;
    return sealed_now(open(sealed));
}

std::vector<std::string> parse_encryption_keys(std::string_view text, std::string_view setting) {
    constexpr std::string_view between = ", \t\r\n";
    std::vector<std::string> keys;
    for (auto start = text.find_first_not_of(between); start != std::string_view::npos;
         start = text.find_first_not_of(between, start)) {
        const auto end = std::min(text.find_first_of(between, start), text.size());
        auto key = base::from_base64(text.substr(start, end - start));
        if (!key || key->size() != sealing_key_size) {
            keys.clear();
            break;
        }
        keys.push_back(*std::move(key));
        start = end;
    }
    if (!keys.empty()) return keys;
    throw CannotStart(std::string(setting) +
                      " is not a key: give 32 bytes in base64 ('openssl rand -base64 32' prints "
                      "them), followed by the keys that it replaces, with commas between them");
}

std::vector<std::string> keys_from_file(const std::filesystem::path& file) {
    const std::string text = base::to_base64(random_bytes(32)) + "\n";
    const int made =
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (made >= 0) {
        const bool written =
            ::write(made, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
            ::fsync(made) == 0;
        ::close(made);
        if (!written)
            throw CannotStart("cannot write the key file " + file.string() + ": " +
                              std::strerror(errno));
        return parse_encryption_keys(text, file.string());
    }
    if (errno != EEXIST)
        throw CannotStart("cannot create the key file " + file.string() + ": " +
                          std::strerror(errno) + "; or set security.encryption_key");
    std::ostringstream content;
    content << std::ifstream(file).rdbuf();
    return parse_encryption_keys(content.str(), "the key file " + file.string());
}

namespace {

constexpr std::size_t secret_bytes = 32;

std::string to_base64url(std::string_view bytes) {
    std::string text = base::to_base64(bytes);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    text.erase(text.find_last_not_of('=') + 1);
    return text;
}

}  // namespace

ApiKeySecrets::Fresh SystemApiKeySecrets::make() {
    std::string secret = to_base64url(random_bytes(secret_bytes));
    std::string its_hash = hash(secret);
    return {std::move(secret), std::move(its_hash)};
}

std::string SystemApiKeySecrets::hash(std::string_view secret) const { return sha256(secret); }

bool SystemApiKeySecrets::matches(std::string_view secret, std::string_view hash) const {
    return equal_in_constant_time(sha256(secret), hash);
}

LockTokens::Fresh SystemLockTokens::make() {
    constexpr std::size_t bytes = 16;
    std::string token = base::to_hex(random_bytes(bytes));
    std::string its_hash = hash(token);
    return {std::move(token), std::move(its_hash)};
}

std::string SystemLockTokens::hash(std::string_view token) const { return sha256(token); }

std::string OpensslDigest::sha256(std::string_view bytes) const { return system::sha256(bytes); }

}  // namespace sundial::system
