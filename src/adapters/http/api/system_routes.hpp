#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/api/doc_pages.hpp"
#include "adapters/http/router.hpp"
#include "application/delivery/clock_module.hpp"
#include "application/ports/clock.hpp"

namespace sundial::http {

/// The console: a page, and the scripts and styles of it and of the documents. `version` is a hash
/// of them, so their addresses change with their content and browsers may keep them. All are empty
/// in a program that was built without the console.
struct Console {
    struct File {
        std::string_view name;  // app.js
        std::string_view plain;
        std::string_view gzip;
    };
    std::string_view page{};  // HTML
    std::vector<File> files{};
    std::string_view version{};
};

/// Documents embedded in the program. The texts must outlive the routes.
struct Documents {
    std::string_view openapi;     // openapi.json
    std::string_view errors;      // docs/reference/errors.md
    std::string_view start_page;  // HTML
    Console console{};
    std::string_view archive{};                            // docs/, packed; empty: none
    std::function<std::vector<CommandPage>()> commands{};  // a page for each; null: none
};

/// The start page at /, /openapi.json, the documents below /docs, among them /docs/errors/{code},
/// the target of the `type` of every error, and the console below /ui/, to which / leads browsers.
void add_document_routes(Router& router, Documents documents);

/// Whether `path` is one of these. They need no database.
[[nodiscard]] bool is_document(std::string_view path);

/// One check and its result. A failed check makes the instance not ready; a warning does not.
struct HealthCheck {
    enum class Status : std::uint8_t { pass, warn, fail };

    std::string name;  // "database"
    Status status = Status::pass;
    std::string detail{};  // why the check did not pass: for people, without internals
};

/// Health probes, which also work without a database.
struct HealthApi {
    std::function<std::vector<HealthCheck>()> checks;
};

/// /livez, /readyz, /healthz.
void add_health_routes(Router& router, const HealthApi& api);

/// Whether a request is for /livez, which is answered without any check.
[[nodiscard]] bool is_liveness_request(const Request& request);

struct Info {
    std::string version;
    std::string commit;
    std::string database;  // "sqlite", "postgresql"
    std::string database_version;
    std::optional<std::string> database_note;
    std::string tz_release;
    bool test_clock = false;
    InstanceId instance;
};

/// One setting of this process, without its secrets.
struct Setting {
    std::string key;     // "http.listen"
    std::string value;   // "***" for a secret
    std::string origin;  // "default", "SUNDIAL_HTTP_LISTEN"
    std::string help;
};

struct SystemApi {
    ClockModule& clock;
    AdvanceClock::Progress progress;  // reports the progress of a long advance
    std::function<Info()> info;
    std::vector<Setting> settings{};
    /// Whether this process may claim events. If not, it refuses /v1/tick.
    bool claims = true;
};

/// /v1/clock, /v1/tick, /v1/info, /v1/settings.
void add_system_routes(Router& router, SystemApi api);
/// /metrics: Prometheus text, or nothing if metrics are switched off.
void add_metrics_route(Router& router, std::function<std::optional<std::string>()> metrics);

}  // namespace sundial::http
