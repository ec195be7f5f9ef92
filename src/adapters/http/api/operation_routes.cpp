#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/query.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
std::string operation_json(const sundial::Operation& operation) {
    base::JsonWriter json;
    json.begin_object().member("id", to_string(operation.id));
    json.member("kind", to_string(operation.kind));
    json.member("status", to_string(operation.status)).member("reason", operation.reason);
    json.member("scheduleId",
                operation.schedule ? std::optional(to_string(*operation.schedule)) : std::nullopt);
    json.member("total", operation.total);
    json.member("done", operation.done).member("failed", operation.failed);
    json.member("errorsUrl", "/v1/operations/" + to_string(operation.id) + "/errors");
    json.member("version", operation.version.value);
    json.member("createdAt", format_instant_millis(operation.created_at));
    json.member("updatedAt", format_instant_millis(operation.updated_at));
    json.member("finishedAt", format_instant_millis(operation.finished_at));
    return std::move(json.end_object()).text();
}

std::string failure_json(const NumberedFailure& numbered) {
    const auto& [number, failure] = numbered;
    base::JsonWriter json;
    json.begin_object().member("number", number).member("type", to_string(failure.subject));
    json.member("id", base::to_string(failure.id));
    json.member("code", failure.code).member("detail", failure.detail);
    return std::move(json.end_object()).text();
}

namespace {

Response list(const OperationApi& api, const Request& request) {
    const auto page = page_request(request, SortValue::number);
    if (!page) return refused(page.error(), request);
    OperationQuery query;
    query.statuses = parsed_list(request, "status", parse_operation_status);
    query.kinds = parsed_list(request, "kind", parse_operation_kind);
    if (const auto schedule = request.query_value("scheduleId")) {
        const auto id = api.queries.schedule_id(*schedule);
        if (!id) {
            return refused(
                validation_failed({{"?scheduleId", "not_allowed",
                                    "there is no schedule '" + std::string(*schedule) + "'"}}),
                request);
        }
        query.schedule = *id;
    }
    query.page = *page;

    const auto operations = api.queries.operations(query);
    return page_response(operations, request, [](auto& json, const auto& operation) {
        json.raw(operation_json(operation));
        return PageKey{std::to_string(operation.created_at.time_since_epoch().count()),
                       operation.id.value};
    });
}

Response get(const OperationApi& api, const Request& request) {
    const auto operation = api.queries.operation(request.path_value("id"));
    if (!operation) return refused(operation.error(), request);
    return found(request, operation_json(*operation), operation->version);
}

Response errors(const OperationApi& api, const Request& request) {
    const auto page = page_request(request, SortValue::number);
    if (!page) return refused(page.error(), request);
    const auto failures = api.queries.operation_failures(request.path_value("id"), *page);
    if (!failures) return refused(failures.error(), request);
    return page_response(*failures, request, [](auto& json, const NumberedFailure& failure) {
        json.raw(failure_json(failure));
        return PageKey{.value = std::to_string(failure.number), .id = {}};
    });
}

Response stop(const OperationApi& api, const Request& request) {
    const std::string& id = request.path_value("id");
    const auto current = [&]() -> std::optional<Version> {
        const auto operation = api.queries.operation(id);
        return operation ? std::optional(operation->version) : std::nullopt;
    };
    const auto stopped =
        api.operations.stop(id, expected_version(request, current), caller_of(request));
    if (!stopped) return refused(stopped.error(), request);
    return with_etag(json(200, operation_json(*stopped)), stopped->version);
}

}  // namespace

void add_operation_routes(Router& router, OperationApi api) {
    router.add("GET", "/v1/operations",
               [api](const Request& request) { return list(api, request); });
    router.add("GET", "/v1/operations/{id}",
               [api](const Request& request) { return get(api, request); });
    router.add("GET", "/v1/operations/{id}/errors",
               [api](const Request& request) { return errors(api, request); });
    router.add("DELETE", "/v1/operations/{id}",
               [api](const Request& request) { return stop(api, request); });
}

}  // namespace sundial::http
