#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sundial {

/// Encrypts text that must not lie readable in a database. Thread-safe.
class Seal {
public:
    virtual ~Seal() = default;
    /// Nothing if there is no encryption key to seal with.
    virtual std::optional<std::string> seal_text(std::string_view text) = 0;
    /// Throws Corrupt if it was sealed under a key that is not known, or changed.
    virtual std::string open(const std::string& sealed) = 0;
};

}  // namespace sundial
