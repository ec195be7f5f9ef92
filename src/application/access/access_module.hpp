#pragma once

#include "application/access/api_keys.hpp"
#include "application/ports/module_ports.hpp"
#include "application/ports/secrets.hpp"

namespace sundial {

/// API keys: which exist, and who may do what.
struct AccessModule {
    AccessModule(const ModulePorts& p, ApiKeySecrets& secrets)
        : keys(p.store, secrets, p.monotonic),
          create(p.store, secrets, p.ids, [this] { return keys.fixed_roles(); }),
          revoke(p.store, p.ids, [this] { return keys.fixed_roles(); }) {}
    AccessModule(const AccessModule&) = delete;
    AccessModule& operator=(const AccessModule&) = delete;

    ApiKeyRing keys;
    CreateApiKey create;
    RevokeApiKey revoke;
};

}  // namespace sundial
