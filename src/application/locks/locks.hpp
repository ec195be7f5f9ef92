#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "application/locks/lock_waits.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/lock_store.hpp"
#include "application/ports/lock_tokens.hpp"
#include "application/ports/mono.hpp"

namespace sundial {

/// What begins so are locks of Sundial itself, such as that of maintenance.
inline constexpr std::string_view own_locks = "sundial.";
/// For whoever acquires in somebody else's name.
[[nodiscard]] std::optional<FieldError> refuse_own_lock(std::string_view name);

struct LockWanted {
    std::string name;    // 1 to 128 printable characters
    std::string holder;  // the same; who has it, for people
    std::chrono::microseconds ttl = std::chrono::seconds{30};
};

/// What its holder knows, and nobody else.
struct AcquiredLock {
    std::string name;
    std::string holder;
    std::string lock_token;
    FencingToken fencing_token;
    Instant expires_at;  // by the store's clock
    Mono asked;          // by this process's: when the request was sent that granted it
    Mono answered;
};

/// Locks by name, for people and programs. Thread-safe. Throws Unavailable.
class Locks {
public:
    struct Ports {
        LockStore& store;
        LockTokens& tokens;
        LockWaits& waits;
        Random& random;
        const MonotonicClock& monotonic;
    };
    explicit Locks(Ports ports) : ports_{ports} {}

    /// Now or not at all. Errors: ValidationFailed, LockHeld, by whomever: not re-entrant.
    [[nodiscard]] Result<AcquiredLock> acquire(const LockWanted& wanted);
    /// The same, asked again until it is granted, `wait` is over or a stop is requested; then
    /// LockHeld, and nothing is left behind.
    [[nodiscard]] Result<AcquiredLock> acquire(const LockWanted& wanted,
                                               std::chrono::microseconds wait,
                                               const std::stop_token& stop = {});
    /// All of them within `wait`, or none: in the order of their names, so that no two who want the
    /// same wait for each other. Errors: ValidationFailed, also for a name that is there twice;
    /// LockHeld.
    [[nodiscard]] Result<std::vector<AcquiredLock>> acquire_all(std::vector<LockWanted> wanted,
                                                                std::chrono::microseconds wait = {},
                                                                const std::stop_token& stop = {});
    /// Errors: ValidationFailed, LockNotHeld, LockLeaseLost.
    [[nodiscard]] Result<LockGrant> renew(const std::string& name, std::string_view lock_token,
                                          std::chrono::microseconds ttl);
    /// Errors: LockNotHeld.
    [[nodiscard]] Result<void> release(const std::string& name, std::string_view lock_token);
    [[nodiscard]] Page<Lock> list(const LockQuery& query) { return ports_.store.list(query); }
    /// As LockStore::guard.
    [[nodiscard]] Result<void> guard(Transaction& tx, const std::string& name, FencingToken token) {
        return ports_.store.guard(tx, name, token);
    }

private:
    /// Between two questions: longer each time, never the same for two who wait.
    [[nodiscard]] std::chrono::microseconds pause_after(int tries);

    Ports ports_;
};

}  // namespace sundial
