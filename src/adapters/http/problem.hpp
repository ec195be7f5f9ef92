#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/http/message.hpp"
#include "domain/error.hpp"

namespace sundial::http {

/// The codes of the API reference, one for each kind of refusal.
enum class Code : std::uint8_t {
    validation_failed,
    malformed_json,
    invalid_cursor,
    invalid_template,
    unauthenticated,
    forbidden,
    host_not_allowed,
    origin_not_allowed,
    csrf_token_required,
    https_required,
    user_not_found,
    event_not_found,
    endpoint_not_found,
    schedule_not_found,
    operation_not_found,
    api_key_not_found,
    lock_not_found,
    attempt_not_found,
    instance_not_found,
    calendar_not_found,
    aggregate_not_found,
    route_not_found,
    method_not_allowed,
    not_acceptable,
    request_timeout,
    payload_too_large,
    uri_too_long,
    headers_too_large,
    invalid_state_transition,
    lease_lost,
    endpoint_disabled,
    endpoint_in_use,
    clock_not_test,
    first_key_not_admin,
    last_admin_key,
    duplicate_external_id,
    duplicate_idempotency_key,
    idempotency_in_progress,
    optimistic_lock,
    stream_archived,
    feed_diverged,
    checkpoint_conflict,
    lock_held,
    lock_not_held,
    stream_deleted,
    event_id_reused,
    idempotency_key_reused,
    unsupported_media_type,
    too_early,
    precondition_required,
    rate_limited,
    internal_error,
    storage_unavailable,
    commit_outcome_unknown,
    not_ready,
    overloaded,
    draining,
};

/// Properties that all problems of one code share.
struct ProblemKind {
    Code code;
    std::string_view name;  // "VALIDATION_FAILED"
    int status;
    std::string_view title;
    bool retryable;
};
[[nodiscard]] const ProblemKind& kind_of(Code code);
/// The code with this name, which must exist.
[[nodiscard]] Code code_named(std::string_view name);
[[nodiscard]] std::span<const ProblemKind> problem_kinds();

/// JSON text that is inserted unchanged.
struct RawJson {
    std::string text;
};
using MemberValue = std::variant<std::nullptr_t, bool, std::int64_t, std::string,
                                 std::vector<std::string>, RawJson>;

/// One refusal, RFC 9457. `detail` is for the caller and never reveals internals.
struct Problem {
    Code code = Code::internal_error;
    std::string detail{};
    std::vector<FieldError> errors{};                            // the first 20 are sent
    std::vector<std::pair<std::string, MemberValue>> members{};  // additional members of the code
    std::optional<int> status{};          // for codes that have two: 412, 409
    std::chrono::seconds retry_after{1};  // sent with 429, 503 and the retryable 409s
};

/// VALIDATION_FAILED with a detail that counts the fields.
[[nodiscard]] Problem validation_failed(std::vector<FieldError> errors);

/// The complete response. `instance` is the requested path.
[[nodiscard]] Response to_response(const Problem& problem, std::string_view instance,
                                   std::string_view correlation_id);
[[nodiscard]] Response to_response(const Problem& problem, const Request& request);

}  // namespace sundial::http
