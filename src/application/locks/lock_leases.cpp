#include "application/locks/lock_leases.hpp"

#include "application/ports/failures.hpp"

namespace sundial {

std::optional<std::string> LockLeases::try_acquire(const std::string& name,
                                                   std::chrono::microseconds ttl) {
    try {
        const auto lock = locks_.acquire({.name = name, .holder = holder_, .ttl = ttl});
        if (lock) return lock->lock_token;
    } catch (const Unavailable&) {  // the caller asks again
    }
    return std::nullopt;
}

void LockLeases::release(const std::string& name, const std::string& token) {
    try {
        // Refused if the lease has expired, because another process may hold the lock.
        (void)locks_.release(name, token);
    } catch (const Unavailable&) {  // its lease expires anyway
    }
}

}  // namespace sundial
