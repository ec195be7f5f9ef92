#include "adapters/http/api/pull_routes.hpp"

#include <memory>
#include <utility>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/event_codec.hpp"
#include "adapters/http/api/pull_codec.hpp"

namespace sundial::http {
namespace {

class PullRoutes {
public:
    explicit PullRoutes(PullApi api) : api_(api) {}

    [[nodiscard]] Response claim(const Request& request) const {
        const auto wanted = work_order(*request.json, request.path_value("id"));
        if (!wanted) return refused(wanted.error(), request);
        const bool last = wanted->wait == std::chrono::milliseconds{0};
        return work_or_wait(*wanted, std::make_shared<const Request>(request), last);
    }

    [[nodiscard]] Response complete(const Request& request) const {
        return response_for(
            api_.settle.complete(request.path_value("id"), held_version(*request.json)), request);
    }

    [[nodiscard]] Response fail(const Request& request) const {
        return response_for(api_.settle.fail(request.path_value("id"), held_version(*request.json),
                                             work_failure(*request.json)),
                            request);
    }

    [[nodiscard]] Response release(const Request& request) const {
        return response_for(
            api_.settle.release(request.path_value("id"), held_version(*request.json)), request);
    }

    [[nodiscard]] Response extend(const Request& request) const {
        const auto lease = lease_of(*request.json);
        if (!lease) return refused(lease.error(), request);
        return response_for(
            api_.settle.extend(request.path_value("id"), held_version(*request.json), *lease),
            request);
    }

private:
    [[nodiscard]] Response work_or_wait(const WaitingOrder& wanted,
                                        const std::shared_ptr<const Request>& request,
                                        bool last) const {
        auto work = api_.pull.run(wanted.order);
        if (!work) return refused(work.error(), *request);
        const bool may_wait = !last && !api_.watch.stopped();
        if (work->events.empty() && may_wait) return wait(wanted, request, *work);
        Response response = json(200, work_json(work->events, api_.zones));
        response.nothing = work->events.empty();
        if (!work->events.empty()) {
            response.undelivered = [&pull = api_.pull, events = std::move(work->events)] {
                pull.take_back(events);
            };
        }
        return response;
    }

    [[nodiscard]] Response wait(const WaitingOrder& wanted,
                                const std::shared_ptr<const Request>& request,
                                const Work& nothing) const {
        auto listen = [&watch = api_.watch, endpoint = nothing.endpoint,
                       blocked = nothing.wait](std::function<void()> wake) {
            return watch.wait(endpoint, std::move(wake), blocked);
        };
        auto answer = [routes = *this, wanted, request](bool last) {
            return routes.work_or_wait(wanted, request, last);
        };
        Response response;
        response.later =
            std::make_shared<const Later>(Later{wanted.wait, std::move(listen), std::move(answer)});
        return response;
    }

    [[nodiscard]] Response response_for(const Result<Event>& event, const Request& request) const {
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
        router.add("POST", std::move(pattern), [routes, handler](const Request& request) {
            return (routes.*handler)(request);
        });
    };
    add("/v1/endpoints/{id}/claim", &PullRoutes::claim);
    add("/v1/events/{id}/complete", &PullRoutes::complete);
    add("/v1/events/{id}/fail", &PullRoutes::fail);
    add("/v1/events/{id}/release", &PullRoutes::release);
    add("/v1/events/{id}/extend", &PullRoutes::extend);
}

}  // namespace sundial::http
