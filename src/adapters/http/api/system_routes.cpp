#include "adapters/http/api/system_routes.hpp"

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/json_members.hpp"
#include "base/json_writer.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

Response clock_answer(Clock& clock, Instant now) {
    base::JsonWriter body;
    body.begin_object().member("mode", clock.is_test() ? "test" : "system");
    body.member("now", format_instant_millis(now)).end_object();
    return json(200, body.text());
}

std::optional<FieldError> wrong_time(const char* pointer, const TimeError& error) {
    return FieldError{pointer, std::string(to_string(error.code)), error.message};
}

Response set_clock(const SystemApi& api, const Request& request) {
    const auto wanted = parse_instant(Members(*request.json).text("now").value_or(""));
    if (!wanted) return refused(validation_failed({*wrong_time("/now", wanted.error())}), request);
    const auto set = api.clock.advance.jump(wanted->instant);
    return set ? clock_answer(api.clock.clock, *set) : refused(set.error(), request);
}

Result<Advanced> advance(const SystemApi& api, const Members& members) {
    if (const auto text = members.text("by")) {
        const auto duration = parse_duration(*text);
        if (!duration) return invalid("/by", "bad_format", duration.error().message);
        return api.clock.advance.by(*duration, api.progress);
    }
    const auto target = parse_instant(members.text("to").value_or(""));
    if (!target) return ValidationFailed{{*wrong_time("/to", target.error())}};
    return api.clock.advance.to(target->instant, api.progress);
}

Response advance_clock(const SystemApi& api, const Request& request) {
    const auto advanced = advance(api, Members(*request.json));
    if (!advanced) return refused(advanced.error(), request);
    base::JsonWriter body;
    body.begin_object().member("now", format_instant_millis(advanced->now));
    body.member("delivered", advanced->delivered).member("failed", advanced->failed).end_object();
    return json(200, body.text());
}

Response run_tick(const SystemApi& api, const Request& request) {
    constexpr std::uint64_t default_limit = 100;  // as in the seeds
    const auto limit = request.json ? Members(*request.json).count("limit") : std::nullopt;
    const TickCounters counters = api.clock.tick.run(limit.value_or(default_limit));
    base::JsonWriter body;
    body.begin_object().member("claimed", counters.claimed).member("completed", counters.completed);
    body.member("failed", counters.failed).member("retrying", counters.retrying).end_object();
    return json(200, body.text());
}

Response show_info(const SystemApi& api) {
    const Info info = api.info();
    base::JsonWriter body;
    body.begin_object()
        .member("version", info.version)
        .member("commit", info.commit)
        .key("database")
        .begin_object();
    body.member("kind", info.database)
        .member("version", info.database_version)
        .member("note", info.database_note);
    body.end_object()
        .member("tzdb", info.tz_release)
        .member("clock", info.test_clock ? "test" : "system");
    body.member("instanceId", to_string(info.instance)).end_object();
    return json(200, body.text());
}

}  // namespace

void add_system_routes(Router& router, SystemApi api) {
    router.add("GET", "/v1/clock", [api](const Request&) {
        return clock_answer(api.clock.clock, api.clock.clock.now());
    });
    router.add(
        "PUT", "/v1/clock", [api](const Request& request) { return set_clock(api, request); },
        Effects::outside);
    router.add(
        "POST", "/v1/clock/advance",
        [api](const Request& request) { return advance_clock(api, request); }, Effects::outside);
    router.add(
        "POST", "/v1/tick", [api](const Request& request) { return run_tick(api, request); },
        Effects::outside);
    router.add("GET", "/v1/info", [api](const Request&) { return show_info(api); });
}

void add_metrics_route(Router& router, std::function<std::optional<std::string>()> metrics) {
    router.add("GET", "/metrics", [metrics = std::move(metrics)](const Request& request) {
        if (auto text = metrics()) {
            return http::text(200, "text/plain; version=0.0.4", *std::move(text));
        }
        return refused({.code = Code::route_not_found,
                        .detail = "metrics are disabled; set telemetry.metrics to enable them"},
                       request);
    });
}

}  // namespace sundial::http
