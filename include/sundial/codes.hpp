#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "sundial/result.hpp"

/// The codes of errors as an enumeration, for `switch`.
namespace sundial {

/// Each value is the code of the same name in lower case. docs/reference/errors.md says what the
/// codes mean. `other` is a code of your own, such as one that the work of a transaction returned,
/// or of a later version.
enum class Code : std::uint8_t {
    other,
    aggregate_not_found,
    cannot_start,
    checkpoint_conflict,
    clock_not_test,
    commit_outcome_unknown,
    duplicate_external_id,
    duplicate_idempotency_key,
    endpoint_disabled,
    endpoint_in_use,
    endpoint_not_found,
    event_id_reused,
    event_not_found,
    event_not_readable,
    feed_diverged,
    idempotency_in_progress,
    idempotency_key_reused,
    internal_error,
    invalid_cursor,
    invalid_state_transition,
    invalid_template,
    lease_lost,
    lock_held,
    lock_not_held,
    optimistic_lock,
    payload_too_large,
    reentrant_call,
    request_timeout,
    schedule_not_found,
    sql_failed,
    stopped,
    storage_unavailable,
    stream_archived,
    stream_deleted,
    unknown_event_type,
    user_not_found,
    validation_failed,
    wrong_process,
};

namespace detail {

inline constexpr std::array<std::pair<std::string_view, Code>, 37> codes{{
    {"AGGREGATE_NOT_FOUND", Code::aggregate_not_found},
    {"CANNOT_START", Code::cannot_start},
    {"CHECKPOINT_CONFLICT", Code::checkpoint_conflict},
    {"CLOCK_NOT_TEST", Code::clock_not_test},
    {"COMMIT_OUTCOME_UNKNOWN", Code::commit_outcome_unknown},
    {"DUPLICATE_EXTERNAL_ID", Code::duplicate_external_id},
    {"DUPLICATE_IDEMPOTENCY_KEY", Code::duplicate_idempotency_key},
    {"ENDPOINT_DISABLED", Code::endpoint_disabled},
    {"ENDPOINT_IN_USE", Code::endpoint_in_use},
    {"ENDPOINT_NOT_FOUND", Code::endpoint_not_found},
    {"EVENT_ID_REUSED", Code::event_id_reused},
    {"EVENT_NOT_FOUND", Code::event_not_found},
    {"EVENT_NOT_READABLE", Code::event_not_readable},
    {"FEED_DIVERGED", Code::feed_diverged},
    {"IDEMPOTENCY_IN_PROGRESS", Code::idempotency_in_progress},
    {"IDEMPOTENCY_KEY_REUSED", Code::idempotency_key_reused},
    {"INTERNAL_ERROR", Code::internal_error},
    {"INVALID_CURSOR", Code::invalid_cursor},
    {"INVALID_STATE_TRANSITION", Code::invalid_state_transition},
    {"INVALID_TEMPLATE", Code::invalid_template},
    {"LEASE_LOST", Code::lease_lost},
    {"LOCK_HELD", Code::lock_held},
    {"LOCK_NOT_HELD", Code::lock_not_held},
    {"OPTIMISTIC_LOCK", Code::optimistic_lock},
    {"PAYLOAD_TOO_LARGE", Code::payload_too_large},
    {"REENTRANT_CALL", Code::reentrant_call},
    {"REQUEST_TIMEOUT", Code::request_timeout},
    {"SCHEDULE_NOT_FOUND", Code::schedule_not_found},
    {"SQL_FAILED", Code::sql_failed},
    {"STOPPED", Code::stopped},
    {"STORAGE_UNAVAILABLE", Code::storage_unavailable},
    {"STREAM_ARCHIVED", Code::stream_archived},
    {"STREAM_DELETED", Code::stream_deleted},
    {"UNKNOWN_EVENT_TYPE", Code::unknown_event_type},
    {"USER_NOT_FOUND", Code::user_not_found},
    {"VALIDATION_FAILED", Code::validation_failed},
    {"WRONG_PROCESS", Code::wrong_process},
}};

}  // namespace detail

/// The code with this text. Thread-safe, as all of this header; never throws.
[[nodiscard]] constexpr Code to_code(std::string_view text) {
    const auto found = std::ranges::find(
        detail::codes, text, [](const auto& known) -> const auto& { return known.first; });
    return found == detail::codes.end() ? Code::other : found->second;
}
/// The code of an error:
///
///     switch (sundial::to_code(placed.error())) {
///         case sundial::Code::optimistic_lock: return read_again();
///         case sundial::Code::storage_unavailable: return try_later();
///         default: return report(placed.error().detail);
///     }
[[nodiscard]] inline Code to_code(const embedding::Error& error) { return to_code(error.code); }

/// The text of a code: "LOCK_HELD". Empty for `other`.
[[nodiscard]] constexpr std::string_view to_text(Code code) {
    const auto found = std::ranges::find(
        detail::codes, code, [](const auto& known) -> const auto& { return known.second; });
    return found == detail::codes.end() ? std::string_view{} : found->first;
}

}  // namespace sundial
