#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
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
    WaitingOrder requested;
    requested.order.endpoint = endpoint;
    requested.order.worker = members.text("worker").value_or("");
    if (const auto limit = members.count("limit")) requested.order.limit = *limit;
    requested.order.lease = duration_at(members, "lease", usual_lease, errors);
    requested.wait = duration_at(members, "wait", 0s, errors);
    if (requested.wait > longest_pull_wait) {
        errors.push_back({"/wait", "out_of_range", "must be at most PT60S"});
    }
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    return requested;
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

namespace {

class PullRoutes {
public:
    explicit PullRoutes(PullApi api) : api_(api) {}

    [[nodiscard]] Response claim(const Request& request) const {
        const auto requested = work_order(*request.json, request.path_value("id"));
        if (!requested) return refused(requested.error(), request);
        const bool last = requested->wait == std::chrono::milliseconds{0};
        return work_or_wait(*requested, std::make_shared<const Request>(request), last);
    }

    [[nodiscard]] Response complete(const Request& request) const {
        return response_for(
            api_.pull.settle.complete(request.path_value("id"), held_version(*request.json)),
            request);
    }

    [[nodiscard]] Response fail(const Request& request) const {
        return response_for(
            api_.pull.settle.fail(request.path_value("id"), held_version(*request.json),
                                  work_failure(*request.json)),
            request);
    }

    [[nodiscard]] Response release(const Request& request) const {
        return response_for(
            api_.pull.settle.release(request.path_value("id"), held_version(*request.json)),
            request);
    }

    [[nodiscard]] Response extend(const Request& request) const {
        const auto lease = lease_of(*request.json);
        if (!lease) return refused(lease.error(), request);
        return response_for(
            api_.pull.settle.extend(request.path_value("id"), held_version(*request.json), *lease),
            request);
    }

private:
    [[nodiscard]] Response work_or_wait(const WaitingOrder& requested,
                                        const std::shared_ptr<const Request>& request,
                                        bool last) const {
        auto work = api_.pull.pull.run(requested.order);
        if (!work) return refused(work.error(), *request);
        const bool may_wait = !last && !api_.pull.watch.stopped();
        if (work->events.empty() && may_wait) return wait(requested, request, *work);
        Response response = json(200, work_json(work->events, api_.zones));
        response.nothing = work->events.empty();
        if (!work->events.empty()) {
            response.undelivered = [&pull = api_.pull.pull, events = std::move(work->events)] {
                pull.take_back(events);
            };
        }
        return response;
    }

    [[nodiscard]] Response wait(const WaitingOrder& requested,
                                const std::shared_ptr<const Request>& request,
                                const Work& nothing) const {
        auto listen = [&watch = api_.pull.watch, endpoint = nothing.endpoint,
                       blocked = nothing.wait](std::function<void()> wake) {
            return watch.wait(endpoint, std::move(wake), blocked);
        };
        WaitingOrder again = requested;
        again.order.token_at = nothing.token_at;
        auto answer = [routes = *this, again = std::move(again), request](bool last) {
            return routes.work_or_wait(again, request, last);
        };
        Response response;
        response.later = std::make_shared<const Later>(
            Later{requested.wait, std::move(listen), std::move(answer)});
        return response;
    }

    [[nodiscard]] Response response_for(const PullResult<Event>& event,
                                        const Request& request) const {
        if (!event) return refused(event.error(), request);
        return with_etag(json(200, event_json(*event, api_.zones)), event->version);
    }

    PullApi api_;
};

}  // namespace

void add_pull_routes(Router& router, PullApi api) {
    const PullRoutes routes(api);
    const auto add = [&](std::string pattern,
                         Response (PullRoutes::*handler)(const Request&) const) {
        router.add("POST", std::move(pattern), handler_of(routes, handler));
    };
    add("/v1/endpoints/{id}/claim", &PullRoutes::claim);
    add("/v1/events/{id}/complete", &PullRoutes::complete);
    add("/v1/events/{id}/fail", &PullRoutes::fail);
    add("/v1/events/{id}/release", &PullRoutes::release);
    add("/v1/events/{id}/extend", &PullRoutes::extend);
}

}  // namespace sundial::http
