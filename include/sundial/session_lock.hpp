#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "sundial/result.hpp"

#pragma GCC visibility push(default)

namespace sundial::embedding {

/// A named lock held by a session of a PostgreSQL server, for work that must not be interrupted,
/// such as your own migrations. It has no lease, so no other process takes it over while its holder
/// is merely slow; it is free when the session ends. It has no fencing token either: use a `Lock`
/// for data that must be safe from a holder that has lost its lock.
///
///     auto lock = sundial::SessionLock::acquire(url, "migrate-shop", std::chrono::minutes{1});
///     if (!lock) return report(lock.error().detail);
///     migrate_shop(lock->lost());
///
/// Movable, not copyable. Has its own connection and thread.
class SessionLock {
public:
    /// Waits at most `wait`, up to 24 days, for the session that has it. `url`: of the server
    /// itself, postgresql://…; `name`: 1 to 128 printable characters. Errors: VALIDATION_FAILED;
    /// CANNOT_START if the URL names a pooler, which shares sessions between clients, or names no
    /// server; LOCK_HELD, by this process too; STORAGE_UNAVAILABLE.
    static Result<SessionLock> acquire(const std::string& url, const std::string& name,
                                       std::chrono::milliseconds wait = {});
    /// The source holds no lock afterwards.
    SessionLock(SessionLock&&) noexcept;
    /// Releases the lock that this object held.
    SessionLock& operator=(SessionLock&&) noexcept;
    /// Releases it.
    ~SessionLock();

    /// Requests a stop when the session has ended and the lock with it. Another process may hold
    /// the lock by then.
    [[nodiscard]] std::stop_token lost() const;

private:
    struct Parts;
    explicit SessionLock(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace sundial::embedding

namespace sundial {

using embedding::SessionLock;

}  // namespace sundial

#pragma GCC visibility pop
