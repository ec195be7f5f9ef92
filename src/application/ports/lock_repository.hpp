#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/lock.hpp"

namespace sundial {

/// Locks that are held, by name, byte by byte.
struct LockQuery {
    std::optional<std::string> prefix{};  // of the name
    std::optional<std::string> after{};   // the last name of the page before
    std::size_t limit = 50;
};

/// The rows of locks, inside one transaction. What may become of them is `domain/lock.hpp`'s to
/// say.
class LockRepository {
public:
    virtual ~LockRepository() = default;
    /// The database's clock at this moment: that of the transaction is old after a wait.
    virtual Instant now() = 0;
    virtual std::optional<Lock> find(const std::string& name) = 0;
    /// For a grant: the row, made if there is none. Nothing while a transaction that guards it, or
    /// grants it, is not over: nobody waits for that with a connection in hand.
    virtual std::optional<Lock> lock_to_grant(const std::string& name) = 0;
    /// For a fence: the row, made if there is none. Waits for the end of others.
    virtual Lock lock(const std::string& name) = 0;
    /// For the holder's own changes, which pass by transactions that guard it.
    virtual std::optional<Lock> lock_to_renew(const std::string& name) = 0;
    /// Until this transaction ends nobody is granted the lock; its holder can renew it.
    virtual std::optional<Lock> guard(const std::string& name) = 0;
    /// Replaces a locked row.
    virtual void update(const Lock& lock) = 0;
    /// What is held at `now`.
    virtual Page<Lock> list(const LockQuery& query, Instant now) = 0;
};

}  // namespace sundial
