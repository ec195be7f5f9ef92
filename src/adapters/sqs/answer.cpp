#include "adapters/sqs/answer.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <utility>

#include "base/text.hpp"

namespace sundial::sqs {
namespace {

namespace json = boost::json;

using Codes = std::pair<std::string_view, ErrorKind>;
/// The errors of SQS and of its gateway. Unknown ones are judged by their status.
constexpr std::array known_codes{
    Codes{"ThrottlingException", ErrorKind::throttled},
    Codes{"Throttling", ErrorKind::throttled},
    Codes{"ThrottledException", ErrorKind::throttled},
    Codes{"RequestThrottled", ErrorKind::throttled},
    Codes{"RequestThrottledException", ErrorKind::throttled},
    Codes{"RequestLimitExceeded", ErrorKind::throttled},
    Codes{"TooManyRequestsException", ErrorKind::throttled},
    Codes{"SlowDown", ErrorKind::throttled},
    Codes{"OverLimit", ErrorKind::throttled},
    Codes{"KmsThrottled", ErrorKind::throttled},
    Codes{"InternalFailure", ErrorKind::temporary},
    Codes{"InternalError", ErrorKind::temporary},
    Codes{"InternalServerError", ErrorKind::temporary},
    Codes{"ServiceUnavailable", ErrorKind::temporary},
    Codes{"ServiceUnavailableException", ErrorKind::temporary},
    Codes{"RequestTimeout", ErrorKind::temporary},
    Codes{"KmsInvalidState", ErrorKind::temporary},
    Codes{"ExpiredToken", ErrorKind::expired_keys},
    Codes{"ExpiredTokenException", ErrorKind::expired_keys},
    Codes{"InvalidClientTokenId", ErrorKind::wrong_keys},
    Codes{"UnrecognizedClientException", ErrorKind::wrong_keys},
    Codes{"InvalidAccessKeyId", ErrorKind::wrong_keys},
    Codes{"MissingAuthenticationToken", ErrorKind::wrong_keys},
    Codes{"MissingAuthenticationTokenException", ErrorKind::wrong_keys},
    Codes{"SignatureDoesNotMatch", ErrorKind::wrong_keys},
    Codes{"InvalidSignatureException", ErrorKind::wrong_keys},
    Codes{"IncompleteSignature", ErrorKind::wrong_keys},
    Codes{"IncompleteSignatureException", ErrorKind::wrong_keys},
    Codes{"InvalidSecurity", ErrorKind::wrong_keys},
    Codes{"RequestExpired", ErrorKind::skewed_clock},
    Codes{"RequestTimeTooSkewed", ErrorKind::skewed_clock},
    Codes{"RequestInTheFuture", ErrorKind::skewed_clock},
    Codes{"AccessDenied", ErrorKind::denied},
    Codes{"AccessDeniedException", ErrorKind::denied},
    Codes{"NotAuthorized", ErrorKind::denied},
    Codes{"OptInRequired", ErrorKind::denied},
    Codes{"KmsAccessDenied", ErrorKind::denied},
    Codes{"KmsDisabled", ErrorKind::denied},
    Codes{"KmsNotFound", ErrorKind::denied},
    Codes{"KmsOptInRequired", ErrorKind::denied},
    Codes{"InvalidAddress", ErrorKind::missing_queue},
    Codes{"QueueDoesNotExist", ErrorKind::missing_queue},
    Codes{"NonExistentQueue", ErrorKind::missing_queue}};

constexpr std::size_t longest_text = 500;

/// "com.amazonaws.sqs#QueueDoesNotExist" and "AWS.SimpleQueueService.NonExistentQueue" without
/// their name spaces.
std::string plain_code(std::string_view code) {
    return std::string{code.substr(code.find_last_of("#.") + 1)};
}

std::string text_in(const json::object& object, std::string_view name) {
    const json::value* found = object.if_contains(name);
    const json::string* text = found == nullptr ? nullptr : found->if_string();
    return text == nullptr ? std::string{} : std::string{text->subview(0, longest_text)};
}

std::optional<json::object> object_in(std::string_view text) {
    boost::system::error_code failed;
    json::value value = json::parse(text, failed);
    if (failed || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

std::optional<std::size_t> entry_of(const json::value& value, std::size_t count) {
    const json::object* object = value.if_object();
    if (object == nullptr) return std::nullopt;
    const std::string id = text_in(*object, "Id");
    std::size_t index = count;
    const auto [end, failed] = std::from_chars(id.data(), id.data() + id.size(), index);
    if (failed != std::errc{} || end != id.data() + id.size() || index >= count) {
        return std::nullopt;
    }
    return index;
}

SqsError failed_entry(const json::object& entry) {
    const json::value* fault = entry.if_contains("SenderFault");
    const bool by_sender = fault != nullptr && fault->is_bool() && fault->get_bool();
    SqsError error{.code = plain_code(text_in(entry, "Code")),
                   .text = text_in(entry, "Message"),
                   .kind = ErrorKind::refused};
    error.kind = kind_of(error.code, by_sender ? 400 : 500);
    return error;
}

}  // namespace

ErrorKind kind_of(std::string_view code, int status) {
    const auto found = std::ranges::find(known_codes, code, &Codes::first);
    if (found != known_codes.end()) return found->second;
    if (status == 429) return ErrorKind::throttled;
    if (status >= 500 || status == 408) return ErrorKind::temporary;
    if (status == 401 || status == 403) return ErrorKind::denied;
    return ErrorKind::refused;
}

SqsError read_error(int status, std::string_view body) {
    SqsError error;
    if (const auto object = object_in(body)) {
        error.code = plain_code(text_in(*object, "__type"));
        if (error.code.empty()) error.code = plain_code(text_in(*object, "code"));
        error.text = text_in(*object, "message");
        if (error.text.empty()) error.text = text_in(*object, "Message");
    }
    error.kind = kind_of(error.code, status);
    // A skewed clock is also reported as a signature that has expired or is not yet current.
    const bool by_time = error.text.find("ignature expired") != std::string::npos ||
                         error.text.find("ignature not yet current") != std::string::npos;
    if (error.kind == ErrorKind::wrong_keys && by_time) error.kind = ErrorKind::skewed_clock;
    return error;
}

std::optional<std::vector<EntryResult>> read_results(std::string_view body, std::size_t count) {
    const auto object = object_in(body);
    if (!object) return std::nullopt;
    std::vector<EntryResult> results(count);
    std::vector<bool> seen(count, false);
    for (const char* list : {"Successful", "Failed"}) {
        const json::value* found = object->if_contains(list);
        if (found == nullptr || found->is_null()) continue;
        const json::array* entries = found->if_array();
        if (entries == nullptr) return std::nullopt;
        for (const json::value& entry : *entries) {
            const auto index = entry_of(entry, count);
            if (!index || seen[*index]) return std::nullopt;
            seen[*index] = true;
            if (std::string_view{list} == "Failed") {
                results[*index] = failed_entry(entry.get_object());
            }
        }
    }
    if (std::ranges::find(seen, false) != seen.end()) return std::nullopt;
    return results;
}

}  // namespace sundial::sqs
