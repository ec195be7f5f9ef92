#pragma once

#include "application/ports/digest.hpp"

namespace sundial::system {

/// Implemented with OpenSSL. Thread-safe.
class OpensslDigest final : public Digest {
public:
    [[nodiscard]] std::string sha256(std::string_view bytes) const override;
};

}  // namespace sundial::system
