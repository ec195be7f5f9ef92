#pragma once

#include <chrono>
#include <optional>

#include "application/ports/clock.hpp"
#include "application/ports/store.hpp"
#include "application/stats/collect_stats.hpp"

namespace sundial {

/// Counters by minute serve windows of a day; those by hour are kept as long as idempotency keys.
inline constexpr std::chrono::hours minutes_kept_for{26};
inline constexpr std::chrono::days hours_kept_for{400};

/// Stores the counters of this instance. Call it about once a second, from one thread. Nothing is
/// written while nothing happens.
class RecordStats {
public:
    RecordStats(Store& store, const MonotonicClock& monotonic, CollectStats& collected)
        : store_(store), monotonic_(monotonic), collected_(collected) {}
    /// Throws Unavailable; then the next call stores the same rows, too.
    void run();
    /// Stores the hour so far: the instance ends.
    void finish();

private:
    void write(bool last);

    Store& store_;
    const MonotonicClock& monotonic_;
    CollectStats& collected_;
    std::optional<Mono> sampled_;
};

/// Deletes old counters, a batch at a time. True if there may be more.
[[nodiscard]] bool forget_stats(Store& store);

}  // namespace sundial
