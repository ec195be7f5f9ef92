#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sundial/embedding.hpp"

#pragma GCC visibility push(default)

/// Endpoints, of `sundial/engine.hpp`, which brings these types into namespace `sundial`: include
/// that header.
namespace sundial::embedding {

/// How events reach an endpoint.
enum class EndpointType : std::uint8_t {
    webhook,  // a signed POST request to a URL (Standard Webhooks)
    pull,     // a queue: a PullWorker claims them
    inbox,    // the database keeps the request that a webhook would get, for tests
};

/// A receiver of events.
struct NewEndpoint {
    std::string name;  // your own id of it, unique, 1 to 128 characters
    /// How events reach it.
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
    /// Signs the requests of a webhook: "whsec_" and base64. Empty: a random one. Used only when
    /// the endpoint is created.
    std::string secret{};
};
/// A stored endpoint, without its secrets.
struct Endpoint {
    std::string id;    // a UUID
    std::string name;  // empty: it was created without one
    /// "WEBHOOK", "PULL" or "INBOX", or a type that only `sundial serve` has.
    std::string type;
    std::string url;  // empty: its type has none
    /// False: its events wait.
    bool enabled = true;
    std::string disabled_reason;  // may be empty
    std::string secret_hint;      // "whsec_…Q9f"
    /// Grows by one with every change.
    std::uint64_t version = 0;
};
/// The answer to `put_endpoint`.
struct StoredEndpoint {
    /// As it is now.
    Endpoint endpoint;
    /// The signing secret of a webhook that this call created; it is never shown again. Else empty.
    std::string secret;
    /// False: it was changed.
    bool created = false;
};

/// A request that an inbox has got.
struct ReceivedRequest {
    /// When the request came.
    Instant received_at;
    /// Name and value, in the order of the request.
    std::vector<std::pair<std::string, std::string>> headers;
    /// The request’s bytes.
    std::string body;
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
