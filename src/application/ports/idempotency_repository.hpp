#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "domain/time/types.hpp"

namespace sundial {

/// The scope of a key: the same text from another principal or tenant is another key.
struct IdempotencyScope {
    std::string tenant{};     // empty: no tenants
    std::string principal{};  // the caller: "key:7f3a9k2m1q"
    std::string key{};        // 1 to 255 visible ASCII characters
    friend auto operator<=>(const IdempotencyScope&, const IdempotencyScope&) = default;
};

/// The record under an Idempotency-Key: the answer to its first request. A request with outside
/// effects may have no answer yet; then the record has its progress and the lease of its current
/// attempt.
struct IdempotencyRecord {
    IdempotencyScope scope;
    std::string fingerprint;                // of the first request, 32 bytes
    std::optional<std::string> answer{};    // encoded by the code that gave the answer
    bool sealed = false;                    // the answer is encrypted because it contains a secret
    std::uint32_t steps_done = 0;           // without an answer: number of completed steps
    std::string progress{};                 // result of the last step
    std::uint32_t attempt = 1;              // the current attempt, or the one that answered
    std::optional<Instant> leased_until{};  // without an answer: no other attempt starts before
    Instant expires_at{};
    friend bool operator==(const IdempotencyRecord&, const IdempotencyRecord&) = default;
};

/// Answers kept for repeated requests, inside one transaction.
class IdempotencyRepository {
public:
    virtual ~IdempotencyRepository() = default;
    /// Blocks this scope for all other transactions, on all instances, until this one ends. False,
    /// at once, if another transaction holds it.
    virtual bool try_lock(const IdempotencyScope& scope) = 0;
    /// Empty if the record has expired by the database's clock. No other transaction changes it
    /// until this one ends.
    virtual std::optional<IdempotencyRecord> lock(const IdempotencyScope& scope) = 0;
    /// Replaces the record of its scope, if there is one.
    virtual void put(const IdempotencyRecord& record) = 0;
    virtual void remove(const IdempotencyScope& scope) = 0;
    /// Removes at most `limit` expired records, the oldest first. Skips those that others have
    /// locked.
    virtual std::size_t remove_expired(std::size_t limit) = 0;
};

}  // namespace sundial
