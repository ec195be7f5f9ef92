#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sundial::http {

/// The lower-case type of a Content-Type field without its parameters: "application/json". Empty if
/// a charset other than UTF-8 is named, because no other is supported.
[[nodiscard]] std::string media_type_of(std::string_view content_type);

/// Whether one of `types` may be sent to a client with `Accept: accept` (RFC 9110 12.5.1). An empty
/// field accepts all.
[[nodiscard]] bool acceptable(std::string_view accept, const std::vector<std::string>& types);

[[nodiscard]] bool is_json(std::string_view media_type);

}  // namespace sundial::http
