#pragma once

#include "adapters/http/router.hpp"
#include "application/lock_waits.hpp"
#include "application/locks.hpp"

namespace sundial::http {

struct LockApi {
    Locks& locks;
    LockWaits& waits;
};

/// Locks by name, below /v1/locks. Who waits for one holds no thread.
void add_lock_routes(Router& router, LockApi api);

}  // namespace sundial::http
