#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sundial::client {

/// The text of the member `name` of a JSON object, such as a problem of the API; empty if it has
/// none, or another type, or is not valid JSON.
[[nodiscard]] std::optional<std::string> text_member(std::string_view object,
                                                     std::string_view name);

}  // namespace sundial::client
