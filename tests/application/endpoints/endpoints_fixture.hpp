#pragma once

#include <string>
#include <vector>

#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/read_inbox.hpp"
#include "application/endpoints/signing_secrets.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "support/control_plane.hpp"

namespace sundial {

/// Endpoints as callers create, edit and test them.
class Endpoints : public ControlPlane {
protected:
    static NewEndpoint crm() {
        NewEndpoint requested{.type = webhook_type};
        requested.name = "CRM";
        requested.url = "https://crm.example/hook";
        return requested;
    }
    static NewEndpoint bin() {
        NewEndpoint requested{.type = inbox_type};
        requested.name = "bin";
        return requested;
    }
    CreatedEndpoint create(const NewEndpoint& requested) {
        return create_endpoint.run(requested, "req-1").value();
    }
    std::vector<std::string> refused(const NewEndpoint& requested) {
        return defects_of(create_endpoint.run(requested, "req-1"));
    }
    Result<Endpoint> edit(const Endpoint& endpoint, const EndpointEdit& changes) {
        return edit_endpoint.run(to_string(endpoint.id), changes, std::nullopt, "req-2");
    }
    /// An event that became due while its endpoint was disabled.
    Event a_parked_event(const Endpoint& endpoint) {
        NewEvent requested = a_reminder();
        requested.endpoint = to_string(endpoint.id);
        requested.target.utc = "now";
        scheduled(requested);
        return parked(claimed_one());
    }

    CreateEndpoint create_endpoint{store, secrets, kinds, ids};
    EditEndpoint edit_endpoint{store, secrets, kinds, ids, unpark_events, log};
    RotateSecret rotate_secret{store, secrets, kinds, ids};
    TestEndpoint test_endpoint{store, kinds, ids};
    ReadInbox read_inbox{store, kinds};
    ClearInbox clear_inbox{store, kinds};
};

}  // namespace sundial
