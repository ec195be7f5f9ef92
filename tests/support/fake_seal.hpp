#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/ports/secrets.hpp"

namespace sundial {

/// Seals by reversing texts, which suffices to show that no plain text is stored.
class FakeSeal final : public Seal {
public:
    std::optional<std::string> seal_text(std::string_view text) override {
        if (!has_key) return std::nullopt;
        return std::string{text.rbegin(), text.rend()};
    }
    std::string open(const std::string& sealed) override {
        return std::string{sealed.rbegin(), sealed.rend()};
    }
    bool has_key = true;
};

}  // namespace sundial
