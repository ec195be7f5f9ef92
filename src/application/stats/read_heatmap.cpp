#include "application/stats/read_heatmap.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "application/stats/collect_stats.hpp"
#include "domain/time/recurrence.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

/// Maximum number of rows for one response, the same as for a series.
constexpr std::size_t max_heatmap_rows = 30'000;

/// The cells of all lines.
class HeatCells {
public:
    HeatCells(Instant from, seconds bucket, std::size_t buckets)
        : from_(from), bucket_(bucket), buckets_(buckets) {}

    void add_past(std::string_view label, Instant slot, std::uint64_t count) {
        const auto at = index_of(slot);
        if (at < buckets_) line(label).past.at(at) += count;
    }
    /// Events with a target in the bucket that begins at `slot`.
    void add_planned(std::string_view label, Instant slot, std::uint64_t count) {
        HeatmapLine& to = line(label);
        const auto at = index_of(slot);
        if (at < buckets_) to.forecast.at(at) += static_cast<double>(count);
    }
    /// An event that starts at any instant from `at` to `at + jitter`, each as likely.
    void add_forecast(std::string_view label, Instant at, microseconds jitter) {
        HeatmapLine& to = line(label);
        if (jitter <= microseconds{0}) {
            if (index_of(at) < buckets_) to.forecast.at(index_of(at)) += 1;
            return;
        }
        const Instant end = at + jitter;
        for (auto i = index_of(at); i < buckets_; ++i) {
            const Instant begins = from_ + static_cast<std::int64_t>(i) * microseconds{bucket_};
            if (begins >= end) break;
            const auto share = std::min(end, begins + microseconds{bucket_}) - std::max(at, begins);
            to.forecast.at(i) +=
                static_cast<double>(share.count()) / static_cast<double>(jitter.count());
        }
    }
    [[nodiscard]] Instant from() const { return from_; }
    [[nodiscard]] std::vector<HeatmapLine> lines() && {
        std::vector<HeatmapLine> all;
        all.reserve(lines_.size());
        for (auto& [label, line] : lines_) all.push_back(std::move(line));
        return all;
    }

private:
    [[nodiscard]] std::size_t index_of(Instant at) const {
        return static_cast<std::size_t>((at - from_) / bucket_);
    }
    HeatmapLine& line(std::string_view label) {
        auto found = lines_.find(label);
        if (found == lines_.end()) {
            if (lines_.size() >= max_heatmap_lines) label = other_label;
            HeatmapLine empty{.label = std::string{label}, .past = {}, .forecast = {}};
            empty.past.resize(buckets_);
            empty.forecast.resize(buckets_);
            found = lines_.try_emplace(empty.label, empty).first;
        }
        return found->second;
    }

    Instant from_;
    seconds bucket_;
    std::size_t buckets_;
    std::map<std::string, HeatmapLine, std::less<>> lines_{};
};

std::string heat_label(HeatmapBy by, std::string_view zone,
                       const std::optional<EndpointId>& endpoint) {
    if (by == HeatmapBy::status) return "PENDING";
    if (by == HeatmapBy::zone) return std::string{zone};
    return endpoint ? to_string(*endpoint) : std::string{handler_label};
}

std::string past_label(HeatmapBy by, const StatsRow& row) {
    if (by != HeatmapBy::status) return row.key.label;
    return row.key.measure == StatsMeasure::completed ? "COMPLETED" : "FAILED";
}

StatsBy counters_for(HeatmapBy by) {
    if (by == HeatmapBy::zone) return StatsBy::zone;
    return by == HeatmapBy::endpoint ? StatsBy::endpoint : StatsBy::all;
}

std::optional<ValidationFailed> refuse_heatmap(const HeatmapRequest& request) {
    const seconds hour{3600};
    if (request.bucket < hour || request.bucket > 24 * hour ||
        request.bucket % hour != seconds{0}) {
        return invalid("?bucket", "out_of_range", "must be whole hours, PT1H to PT24H");
    }
    if (request.from >= request.to) return invalid("?from", "out_of_range", "must be before to");
    if (std::cmp_greater((request.to - request.from) / request.bucket, max_heatmap_buckets - 2)) {
        return invalid("?to", "out_of_range",
                       "gives too many buckets; take longer buckets or less time");
    }
    return std::nullopt;
}

/// Read in one transaction, beside the cells of the forecast.
struct HeatRead {
    Instant now{};
    std::vector<StatsRow> rows{};
    std::set<EventId> planned{};  // of rules, counted in the cells
    std::vector<ScheduleId> only_next{};
    Instant end{};  // of the forecast
};

/// Counts planned events.
void read_planned(Transaction& tx, const HeatmapRequest& request, HeatRead& read,
                  HeatCells& cells) {
    PlannedQuery query{.from = std::max(request.from, read.now),
                       .to = request.to,
                       .first_slot = cells.from(),
                       .slot = request.bucket,
                       .most = max_forecast_events};
    if (request.by == HeatmapBy::zone) query.by = PlannedBy::zone;
    if (request.by == HeatmapBy::endpoint) query.by = PlannedBy::endpoint;
    const PlannedCounts planned = tx.events().count_planned(query);
    for (const PlannedCount& counted : planned.counts) {
        cells.add_planned(heat_label(request.by, counted.zone, counted.endpoint), counted.slot,
                          counted.count);
    }
    read.planned.insert(planned.of_rules.begin(), planned.of_rules.end());
    if (planned.end) read.end = *planned.end;
}

/// Counts the later occurrences of a schedule.
void add_later_cells(const LaterOccurrences& of, const HeatmapRequest& request,
                     const HeatRead& read, HeatCells& cells) {
    const Schedule& schedule = of.rule.schedule();
    const std::string label =
        heat_label(request.by, schedule.timezone.value_or("UTC"), schedule.endpoint);
    const Instant from = std::max(request.from, read.now);
    // A scheduler may have planned this event since the planned ones were counted.
    if (of.planned != nullptr && !read.planned.contains(of.planned->id) &&
        of.planned->due >= from && of.planned->due < read.end) {
        cells.add_forecast(label, of.planned->due, microseconds{0});
    }
    if (of.later == nullptr) return;
    while (const auto next = of.later->next()) {
        effort::spend(steps_of_forecast_occurrence);
        const Instant at = next->occurrence.instant;
        if (at >= read.end) return;
        if (is_skip(next->occurrence.note)) continue;
        cells.add_forecast(label, at, microseconds{schedule.jitter});
    }
}

/// Bounds on the schedules and the steps of a forecast.
struct ForecastBounds {
    std::size_t schedules;
    std::int64_t steps;
};

/// Whether some are missing: there are more schedules or occurrences than a forecast computes.
[[nodiscard]] bool add_all_later(Store& store, const TzData& zones, const ForecastBounds& bounds,
                                 const HeatmapRequest& request, const HeatRead& read,
                                 HeatCells& cells) {
    bool more = false;
    const bool computed = within_effort(bounds.steps, [&] {
        more = each_later(
            store, zones, std::max(request.from, read.now), bounds.schedules,
            [&](const LaterOccurrences& of) { add_later_cells(of, request, read, cells); });
    });
    // A map without some occurrences is of more use than an error.
    return more || !computed;
}

/// The events a second that each endpoint accepts, if it has a limit.
std::map<std::string, std::uint64_t> limits_of(Transaction& tx,
                                               const std::vector<HeatmapLine>& lines) {
    std::vector<EndpointId> ids;
    for (const HeatmapLine& line : lines) {
        if (const auto id = base::parse_uuid(line.label)) ids.emplace_back(*id);
    }
    std::map<std::string, std::uint64_t> limits;
    for (const Endpoint& endpoint : tx.endpoints().find_all(ids)) {
        if (endpoint.rate_limit) limits[to_string(endpoint.id)] = endpoint.rate_limit->per_second;
    }
    return limits;
}

}  // namespace

Result<Heatmap, ValidationFailed> ReadHeatmap::run(const HeatmapRequest& request) {
    if (auto refused = refuse_heatmap(request)) return *std::move(refused);
    const auto since = request.from.time_since_epoch();
    const Instant from{since - since % microseconds{request.bucket}};
    const auto buckets =
        static_cast<std::size_t>((request.to - from - microseconds{1}) / request.bucket) + 1;
    // The transaction may run again, so it begins with empty cells.
    std::optional<HeatCells> cells;
    Heatmap heatmap{.from = from, .bucket = request.bucket, .now = {}, .forecast_to = request.to};
    const auto zones = zones_.current();
    const HeatRead read = in_read(store_, [&](Transaction& tx) {
        HeatRead found{.now = tx.now(), .end = request.to};
        cells.emplace(from, request.bucket, buckets);
        StatsQuery query{.step = StatsStep::hour,
                         .by = counters_for(request.by),
                         .measures = {StatsMeasure::completed, StatsMeasure::failed},
                         .from = from,
                         .to = request.to};
        query.limit = max_heatmap_rows + 1;
        found.rows = tx.stats().read(query);
        if (request.forecast && request.to > found.now) {
            read_planned(tx, request, found, *cells);
            found.only_next = only_next_event(tx, found.end - found.now);
        }
        return found;
    });
    if (read.rows.size() > max_heatmap_rows) {
        return invalid("?from", "too_expensive",
                       "this time has too many counters; ask for less time");
    }
    if (request.forecast && request.to > read.now) {
        heatmap.more_schedules =
            add_all_later(store_, *zones, {max_schedules_, max_steps_}, request, read, *cells);
    }
    for (const StatsRow& row : read.rows)
        cells->add_past(past_label(request.by, row), row.key.slot, row.count);
    heatmap.only_next = read.only_next;
    heatmap.now = read.now;
    heatmap.forecast_to = read.end;
    heatmap.lines = std::move(*cells).lines();
    if (request.by == HeatmapBy::endpoint) {
        const auto limits =
            in_read(store_, [&](Transaction& tx) { return limits_of(tx, heatmap.lines); });
        for (HeatmapLine& line : heatmap.lines) {
            const auto limit = limits.find(line.label);
            if (limit == limits.end()) continue;
            line.limit = limit->second * static_cast<std::uint64_t>(request.bucket.count());
        }
    }
    return heatmap;
}

}  // namespace sundial
