#pragma once

#include <string>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The lock has a holder; a later request may succeed.
struct LockHeld {
    std::string name;
    std::string holder;
    Instant expires_at;
};
/// The lock token is wrong or no longer valid: released, or the lock has another holder since.
struct LockNotHeld {
    std::string name;
};
/// LEASE_LOST of a lock: the caller held it, but the lease has expired or a greater token was
/// granted.
struct LockLeaseLost {
    std::string name;
    FencingToken held;
};

}  // namespace sundial
