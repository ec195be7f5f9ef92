#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace sundial::webhook {

/// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks). `key` is the
/// secret's bytes.
[[nodiscard]] std::string sign(std::string_view key, std::string_view id,
                               std::chrono::sys_seconds timestamp, std::string_view body);

}  // namespace sundial::webhook
