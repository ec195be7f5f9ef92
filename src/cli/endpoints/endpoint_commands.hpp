#pragma once

#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"
#include "cli/output.hpp"

/// The commands for endpoints.
namespace sundial::cli {

/// Changes of an endpoint; empty members stay.
struct EndpointChanges {
    std::optional<std::string> name{};
    std::optional<std::string> url{};
    std::optional<bool> enabled{};
    bool close_circuit = false;
    bool retry_waiting = false;  // also attempts now what waits for a retry
};

/// One line for each: external id or id, type, state, circuit, URL.
[[nodiscard]] int list_endpoints(const HttpClient& client, const Output& output);
[[nodiscard]] int show_endpoint(const HttpClient& client, const std::string& id,
                                const Output& output);
[[nodiscard]] int change_endpoint(const HttpClient& client, const std::string& id,
                                  const EndpointChanges& changes, const Output& output);

/// Creates or replaces the endpoint `id`, ext: and an external id, with `endpoint`, a JSON object.
/// Shows the secret of a new one.
[[nodiscard]] int put_endpoint(const HttpClient& client, const std::string& id,
                               const std::string& endpoint, const Output& output);

/// How to delete an endpoint.
struct EndpointRemoval {
    bool cancel_events = false;  // that point to it
    bool yes = false;            // does not ask for confirmation
};
/// Exit codes as of `refuse_unconfirmed`.
[[nodiscard]] int delete_endpoint(const HttpClient& client, const std::string& id,
                                  const EndpointRemoval& removal, const Person& person,
                                  const Output& output);

}  // namespace sundial::cli
