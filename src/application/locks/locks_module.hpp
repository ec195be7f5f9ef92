#pragma once

#include "application/locks/locks.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/lock_store.hpp"
#include "application/ports/secrets.hpp"

namespace sundial {

/// Locks by name, and the callers that wait for them.
struct LocksModule {
    struct Ports {
        LockStore& store;
        LockTokens& tokens;
        Random& random;
        const MonotonicClock& monotonic;
    };
    explicit LocksModule(const Ports& p)
        : locks({.store = p.store,
                 .tokens = p.tokens,
                 .waits = waits,
                 .random = p.random,
                 .monotonic = p.monotonic}) {}

    LockWaits waits;
    Locks locks;
};

}  // namespace sundial
