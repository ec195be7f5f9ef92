#pragma once

#include <functional>
#include <string_view>

#include "adapters/http/router.hpp"
#include "application/locks/locks_module.hpp"

namespace sundial::http {

struct LockApi {
    LocksModule& locks;
    /// Called with the outcome of a request that was ready to wait: "granted" or "held". May be
    /// empty.
    std::function<void(std::string_view outcome)> waited{};
    /// Called once for each request that finds the lock held by another caller. May be empty.
    std::function<void(const LockHeld& held)> contended{};
};

/// Locks by name, below /v1/locks. A waiting request holds no thread.
void add_lock_routes(Router& router, LockApi api);

}  // namespace sundial::http
