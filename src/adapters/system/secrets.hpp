#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/secrets.hpp"

namespace sundial::system {

/// Signing secrets, and other text that must not lie readable, under keys of 32 bytes: the first
/// seals, all open. With each secret is kept the id of the key that sealed it.
class SecretBox final : public Secrets {
public:
    /// Without a key nothing can be sealed: `seal` returns a ValidationFailed that names the
    /// missing setting.
    explicit SecretBox(const std::vector<std::string>& keys);

    Result<NewSecret, ValidationFailed> seal(const std::optional<std::string>& given) override;
    Result<NewKeyPair, ValidationFailed> new_key_pair() override;
    std::optional<std::string> seal_text(std::string_view text) override;
    std::string open(const std::string& sealed) override;
    std::optional<std::string> resealed(const std::string& sealed) override;

private:
    struct Key {
        std::string id;
        std::string bytes;
    };
    [[nodiscard]] std::string sealed_now(std::string_view secret) const;

    std::vector<Key> keys_;
};

/// The keys in `text`: 32 bytes in base64 each, separated by blanks, line breaks or commas. Throws
/// CannotStart, naming `setting`, if `text` is empty or contains anything else.
[[nodiscard]] std::vector<std::string> parse_encryption_keys(std::string_view text,
                                                             std::string_view setting);
/// The keys in `file`. Creates the file with one key (mode 0600) if it is absent. Throws
/// CannotStart.
[[nodiscard]] std::vector<std::string> keys_from_file(const std::filesystem::path& file);

class SystemApiKeySecrets final : public ApiKeySecrets {
public:
    Fresh make() override;
    [[nodiscard]] std::string hash(std::string_view secret) const override;
    [[nodiscard]] bool matches(std::string_view secret, std::string_view hash) const override;
};

/// Implemented with OpenSSL. Thread-safe.
class SystemLockTokens final : public LockTokens {
public:
    Fresh make() override;
    [[nodiscard]] std::string hash(std::string_view token) const override;
};

/// Implemented with OpenSSL. Thread-safe.
class OpensslDigest final : public Digest {
public:
    [[nodiscard]] std::string sha256(std::string_view bytes) const override;
};

}  // namespace sundial::system
