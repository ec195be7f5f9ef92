#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sundial::sqs {

/// The effect of an error of SQS.
enum class ErrorKind : std::uint8_t {
    throttled,      // later, and fewer requests until then
    temporary,      // of the service
    expired_keys,   // fetch new ones
    wrong_keys,     // or region: the operator can correct it
    skewed_clock,   // the answer's Date corrects it
    denied,         // judged like a 403 of a webhook
    missing_queue,  // judged like a 404
    refused         // permanently
};

struct SqsError {
    std::string code{};  // without its name space
    std::string text{};
    ErrorKind kind = ErrorKind::refused;
};

/// The kind of `code`. `status`: of the response; decides for codes that are not known.
[[nodiscard]] ErrorKind kind_of(std::string_view code, int status);

/// The response to a whole request that was not accepted: `body` of status `status`.
[[nodiscard]] SqsError read_error(int status, std::string_view body);

/// The result of one entry of a batch. Empty: accepted.
using EntryResult = std::optional<SqsError>;

/// The results of `count` entries from the body of a 200. Empty if `body` cannot be read or does
/// not name each entry once: any of them may have been accepted.
[[nodiscard]] std::optional<std::vector<EntryResult>> read_results(std::string_view body,
                                                                   std::size_t count);

}  // namespace sundial::sqs
