#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/json.hpp"
#include "adapters/http/router.hpp"
#include "application/ports/time_zones.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/pull_module.hpp"
#include "application/pull/settle_pulled.hpp"

/// Requests and responses of pull workers. Errors: invalid durations, which the OpenAPI document
/// cannot check.

namespace sundial::http {

struct WaitingOrder {
    WorkOrder order;
    std::chrono::milliseconds wait{0};  // longest wait if no event is due
};
[[nodiscard]] Result<WaitingOrder> work_order(const JsonBody& body, std::string_view endpoint);
[[nodiscard]] std::string work_json(std::span<const Event> events, const TimeZones& zones);

[[nodiscard]] Version held_version(const JsonBody& body);
[[nodiscard]] WorkFailure work_failure(const JsonBody& body);
[[nodiscard]] Result<std::chrono::microseconds> lease_of(const JsonBody& body);

struct PullApi {
    PullModule& pull;
    const TimeZones& zones;
};

/// The API of pull workers, below /v1/endpoints and /v1/events.
void add_pull_routes(Router& router, PullApi api);

}  // namespace sundial::http
