#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/schedules/later_occurrences.hpp"
#include "domain/error.hpp"
#include "domain/time/effort.hpp"

namespace sundial {

enum class HeatmapBy : std::uint8_t { zone, endpoint, status };

struct HeatmapRequest {
    Instant from{}, to{};
    std::chrono::seconds bucket{3600};
    HeatmapBy by = HeatmapBy::zone;
    bool forecast = true;
};
struct HeatmapLine {
    std::string label;  // the zone, endpoint or status; `other_label` for those beyond the bound
    /// Events that the endpoint accepts in a bucket. Empty: unlimited, or not an endpoint.
    std::optional<std::uint64_t> limit{};
    /// One for each bucket from `from`. A jitter spreads an occurrence over several buckets.
    std::vector<std::uint64_t> past;
    std::vector<double> forecast;
};
struct Heatmap {
    Instant from;  // at the beginning of a bucket
    std::chrono::seconds bucket;
    Instant now;
    /// The end of the forecast: before `to` if there are more planned events than are counted.
    Instant forecast_to;
    /// Schedules of users: the forecast has only the planned event of each user.
    std::vector<ScheduleId> only_next{};
    /// There are more enabled schedules, or more occurrences, than a forecast computes, so later
    /// occurrences are missing.
    bool more_schedules = false;
    std::vector<HeatmapLine> lines{};
};

/// A month of hours.
inline constexpr std::size_t max_heatmap_buckets = 744;
inline constexpr std::size_t max_heatmap_lines = 200;
/// Planned events that a forecast reads, by due time.
inline constexpr std::size_t max_forecast_events = 5'000;
/// Of the bound on steps. With `max_steps_of_request` a forecast has 200,000 later occurrences, so
/// that rules which fire every minute are bounded as well as rules which rarely fire. It ends at
/// the schedule that reaches this bound.
inline constexpr std::int64_t steps_of_forecast_occurrence = 50;

/// Finished events by hour, from counters, and what will fire: planned events and later occurrences
/// of schedules (ADR 0049).
class ReadHeatmap {
public:
    /// Reads at most `max_schedules` schedules for a forecast, and takes at most `max_steps` steps
    /// for their later occurrences.
    ReadHeatmap(Store& store, const TimeZones& zones,
                std::size_t max_schedules = max_later_schedules,
                std::int64_t max_steps = max_steps_of_request)
        : store_(store), zones_(zones), max_schedules_(max_schedules), max_steps_(max_steps) {}
    /// Errors: ValidationFailed at ?from, ?to and ?bucket.
    [[nodiscard]] Result<Heatmap, ValidationFailed> run(const HeatmapRequest& request);

private:
    Store& store_;
    const TimeZones& zones_;
    std::size_t max_schedules_;
    std::int64_t max_steps_;
};

}  // namespace sundial
