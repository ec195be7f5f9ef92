#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

std::string_view status_of(const InstanceReport& report, Instant now) {
    if (now - report.reported_at > silent_instance_after) return "SILENT";
    return report.draining || report.drain_requested_at ? "DRAINING" : "RUNNING";
}

/// Never below zero, also if the database's clock went back.
std::chrono::milliseconds silence_of(const InstanceReport& report, Instant now) {
    return std::chrono::floor<std::chrono::milliseconds>(
        std::max(now - report.reported_at, std::chrono::microseconds{0}));
}

std::string instance_json(const InstanceReport& report, std::string_view status, Instant now) {
    base::JsonWriter json;
    json.begin_object().member("id", to_string(report.id)).member("status", status);
    json.member("version", report.version).key("roles").begin_array();
    for (const std::string& role : report.roles) json.value(std::string_view{role});
    json.end_array().member("startedAt", format_instant_millis(report.started_at));
    json.member("reportedAt", format_instant_millis(report.reported_at));
    json.member("silentMs", silence_of(report, now).count());
    json.member("clockSkewMs",
                std::chrono::duration<double, std::milli>(report.clock_skew).count());
    json.member("leasesHeld", report.held).member("slots", report.slots);
    json.member("lastClaimAt", format_instant_millis(report.last_claim_at));
    json.member("drainRequestedAt", format_instant_millis(report.drain_requested_at));
    return std::move(json.end_object()).text();
}

Response list(const InstanceApi& api) {
    Instant now;
    std::vector<InstanceReport> reports;
    api.store.read([&](Transaction& tx) {
        now = tx.now();
        reports = tx.instances().list();
    });
    base::JsonWriter json;
    json.begin_object().key("data").begin_array();
    for (const InstanceReport& report : reports) {
        json.raw(instance_json(report, status_of(report, now), now));
    }
    json.end_array().member("hasMore", false).key("nextCursor").null();
    return http::json(200, std::move(json.end_object()).text());
}

Response drain(const InstanceApi& api, const Request& request) {
    const auto report = api.instances.drain.run(request.path_value("id"), caller_of(request));
    if (!report) return refused(report.error(), request);
    if (api.drain_requested) api.drain_requested();
    const Instant now = in_read(api.store, [](Transaction& tx) { return tx.now(); });
    return json(202, instance_json(*report, "DRAINING", now));
}

}  // namespace

void add_instance_routes(Router& router, InstanceApi api) {
    router.add("GET", "/v1/instances", [api](const Request&) { return list(api); });
    router.add("POST", "/v1/instances/{id}/drain",
               [api](const Request& request) { return drain(api, request); });
}

}  // namespace sundial::http
