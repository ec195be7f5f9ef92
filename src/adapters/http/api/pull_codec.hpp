#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/json.hpp"
#include "application/ports/time_zones.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/settle_pulled.hpp"

/// What pull workers say and get. Errors: what is wrong with a duration that the document could not
/// judge.
namespace sundial::http {

struct WaitingOrder {
    WorkOrder order;
    std::chrono::milliseconds wait{0};  // how long, while nothing is due
};
[[nodiscard]] Result<WaitingOrder> work_order(const JsonBody& body, std::string_view endpoint);
[[nodiscard]] std::string work_json(std::span<const Event> events, const TimeZones& zones);

[[nodiscard]] Version held_version(const JsonBody& body);
[[nodiscard]] WorkFailure work_failure(const JsonBody& body);
[[nodiscard]] Result<std::chrono::microseconds> lease_of(const JsonBody& body);

}  // namespace sundial::http
