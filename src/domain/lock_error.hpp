#pragma once

#include <string>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// Somebody has the lock; the same may be asked again later.
struct LockHeld {
    std::string name;
    std::string holder;
    Instant expires_at;
};
/// The lock token is wrong or spent: released, or the lock was granted to somebody else since.
struct LockNotHeld {
    std::string name;
};
/// LEASE_LOST of a lock: it was the caller's, but its time is over or a greater token was given.
struct LockLeaseLost {
    std::string name;
    FencingToken held;
};

}  // namespace sundial
