#include "adapters/http/api/system_routes.hpp"

#include <algorithm>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/doc_routes.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/gzip.hpp"
#include "base/json.hpp"
#include "domain/time/calendar_duration.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view openapi_path = "/openapi.json";
constexpr std::string_view start_path = "/";
constexpr std::string_view docs_path = "/docs";
constexpr std::string_view docs_list_path = "/llms.txt";
constexpr std::string_view docs_full_path = "/llms-full.txt";
constexpr std::string_view console_path = "/ui/";
constexpr const char* html = "text/html; charset=utf-8";

/// The console loads its own script and style, and calls this server. Everything else is refused,
/// also a script inside the page and markup made from text: a payload that is markup cannot run.
constexpr const char* console_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
    "data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for "
    "'script'; trusted-types 'none'";

Response redirect(std::string_view place) {
    Response response;
    response.status = 303;
    response.headers.add("Location", std::string(place));
    response.headers.add("Vary", "Accept");
    return response;
}

Response no_console(const Request& request) {
    return refused({.code = Code::route_not_found,
                    .detail = "this server has no console: scheduler.roles lacks ui, or the "
                              "program was built without it (SUNDIAL_CONSOLE=OFF)"},
                   request);
}

Response console_page(const Console& console, const Request& request) {
    if (console.page.empty()) return no_console(request);
    Response response = text(200, html, std::string(console.page));
    response.headers.add("Content-Security-Policy", console_policy);
    response.headers.add("Referrer-Policy", "no-referrer");
    response.headers.add("Cross-Origin-Opener-Policy", "same-origin");
    response.headers.add("Cache-Control", "no-cache");
    return response;
}

/// A script or a style. Its address names its version, so a browser never asks for it again.
Response console_file(const Console& console, const Request& request) {
    if (console.files.empty()) return no_console(request);
    const std::string& name = request.path_value("file");
    const auto file = std::ranges::find(console.files, name, &Console::File::name);
    if (request.path_value("version") != console.version || file == console.files.end()) {
        return refused({.code = Code::route_not_found,
                        .detail = "this version of the console has no such file; load " +
                                  std::string(console_path) + " again"},
                       request);
    }
    const bool compressed =
        accepts_gzip(request.headers.find("Accept-Encoding").value_or(std::string_view()));
    std::string tag = "\"" + std::string(console.version) + (compressed ? "-gzip\"" : "\"");
    Response response;
    if (request.headers.find("If-None-Match") == tag) {
        response.status = 304;
    } else {
        const bool script = name.ends_with(".js");
        response = text(200, script ? "text/javascript; charset=utf-8" : "text/css; charset=utf-8",
                        std::string(compressed ? file->gzip : file->plain));
        if (compressed) response.headers.add("Content-Encoding", "gzip");
    }
    response.headers.add("ETag", std::move(tag));
    response.headers.add("Vary", "Accept-Encoding");
    response.headers.add("Cache-Control", "public, max-age=31536000, immutable");
    return response;
}

void add_console_routes(Router& router, const Console& console) {
    router.add("GET", "/ui", [](const Request&) { return redirect(console_path); });
    router.add("GET", std::string(console_path),
               [console](const Request& request) { return console_page(console, request); });
    router.add("GET", std::string(console_path) + "{version}/{file}",
               [console](const Request& request) { return console_file(console, request); });
}

}  // namespace

void add_document_routes(Router& router, Documents documents) {
    router.add("GET", std::string(start_path), [documents](const Request& request) {
        if (is_browser(request) && !documents.console.page.empty()) return redirect(console_path);
        return text(200, html, std::string(documents.start_page));
    });
    router.add("GET", std::string(docs_path) + '/',
               [](const Request&) { return redirect(docs_path); });
    add_console_routes(router, documents.console);
    router.add("GET", std::string(openapi_path),
               [documents](const Request&) { return json(200, std::string(documents.openapi)); });
    add_doc_routes(router,
                   {.archive = documents.archive,
                    .errors = documents.errors,
                    .openapi = documents.openapi,
                    .commands = documents.commands},
                   documents.console.version, documents.start_page);
}

bool is_document(std::string_view path) {
    return path == start_path || path == docs_path || path == openapi_path || path == "/ui" ||
           path == docs_list_path || path == docs_full_path || path.starts_with(console_path) ||
           path.starts_with("/docs/");
}

namespace {

using Status = HealthCheck::Status;

std::string_view name_of(Status status) {
    switch (status) {
        case Status::pass:
            return "pass";
        case Status::warn:
            return "warn";
        case Status::fail:
            break;
    }
    return "fail";
}

const HealthCheck* first_failed(const std::vector<HealthCheck>& checks) {
    const auto failed = std::ranges::find(checks, Status::fail, &HealthCheck::status);
    return failed == checks.end() ? nullptr : &*failed;
}

std::string checks_json(const std::vector<HealthCheck>& checks) {
    base::JsonWriter json;
    json.begin_object();
    for (const HealthCheck& check : checks) {
        json.key(check.name).begin_object().member("status", name_of(check.status));
        if (!check.detail.empty()) json.member("detail", check.detail);
        json.end_object();
    }
    return std::move(json.end_object()).text();
}

Response ready(const HealthApi& api, const Request& request) {
    const auto checks = api.checks();
    const HealthCheck* const failed = first_failed(checks);
    if (!failed) return text(200, "text/plain", "ready\n");
    return refused({.code = Code::not_ready, .detail = failed->detail}, request);
}

/// The same checks in detail, for people and dashboards.
Response health(const HealthApi& api, const Request& request) {
    const auto checks = api.checks();
    const std::string detail = checks_json(checks);
    if (const HealthCheck* const failed = first_failed(checks)) {
        return refused({.code = Code::not_ready,
                        .detail = failed->detail,
                        .members = {{"checks", RawJson{detail}}}},
                       request);
    }
    const bool warned = std::ranges::count(checks, Status::warn, &HealthCheck::status) > 0;
    base::JsonWriter body;
    body.begin_object().member("status", name_of(warned ? Status::warn : Status::pass));
    body.key("checks").raw(detail).end_object();
    return json(200, std::move(body).text());
}

}  // namespace

void add_health_routes(Router& router, const HealthApi& api) {
    // A response alone proves that the server handles connections.
    router.add("GET", "/livez", [](const Request&) { return text(200, "text/plain", "alive\n"); });
    router.add("GET", "/readyz", [api](const Request& request) { return ready(api, request); });
    router.add("GET", "/healthz", [api](const Request& request) { return health(api, request); });
}

bool is_liveness_request(const Request& request) { return request.path == "/livez"; }

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
    const auto parsed = parse_instant(Members(*request.json).text("now").value_or(""));
    if (!parsed) return refused(validation_failed({*wrong_time("/now", parsed.error())}), request);
    const auto set = api.clock.advance.jump(parsed->instant);
    return set ? clock_answer(api.clock.clock, *set) : refused(set.error(), request);
}

Result<Advanced> advance(const SystemApi& api, const Members& members) {
    if (const auto text = members.text("by")) {
        const auto duration = parse_calendar_duration(*text);
        if (!duration) return invalid("/by", "bad_format", duration.error().message);
        const Instant now = api.clock.clock.now();
        const auto target = later(now, *duration);
        if (!target) return invalid("/by", "out_of_range", "is beyond the calendar");
        return api.clock.advance.by(*target - now, api.progress);
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
    if (!api.claims) {
        return refused({.code = Code::not_ready,
                        .detail = "this instance delivers no events: scheduler.roles lacks worker. "
                                  "Ask an instance that has it"},
                       request);
    }
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

Response list_settings(const SystemApi& api) {
    base::JsonWriter body;
    body.begin_object().key("data").begin_array();
    for (const Setting& setting : api.settings) {
        body.begin_object().member("key", setting.key).member("value", setting.value);
        body.member("origin", setting.origin).member("help", setting.help).end_object();
    }
    return json(200, std::move(body.end_array().end_object()).text());
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
    router.add("GET", "/v1/settings", [api](const Request&) { return list_settings(api); });
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
