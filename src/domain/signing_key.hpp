#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// How a request is signed, named as in `webhook-signature`: v1 is HMAC-SHA256 with a secret that
/// the receiver shares; v1a is Ed25519, with which the receiver can only verify.
enum class SignatureScheme : std::uint8_t { v1, v1a };
[[nodiscard]] std::string_view to_string(SignatureScheme scheme);
[[nodiscard]] std::optional<SignatureScheme> parse_signature_scheme(std::string_view text);

struct SigningKey {
    SignatureScheme scheme = SignatureScheme::v1;
    std::string sealed;           // encrypted; opened only to sign
    Instant signs_until = never;  // a replaced key signs together with the new one until then
    friend bool operator==(const SigningKey&, const SigningKey&) = default;
};

inline constexpr std::size_t max_signing_keys = 3;  // per scheme, at any one time
inline constexpr std::chrono::seconds longest_co_signing = std::chrono::days{7};

/// The `keys` that sign a request sent at `now`, in their order.
[[nodiscard]] std::vector<SigningKey> signing_at(std::span<const SigningKey> keys, Instant now);

/// `fresh` before those `keys` that continue to sign: old keys do so for at most `old_signs_for`,
/// and not at all if it is zero. Errors: ValidationFailed at /oldSignsFor if it is too long or too
/// many keys would sign.
[[nodiscard]] Result<std::vector<SigningKey>> rotated(std::span<const SigningKey> keys,
                                                      std::vector<SigningKey> fresh, Instant now,
                                                      std::chrono::seconds old_signs_for);

}  // namespace sundial
