#include "domain/outcome.hpp"

#include <algorithm>
#include <array>

#include "base/log.hpp"
#include "base/text.hpp"
#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<9> error_names{
    "HTTP_STATUS",           "TIMEOUT", "DNS",       "CONNECT", "TLS", "PROTOCOL",
    "DESTINATION_FORBIDDEN", "WORKER",  "LEASE_LOST"};
constexpr EnumNames<6> attempt_names{"SUCCEEDED", "RETRYABLE", "PERMANENT",
                                     "LOST",      "LATE",      "RELEASED"};

bool is_temporary(int status) {
    return status == 408 || status == 425 || status == 429 || (500 <= status && status <= 599);
}

/// Statuses of a receiver that is being deployed or is misconfigured.
bool is_deployment_mistake(int status) {
    constexpr std::array mistakes{401, 403, 404, 407, 409, 421};
    return (300 <= status && status <= 399) ||
           std::ranges::find(mistakes, status) != mistakes.end();
}

}  // namespace

std::string_view to_string(DeliveryErrorCode code) { return name_in(error_names, code); }

std::string_view to_string(AttemptOutcome outcome) { return name_in(attempt_names, outcome); }
std::optional<AttemptOutcome> parse_attempt_outcome(std::string_view text) {
    return find_in<AttemptOutcome>(attempt_names, text);
}

Verdict judge_status(int status, std::uint32_t client_errors_left) {
    if (200 <= status && status <= 299) return Verdict::accepted;
    if (is_temporary(status)) return Verdict::retryable;
    if (is_deployment_mistake(status) && client_errors_left > 0) return Verdict::retryable;
    return Verdict::permanent;
}

std::string failure_reason(const Outcome& outcome) {
    if (!outcome.error) return {};
    std::string reason{to_string(*outcome.error)};
    const bool status_suffices = *outcome.error == DeliveryErrorCode::http_status;
    if (status_suffices && outcome.status_code) {
        reason += ' ' + std::to_string(*outcome.status_code);
    } else if (!outcome.error_text.empty()) {
        reason += ' ' + storable_reason(outcome.error_text);
    }
    return reason;
}

namespace {

constexpr std::string_view no_character = "\uFFFD";

/// C0, DEL and C1, the last as the two bytes that UTF-8 makes of it.
bool is_control(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
    return byte(0) == 0xc2 && byte(1) < 0xa0;
}

}  // namespace

namespace {

/// At most `most` characters of `text`, without invalid and control characters.
std::string printable(std::string_view text, std::size_t most) {
    std::string reason;
    for (std::size_t length = 0; length < most && !text.empty(); ++length) {
        const std::string_view character = text.substr(0, base::character_length(text));
        if (character.empty()) {
            reason += no_character;
            text.remove_prefix(1);
            continue;
        }
        reason += is_control(character) ? " " : character;
        text.remove_prefix(character.size());
    }
    return reason;
}

}  // namespace

std::string storable_reason(std::string_view text) {
    // Passwords are found before the end is cut off, and in a text of bounded length.
    constexpr std::size_t most_read = 4 * longest_reason;
    return printable(base::redacted(printable(text, most_read)), longest_reason);
}

}  // namespace sundial
