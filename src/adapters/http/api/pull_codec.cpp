#include "adapters/http/api/pull_codec.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "adapters/http/api/event_codec.hpp"
#include "adapters/http/api/json_members.hpp"
#include "base/json_writer.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

/// Proxies commonly cut a connection that is silent for longer.
constexpr std::chrono::seconds longest_pull_wait = 60s;
constexpr std::chrono::seconds usual_lease = 30s;

std::chrono::seconds duration_at(const Members& members, const char* name,
                                 std::chrono::seconds if_absent, std::vector<FieldError>& errors) {
    const auto text = members.text(name);
    if (!text) return if_absent;
    const auto duration = parse_duration(*text);
    if (duration) return *duration;
    errors.push_back({std::string{"/"} + name, "bad_format", duration.error().message});
    return if_absent;
}

}  // namespace

Result<WaitingOrder> work_order(const JsonBody& body, std::string_view endpoint) {
    const Members members(body);
    std::vector<FieldError> errors;
    WaitingOrder wanted;
    wanted.order.endpoint = endpoint;
    wanted.order.worker = members.text("worker").value_or("");
    if (const auto limit = members.count("limit")) wanted.order.limit = *limit;
    wanted.order.lease = duration_at(members, "lease", usual_lease, errors);
    wanted.wait = duration_at(members, "wait", 0s, errors);
    if (wanted.wait > longest_pull_wait) {
        errors.push_back({"/wait", "out_of_range", "must be at most PT60S"});
    }
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    return wanted;
}

std::string work_json(std::span<const Event> events, const TimeZones& zones) {
    base::JsonWriter json;
    json.begin_object().key("data").begin_array();
    for (const Event& event : events) json.raw(event_json(event, zones));
    return std::move(json.end_array().end_object()).text();
}

Version held_version(const JsonBody& body) {
    return Version{Members(body).number("version").value()};
}

WorkFailure work_failure(const JsonBody& body) {
    const Members members(body);
    return {.reason = members.text("reason").value_or(""),
            .retry = members.truth("retry").value_or(true)};
}

Result<std::chrono::microseconds> lease_of(const JsonBody& body) {
    std::vector<FieldError> errors;
    const auto lease = duration_at(Members(body), "lease", usual_lease, errors);
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    return lease;
}

}  // namespace sundial::http
