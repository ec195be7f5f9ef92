#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "application/observation/observer.hpp"
#include "application/ports/stats_repository.hpp"
#include "domain/ids.hpp"

namespace sundial {

/// Types or endpoints that have rows of their own in a minute. Further ones count together as
/// `other_label`, so the number of rows is bounded whatever callers choose for names.
inline constexpr std::size_t max_stats_labels = 100;
inline constexpr std::string_view other_label = "other";
/// In-process handlers have no endpoint.
inline constexpr std::string_view handler_label = "handler";

/// Adds up what this instance does, in memory. Each row has the values of its whole minute or hour
/// so far, so writing it again does no harm. Thread-safe; the last three functions are for one
/// thread.
class CollectStats final : public EngineObserver {
public:
    explicit CollectStats(InstanceId instance) : instance_(instance) {}

    void claimed(std::size_t events, std::size_t lost_attempts,
                 std::chrono::microseconds duration) override;
    void started(const AttemptStarted& attempt_started) override;
    void settled(const AttemptSettled& attempt_settled) override;
    /// A sample of the backlog.
    void due(const LiveCounts& counts);

    [[nodiscard]] bool has_rows() const;
    /// The rows that are not stored yet; counts since the last call belong to the minute
    /// of `now`. An hour's rows follow at the end of each minute, or if this is the `last` call.
    [[nodiscard]] std::vector<StatsRow> rows_at(Instant now, bool last = false);
    /// All rows that the last call returned are stored.
    void stored();

private:
    struct Tally {
        std::uint64_t count = 0;
        Histogram durations{};
        bool changed = false;
    };
    static constexpr std::size_t measures = 6;
    using Tallies = std::array<Tally, measures>;
    struct Slot {
        Instant begins{};
        Tallies all{};
        std::map<std::string, Tallies, std::less<>> types{};
        std::map<EndpointId, Tallies> endpoints{};
        Tallies handlers{}, other_types{}, other_endpoints{};
        std::map<std::string, Tallies, std::less<>> zones{};
        Tallies other_zones{};
    };

    void count(const Event& event, StatsMeasure measure, std::chrono::microseconds duration);
    void count_zone(const Event& event, StatsMeasure measure, std::chrono::microseconds duration);
    void end_minute(Instant next);
    void collect(Slot& slot, StatsStep step);
    void collect(Tallies& tallies, const StatsKey& key);
    static void add(Slot& to, const Slot& slot);

    const InstanceId instance_;
    mutable std::mutex mutex_;
    Slot minute_, hour_;
    bool counted_ = false;  // anything in this minute
    std::map<StatsKey, StatsRow> unstored_;
};

}  // namespace sundial
