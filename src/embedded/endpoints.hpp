#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "adapters/system/secrets.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/send_permit.hpp"
#include "application/ports/store.hpp"
#include "application/requests/queries.hpp"
#include "sundial/embedding.hpp"
#include "sundial/endpoints.hpp"

/// The types of endpoints that an engine has, and requests for endpoints.
namespace sundial::embedding {

/// Encrypts with the keys of `options`. Without webhooks nothing needs to be encrypted. Throws
/// CannotStart if the keys are missing or unusable.
[[nodiscard]] std::unique_ptr<Secrets> open_secrets(const std::optional<WebhookOptions>& options);
/// Queues, and with `options` also webhooks and inboxes. Throws CannotStart. The other arguments
/// must outlive the result.
[[nodiscard]] EndpointKinds endpoint_kinds(const std::optional<WebhookOptions>& options,
                                           Store& store, Ids& ids, Secrets& secrets,
                                           const MonotonicClock& monotonic,
                                           const SendPermit& permit);

[[nodiscard]] sundial::NewEndpoint requested_endpoint(const NewEndpoint& requested);
[[nodiscard]] EndpointEdit requested_edit(const EndpointChange& change);
/// All, oldest first.
[[nodiscard]] std::vector<Endpoint> list_endpoints(Queries& queries);

}  // namespace sundial::embedding
