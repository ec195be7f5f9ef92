#include "adapters/http/api/preview_routes.hpp"

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/schedule_codec.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

void write(base::JsonWriter& json, const PreviewedOccurrence& row, const std::string& zone) {
    json.begin_object();
    json.member("targetTimestampUTC",
                row.target ? std::optional(format_instant_millis(*row.target)) : std::nullopt);
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

Response occurrences(const PreviewApi& api, const Request& request) {
    const auto page = page_request(request, SortValue::number);
    if (!page) return refused(page.error(), request);
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
