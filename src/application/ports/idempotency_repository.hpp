#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "domain/time/types.hpp"

namespace sundial {

/// Whose key it is: the same text of another principal, or tenant, is another key.
struct IdempotencyScope {
    std::string tenant{};     // empty: there are none
    std::string principal{};  // who asks: "key:7f3a9k2m1q"
    std::string key{};        // 1 to 255 visible ASCII characters
    friend auto operator<=>(const IdempotencyScope&, const IdempotencyScope&) = default;
};

/// What is kept under an Idempotency-Key: the answer to its first request or, while a request with
/// outside effects has none yet, who is at it and how far it has come.
struct IdempotencyRecord {
    IdempotencyScope scope;
    std::string fingerprint;                // of that request, 32 bytes
    std::optional<std::string> answer{};    // as whoever gave it wrote it down
    bool sealed = false;                    // the answer is encrypted: it shows a secret
    std::uint32_t steps_done = 0;           // without an answer: so far it has come,
    std::string progress{};                 // and this is what the last step made
    std::uint32_t attempt = 1;              // which one is at it, or gave the answer
    std::optional<Instant> leased_until{};  // without an answer: nobody else goes on before
    Instant expires_at{};
    friend bool operator==(const IdempotencyRecord&, const IdempotencyRecord&) = default;
};

/// Answers kept for requests that may come again, inside one transaction.
class IdempotencyRepository {
public:
    virtual ~IdempotencyRepository() = default;
    /// Keeps all other transactions, on whichever instance, from this scope until this one ends.
    /// False, at once, if one of them has it.
    virtual bool try_lock(const IdempotencyScope& scope) = 0;
    /// Nothing if it has expired by the database's clock. Nobody else changes it until the
    /// transaction ends.
    virtual std::optional<IdempotencyRecord> lock(const IdempotencyScope& scope) = 0;
    /// In place of what is kept under its scope, if anything is.
    virtual void put(const IdempotencyRecord& record) = 0;
    virtual void remove(const IdempotencyScope& scope) = 0;
    /// Removes at most `limit` that have expired, the oldest first; passes by what others lock.
    virtual std::size_t remove_expired(std::size_t limit) = 0;
};

}  // namespace sundial
