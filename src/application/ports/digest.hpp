#pragma once

#include <string>
#include <string_view>

namespace sundial {

/// SHA-256. Thread-safe.
class Digest {
public:
    virtual ~Digest() = default;
    /// 32 bytes.
    [[nodiscard]] virtual std::string sha256(std::string_view bytes) const = 0;
};

}  // namespace sundial
