#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace sundial {

/// What a database keeps for a time only.
enum class Kept : std::uint8_t {
    completed,  // events that are COMPLETED or CANCELLED, from then on
    failed,     // those that are FAILED, the same
    attempts,   // tries, from when they were recorded
    keys,       // idempotency keys of events that are over, from when the event was due or made
    skips       // what schedules skipped, from when that was recorded
};

/// Deletes what was kept long enough, by the database's clock. Thread-safe. Throws Unavailable.
class Retention {
public:
    virtual ~Retention() = default;
    /// At most about `limit` rows older than `age`, the oldest first; true if there may be more.
    /// Where events lie in parts by month, a part goes as a whole, once all of it is so old.
    virtual bool forget(Kept what, std::chrono::microseconds age, std::size_t limit) = 0;
};

}  // namespace sundial
