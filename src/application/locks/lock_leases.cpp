#include "application/locks/lock_leases.hpp"

#include "application/ports/failures.hpp"

namespace sundial {

std::optional<std::string> LockLeases::try_acquire(const std::string& name,
                                                   std::chrono::microseconds ttl) {
    try {
        const auto lock = locks_.acquire({.name = name, .holder = holder_, .ttl = ttl});
        if (lock) return lock->lock_token;
    } catch (const Unavailable&) {  // it is asked again
    }
    return std::nullopt;
}

void LockLeases::release(const std::string& name, const std::string& token) {
    try {
        // Refused is one whose time was over: it is somebody else's by now.
        (void)locks_.release(name, token);
    } catch (const Unavailable&) {  // its time ends all the same
    }
}

}  // namespace sundial
