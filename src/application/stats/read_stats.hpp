#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/store.hpp"
#include "domain/error.hpp"

namespace sundial {

/// The counters of a time, and the backlog of now.
struct StatsOverview {
    Instant from, to;  // the counted time: whole minutes or hours up to now
    std::uint64_t started = 0, completed = 0, failed = 0, retried = 0;
    Histogram lateness{};  // of first attempts
    LiveCounts live{};
};

enum class StatsMetric : std::uint8_t {
    executed,
    failed,
    retried,
    lateness_p50,
    lateness_p95,
    lateness_p99,
    duration_p50,
    duration_p95,
    duration_p99,
    claim_duration_p50,
    claim_duration_p95,
    claim_duration_p99,
    backlog,
    oldest_due
};
[[nodiscard]] std::string_view to_string(StatsMetric metric);
[[nodiscard]] std::optional<StatsMetric> parse_stats_metric(std::string_view text);

enum class SeriesBy : std::uint8_t { none, event_type, endpoint, instance };

struct SeriesRequest {
    std::vector<StatsMetric> metrics{};
    Instant from{}, to{};
    std::chrono::seconds step{60};
    SeriesBy by = SeriesBy::none;
    /// Only the line of this event type or endpoint, beside `other_label` if there is one: an
    /// instance counts only the first 100 labels of a minute by themselves.
    std::optional<std::string> key{};
};
struct SeriesLine {
    StatsMetric metric;
    std::string label;  // empty without a grouping; `other_label` for the ones of less weight
    /// One for each step from `from`; counts are events, durations seconds. Empty: nothing was
    /// measured.
    std::vector<std::optional<double>> points;
};
struct Series {
    Instant from;  // at the beginning of a step
    std::chrono::seconds step;
    std::vector<SeriesLine> lines;
};

inline constexpr std::size_t max_series_points = 1'500;
inline constexpr std::size_t max_series_lines = 20;

/// Reads counters. The rows read are bounded by the windows and steps that it accepts.
class ReadStats {
public:
    explicit ReadStats(Store& store) : store_(store) {}

    /// `window` from a minute to 30 days; up to a day it is counted by minutes, above by hours.
    [[nodiscard]] StatsOverview overview(std::chrono::seconds window);
    /// Errors: ValidationFailed at ?from, ?step, ?by, ?key and ?metric.
    [[nodiscard]] Result<Series, ValidationFailed> series(const SeriesRequest& request);

private:
    Store& store_;
};

}  // namespace sundial
