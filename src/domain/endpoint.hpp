#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strong.hpp"
#include "domain/error.hpp"
#include "domain/ids.hpp"
#include "domain/limits.hpp"
#include "domain/retry.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// How a request is signed, named as in `webhook-signature`: v1 is HMAC-SHA256 with a secret shared
/// with the receiver; v1a is Ed25519, so the receiver can verify but not sign.
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
[[nodiscard]] Result<std::vector<SigningKey>, ValidationFailed> rotated(
    std::span<const SigningKey> keys, std::vector<SigningKey> fresh, Instant now,
    std::chrono::seconds old_signs_for);

/// The name of a type, as stored and shown: INBOX. Its EndpointKind says how it behaves. A program
/// has the types that it registers.
using EndpointType = base::Strong<struct EndpointTypeTag, std::string>;
[[nodiscard]] inline std::string_view to_string(const EndpointType& type) { return type.value; }
/// The type whose events are not sent: workers claim them. The rules know it by name because
/// storage keeps its events apart, in an index of their own.
inline const EndpointType pull_type{"PULL"};

/// The body of a request: the payload, byte for byte; an envelope of `type`, `timestamp` and
/// `data`; or a CloudEvent with the payload as its data.
enum class BodyFormat : std::uint8_t { raw, envelope, cloudevents };
[[nodiscard]] std::string_view to_string(BodyFormat format);
[[nodiscard]] std::optional<BodyFormat> parse_body_format(std::string_view text);

/// A header that the endpoint's owner adds to each request. Its value may be a credential.
struct EndpointHeader {
    std::string name;
    std::string sealed;  // the value, encrypted; opened only to be sent
    std::string hint;    // what may be shown of the value: "…Q9f". Empty: `sealed` is the value
                         // itself, as it used to be stored; ResealSecrets seals it at the start
    friend bool operator==(const EndpointHeader&, const EndpointHeader&) = default;
};

/// A header as it is given and sent: name and value.
using HeaderText = std::pair<std::string, std::string>;

/// The part of a header's value that may be shown: the last three characters if the value is long
/// enough to stay secret, else none.
[[nodiscard]] std::string header_hint(std::string_view value);

/// A receiver of events. Type and format never change, so every attempt of an event has the same
/// bytes.
struct Endpoint {
    EndpointId id;
    std::optional<std::string> external_id;
    std::string name;
    EndpointType type;
    std::string url;  // empty: its type has none
    BodyFormat format = BodyFormat::raw;
    std::map<std::string, std::string> options{};  // that only its type has, by name in the API
    std::vector<EndpointHeader> headers;           // the user's own
    std::chrono::seconds timeout{10};              // whole request, 1–30 s
    RetryPolicy retry_policy;
    std::uint32_t retry_client_errors = 0;
    std::optional<RateLimit> rate_limit{};         // empty: unlimited
    std::optional<std::uint32_t> max_in_flight{};  // concurrent requests of all instances together
    bool enabled = true;
    std::optional<std::string> disabled_reason;
    std::vector<SigningKey> signing_keys;  // newest first; none: its type does not sign
    std::string secret_hint;               // of the newest key: "whsec_…Q9f"
    std::string public_key;  // "whpk_…" of the newest v1a key; empty: it signs by v1 only
    Version version{1};
    Instant created_at;
    Instant updated_at;
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Whether workers claim its events.
[[nodiscard]] inline bool is_pulled(const Endpoint& endpoint) { return endpoint.type == pull_type; }

/// All defects of name, external id, time-out (1–30 s, at most lease − 10 s), client error retries
/// (0–50), retry policy, rate (1–10,000 a second, bursts of as many) and requests in flight
/// (1–10,000). Its type judges the other settings, `header_defects` the headers.
[[nodiscard]] std::vector<FieldError> defects(const Endpoint& endpoint, std::chrono::seconds lease);

/// All defects of the headers of an endpoint: more than 20 or 4 KiB, illegal characters, headers
/// that Sundial sets or that belong to the connection.
[[nodiscard]] std::vector<FieldError> header_defects(std::span<const HeaderText> headers);

}  // namespace sundial
