#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/observation/observer.hpp"
#include "application/ports/stats_repository.hpp"
#include "domain/ids.hpp"

namespace sundial {

/// Types or endpoints that have rows of their own in a minute. Further ones, and a type with that
/// name, count together as `other_label`, so the number of rows is bounded whatever callers choose
/// for names.
inline constexpr std::size_t max_stats_labels = 100;
inline constexpr std::string_view other_label = "other";
/// In-process handlers have no endpoint.
inline constexpr std::string_view handler_label = "handler";

/// Counts in memory what this instance does, by the minute of the database's clock in which it
/// happened. Each row has the totals of its minute or hour so far, so writing it again does no
/// harm. Thread-safe; the last three functions are for one thread.
class CollectStats final : public EngineObserver {
public:
    explicit CollectStats(InstanceId instance) : instance_(instance) {}

    void claimed(std::size_t events, std::size_t lost_attempts, Instant at,
                 std::chrono::microseconds duration) override;
    void started(const AttemptStarted& attempt_started) override;
    void settled(const AttemptSettled& attempt_settled) override;
    /// A sample of the backlog at that time.
    void due(const LiveCounts& counts, Instant at);

    [[nodiscard]] bool has_rows() const;
    /// The rows that are not stored yet. A minute ends some seconds after it, or if this is the
    /// `last` call; then the rows of its hour follow. Later reports count in the next
    /// minute.
    [[nodiscard]] std::vector<StatsRow> rows_at(Instant now, bool last = false);
    /// All rows that the last call returned are stored.
    void stored();

private:
    struct Counter {
        std::uint64_t count = 0;
        Histogram durations{};
        bool changed = false;
    };
    static constexpr std::size_t measures = 6;
    using Counters = std::array<Counter, measures>;
    struct Slot {
        Instant begins{};
        Counters all{};
        std::map<std::string, Counters, std::less<>> types{};
        std::map<EndpointId, Counters> endpoints{};
        Counters handlers{}, other_types{}, other_endpoints{};
        std::map<std::string, Counters, std::less<>> zones{};
        Counters other_zones{};
    };

    void count(const Event& event, StatsMeasure measure, Instant at,
               std::chrono::microseconds duration);
    static void count_zone(Slot& minute, const Event& event, StatsMeasure measure,
                           std::chrono::microseconds duration);
    /// The open minute that contains this instant.
    [[nodiscard]] Slot& minute_of(Instant at);
    void end_first_minute();
    void drop_oldest_rows();
    void collect(Slot& slot, StatsStep step);
    void collect(Counters& counters, const StatsKey& key);
    static void add(Slot& to, const Slot& slot);

    const InstanceId instance_;
    mutable std::mutex mutex_;
    std::map<Instant, Slot> minutes_;  // open ones
    std::optional<Instant> ended_;     // the latest minute that has ended
    Slot hour_;                        // of that minute, up to it
    std::map<StatsKey, StatsRow> unstored_;
};

}  // namespace sundial
