#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view by_external_id = "ext:";

/// The required members of a whole schedule, on a route that also accepts a partial body.
std::vector<FieldError> missing_members(const ScheduleFields& schedule) {
    std::vector<FieldError> errors;
    const auto require = [&](bool there, const char* pointer) {
        if (!there)
            errors.push_back(
                {pointer, "required", "is required to create or replace a whole schedule"});
    };
    require(schedule.event_type.has_value(), "/eventType");
    require(schedule.trigger.has_value(), "/trigger");
    return errors;
}

/// Both kinds read every user, which takes too long for one transaction. If the process dies before
/// the response is stored, a repeated request asks for the same occurrences again; they are planned
/// once.
Effects effects_of_backfill(const Request& request) {
    return backfill_request(*request.json).dry_run ? Effects::none : Effects::outside;
}

std::optional<OperationId> operation_of(const EditedSchedule& edited) {
    return edited.operation ? std::optional(edited.operation->id) : std::nullopt;
}

class ScheduleRoutes {
public:
    explicit ScheduleRoutes(ScheduleApi api) : api_(api) {}

    [[nodiscard]] Response list(const Request& request) const {
        const auto page = page_request(request, SortValue::number);
        if (!page) return refused(page.error(), request);
        ScheduleQuery query;
        query.enabled = truth_value(request, "enabled");
        query.per_user = truth_value(request, "perUser");
        query.kinds = parsed_list(request, "trigger", parse_trigger_kind);
        query.types = list_value(request, "eventType");
        query.prefix = text_value(request, "q");
        query.tag = text_value(request, "tag");
        query.page = *page;
        if (const auto endpoint = text_value(request, "endpointId")) {
            const auto id = api_.queries.endpoint_id(*endpoint);
            // An unknown endpoint matches no schedule.
            query.endpoint = id ? *id : EndpointId{Uuid{}};
        }

        const Page<ScheduleView> schedules = api_.queries.schedules(query);
        return page_response(schedules, request, [](auto& json, const ScheduleView& view) {
            json.raw(schedule_json(view));
            return PageKey{std::to_string(view.schedule.created_at.time_since_epoch().count()),
                           view.schedule.id.value};
        });
    }

    [[nodiscard]] Response create(const Request& request) const {
        if (const auto problem = payload_too_large(*request.json, "payload"))
            return refused(*problem, request);
        const auto made =
            api_.schedules.create.run(schedule_fields(*request.json), caller_of(request));
        if (!made) return refused(made.error(), request);
        return created_answer({made->schedule, made->operation}, request);
    }

    [[nodiscard]] Response get(const Request& request) const {
        const auto view = api_.queries.schedule(request.path_value("id"));
        if (!view) return refused(view.error(), request);
        return found(request, schedule_json(*view), view->schedule.version);
    }

    [[nodiscard]] Response put(const Request& request) const {
        const std::string& id = request.path_value("id");
        return id.starts_with(by_external_id) ? put_whole(request, id.substr(by_external_id.size()))
                                              : patch(request);
    }

    [[nodiscard]] Response patch(const Request& request) const {
        if (const auto problem = payload_too_large(*request.json, "payload"))
            return refused(*problem, request);
        const auto edited =
            api_.schedules.edit.run(request.path_value("id"), schedule_fields(*request.json),
                                    expected(request), caller_of(request));
        if (!edited) return refused(edited.error(), request);
        return edited_answer(*edited, request);
    }

    [[nodiscard]] Response remove(const Request& request) const {
        const auto done = api_.schedules.remove.run(request.path_value("id"), expected(request),
                                                    caller_of(request));
        return done ? no_content() : refused(done.error(), request);
    }

    [[nodiscard]] Response trigger(const Request& request) const {
        TriggerRequest decoded;
        if (request.json) {
            if (const auto problem = payload_too_large(*request.json, "payload"))
                return refused(*problem, request);
            decoded = trigger_request(*request.json);
        }
        const auto event =
            api_.schedules.trigger.run(request.path_value("id"), decoded, caller_of(request));
        if (!event) return refused(event.error(), request);
        return created(event_json(*event, api_.zones), event->version,
                       "/v1/events/" + to_string(event->id));
    }

    [[nodiscard]] Response backfill(const Request& request) const {
        const auto done = api_.schedules.backfill.run(
            request.path_value("id"), backfill_request(*request.json), caller_of(request));
        if (!done) return refused(done.error(), request);
        if (!done->operation) return json(200, backfill_json(*done, api_.zones));
        const auto& operation = *done->operation;
        return accepted(operation_json(operation), operation.version,
                        "/v1/operations/" + to_string(operation.id));
    }

private:
    [[nodiscard]] Response put_whole(const Request& request, const std::string& external_id) const {
        if (const auto problem = payload_too_large(*request.json, "payload"))
            return refused(*problem, request);
        ScheduleFields requested = schedule_fields(*request.json);
        if (auto errors = missing_members(requested); !errors.empty()) {
            return refused(validation_failed(std::move(errors)), request);
        }
        const auto put = api_.schedules.put.run(external_id, std::move(requested),
                                                expected(request), caller_of(request));
        if (!put) return refused(put.error(), request);
        return put->created ? created_answer(put->edited, request)
                            : edited_answer(put->edited, request);
    }

    /// The schedule as it is now, with the first event that was planned.
    [[nodiscard]] Response created_answer(const EditedSchedule& made,
                                          const Request& request) const {
        const auto view = api_.queries.schedule(to_string(made.schedule.id));
        if (!view) return refused(view.error(), request);
        return created(schedule_json({made.schedule, view->next_at}, operation_of(made)),
                       made.schedule.version, "/v1/schedules/" + to_string(made.schedule.id));
    }

    [[nodiscard]] Response edited_answer(const EditedSchedule& edited,
                                         const Request& request) const {
        const auto view = api_.queries.schedule(to_string(edited.schedule.id));
        if (!view) return refused(view.error(), request);
        const std::string body =
            schedule_json({edited.schedule, view->next_at}, operation_of(edited));
        return with_etag(json(200, body), edited.schedule.version);
    }

    [[nodiscard]] std::optional<Version> expected(const Request& request) const {
        return expected_version(request, [&]() -> std::optional<Version> {
            const auto view = api_.queries.schedule(request.path_value("id"));
            return view ? std::optional(view->schedule.version) : std::nullopt;
        });
    }

    ScheduleApi api_;
};

}  // namespace

void add_schedule_routes(Router& router, ScheduleApi api) {
    const ScheduleRoutes routes(api);
    const auto add = [&](std::string method, std::string pattern,
                         Response (ScheduleRoutes::*handler)(const Request&) const,
                         const auto&... effects) {
        router.add(std::move(method), std::move(pattern), handler_of(routes, handler), effects...);
    };
    add("GET", "/v1/schedules", &ScheduleRoutes::list);
    add("POST", "/v1/schedules", &ScheduleRoutes::create);
    add("GET", "/v1/schedules/{id}", &ScheduleRoutes::get);
    add("PUT", "/v1/schedules/{id}", &ScheduleRoutes::put);
    add("PATCH", "/v1/schedules/{id}", &ScheduleRoutes::patch);
    add("DELETE", "/v1/schedules/{id}", &ScheduleRoutes::remove, Effects::in_batches);
    add("POST", "/v1/schedules/{id}/trigger", &ScheduleRoutes::trigger);
    add("POST", "/v1/schedules/{id}/backfill", &ScheduleRoutes::backfill, effects_of_backfill);
}

namespace {

void write(base::JsonWriter& json, const PreviewedOccurrence& row, const std::string& zone) {
    json.begin_object();
    json.member("targetTimestampUTC", format_instant_millis(row.target));
    json.member("targetTimestampLocal", row.target ? std::optional(row.local) : std::nullopt);
    json.member("targetTimezone", zone);
    json.member("note", row.note.empty() ? std::nullopt : std::optional(row.note));
    json.member("wantedLocal", row.wanted_local);
}

/// Reads which schedule to preview: a stored one, or the one in the body.
std::optional<Problem> read_subject(const Request& request, PreviewRequest& decoded) {
    const Members members(*request.json);
    if (members.has("schedule") == members.has("scheduleId")) {
        return validation_failed({{"/schedule", "required", "give this or scheduleId, not both"}});
    }
    decoded.schedule = members.text("scheduleId").value_or("");
    const auto bytes = request.json->raw_member("schedule");
    if (!bytes) return std::nullopt;
    const auto body = JsonBody::read(std::string(*bytes));
    if (!body) return body.error();
    decoded.fields = schedule_fields(*body);
    if (decoded.fields->trigger) return std::nullopt;
    return validation_failed(
        {{"/schedule/trigger", "required", "is required: it says when the schedule fires"}});
}

Response preview(const PreviewApi& api, const Request& request) {
    const Members members(*request.json);
    PreviewRequest decoded;
    if (const auto problem = read_subject(request, decoded)) return refused(*problem, request);
    decoded.scope.user = members.text("userId");
    if (const auto other = members.object("override"))
        decoded.scope.timezone = other->text("timezone");
    decoded.from = members.text("from");
    decoded.count = members.count("count").value_or(10);
    const auto found = api.schedules.preview.run(decoded);
    if (!found) return refused(found.error(), request);

    base::JsonWriter json;
    json.begin_object().member("description", found->description).key("warnings").begin_array();
    for (const std::string& warning : found->warnings) json.value(std::string_view{warning});
    json.end_array().key("data").begin_array();
    for (const PreviewedOccurrence& row : found->occurrences) {
        write(json, row, found->zone);
        json.end_object();
    }
    json.end_array().end_object();
    return http::json(200, std::move(json).text());
}

/// All occurrences between two instants, of all schedules.
Response all_occurrences(const PreviewApi& api, const Request& request, const PageRequest& page) {
    std::vector<FieldError> errors;
    for (const char* name : {"from", "to"}) {
        if (request.query_value(name)) continue;
        errors.push_back({"?" + std::string(name), "required",
                          "is required without scheduleId: the list of all schedules has an end"});
    }
    for (const char* name : {"userId", "timezone"}) {
        if (!request.query_value(name)) continue;
        errors.push_back({"?" + std::string(name), "not_allowed", "needs a scheduleId"});
    }
    if (!errors.empty()) return refused(validation_failed(std::move(errors)), request);
    const auto found = api.schedules.list_occurrences.run(
        {.from = *text_value(request, "from"), .to = *text_value(request, "to"), .page = page});
    if (!found) return refused(found.error(), request);

    const auto text_of = [](const auto& id) {
        return id ? std::optional(to_string(*id)) : std::nullopt;
    };
    base::JsonWriter json;
    json.begin_object().member("tzRelease", found->tz_release).key("onlyNext").begin_array();
    for (const ScheduleId& id : found->only_next) json.value(std::string_view{to_string(id)});
    json.end_array().member("moreSchedules", found->more_schedules);
    json.key("data").begin_array();
    PageKey last{};
    for (const FutureOccurrence& one : found->occurrences) {
        json.begin_object().member("targetTimestampUTC", format_instant_millis(one.at));
        json.member("targetTimestampLocal", one.local).member("targetTimezone", one.zone);
        json.key("note").null().key("wantedLocal").null();
        json.member("eventType", one.event_type).member("eventId", text_of(one.event));
        json.member("scheduleId", text_of(one.schedule)).member("userId", text_of(one.user));
        json.member("endpointId", text_of(one.endpoint)).member("paused", one.paused);
        json.end_object();
        last = one.place();
    }
    return end_page(std::move(json), request, found->has_more, last);
}

Response occurrences(const PreviewApi& api, const Request& request) {
    const auto page = page_request(request, SortValue::number);
    if (!page) return refused(page.error(), request);
    if (!request.query_value("scheduleId")) return all_occurrences(api, request, *page);
    OccurrencesRequest decoded{.schedule = text_value(request, "scheduleId").value_or("")};
    decoded.scope = {text_value(request, "userId"), text_value(request, "timezone")};
    decoded.from = text_value(request, "from");
    decoded.to = text_value(request, "to");
    decoded.limit = page->limit;
    if (page->after)
        decoded.after = Instant{std::chrono::microseconds{std::stoll(page->after->value)}};
    const auto found = api.schedules.preview.list(decoded);
    if (!found) return refused(found.error(), request);

    base::JsonWriter json;
    json.begin_object().key("data").begin_array();
    PageKey last{};
    for (const PreviewedOccurrence& row : found->occurrences) {
        write(json, row, found->zone);
        json.member("skipped", row.skipped).end_object();
        last.value = std::to_string(row.place.time_since_epoch().count());
    }
    return end_page(std::move(json), request, found->has_more, last);
}

}  // namespace

void add_preview_routes(Router& router, PreviewApi api) {
    router.add(
        "POST", "/v1/preview", [api](const Request& request) { return preview(api, request); },
        Effects::none);
    router.add("GET", "/v1/occurrences",
               [api](const Request& request) { return occurrences(api, request); });
}

}  // namespace sundial::http
