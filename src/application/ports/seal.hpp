#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sundial {

/// Encrypts text that must not be readable in a database. Thread-safe.
class Seal {
public:
    virtual ~Seal() = default;
    /// Empty if there is no encryption key.
    virtual std::optional<std::string> seal_text(std::string_view text) = 0;
    /// Throws Corrupt if the text was sealed under an unknown key or has been changed.
    virtual std::string open(const std::string& sealed) = 0;
};

}  // namespace sundial
