#pragma once

#include <chrono>

#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/delete_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/read_inbox.hpp"
#include "application/endpoints/signing_secrets.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "application/endpoints/unpark_events.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/module_ports.hpp"
#include "application/ports/secrets.hpp"

namespace sundial {

/// Endpoints of all types, and the events that wait for them.
struct EndpointsModule {
    EndpointsModule(const ModulePorts& p, const EndpointKinds& kinds, Secrets& secrets,
                    std::chrono::seconds lease = std::chrono::seconds{30})
        : kinds(kinds),
          create(p.store, secrets, kinds, p.ids, lease),
          unpark(p.store, p.wakeups),
          edit(p.store, secrets, kinds, p.ids, unpark, p.log, lease),
          put(create, edit),
          remove(p.store, p.zones, p.ids, p.wakeups),
          rotate(p.store, secrets, kinds, p.ids),
          reseal(p.store, secrets),
          test(p.store, kinds, p.ids),
          read_inbox(p.store, kinds),
          clear_inbox(p.store, kinds) {}
    EndpointsModule(const EndpointsModule&) = delete;
    EndpointsModule& operator=(const EndpointsModule&) = delete;

    const EndpointKinds& kinds;
    CreateEndpoint create;
    UnparkEvents unpark;
    EditEndpoint edit;
    PutEndpoint put;
    DeleteEndpoint remove;
    RotateSecret rotate;
    ResealSecrets reseal;
    TestEndpoint test;
    ReadInbox read_inbox;
    ClearInbox clear_inbox;
};

}  // namespace sundial
