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

/// How a request is signed, by the names that stand in `webhook-signature`: v1 is HMAC-SHA256 under
/// a secret that the receiver has too, v1a Ed25519, which the receiver can only verify.
enum class SignatureScheme : std::uint8_t { v1, v1a };
[[nodiscard]] std::string_view to_string(SignatureScheme scheme);
[[nodiscard]] std::optional<SignatureScheme> parse_signature_scheme(std::string_view text);

struct SigningKey {
    SignatureScheme scheme = SignatureScheme::v1;
    std::string sealed;           // encrypted; opened only by who signs
    Instant signs_until = never;  // one that was replaced signs beside the new one until then
    friend bool operator==(const SigningKey&, const SigningKey&) = default;
};

inline constexpr std::size_t most_signing_keys = 3;  // of each scheme, at any one time
inline constexpr std::chrono::seconds longest_co_signing = std::chrono::days{7};

/// Those of `keys` that sign what is sent at `now`, in their order.
[[nodiscard]] std::vector<SigningKey> signing_at(std::span<const SigningKey> keys, Instant now);

/// `fresh` in front of those `keys` that sign on: what is old does so for at most `old_signs_for`;
/// after zero, nothing. Errors: ValidationFailed at /oldSignsFor, if that is too long or too many
/// would sign.
[[nodiscard]] Result<std::vector<SigningKey>> rotated(std::span<const SigningKey> keys,
                                                      std::vector<SigningKey> fresh, Instant now,
                                                      std::chrono::seconds old_signs_for);

}  // namespace sundial
