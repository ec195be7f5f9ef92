#include <charconv>
#include <chrono>
#include <string>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

double milliseconds(std::chrono::microseconds duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

std::string attempt_json(const EndedAttempt& ended) {
    const AttemptRecord& attempt = ended.record;
    const bool sent = attempt.started_at.has_value() && attempt.outcome != AttemptOutcome::lost;
    base::JsonWriter json;
    json.begin_object().member(
        "id", to_string(attempt.event) + '.' + std::to_string(attempt.number.value));
    json.member("eventId", to_string(attempt.event));
    json.member("endpointId",
                attempt.endpoint ? std::optional(to_string(*attempt.endpoint)) : std::nullopt);
    json.member("number", attempt.number.value).member("outcome", to_string(attempt.outcome));
    json.member("startedAt", format_instant_millis(attempt.started_at));
    json.member("endedAt", format_instant_millis(ended.ended_at));
    json.member("durationMs", milliseconds(attempt.duration));
    json.member("statusCode", attempt.status_code);
    json.key("error");
    if (attempt.error_code.empty() && attempt.error_text.empty()) {
        json.null();
    } else {
        json.begin_object().member("code", attempt.error_code);
        json.member("text", attempt.error_text).end_object();
    }
    json.key("response");
    if (sent && attempt.status_code && attempt.outcome != AttemptOutcome::succeeded) {
        json.begin_object().member("body", attempt.response_body).end_object();
    } else {
        json.null();
    }
    const auto& by = attempt.instance;
    json.member("instanceId", by ? std::optional(to_string(by->instance)) : std::nullopt);
    json.member("worker", by && !by->worker.empty() ? std::optional(by->worker) : std::nullopt);
    return std::move(json.end_object()).text();
}

namespace {

PageKey place_of(const EndedAttempt& ended) {
    return {std::to_string(ended.ended_at.time_since_epoch().count()), ended.record.event.value};
}

std::vector<int> codes_in(const Request& request) {
    std::vector<int> codes;
    for (const std::string& text : list_value(request, "statusCode")) {
        int code = 0;
        std::from_chars(text.data(), text.data() + text.size(), code);
        codes.push_back(code);
    }
    return codes;
}

/// A page with rare matches passes about so many attempts: some 15 ms on PostgreSQL.
constexpr std::size_t max_attempts_passed = 2'000;

Response list(const AttemptApi& api, const Request& request) {
    std::vector<FieldError> errors;
    Moments moments(request, api.clock, errors);
    AttemptQuery query;
    if (const auto event = request.query_value("eventId")) {
        const auto id = base::parse_uuid(*event);
        if (!id) errors.push_back({"?eventId", "bad_format", "must be the id of an event"});
        if (id) query.event = EventId{*id};
    }
    if (const auto endpoint = text_value(request, "endpointId")) {
        const auto id = api.queries.endpoint_id(*endpoint);
        if (!id)
            errors.push_back({"?endpointId", "not_allowed", "unknown value '" + *endpoint + "'"});
        if (id) query.endpoint = *id;
    }
    query.outcomes = parsed_list(request, "outcome", parse_attempt_outcome);
    query.status_codes = codes_in(request);
    query.from = moments.value("from");
    query.to = moments.value("to");
    if (!errors.empty()) return refused(validation_failed(std::move(errors)), request);
    const auto page = page_request(request, SortValue::number);
    if (!page) return refused(page.error(), request);
    query.page = *page;
    query.max_passed = max_attempts_passed;
    return page_response(api.queries.attempts(query), request,
                         [](auto& json, const EndedAttempt& ended) {
                             json.raw(attempt_json(ended));
                             return place_of(ended);
                         });
}

Response get(const AttemptApi& api, const Request& request) {
    const auto attempt = api.queries.attempt(request.path_value("id"));
    if (!attempt) return refused(attempt.error(), request);
    return json(200, attempt_json(*attempt));
}

}  // namespace

void add_attempt_routes(Router& router, AttemptApi api) {
    router.add("GET", "/v1/attempts", [api](const Request& request) { return list(api, request); });
    router.add("GET", "/v1/attempts/{id}",
               [api](const Request& request) { return get(api, request); });
}

}  // namespace sundial::http
