#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace sundial {

/// Data that a database keeps for a limited time.
enum class Kept : std::uint8_t {
    completed,  // COMPLETED or CANCELLED events, from that moment
    failed,     // FAILED events, from that moment
    attempts,   // attempts, from when they were recorded
    keys,       // idempotency keys of finished events, from when the event was due or created
    skips       // occurrences skipped by schedules, from when the skip was recorded
};

/// An idempotency key is kept for at least this long after its event is due or created, whichever
/// is later. Databases store when that ends as `expires_at` of the key. The functions of migration
/// 0027_sql_events of PostgreSQL have the same number.
inline constexpr std::chrono::days key_kept_for{400};

/// Deletes data older than its retention, by the database's clock. Thread-safe. Throws Unavailable.
class Retention {
public:
    virtual ~Retention() = default;
    /// Deletes at most about `limit` rows older than `age`, the oldest first. True if more may
    /// remain. Where events are partitioned by month, a partition is dropped once all of it is
    /// older than `age`.
    virtual bool forget(Kept what, std::chrono::microseconds age, std::size_t limit) = 0;
    /// Brings an index of ended events up to date if the database lets it fall behind: about
    /// `limit` of its parts at most. True if more may remain. Waits for no other transaction: what
    /// another one has locked stays for a later call. Unless overridden, there is no such index.
    virtual bool summarise(std::size_t /*limit*/) { return false; }
};

}  // namespace sundial
