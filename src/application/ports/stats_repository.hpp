#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/histogram.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

/// Counters of what instances did, by minute and by hour (ADR 0042).
namespace sundial {

enum class StatsStep : std::uint8_t { minute, hour };
[[nodiscard]] constexpr std::chrono::seconds length_of(StatsStep step) {
    return step == StatsStep::minute ? std::chrono::seconds{60} : std::chrono::seconds{3600};
}

/// The events of a row: each event counts in the row of all, in that of its type, in that of its
/// endpoint and, by hour, in that of its zone.
enum class StatsBy : std::uint8_t { all, type, endpoint, zone };
[[nodiscard]] std::string_view to_string(StatsBy by);
[[nodiscard]] std::optional<StatsBy> parse_stats_by(std::string_view text);

enum class StatsMeasure : std::uint8_t {
    started,    // first attempts that began; durations: lateness
    completed,  // events; durations: of the attempts
    failed,     // events; durations: of the last attempts
    retried,    // attempts that failed and will be repeated; durations: of the attempts
    claimed,    // events; durations: of the claims
    due         // most events that were due at once; durations: age of the oldest
};
[[nodiscard]] std::string_view to_string(StatsMeasure measure);
[[nodiscard]] std::optional<StatsMeasure> parse_stats_measure(std::string_view text);

/// Identifies a row. Only its instance writes it.
struct StatsKey {
    StatsStep step = StatsStep::minute;
    StatsBy by = StatsBy::all;
    StatsMeasure measure = StatsMeasure::started;
    Instant slot{};       // the beginning of its minute or hour
    std::string label{};  // the type, id of the endpoint, or zone; empty for all
    InstanceId instance{Uuid{}};
    friend auto operator<=>(const StatsKey&, const StatsKey&) = default;
};
struct StatsRow {
    StatsKey key{};
    std::uint64_t count = 0;
    Histogram durations{};
    friend bool operator==(const StatsRow&, const StatsRow&) = default;
};

struct StatsQuery {
    StatsStep step = StatsStep::minute;
    StatsBy by = StatsBy::all;
    std::vector<StatsMeasure> measures{};  // any of them; at least one
    Instant from{}, to{};                  // of the slot: from inclusive, to exclusive
    std::size_t limit = 50'000;            // rows
    std::vector<std::string> labels{};     // any of them; empty: all
};

/// The waiting events, counted up to a bound each, so that no table is read as a whole.
struct LiveCounts {
    BoundedCount pending{}, processing{}, dead_letters{};
    /// Claimable by instances now, with an endpoint, in no line.
    BoundedCount due{};
    std::optional<std::chrono::microseconds> oldest_due_age{};  // empty: none is due
    std::uint64_t open_circuits = 0;                            // half-open ones included
    friend bool operator==(const LiveCounts&, const LiveCounts&) = default;
};

class StatsRepository {
public:
    virtual ~StatsRepository() = default;
    /// Stores or replaces rows, in one statement where the database has one.
    virtual void write(std::span<const StatsRow> rows) = 0;
    /// In order of measure and slot.
    virtual std::vector<StatsRow> read(const StatsQuery& query) = 0;
    /// Deletes about `limit` rows of slots before then. True if more may remain.
    virtual bool forget(StatsStep step, Instant before, std::size_t limit) = 0;
    virtual LiveCounts live_counts(std::size_t most) = 0;
};

}  // namespace sundial
