#pragma once

#include <atomic>
#include <string>

#include "application/ports/secrets.hpp"
#include "support/fake_digest.hpp"

namespace sundial {

/// "token-1", "token-2", …
class FakeLockTokens final : public LockTokens {
public:
    Fresh make() override {
        std::string token = "token-" + std::to_string(++made_);
        return {token, hash(token)};
    }
    [[nodiscard]] std::string hash(std::string_view token) const override {
        return digest_.sha256(token);
    }

private:
    FakeDigest digest_;
    std::atomic<int> made_ = 0;
};

}  // namespace sundial
