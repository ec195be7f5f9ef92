#pragma once

#include <string>

#include "adapters/http/json.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/rotate_secret.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "application/ports/inbox_repository.hpp"

/// Endpoints as JSON. Errors: what is wrong with a duration that the document could not judge.
namespace sundial::http {

/// `default_timeout` is for an endpoint that names none.
[[nodiscard]] Result<NewEndpoint> new_endpoint(const JsonBody& body,
                                               std::chrono::seconds default_timeout);
[[nodiscard]] Result<EndpointEdit> endpoint_edit(const JsonBody& body);
[[nodiscard]] Result<Rotation> rotation(const JsonBody& body);
/// Its circuit, as it was at `now`.
struct CircuitShown {
    Circuit circuit;
    Instant now;
    const CircuitPolicy& policy;
};
/// `secret` is shown by the answer that made it, and by no other.
[[nodiscard]] std::string endpoint_json(const Endpoint& endpoint, const CircuitShown& circuit,
                                        const std::string& secret = "");
[[nodiscard]] std::string test_json(const TestDelivery& test);
[[nodiscard]] std::string inbox_json(const InboxRequest& received);

}  // namespace sundial::http
