#pragma once

#include <string>

#include "adapters/http/json.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/rotate_secret.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "application/ports/endpoint_repository.hpp"

/// Endpoints as JSON. Errors: invalid durations, which the OpenAPI document cannot check.
namespace sundial::http {

/// `default_timeout` applies to an endpoint without a timeout of its own.
[[nodiscard]] Result<NewEndpoint> new_endpoint(const JsonBody& body,
                                               std::chrono::seconds default_timeout);
[[nodiscard]] Result<EndpointEdit> endpoint_edit(const JsonBody& body);
[[nodiscard]] Result<Rotation> rotation(const JsonBody& body);
/// The endpoint's circuit as of `now`.
struct CircuitShown {
    Circuit circuit;
    Instant now;
    const CircuitPolicy& policy;
};
/// Only the response that creates `secret` shows it.
[[nodiscard]] std::string endpoint_json(const Endpoint& endpoint, const CircuitShown& circuit,
                                        const std::string& secret = "");
[[nodiscard]] std::string test_json(const TestDelivery& test);
[[nodiscard]] std::string inbox_json(const InboxRequest& received);

}  // namespace sundial::http
