#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/client/json_view.hpp"
#include "sundial/client.hpp"
#include "sundial/result.hpp"
#include "sundial/values.hpp"

/// How the API writes what the public headers have as types.
namespace sundial::client {

/// "2027-01-05T14:00:00.000000Z"
[[nodiscard]] std::string to_rfc3339(embedding::Instant instant);
/// Reads what the server writes: UTC, with up to six digits of a second.
[[nodiscard]] std::optional<embedding::Instant> from_rfc3339(std::string_view text);
/// The instant of a member; empty without it.
[[nodiscard]] std::optional<embedding::Instant> instant_of(const JsonView& object,
                                                           std::string_view name);
/// "PT90S"
[[nodiscard]] std::string to_iso_duration(std::chrono::seconds duration);
/// Percent-encoded, for one segment of a path or one value of a query.
[[nodiscard]] std::string encoded(std::string_view text);
/// "HIGH"
[[nodiscard]] std::string_view to_text(embedding::Priority priority);
[[nodiscard]] embedding::Priority priority_of(std::string_view text);
/// The value of If-Match; empty for 0, any version.
[[nodiscard]] std::string if_match_of(std::uint64_t version);

/// The JSON object of an answer; else HTTP_ERROR.
[[nodiscard]] embedding::Result<JsonView> object_of(const embedding::Result<ClientAnswer>& answer);

/// The details of a problem of the API, as an engine has them. Those that only the caller of a
/// typed call knows are empty (`completed`), and the fields are JSON pointers.
[[nodiscard]] embedding::Error::Data details_of(std::string_view code, const JsonView& problem);
/// The names in a typed call, which a problem of the API does not repeat.
struct Asked {
    std::string id{};        // of the object of the call, or the key that it gives to it
    std::string user{};      // that the call refers to
    std::string endpoint{};  // likewise
};
/// The same error with these names, and with the names of fields in C++.
[[nodiscard]] embedding::Error completed(embedding::Error error, const Asked& asked);
/// VALIDATION_FAILED of one field.
[[nodiscard]] embedding::Error refused_field(const std::string& field, const std::string& why);

}  // namespace sundial::client
