#pragma once

#include "application/ports/secrets.hpp"

namespace sundial::system {

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
