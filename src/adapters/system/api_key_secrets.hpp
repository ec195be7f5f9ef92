#pragma once

#include "application/ports/api_key_secrets.hpp"

namespace sundial::system {

class SystemApiKeySecrets final : public ApiKeySecrets {
public:
    Fresh make() override;
    [[nodiscard]] std::string hash(std::string_view secret) const override;
    [[nodiscard]] bool matches(std::string_view secret, std::string_view hash) const override;
};

}  // namespace sundial::system
