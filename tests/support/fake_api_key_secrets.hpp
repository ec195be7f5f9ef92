#pragma once

#include <string>
#include <string_view>

#include "application/ports/secrets.hpp"

namespace sundial {

/// Numbered secrets; their "hashes" are the last 32 characters reversed.
class FakeApiKeySecrets final : public ApiKeySecrets {
public:
    Fresh make() override {
        std::string secret(43, 'A');
        const std::string number = std::to_string(++count_);
        secret.replace(secret.size() - number.size(), number.size(), number);
        return {secret, hash(secret)};
    }
    [[nodiscard]] std::string hash(std::string_view secret) const override {
        return {secret.rbegin(), secret.rbegin() + 32};
    }
    [[nodiscard]] bool matches(std::string_view secret, std::string_view expected) const override {
        ++compared;
        return hash(secret) == expected;
    }

    mutable int compared = 0;

private:
    int count_ = 0;
};

}  // namespace sundial
