#include "domain/lock.hpp"

#include <utility>

namespace sundial {

bool is_held(const Lock& lock, Instant now) {
    return !lock.token_hash.empty() && lock.expires_at > now;
}

LockHeld held(const Lock& lock) { return {lock.name, lock.holder, lock.expires_at}; }

Result<Lock, LockHeld> grant(Lock lock, const LockRequest& request, Instant now) {
    if (is_held(lock, now)) {
        if (lock.token_hash == request.token_hash) return lock;
        return held(lock);
    }
    lock.fencing_token = next(std::max(lock.fencing_token, request.floor));
    lock.token_hash = request.token_hash;
    lock.holder = request.holder;
    lock.acquired_at = now;
    lock.expires_at = now + request.ttl;
    return lock;
}

Result<Lock, LockNotHeld, LockLeaseLost> renew(Lock lock, const std::string& token_hash,
                                               std::chrono::microseconds ttl, Instant now) {
    if (lock.token_hash != token_hash) return LockNotHeld{lock.name};
    if (!is_held(lock, now)) return LockLeaseLost{lock.name, lock.fencing_token};
    lock.expires_at = std::max(lock.expires_at, now + ttl);
    return lock;
}

Result<Lock, LockNotHeld> release(Lock lock, const std::string& token_hash, Instant now) {
    if (lock.token_hash != token_hash || !is_held(lock, now)) return LockNotHeld{lock.name};
    lock.token_hash.clear();
    lock.expires_at = now;
    return lock;
}

Result<void, LockLeaseLost> admit(const Lock& lock, FencingToken token, Instant now) {
    if (lock.fencing_token != token || !is_held(lock, now)) return LockLeaseLost{lock.name, token};
    return {};
}

Result<Lock, LockLeaseLost> raise(Lock fence, FencingToken granted) {
    if (granted <= fence.fencing_token) return LockLeaseLost{fence.name, granted};
    fence.fencing_token = granted;
    return fence;
}

Result<Lock, LockLeaseLost> pass(Lock fence, FencingToken token) {
    if (token < fence.fencing_token) return LockLeaseLost{fence.name, token};
    fence.fencing_token = token;
    return fence;
}

}  // namespace sundial
