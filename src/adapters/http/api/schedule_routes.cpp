#include "adapters/http/api/schedule_routes.hpp"

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/schedule_codec.hpp"

namespace sundial::http {
namespace {

Response get(const ScheduleApi& api, const Request& request) {
    const auto view = api.queries.schedule(request.path_value("id"));
    if (!view) return refused(view.error(), request);
    return found(request, schedule_json(*view), view->schedule.version);
}

Response patch(const ScheduleApi& api, const Request& request) {
    if (const auto problem = payload_too_large(*request.json, "payload"))
        return refused(*problem, request);
    const std::string& id = request.path_value("id");
    const auto current = [&]() -> std::optional<Version> {
        const auto view = api.queries.schedule(id);
        return view ? std::optional(view->schedule.version) : std::nullopt;
    };
    const auto edited = api.edit.run(id, schedule_edit(*request.json),
                                     expected_version(request, current), request.correlation_id);
    if (!edited) return refused(edited.error(), request);
    const auto view = api.queries.schedule(id);
    if (!view) return refused(view.error(), request);
    const std::string body =
        schedule_json({edited->schedule, view->next_at}, edited->replanned.changed);
    return with_etag(json(200, body), edited->schedule.version);
}

}  // namespace

void add_schedule_routes(Router& router, ScheduleApi api) {
    router.add("GET", "/v1/schedules/{id}",
               [api](const Request& request) { return get(api, request); });
    router.add("PATCH", "/v1/schedules/{id}",
               [api](const Request& request) { return patch(api, request); });
}

}  // namespace sundial::http
