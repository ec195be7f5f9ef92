#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "domain/endpoint.hpp"

namespace sundial::webhook {

/// A decrypted signing key: the bytes of a secret, or the 32 of a private Ed25519 key.
struct OpenKey {
    SignatureScheme scheme = SignatureScheme::v1;
    std::string bytes;
};

/// `v1,` or `v1a,` and the base64 of the signature of `id.timestamp.body` (Standard Webhooks).
[[nodiscard]] std::string sign(const OpenKey& key, std::string_view id,
                               std::chrono::sys_seconds timestamp, std::string_view body);
/// One signature per key, in order, separated by blanks.
[[nodiscard]] std::string sign(std::span<const OpenKey> keys, std::string_view id,
                               std::chrono::sys_seconds timestamp, std::string_view body);
/// Whether one of `signatures`, the value of `webhook-signature`, was made by `key`.
[[nodiscard]] bool is_signed(std::string_view signatures, const OpenKey& key, std::string_view id,
                             std::chrono::sys_seconds timestamp, std::string_view body);

}  // namespace sundial::webhook
