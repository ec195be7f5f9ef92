#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sundial/result.hpp"
#include "sundial/retry.hpp"

#pragma GCC visibility push(default)

/// The HTTP API of a Sundial server, for programs that run no engine. Link `Sundial::client`.
namespace sundial {

/// The address of a server, and the credentials for it.
struct ClientOptions {
    /// Its address: "https://sundial.example", without a path.
    std::string server = "http://127.0.0.1:8080";
    /// The API key; empty: none is sent.
    std::string key{};
    /// Files in PEM, for https. The certificates to trust; empty: the system's.
    std::string ca_file{};
    /// The client's own certificate; empty: none.
    std::string certificate_file{};
    /// Its key; empty: it is in the file of the certificate.
    std::string key_file{};
    /// Time limit of one attempt; 0: no limit.
    std::chrono::milliseconds timeout = std::chrono::seconds{30};
    /// Retries of requests that may be repeated: GET, HEAD, PUT and DELETE, and any with an
    /// idempotency key. They are repeated after no answer or a 429, 502, 503 or 504, but not before
    /// the time that the server names.
    RetryRules retry = {
        .max_attempts = 4, .base = std::chrono::milliseconds{200}, .cap = std::chrono::seconds{10}};
};

/// One request of the API (openapi.json).
struct ClientRequest {
    /// "GET", "POST", …
    std::string method = "GET";
    /// With its query: "/v1/events?status=FAILED".
    std::string path{};
    /// JSON; empty: no body.
    std::string body{};
    /// The Idempotency-Key, under which a repeated request takes effect only once; empty: none.
    std::string idempotency_key{};
    /// The version that the object must have, as in `etag`; empty: any.
    std::string if_match{};
    /// Further headers, each "Name: value" on one line.
    std::vector<std::string> headers{};
};

/// The answer to a successful request.
struct ClientAnswer {
    /// The HTTP status, 200 to 299.
    int status = 0;
    /// JSON; empty: no body.
    std::string body{};
    /// For `ClientRequest::if_match`; empty: none.
    std::string etag{};
};

/// Calls one server:
///
///     const sundial::Client client{{.server = "https://sundial.example", .key = key}};
///     const auto made = client.call({.method = "POST", .path = "/v1/events", .body = event,
///                                    .idempotency_key = "invoice-17"});
///     if (!made) return complain(made.error().detail);
///
/// Cheap to copy; thread-safe. Each call has a connection of its own.
class Client {
public:
    /// Opens no connection yet.
    explicit Client(ClientOptions options);

    /// Sends the request and waits for the answer. Errors: the server's, with its code, its detail
    /// and the data of an engine's (invalid fields as JSON pointers); VALIDATION_FAILED for a
    /// request that cannot be sent; UNREACHABLE if there was no answer: the request may have taken
    /// effect; STOPPED.
    [[nodiscard]] embedding::Result<ClientAnswer> call(const ClientRequest& request) const;

private:
    std::shared_ptr<const ClientOptions> options_;
};

}  // namespace sundial

#pragma GCC visibility pop
