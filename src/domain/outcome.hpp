#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The effect of an attempt on its event (reliability 6).
enum class Verdict : std::uint8_t { accepted, retryable, permanent };

/// The first word of a failure reason; texts of the API ("HTTP_STATUS", …).
enum class DeliveryErrorCode : std::uint8_t {
    http_status,
    timeout,
    dns,
    connect,
    tls,
    protocol,
    destination_forbidden,
    worker,
    lease_lost
};
[[nodiscard]] std::string_view to_string(DeliveryErrorCode code);

/// The outcome of one attempt. An unknown result, such as a timeout, is retryable.
struct Outcome {
    Verdict verdict = Verdict::retryable;
    std::optional<int> status_code;
    std::optional<DeliveryErrorCode> error;
    std::string error_text;  // for people; never a secret, never internals of a denied address
    std::optional<std::chrono::seconds> retry_after;  // of a 429 or 503, capped at 24 h
    std::string response_body;                        // first 2 KiB, as UTF-8
    std::chrono::microseconds duration{0};
    // snoozed by its handler until then, or, if not begun, given back until then; not an attempt
    std::optional<Instant> again_at{};
    bool begun =
        true;  // false: the process is stopping, was silent or has no thread: not an attempt
};

/// Verdict of a complete response head: 2xx accepted; 408, 425, 429, 5xx retryable; everything else
/// permanent (3xx is never followed), unless `client_errors_left` is not zero. That is the number
/// of attempts that the endpoint still grants to 3xx, 401, 403, 404, 407, 409 and 421.
[[nodiscard]] Verdict judge_status(int status, std::uint32_t client_errors_left);

/// The failureReason of an event: "HTTP_STATUS 404", "TIMEOUT no answer in 10 s". Empty without an
/// error.
[[nodiscard]] std::string failure_reason(const Outcome& outcome);

/// The attempts that are stored: those worth reading. A success is visible in its history row.
enum class AttemptOutcome : std::uint8_t { succeeded, retryable, permanent, lost, late, released };
[[nodiscard]] std::string_view to_string(AttemptOutcome outcome);
[[nodiscard]] std::optional<AttemptOutcome> parse_attempt_outcome(std::string_view text);

struct AttemptRecord {
    EventId event;
    Attempt number;
    AttemptOutcome outcome;
    std::optional<EndpointId> endpoint;
    std::optional<Instant> started_at;
    std::chrono::microseconds duration{0};
    std::optional<int> status_code;
    std::string error_code;  // empty if none
    std::string error_text;
    std::string response_body;
    std::optional<Claimant> instance;  // the holder that made it
    std::optional<Version> held{};     // the version that its claim returned
    friend bool operator==(const AttemptRecord&, const AttemptRecord&) = default;
};

/// In characters (code points).
inline constexpr std::size_t longest_reason = 1000;

/// Makes `text`, the reason of a failure, storable in every database and printable: invalid UTF-8
/// becomes U+FFFD, control characters become blanks, passwords become `***` (base::redacted), and
/// the end is cut off. Every reason that is stored passes through this function, and a failure
/// report is never refused because of its text.
[[nodiscard]] std::string storable_reason(std::string_view text);

}  // namespace sundial
