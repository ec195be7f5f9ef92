#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/lock_store.hpp"
#include "application/ports/secrets.hpp"
#include "sundial/cache.hpp"

namespace sundial {

/// The callers in this process that wait for locks, longest first. A release here wakes the next
/// caller at once. Releases by other instances and expired leases are found by asking again every
/// `poll_interval`. Each time only one caller per name is woken. Thread-safe.
class LockWaits {
public:
    using Wake = std::function<void()>;

    explicit LockWaits(std::chrono::milliseconds poll_interval = std::chrono::milliseconds{250})
        : poll_interval_{poll_interval} {}
    LockWaits(const LockWaits&) = delete;
    LockWaits& operator=(const LockWaits&) = delete;

    /// The wait lasts until the returned object is destroyed. `wake` is called once, on any thread
    /// and perhaps before this returns: the lock may be free, or waiting has been stopped. The call
    /// can overlap with the destruction of the wait.
    [[nodiscard]] std::shared_ptr<void> wait(const std::string& name, Wake wake);
    void released(const std::string& name);

    /// Wakes one caller of each name every `poll_interval` until stop(); for waits without a thread
    /// of their own.
    void run();
    /// Wakes all callers; later waits end at once.
    void stop();
    [[nodiscard]] bool stopped() const;

private:
    using Number = std::uint64_t;
    struct Entry;
    void remove(const std::string& name, Number number);
    /// Removes and returns the longest wait; empty if there is none.
    [[nodiscard]] Wake take_first(const std::string& name);

    const std::chrono::milliseconds poll_interval_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, std::map<Number, Wake>> waiting_;
    Number last_number_ = 0;
    bool stopping_ = false;
};

/// Prefix of the names of Sundial's own locks, such as that of maintenance.
inline constexpr std::string_view own_locks = "sundial.";
/// For code that acquires a lock on behalf of a client.
[[nodiscard]] std::optional<FieldError> refuse_own_lock(std::string_view name);

struct LockTerms {
    std::string name;    // 1 to 128 printable characters
    std::string holder;  // the same; names the holder, for people
    std::chrono::microseconds ttl = std::chrono::seconds{30};
};

/// The secrets and times that only the holder knows.
struct AcquiredLock {
    std::string name;
    std::string holder;
    std::string lock_token;
    FencingToken fencing_token;
    Instant expires_at;  // by the store's clock
    Mono asked;          // by this process's clock: when the granting request was sent
    Mono answered;
};

/// Locks by name, for users and programs. Thread-safe. Throws Unavailable.
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

    /// Does not wait. Errors: ValidationFailed; LockHeld, even by the same caller, because locks
    /// are not re-entrant.
    [[nodiscard]] Result<AcquiredLock, ValidationFailed, LockHeld> acquire(
        const LockTerms& requested);
    /// The same, repeated until the lock is granted, `wait` has passed or a stop is requested. Then
    /// LockHeld, and nothing remains.
    [[nodiscard]] Result<AcquiredLock, ValidationFailed, LockHeld> acquire(
        const LockTerms& requested, std::chrono::microseconds wait,
        const std::stop_token& stop = {});
    /// Acquires all of them within `wait`, or none, in the order of their names, so that two
    /// callers for the same locks never deadlock. Errors: ValidationFailed, also for a duplicate
    /// name; LockHeld.
    [[nodiscard]] Result<std::vector<AcquiredLock>, ValidationFailed, LockHeld> acquire_all(
        std::vector<LockTerms> requested, std::chrono::microseconds wait = {},
        const std::stop_token& stop = {});
    /// Errors: ValidationFailed, LockNotHeld, LockLeaseLost.
    [[nodiscard]] Result<LockGrant, ValidationFailed, LockNotHeld, LockLeaseLost> renew(
        const std::string& name, std::string_view lock_token, std::chrono::microseconds ttl);
    /// Errors: LockNotHeld.
    [[nodiscard]] Result<void, LockNotHeld> release(const std::string& name,
                                                    std::string_view lock_token);
    /// Empty if no holder has it.
    [[nodiscard]] std::optional<Lock> find(const std::string& name) {
        return ports_.store.find(name);
    }
    [[nodiscard]] Page<Lock> list(const LockQuery& query) { return ports_.store.list(query); }
    /// As LockStore::guard.
    [[nodiscard]] Result<void, LockLeaseLost> guard(Transaction& tx, const std::string& name,
                                                    FencingToken token) {
        return ports_.store.guard(tx, name, token);
    }

private:
    /// Pause between two requests. It grows with each attempt and is random, so that waiting
    /// callers do not coincide.
    [[nodiscard]] std::chrono::microseconds pause_after(int tries);

    Ports ports_;
};

/// Locks as leases with which one process loads for all (once_across_processes). An unavailable
/// lock store grants nothing, and a lease that cannot be released expires by itself. Thread-safe.
class LockLeases final : public LoadLeases {
public:
    /// `holder` names this process, for people.
    LockLeases(Locks& locks, std::string holder) : locks_{locks}, holder_{std::move(holder)} {}

    std::optional<std::string> try_acquire(const std::string& name,
                                           std::chrono::microseconds ttl) override;
    void release(const std::string& name, const std::string& token) override;

private:
    Locks& locks_;
    const std::string holder_;
};

}  // namespace sundial
