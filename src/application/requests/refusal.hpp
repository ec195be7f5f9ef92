#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.hpp"

namespace sundial {

/// An error as text, for storage and for places that cannot hold the error itself.
struct Refusal {
    std::string code;  // from the API reference: "INVALID_STATE_TRANSITION"
    std::string detail;
    std::vector<FieldError> errors{};  // of the fields, if VALIDATION_FAILED
};
[[nodiscard]] Refusal refusal_of(const Error& error);

/// The code of NotFound: "USER_NOT_FOUND".
[[nodiscard]] std::string_view not_found_code(Noun noun);

/// "user", "API key".
[[nodiscard]] std::string_view noun_in_words(Noun noun);

/// "there is no user 'ada'; an external id is written 'ext:ada'".
[[nodiscard]] std::string absence_in_words(const NotFound& missing);

/// "; it waits …", for the end of a detail; empty without a reason.
[[nodiscard]] std::string wait_in_words(std::optional<WaitReason> reason);

}  // namespace sundial
