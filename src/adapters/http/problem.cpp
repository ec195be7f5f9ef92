#include "adapters/http/problem.hpp"

#include <algorithm>
#include <array>

#include "adapters/http/json.hpp"
#include "base/check.hpp"

namespace sundial::http {
namespace {

constexpr std::size_t max_errors_shown = 20;

constexpr std::array kinds{
    ProblemKind{Code::validation_failed, "VALIDATION_FAILED", 400, "Request validation failed",
                false},
    ProblemKind{Code::malformed_json, "MALFORMED_JSON", 400, "Body is not valid JSON", false},
    ProblemKind{Code::invalid_cursor, "INVALID_CURSOR", 400, "Cursor is not valid here", false},
    ProblemKind{Code::invalid_template, "INVALID_TEMPLATE", 400, "Template names something unknown",
                false},
    ProblemKind{Code::unauthenticated, "UNAUTHENTICATED", 401, "Not authenticated", false},
    ProblemKind{Code::forbidden, "FORBIDDEN", 403, "Not allowed", false},
    ProblemKind{Code::host_not_allowed, "HOST_NOT_ALLOWED", 403, "Host not allowed without a key",
                false},
    ProblemKind{Code::origin_not_allowed, "ORIGIN_NOT_ALLOWED", 403,
                "Web page of another origin not allowed without a key", false},
    ProblemKind{Code::csrf_token_required, "CSRF_TOKEN_REQUIRED", 403, "Token of the page required",
                false},
    ProblemKind{Code::https_required, "HTTPS_REQUIRED", 403, "A login needs https", false},
    ProblemKind{Code::user_not_found, "USER_NOT_FOUND", 404, "User not found", false},
    ProblemKind{Code::event_not_found, "EVENT_NOT_FOUND", 404, "Event not found", false},
    ProblemKind{Code::endpoint_not_found, "ENDPOINT_NOT_FOUND", 404, "Endpoint not found", false},
    ProblemKind{Code::schedule_not_found, "SCHEDULE_NOT_FOUND", 404, "Schedule not found", false},
    ProblemKind{Code::operation_not_found, "OPERATION_NOT_FOUND", 404, "Operation not found",
                false},
    ProblemKind{Code::api_key_not_found, "API_KEY_NOT_FOUND", 404, "API key not found", false},
    ProblemKind{Code::lock_not_found, "LOCK_NOT_FOUND", 404, "Lock not found", false},
    ProblemKind{Code::attempt_not_found, "ATTEMPT_NOT_FOUND", 404, "Attempt not found", false},
    ProblemKind{Code::instance_not_found, "INSTANCE_NOT_FOUND", 404, "Instance not found", false},
    ProblemKind{Code::calendar_not_found, "CALENDAR_NOT_FOUND", 404, "Calendar not found", false},
    ProblemKind{Code::aggregate_not_found, "AGGREGATE_NOT_FOUND", 404, "Stream not found", false},
    ProblemKind{Code::route_not_found, "ROUTE_NOT_FOUND", 404, "Route not found", false},
    ProblemKind{Code::method_not_allowed, "METHOD_NOT_ALLOWED", 405, "Method not allowed here",
                false},
    ProblemKind{Code::not_acceptable, "NOT_ACCEPTABLE", 406, "No acceptable representation", false},
    ProblemKind{Code::request_timeout, "REQUEST_TIMEOUT", 408, "Request took too long to arrive",
                true},
    ProblemKind{Code::payload_too_large, "PAYLOAD_TOO_LARGE", 413, "Payload too large", false},
    ProblemKind{Code::uri_too_long, "URI_TOO_LONG", 414, "Request target too long", false},
    ProblemKind{Code::headers_too_large, "HEADERS_TOO_LARGE", 431, "Request head too large", false},
    ProblemKind{Code::invalid_state_transition, "INVALID_STATE_TRANSITION", 409,
                "State does not allow this", false},
    ProblemKind{Code::lease_lost, "LEASE_LOST", 409, "Lease lost", false},
    ProblemKind{Code::endpoint_disabled, "ENDPOINT_DISABLED", 409, "Endpoint is disabled", false},
    ProblemKind{Code::endpoint_in_use, "ENDPOINT_IN_USE", 409, "Endpoint is in use", false},
    ProblemKind{Code::clock_not_test, "CLOCK_NOT_TEST", 409, "Clock is not a test clock", false},
    ProblemKind{Code::first_key_not_admin, "FIRST_KEY_NOT_ADMIN", 409,
                "First key must have the role ADMIN", false},
    ProblemKind{Code::last_admin_key, "LAST_ADMIN_KEY", 409, "The last ADMIN key must remain",
                false},
    ProblemKind{Code::duplicate_external_id, "DUPLICATE_EXTERNAL_ID", 409,
                "External id is already taken", false},
    ProblemKind{Code::duplicate_idempotency_key, "DUPLICATE_IDEMPOTENCY_KEY", 409,
                "Idempotency key is already taken", false},
    ProblemKind{Code::idempotency_in_progress, "IDEMPOTENCY_IN_PROGRESS", 409,
                "The first request with this key is still running", true},
    ProblemKind{Code::optimistic_lock, "OPTIMISTIC_LOCK", 409, "Version does not match", false},
    ProblemKind{Code::stream_archived, "STREAM_ARCHIVED", 409, "Stream is archived", false},
    ProblemKind{Code::feed_diverged, "FEED_DIVERGED", 409,
                "Feed and checkpoint have different histories", false},
    ProblemKind{Code::checkpoint_conflict, "CHECKPOINT_CONFLICT", 409, "Checkpoint has moved",
                false},
    ProblemKind{Code::lock_held, "LOCK_HELD", 409, "Lock is held", true},
    ProblemKind{Code::lock_not_held, "LOCK_NOT_HELD", 409, "Lock is not held", false},
    ProblemKind{Code::stream_deleted, "STREAM_DELETED", 410, "Stream is deleted", false},
    ProblemKind{Code::event_id_reused, "EVENT_ID_REUSED", 422, "Event id is already taken", false},
    ProblemKind{Code::idempotency_key_reused, "IDEMPOTENCY_KEY_REUSED", 422,
                "Idempotency-Key was used for another request", false},
    ProblemKind{Code::unsupported_media_type, "UNSUPPORTED_MEDIA_TYPE", 415,
                "Unsupported media type", false},
    ProblemKind{Code::too_early, "TOO_EARLY", 425, "Sent too early", true},
    ProblemKind{Code::precondition_required, "PRECONDITION_REQUIRED", 428, "If-Match is required",
                false},
    ProblemKind{Code::rate_limited, "RATE_LIMITED", 429, "Too many requests", true},
    ProblemKind{Code::internal_error, "INTERNAL_ERROR", 500, "Internal error", true},
    ProblemKind{Code::storage_unavailable, "STORAGE_UNAVAILABLE", 503, "Storage is unavailable",
                true},
    ProblemKind{Code::commit_outcome_unknown, "COMMIT_OUTCOME_UNKNOWN", 503,
                "Outcome of the commit is unknown", true},
    ProblemKind{Code::not_ready, "NOT_READY", 503, "Not ready", true},
    ProblemKind{Code::overloaded, "OVERLOADED", 503, "Overloaded", true},
    ProblemKind{Code::draining, "DRAINING", 503, "Shutting down", true},
};

constexpr bool in_order_of_codes() {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i].code != static_cast<Code>(i)) return false;
    }
    return kinds.size() == static_cast<std::size_t>(Code::draining) + 1;
}
static_assert(in_order_of_codes(), "kind_of() indexes the table by code");

std::string to_json(const MemberValue& value) {
    struct Writer {
        std::string operator()(std::nullptr_t) const { return "null"; }
        std::string operator()(bool yes) const { return yes ? "true" : "false"; }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(const std::string& text) const { return quoted_json(text); }
        std::string operator()(const RawJson& raw) const { return raw.text; }
        std::string operator()(const std::vector<std::string>& texts) const {
            std::string list = "[";
            for (const std::string& one : texts) {
                if (list.size() > 1) list += ',';
                list += quoted_json(one);
            }
            return list + ']';
        }
    };
    return std::visit(Writer{}, value);
}

std::string to_json(std::span<const FieldError> errors) {
    std::string list = "[";
    for (const FieldError& error : errors.first(std::min(errors.size(), max_errors_shown))) {
        if (list.size() > 1) list += ',';
        list += R"({"pointer":)" + quoted_json(error.pointer) + R"(,"code":)" +
                quoted_json(error.code) + R"(,"message":)" + quoted_json(error.message) + '}';
    }
    return list + ']';
}

}  // namespace

const ProblemKind& kind_of(Code code) {
    const auto index = static_cast<std::size_t>(code);
    base::check(index < kinds.size());
    return kinds[index];
}

Code code_named(std::string_view name) {
    const auto* const kind = std::ranges::find(kinds, name, &ProblemKind::name);
    base::check(kind != kinds.end());
    return kind->code;
}

std::span<const ProblemKind> problem_kinds() { return kinds; }

Problem validation_failed(std::vector<FieldError> errors) {
    const std::size_t count = errors.size();
    return {
        .code = Code::validation_failed,
        .detail = count == 1 ? "1 field is invalid" : std::to_string(count) + " fields are invalid",
        .errors = std::move(errors),
        .members = {},
        .status = {}};
}

Response to_response(const Problem& problem, std::string_view instance,
                     std::string_view correlation_id) {
    const ProblemKind& kind = kind_of(problem.code);
    const int status = problem.status.value_or(kind.status);
    std::string body = R"({"type":"/docs/errors/)" + std::string(kind.name) + R"(","title":)" +
                       quoted_json(kind.title) + R"(,"status":)" + std::to_string(status) +
                       R"(,"code":)" + quoted_json(kind.name) + R"(,"retryable":)" +
                       (kind.retryable ? "true" : "false") + R"(,"detail":)" +
                       quoted_json(problem.detail) + R"(,"instance":)" + quoted_json(instance) +
                       R"(,"correlationId":)" + quoted_json(correlation_id);
    if (!problem.errors.empty()) body += R"(,"errors":)" + to_json(problem.errors);
    for (const auto& [name, value] : problem.members) {
        body += ',' + quoted_json(name) + ':' + to_json(value);
    }
    body += '}';

    Response response = text(status, "application/problem+json", std::move(body));
    response.retryable = kind.retryable;
    if (status == 503 || status == 429 || (status == 409 && kind.retryable)) {
        response.headers.add("Retry-After", std::to_string(problem.retry_after.count()));
    }
    return response;
}

Response to_response(const Problem& problem, const Request& request) {
    return to_response(problem, request.path, request.correlation_id);
}

}  // namespace sundial::http
