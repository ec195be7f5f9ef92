#include "application/stats/read_stats.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "application/stats/collect_stats.hpp"
#include "application/stats/record_stats.hpp"
#include "domain/enum_names.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::seconds;

constexpr EnumNames<14> metric_names{"executed",
                                     "failed",
                                     "retried",
                                     "lateness_p50",
                                     "lateness_p95",
                                     "lateness_p99",
                                     "duration_p50",
                                     "duration_p95",
                                     "duration_p99",
                                     "claim_duration_p50",
                                     "claim_duration_p95",
                                     "claim_duration_p99",
                                     "backlog",
                                     "oldest_due"};

/// Maximum number of rows for one response: about 20 ms.
constexpr std::size_t max_rows = 30'000;

/// The beginning of the step of `length` that contains `at`.
Instant begin_of(Instant at, seconds length) {
    const std::chrono::microseconds since = at.time_since_epoch(), whole{length};
    const auto into = since % whole;  // negative before 1970
    return Instant{since - into - (into.count() < 0 ? whole : std::chrono::microseconds{0})};
}

/// The input of a metric: the measures that it adds up, and the quantile of their durations.
struct Recipe {
    std::vector<StatsMeasure> measures;
    std::optional<double> quantile{};
};

Recipe recipe_of(StatsMetric metric) {
    using enum StatsMeasure;
    const std::vector attempts{completed, failed, retried};
    switch (metric) {
        case StatsMetric::executed:
            return {{completed}};
        case StatsMetric::failed:
            return {{failed}};
        case StatsMetric::retried:
            return {{retried}};
        case StatsMetric::lateness_p50:
            return {{started}, 0.5};
        case StatsMetric::lateness_p95:
            return {{started}, 0.95};
        case StatsMetric::lateness_p99:
            return {{started}, 0.99};
        case StatsMetric::duration_p50:
            return {attempts, 0.5};
        case StatsMetric::duration_p95:
            return {attempts, 0.95};
        case StatsMetric::duration_p99:
            return {attempts, 0.99};
        case StatsMetric::claim_duration_p50:
            return {{claimed}, 0.5};
        case StatsMetric::claim_duration_p95:
            return {{claimed}, 0.95};
        case StatsMetric::claim_duration_p99:
            return {{claimed}, 0.99};
        case StatsMetric::backlog:
            return {{due}};
        case StatsMetric::oldest_due:
            break;
    }
    return {{due}, 1.0};
}

bool has_labels(StatsMetric metric) {
    const auto measures = recipe_of(metric).measures;
    return std::ranges::none_of(measures, [](StatsMeasure measure) {
        return measure == StatsMeasure::claimed || measure == StatsMeasure::due;
    });
}

struct Sum {
    std::uint64_t count = 0;
    Histogram durations{};
};

void add(Sum& sum, const StatsRow& row) {
    const bool largest = row.key.measure == StatsMeasure::due;
    sum.count = largest ? std::max(sum.count, row.count) : sum.count + row.count;
    sum.durations.add(row.durations);
}
void add(Sum& sum, const Sum& other) {
    sum.count += other.count;
    sum.durations.add(other.durations);
}

std::optional<double> value_of(const Sum& sum, const Recipe& recipe) {
    if (!recipe.quantile) return static_cast<double>(sum.count);
    const auto value = sum.durations.quantile(*recipe.quantile);
    if (!value) return std::nullopt;
    return std::chrono::duration<double>(*value).count();
}

std::string label_of(const StatsRow& row, SeriesBy by) {
    if (by == SeriesBy::none) return {};
    return by == SeriesBy::instance ? to_string(row.key.instance) : row.key.label;
}

/// Sums by label and step.
using Lines = std::map<std::string, std::map<std::size_t, Sum>>;

/// Keeps the lines of most weight and adds the others up.
void shorten(Lines& lines) {
    if (lines.size() <= max_series_lines) return;
    std::vector<std::pair<std::uint64_t, std::string>> weights;
    for (const auto& [label, steps] : lines) {
        std::uint64_t weight = 0;
        for (const auto& [step, sum] : steps) weight += sum.count;
        if (label != other_label) weights.emplace_back(weight, label);
    }
    std::ranges::sort(weights, std::greater{});
    auto& other = lines[std::string{other_label}];
    for (std::size_t i = max_series_lines - 1; i < weights.size(); ++i) {
        for (const auto& [step, sum] : lines.at(weights[i].second)) add(other[step], sum);
        lines.erase(weights[i].second);
    }
}

std::optional<ValidationFailed> refuse(const SeriesRequest& request) {
    const auto refused = [](const char* pointer, std::string text) {
        return invalid(pointer, "out_of_range", std::move(text));
    };
    if (request.step < seconds{60} || request.step > hours_kept_for ||
        request.step % seconds{60} != seconds{0}) {
        return refused("?step", "must be whole minutes, from PT1M to PT9600H (400 days)");
    }
    if (request.from >= request.to) return refused("?from", "must be before to");
    const auto points = (request.to - request.from) / request.step;
    if (std::cmp_greater(points, max_series_points)) {
        return refused("?step", "gives more than " + std::to_string(max_series_points) +
                                    " points; take a longer step or less time");
    }
    const bool by_label = request.by == SeriesBy::event_type || request.by == SeriesBy::endpoint;
    if (request.key && !by_label) {
        return invalid("?key", "not_allowed", "belongs to by=eventType or by=endpointId");
    }
    if (by_label && !std::ranges::all_of(request.metrics, has_labels)) {
        return invalid("?by", "not_allowed",
                       "claims and the backlog are measured by instance, not by event type or "
                       "endpoint");
    }
    return std::nullopt;
}

bool has_whole_hours(const SeriesRequest& request) {
    return request.step % seconds{3600} == seconds{0};
}

/// Refuses a time whose counters were deleted, because the result would be zero.
std::optional<ValidationFailed> refuse_forgotten(const SeriesRequest& request, Instant now) {
    const auto since = [&](std::chrono::microseconds kept) {
        return begin_of(now - kept, length_of(StatsStep::hour));
    };
    const Instant first_hour = since(hours_kept_for), first_minute = since(minutes_kept_for);
    if (request.from < first_hour) {
        return invalid(
            "?from", "out_of_range",
            "counters are kept for 400 days: must not be before " + format_instant(first_hour));
    }
    if (request.from < first_minute && !has_whole_hours(request)) {
        return invalid("?step", "out_of_range",
                       "counters by minute are kept for 26 hours: must be whole hours if from is "
                       "before " +
                           format_instant(first_minute));
    }
    return std::nullopt;
}

StatsStep step_for(const SeriesRequest& request, Instant from, Instant now) {
    const bool minutes_are_there = from >= now - minutes_kept_for;
    return minutes_are_there || !has_whole_hours(request) ? StatsStep::minute : StatsStep::hour;
}

/// Calls `use` with each row, with at most `max_rows` of them in RAM at once.
template <class Use>
void read_each(StatsRepository& stats, StatsQuery query, const Use& use) {
    query.limit = max_rows + 1;
    const auto rows = stats.read(query);
    const auto slots = (query.to - query.from) / length_of(query.step);
    if (rows.size() <= max_rows || slots < 2) {
        for (const StatsRow& row : rows) use(row);
        return;
    }
    const Instant middle = query.from + slots / 2 * length_of(query.step);
    StatsQuery first = query;
    first.to = query.from = middle;
    read_each(stats, std::move(first), use);
    read_each(stats, std::move(query), use);
}

SeriesLine line_of(StatsMetric metric, const Recipe& recipe, const std::string& label,
                   const std::map<std::size_t, Sum>& steps, std::size_t points) {
    SeriesLine line{.metric = metric, .label = label, .points = {}};
    const std::optional<double> nothing =
        recipe.quantile ? std::nullopt : std::optional<double>{0.0};
    line.points.assign(points, nothing);
    for (const auto& [step, sum] : steps) line.points.at(step) = value_of(sum, recipe);
    return line;
}

}  // namespace

std::string_view to_string(StatsMetric metric) { return name_in(metric_names, metric); }
std::optional<StatsMetric> parse_stats_metric(std::string_view text) {
    return find_in<StatsMetric>(metric_names, text);
}

StatsOverview ReadStats::overview(seconds window) {
    return in_read(store_, [&](Transaction& tx) {
        using enum StatsMeasure;
        const StatsStep step =
            window <= std::chrono::hours{24} ? StatsStep::minute : StatsStep::hour;
        StatsOverview overview{.from = begin_of(tx.now() - window, length_of(step)),
                               .to = tx.now(),
                               .live = tx.stats().live_counts(max_counted)};
        StatsQuery query{.step = step,
                         .by = StatsBy::all,
                         .measures = {started, completed, failed, retried},
                         .from = overview.from,
                         .to = tx.now() + seconds{1}};
        read_each(tx.stats(), query, [&](const StatsRow& row) {
            if (row.key.measure == started) {
                overview.started += row.count;
                overview.lateness.add(row.durations);
            }
            if (row.key.measure == completed) overview.completed += row.count;
            if (row.key.measure == failed) overview.failed += row.count;
            if (row.key.measure == retried) overview.retried += row.count;
        });
        return overview;
    });
}

Result<Series, ValidationFailed> ReadStats::series(const SeriesRequest& request) {
    if (auto refused = refuse(request)) return *std::move(refused);
    std::set<StatsMeasure> measures;
    for (const StatsMetric metric : request.metrics) {
        const auto needed = recipe_of(metric).measures;
        measures.insert(needed.begin(), needed.end());
    }
    const Instant from = begin_of(request.from, request.step);
    StatsQuery query{.by = request.by == SeriesBy::event_type ? StatsBy::type
                           : request.by == SeriesBy::endpoint ? StatsBy::endpoint
                                                              : StatsBy::all,
                     .measures = {measures.begin(), measures.end()},
                     .from = from,
                     .to = request.to};
    query.limit = max_rows + 1;
    if (request.key) query.labels = {*request.key, std::string{other_label}};
    std::optional<ValidationFailed> forgotten;
    const auto rows = in_read(store_, [&](Transaction& tx) -> std::vector<StatsRow> {
        forgotten = refuse_forgotten(request, tx.now());
        if (forgotten) return {};
        query.step = step_for(request, from, tx.now());
        return tx.stats().read(query);
    });
    if (forgotten) return *std::move(forgotten);
    if (rows.size() > max_rows) {
        return invalid("?from", "too_expensive",
                       "this time has too many counters; ask for less time, or for steps of whole "
                       "hours over more than a day");
    }
    const auto points =
        static_cast<std::size_t>((request.to - from + std::chrono::microseconds{request.step} -
                                  std::chrono::microseconds{1}) /
                                 request.step);
    Series series{.from = from, .step = request.step, .lines = {}};
    for (const StatsMetric metric : request.metrics) {
        const Recipe recipe = recipe_of(metric);
        Lines lines;
        if (request.by == SeriesBy::none) lines[""];
        if (request.key) lines[*request.key];
        for (const StatsRow& row : rows) {
            if (std::ranges::find(recipe.measures, row.key.measure) == recipe.measures.end())
                continue;
            const auto step = static_cast<std::size_t>((row.key.slot - from) / request.step);
            add(lines[label_of(row, request.by)][step], row);
        }
        shorten(lines);
        for (const auto& [label, steps] : lines) {
            series.lines.push_back(line_of(metric, recipe, label, steps, points));
        }
    }
    return series;
}

}  // namespace sundial
