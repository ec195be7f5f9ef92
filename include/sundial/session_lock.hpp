#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "sundial/result.hpp"

namespace sundial::embedding {

/// A lock by name that a session of a PostgreSQL server has, for steps that cannot be given up half
/// way, such as migrations of your own: it has no lease, so nobody takes it over while its holder
/// is merely slow, and it is free when the session ends. It has no fencing token either: what must
/// be safe from a holder that lost it wants a `Lock`.
///
///     auto lock = sundial::SessionLock::acquire(url, "migrate-shop", std::chrono::minutes{1});
///     if (!lock) return complain(lock.error().detail);
///     migrate_shop(lock->lost());
///
/// A handle to move, not to copy. Has a connection and a thread of its own.
class SessionLock {
public:
    /// Waits at most `wait`, up to 24 days, for the session that has it. `url`: of the server
    /// itself, postgresql://…; `name`: 1 to 128 printable characters. Errors: VALIDATION_FAILED;
    /// CANNOT_START where a pooler stands between, whose sessions belong to nobody, or the URL
    /// names no server; LOCK_HELD, by this process too; STORAGE_UNAVAILABLE.
    static Result<SessionLock> acquire(const std::string& url, const std::string& name,
                                       std::chrono::milliseconds wait = {});
    SessionLock(SessionLock&&) noexcept;
    SessionLock& operator=(SessionLock&&) noexcept;
    /// Releases it.
    ~SessionLock();

    /// A stop is requested when the session is gone and the lock with it. Another may have it by
    /// then.
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
