#pragma once

#include <filesystem>
#include <string>

namespace sundial {

/// Files in PEM.
struct CertificateFiles {
    std::string certificate;
    std::string key;
};

/// A new self-signed certificate for 127.0.0.1, which expires in an hour, and its key:
/// `folder`/`name`.crt and .key.
[[nodiscard]] CertificateFiles new_certificate(const std::filesystem::path& folder,
                                               const std::string& name);

}  // namespace sundial
