#pragma once

#include <optional>
#include <string_view>

#include "domain/ids.hpp"

namespace sundial {

/// New ids and keys. Thread-safe.
class Ids {
public:
    virtual ~Ids() = default;
    /// UUIDv7.
    virtual Uuid fresh() = 0;
    /// UUIDv7 whose last byte is the last byte of SHA-256 of the key, so that an event, its first
    /// key and its retries share a shard.
    virtual EventId event_id(const IdempotencyKey& first_key) = 0;
    /// `event-` and 32 random hex digits.
    virtual IdempotencyKey random_key() = 0;
    /// `event-` and the first 32 hex digits of SHA-256 over schedule name, user (an empty line
    /// without one) and occurrence (`identity_text`), one per line. The same occurrence has the
    /// same key for ever, on every instance.
    virtual IdempotencyKey generated_key(std::string_view schedule, std::optional<UserId> user,
                                         std::string_view occurrence) = 0;
};

/// Random numbers for jitter. Thread-safe.
class Random {
public:
    virtual ~Random() = default;
    /// Uniform in [0, 1).
    virtual double unit() = 0;
};

}  // namespace sundial
