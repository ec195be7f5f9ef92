#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/ports/failures.hpp"
#include "application/ports/secrets.hpp"

namespace sundial {

/// Opens sealed text by returning it unchanged; "broken" cannot be opened.
class PlainSecrets final : public Secrets {
public:
    Result<NewSecret, ValidationFailed> seal(const std::optional<std::string>& given) override {
        return NewSecret{given.value_or(""), given.value_or(""), ""};
    }
    std::optional<std::string> seal_text(std::string_view text) override {
        return std::string{text};
    }
    Result<NewKeyPair, ValidationFailed> new_key_pair() override { return NewKeyPair{}; }
    std::optional<std::string> resealed(const std::string& /*sealed*/) override { return {}; }
    std::string open(const std::string& sealed) override {
        if (sealed == "broken") throw Corrupt("encrypted with another key");
        return sealed;
    }
};

}  // namespace sundial
