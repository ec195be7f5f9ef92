#pragma once

#include "application/ports/lock_tokens.hpp"

namespace sundial::system {

/// Implemented with OpenSSL. Thread-safe.
class SystemLockTokens final : public LockTokens {
public:
    Fresh make() override;
    [[nodiscard]] std::string hash(std::string_view token) const override;
};

}  // namespace sundial::system
