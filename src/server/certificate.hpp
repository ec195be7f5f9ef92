#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace sundial::server {

/// Time until the first certificate of the PEM file `file` expires; negative if it has expired.
/// Empty if the file cannot be read as a certificate.
[[nodiscard]] std::optional<std::chrono::seconds> certificate_time_left(const std::string& file);

}  // namespace sundial::server
