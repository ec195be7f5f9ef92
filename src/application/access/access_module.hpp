#pragma once

#include <chrono>

#include "application/access/api_keys.hpp"
#include "application/access/sessions.hpp"
#include "application/ports/module_ports.hpp"
#include "application/ports/secrets.hpp"

namespace sundial {

/// API keys and their rights, and the sessions of browsers.
struct AccessModule {
    /// `session`: how long a browser stays logged in.
    AccessModule(const ModulePorts& p, ApiKeySecrets& secrets, std::chrono::seconds session)
        : keys(p.store, secrets, p.monotonic),
          sessions({.store = p.store, .keys = keys, .secrets = secrets, .monotonic = p.monotonic},
                   session),
          create(p.store, secrets, p.ids, [this] { return keys.fixed_roles(); }),
          revoke(p.store, p.ids, [this] { return keys.fixed_roles(); }) {}
    AccessModule(const AccessModule&) = delete;
    AccessModule& operator=(const AccessModule&) = delete;

    ApiKeyRing keys;
    Sessions sessions;
    CreateApiKey create;
    RevokeApiKey revoke;
};

}  // namespace sundial
