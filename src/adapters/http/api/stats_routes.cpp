#include <chrono>
#include <string>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

using std::chrono::seconds;

constexpr seconds usual_window{3600};
constexpr seconds longest_window = std::chrono::days{30};

std::optional<double> seconds_of(std::optional<std::chrono::microseconds> duration) {
    if (!duration) return std::nullopt;
    return std::chrono::duration<double>(*duration).count();
}

/// The duration in the parameter `name`; an invalid one is added to `errors`.
seconds duration_of(const Request& request, std::string_view name, seconds otherwise,
                    std::vector<FieldError>& errors) {
    const auto text = request.query_value(name);
    if (!text) return otherwise;
    const auto duration = parse_duration(*text);
    if (duration) return *duration;
    errors.push_back({"?" + std::string(name), std::string(to_string(duration.error().code)),
                      duration.error().message});
    return otherwise;
}

void write(base::JsonWriter& json, std::string_view name, const BoundedCount& count) {
    json.key(name).begin_object().member("count", count.count);
    json.member("complete", count.complete).end_object();
}

}  // namespace

std::string stats_json(const StatsOverview& found) {
    const std::uint64_t ended = found.completed + found.failed;
    const double length = std::chrono::duration<double>(found.to - found.from).count();

    base::JsonWriter json;
    json.begin_object().member("from", format_instant_millis(found.from));
    json.member("to", format_instant_millis(found.to));
    json.member("started", found.started).member("completed", found.completed);
    json.member("failed", found.failed).member("retried", found.retried);
    json.member("throughput", static_cast<double>(ended) / std::max(length, 1.0));
    json.member("failureRatio", ended == 0 ? std::nullopt
                                           : std::optional(static_cast<double>(found.failed) /
                                                           static_cast<double>(ended)));
    json.key("lateness").begin_object();
    json.member("p50", seconds_of(found.lateness.quantile(0.5)));
    json.member("p95", seconds_of(found.lateness.quantile(0.95)));
    json.member("p99", seconds_of(found.lateness.quantile(0.99)));
    json.member("max", seconds_of(found.lateness.quantile(1))).end_object();
    json.key("now").begin_object();
    write(json, "pending", found.live.pending);
    write(json, "processing", found.live.processing);
    write(json, "due", found.live.due);
    write(json, "deadLetters", found.live.dead_letters);
    json.member("oldestDueAge", seconds_of(found.live.oldest_due_age));
    json.member("openCircuits", found.live.open_circuits).end_object();
    return std::move(json.end_object()).text();
}

namespace {

Response overview(const StatsApi& api, const Request& request) {
    std::vector<FieldError> errors;
    const seconds window = duration_of(request, "window", usual_window, errors);
    if (window < seconds{60} || window > longest_window) {
        errors.push_back({"?window", "out_of_range", "must be from PT1M to PT720H (30 days)"});
    }
    if (!errors.empty()) return refused(validation_failed(std::move(errors)), request);
    const StatsOverview found = api.stats.read.overview(window);
    return http::json(200, stats_json(found));
}

SeriesBy grouping_of(const Request& request) {
    const auto by = request.query_value("by").value_or("");
    if (by == "eventType") return SeriesBy::event_type;
    if (by == "endpointId") return SeriesBy::endpoint;
    return by == "instanceId" ? SeriesBy::instance : SeriesBy::none;
}

Response series(const StatsApi& api, const Request& request) {
    std::vector<FieldError> errors;
    Moments moments(request, api.clock, errors);
    SeriesRequest asked;
    asked.metrics = parsed_list(request, "metric", parse_stats_metric);
    asked.to = moments.value("to").value_or(api.clock.now());
    asked.from = moments.value("from").value_or(asked.to - usual_window);
    asked.step = duration_of(request, "step", seconds{60}, errors);
    asked.by = grouping_of(request);
    asked.key = text_value(request, "key");
    if (!errors.empty()) return refused(validation_failed(std::move(errors)), request);
    const auto found = api.stats.read.series(asked);
    if (!found) return refused(found.error(), request);

    const bool grouped = asked.by != SeriesBy::none;
    base::JsonWriter json;
    json.begin_object().member("from", format_instant_millis(found->from));
    json.member("step", "PT" + std::to_string(found->step.count()) + "S");
    json.key("data").begin_array();
    for (const SeriesLine& line : found->lines) {
        json.begin_object().member("metric", to_string(line.metric));
        json.member("key", grouped ? std::optional(line.label) : std::nullopt);
        json.key("points").begin_array();
        for (const auto& point : line.points) json.value(point);
        json.end_array().end_object();
    }
    return http::json(200, std::move(json.end_array().end_object()).text());
}

HeatmapBy heatmap_grouping_of(const Request& request) {
    const auto by = request.query_value("by").value_or("");
    if (by == "endpointId") return HeatmapBy::endpoint;
    return by == "status" ? HeatmapBy::status : HeatmapBy::zone;
}

Response heatmap(const StatsApi& api, const Request& request) {
    std::vector<FieldError> errors;
    Moments moments(request, api.clock, errors);
    HeatmapRequest asked;
    asked.from = moments.value("from").value_or(api.clock.now() - std::chrono::hours{24});
    asked.to = moments.value("to").value_or(api.clock.now() + std::chrono::hours{24});
    asked.bucket = duration_of(request, "bucket", seconds{3600}, errors);
    asked.by = heatmap_grouping_of(request);
    asked.forecast = request.query_value("forecast") != "false";
    if (!errors.empty()) return refused(validation_failed(std::move(errors)), request);
    const auto found = api.stats.heatmap.run(asked);
    if (!found) return refused(found.error(), request);

    base::JsonWriter json;
    json.begin_object().member("from", format_instant_millis(found->from));
    json.member("bucket", "PT" + std::to_string(found->bucket.count()) + "S");
    json.member("now", format_instant_millis(found->now));
    json.member("forecastTo", format_instant_millis(found->forecast_to));
    json.key("onlyNext").begin_array();
    for (const ScheduleId& id : found->only_next) json.value(std::string_view{to_string(id)});
    json.end_array().member("moreSchedules", found->more_schedules);
    json.key("data").begin_array();
    for (const HeatmapLine& line : found->lines) {
        json.begin_object().member("key", line.label).member("limit", line.limit);
        json.key("past").begin_array();
        for (const std::uint64_t count : line.past) json.value(count);
        json.end_array().key("forecast").begin_array();
        for (const double count : line.forecast) json.value(count);
        json.end_array().end_object();
    }
    return http::json(200, std::move(json.end_array().end_object()).text());
}

}  // namespace

void add_stats_routes(Router& router, StatsApi api) {
    router.add("GET", "/v1/stats",
               [api](const Request& request) { return overview(api, request); });
    router.add("GET", "/v1/stats/series",
               [api](const Request& request) { return series(api, request); });
    router.add("GET", "/v1/stats/heatmap",
               [api](const Request& request) { return heatmap(api, request); });
}

}  // namespace sundial::http
