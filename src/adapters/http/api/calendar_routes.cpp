#include <algorithm>
#include <string>
#include <string_view>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {

Result<NewCalendar> new_calendar(const JsonBody& body) {
    const Members members(body);
    NewCalendar requested{.name = members.text("name").value_or(""),
                          .schedule = members.text("scheduleId"),
                          .user = members.text("userId")};
    if (const auto text = members.edit("expiresAt").value_or(std::nullopt)) {
        const auto instant = parse_instant(*text);
        if (!instant) return invalid("/expiresAt", "bad_format", instant.error().message);
        requested.expires_at = instant->instant;
    }
    return requested;
}

std::string calendar_json(const Calendar& calendar, const std::string& token) {
    const auto id = [](const auto& of) {
        return of ? std::optional(to_string(*of)) : std::nullopt;
    };
    base::JsonWriter json;
    json.begin_object().member("id", to_string(calendar.id)).member("name", calendar.name);
    json.member("scheduleId", id(calendar.schedule)).member("userId", id(calendar.user));
    if (!token.empty()) json.member("token", token).member("path", "/calendar/" + token + ".ics");
    json.member("expiresAt", format_instant_millis(calendar.expires_at));
    json.member("version", calendar.version.value);
    json.member("createdAt", format_instant_millis(calendar.created_at));
    return std::move(json.end_object()).text();
}

namespace {

constexpr unsigned default_feed_days = 90;
constexpr std::string_view feed_suffix = ".ics";

Response list_calendars(const CalendarApi& api, const Request& request) {
    CalendarQuery query;
    if (const auto reference = text_value(request, "scheduleId")) {
        const auto id = api.queries.schedule_id(*reference);
        if (!id) return refused(id.error(), request);
        query.schedule = *id;
    }
    if (const auto reference = text_value(request, "userId")) {
        const auto id = api.queries.user_id(*reference);
        if (!id) return refused(id.error(), request);
        query.user = *id;
    }
    const auto page = page_request(request, SortValue::number);
    if (!page) return refused(page.error(), request);
    query.page = *page;
    const auto calendars = api.queries.calendars(query);
    return page_response(calendars, request, [](auto& json, const Calendar& calendar) {
        json.raw(calendar_json(calendar));
        return PageKey{std::to_string(calendar.created_at.time_since_epoch().count()),
                       calendar.id.value};
    });
}

Response create_calendar(const CalendarApi& api, const Request& request) {
    const auto requested = new_calendar(*request.json);
    if (!requested) return refused(requested.error(), request);
    const auto made = api.calendars.create.run(*requested, caller_of(request));
    if (!made) return refused(made.error(), request);
    return showing_secret(json(201, calendar_json(made->calendar, made->token)));
}

Response revoke_calendar(const CalendarApi& api, const Request& request) {
    const auto done = api.calendars.revoke.run(request.path_value("id"), caller_of(request));
    return done ? no_content() : refused(done.error(), request);
}

/// Whether a field of If-None-Match names the tag; weak comparison (RFC 9110 13.1.2).
bool names_tag(std::string_view field, std::string_view tag) {
    if (base::trimmed(field) == "*") return true;
    return field.find(tag) != std::string_view::npos;
}

Response feed(const CalendarApi& api, const Request& request) {
    std::string_view token = request.path_value("token");
    if (token.ends_with(feed_suffix)) token.remove_suffix(feed_suffix.size());
    const auto made =
        api.calendars.read.run(token, number_value(request, "days").value_or(default_feed_days));
    if (!made) return refused(made.error(), request);
    const std::string tag = '"' + base::to_hex(made->digest.substr(0, 16)) + '"';
    const auto known = request.headers.find("If-None-Match");
    Response response = known && names_tag(*known, tag)
                            ? Response{.status = 304}
                            : text(200, "text/calendar; charset=utf-8", made->text);
    response.headers.add("ETag", tag);
    // The address is the right to read it: only the program that asks may keep it.
    response.headers.add("Cache-Control", "private, no-cache");
    response.headers.add("Referrer-Policy", "no-referrer");
    return response;
}

}  // namespace

void add_calendar_routes(Router& router, CalendarApi api) {
    router.add("GET", "/v1/calendars",
               [api](const Request& request) { return list_calendars(api, request); });
    router.add("POST", "/v1/calendars",
               [api](const Request& request) { return create_calendar(api, request); });
    router.add("DELETE", "/v1/calendars/{id}",
               [api](const Request& request) { return revoke_calendar(api, request); });
    router.add("GET", "/calendar/{token}",
               [api](const Request& request) { return feed(api, request); });
}

}  // namespace sundial::http
