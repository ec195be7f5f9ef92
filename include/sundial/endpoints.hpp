#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sundial/values.hpp"

#pragma GCC visibility push(default)

/// Endpoints, of `sundial/engine.hpp` and `sundial/remote.hpp`, which bring these types into
/// namespace `sundial`: include one of them.
namespace sundial::embedding {

/// The way in which events reach an endpoint.
enum class EndpointType : std::uint8_t {
    webhook,  // a signed POST request to a URL (Standard Webhooks)
    pull,     // a queue: a PullWorker claims them
    inbox,    // the database keeps the request that a webhook would get, for tests
};

/// A receiver of events.
struct NewEndpoint {
    std::string name;  // your own id of it, unique, 1 to 128 characters
    /// The way in which events reach it.
    EndpointType type = EndpointType::webhook;
    std::string url{};  // of a webhook: "https://crm.example/hook"
    std::vector<std::pair<std::string, std::string>> headers{};  // your own, of a webhook
    std::chrono::seconds timeout{10};                            // of the whole request: 1 to 20 s
    /// Delays between attempts, 1 to 50 of 1 s to 24 h. Empty: 1 s, 2 s, 4 s, 30 s and so on up to
    /// a day, eleven attempts in all.
    std::vector<std::chrono::seconds> retry_delays{};
    std::optional<std::uint32_t> max_in_flight{};   // requests at once, of all engines together
    std::optional<std::uint32_t> max_per_second{};  // of all engines together
    bool enabled = true;                            // the events of a disabled endpoint wait
    /// The secret that signs the requests of a webhook: "whsec_" and base64. Empty: a random one.
    /// An inbox signs only if it is given one. Used only when the endpoint is created.
    std::string secret{};
    /// A webhook also signs with a pair of Ed25519 keys, so that the receiver can verify but not
    /// sign.
    bool ed25519 = false;
};
/// A stored endpoint, without its secrets.
struct Endpoint {
    std::string id;    // a UUID
    std::string name;  // empty: it was created without one
    /// "WEBHOOK", "PULL" or "INBOX", or a type that only `sundial serve` has.
    std::string type;
    std::string url;  // empty: its type has none
    /// If false, its events wait.
    bool enabled = true;
    std::string disabled_reason;  // may be empty
    std::string secret_hint;      // "whsec_…Q9f"
    /// Grows by one with every change.
    std::uint64_t version = 0;
    std::vector<std::string> headers{};  // the names of your own; their values are never shown
    /// Time limit of the whole request.
    std::chrono::seconds timeout{0};
    /// Delays between attempts; empty: as in NewEndpoint.
    std::vector<std::chrono::seconds> retry_delays{};
    /// Maximum number of concurrent requests; empty: unlimited.
    std::optional<std::uint32_t> max_in_flight{};
    /// Maximum number of requests a second; empty: unlimited.
    std::optional<std::uint32_t> max_per_second{};
    std::string public_key{};  // "whpk_…" of a webhook with Ed25519 keys; else empty
};
/// The result of `put_endpoint`.
struct StoredEndpoint {
    /// The endpoint in its new state.
    Endpoint endpoint;
    /// The signing secret of a webhook that this call created, returned only once; otherwise empty.
    std::string secret;
    /// Whether this call created it; otherwise it was changed.
    bool created = false;
};

/// The changes of an endpoint; empty fields stay.
struct EndpointChange {
    std::optional<std::string> url{};  // of another origin: give the values of all headers, too
    /// Each sets one header, or removes it if the value is empty.
    std::vector<std::pair<std::string, std::optional<std::string>>> headers{};
    /// Time limit of the whole request: 1 to 20 s.
    std::optional<std::chrono::seconds> timeout{};
    std::optional<std::vector<std::chrono::seconds>> retry_delays{};  // none: the default ones
    std::optional<std::uint32_t> max_in_flight{};                     // 0: without a limit
    std::optional<std::uint32_t> max_per_second{};                    // 0: without a limit
    /// If false, its events wait.
    std::optional<bool> enabled{};
    /// Whether requests also have an Ed25519 signature.
    std::optional<bool> ed25519{};
    /// Also attempts the events that wait for a retry at once, because the receiver works again.
    bool retry_waiting = false;
    std::optional<std::uint64_t> if_version{};  // else OPTIMISTIC_LOCK
};

/// The replacement of the signing secret of a webhook or an inbox.
struct SecretRotation {
    /// How long the old secret also signs, 0 to 7 days, so that the receiver has time to change.
    std::chrono::seconds old_signs_for{std::chrono::hours{24}};
    std::string secret{};                       // "whsec_" and base64; empty: a random one
    std::optional<std::uint64_t> if_version{};  // else OPTIMISTIC_LOCK
};

/// The outcome of a request that was sent as a test.
struct EndpointTest {
    std::string event_id;       // of an event of type sundial.test, which is not stored
    bool accepted = false;      // the receiver answered 2xx
    std::optional<int> status;  // of its response; empty: there was none
    std::string error;          // why it was not accepted: "TIMEOUT no answer in 10 s"
    std::string response_body;  // its first 2 KiB
    /// The duration of the request.
    std::chrono::microseconds duration{0};
};

/// The result of verifying the signature of a request, as a receiver does.
struct ReceivedSignature {
    /// "VALID"; "INVALID": the body was changed, or the inbox no longer has the secret that signed
    /// it; "MISSING": the request has no signature, because the inbox had no secret.
    std::string state;
    /// The secret that made a valid signature: "CURRENT", the newest one, or "PREVIOUS", a replaced
    /// one that still signs. Empty if the signature is not valid.
    std::string secret;
    /// The age of its timestamp when the request arrived; empty: it has no timestamp.
    std::optional<std::chrono::milliseconds> age;
};
/// A request that an inbox has received.
struct ReceivedRequest {
    /// The time of its arrival.
    Instant received_at;
    /// Names and values, in the order of the request.
    std::vector<std::pair<std::string, std::string>> headers;
    /// The bytes of the body.
    std::string body;
    /// Checked when the request is read, with the secrets that the inbox has then.
    ReceivedSignature signature{};
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
