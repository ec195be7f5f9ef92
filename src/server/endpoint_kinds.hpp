#pragma once

#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/send_permit.hpp"
#include "application/ports/store.hpp"
#include "server/database.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// The parts that types of endpoints are made from. All but `listeners` outlive them.
struct EndpointKindParts {
    const Settings& settings;
    /// The addresses this process listens on; webhooks must not go there.
    const std::vector<ListenAddress>& listeners;
    Database& database;
    Store& store;
    Secrets& secrets;
    Ids& ids;
    const MonotonicClock& monotonic;
    const SendPermit& permit;
};

/// The types of endpoints that the server has: one line registers each.
[[nodiscard]] EndpointKinds endpoint_kinds(const EndpointKindParts& parts);

}  // namespace sundial::server
