#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "adapters/http/api/routes.hpp"
#include "adapters/http/router.hpp"
#include "support/control_plane.hpp"
#include "support/fake_delivery.hpp"
#include "support/fake_digest.hpp"
#include "support/fake_seal.hpp"
#include "support/recorded_log.hpp"

namespace sundial::http {

/// The product's OpenAPI document.
[[nodiscard]] inline const ApiSchema& product_api() {
    static const ApiSchema schema = [] {
        std::ostringstream text;
        text << std::ifstream{SUNDIAL_OPENAPI}.rdbuf();
        return ApiSchema{text.str()};
    }();
    return schema;
}

/// The control plane as its clients see it: requests pass through the router and the OpenAPI
/// document.
class ApiTest : public ControlPlane {
protected:
    ApiTest() {
        add_user_routes(router, {users_module, queries, clock});
        add_event_routes(router, {events_module, queries, clock, zones});
        add_endpoint_routes(router, {endpoints_module, queries, std::chrono::seconds{10}});
        add_schedule_routes(router, {schedules_module, queries, zones});
    }

    [[nodiscard]] Response call(std::string method, const std::string& target,
                                std::string body = {}, const Headers& headers = {}) {
        Request request;
        request.headers = headers;
        request.method = std::move(method);
        request.target = target;
        EXPECT_TRUE(read_target(target, request)) << target;
        request.correlation_id = "req-1";
        if (!body.empty()) request.headers.add("Content-Type", "application/json");
        request.body = std::move(body);
        return router.handle(std::move(request));
    }
    [[nodiscard]] Response get(const std::string& target) { return call("GET", target); }

    FakeRandom random;
    const ModulePorts ports{.instance = instance_a,
                            .store = store,
                            .zones = zones,
                            .ids = ids,
                            .random = random,
                            .monotonic = monotonic,
                            .wakeups = wakeups,
                            .log = log};
    UsersModule users_module{ports};
    EventsModule events_module{ports, operations};
    EndpointsModule endpoints_module{ports, kinds, secrets};
    SchedulesModule schedules_module{ports, operations};
    OpenGuard open_guard;
    FakeDigest digest;
    FakeSeal seal;
    AnswerOnce answer_once{store, digest, seal, {}};
    KeyedAnswers keyed{answer_once};
    Router router{product_api(), open_guard, log, false, &keyed};
};

[[nodiscard]] inline std::string text_of(const boost::json::value& value) {
    return std::string(value.as_string());
}

/// The text member `name` of a body that the server wrote; empty if absent.
[[nodiscard]] inline std::string text_member(std::string_view body, std::string_view name) {
    const std::string opening = '"' + std::string(name) + "\":\"";
    const auto at = body.find(opening);
    if (at == std::string_view::npos) return {};
    const auto value = body.substr(at + opening.size());
    return std::string(value.substr(0, value.find('"')));
}

}  // namespace sundial::http
