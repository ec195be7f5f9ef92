#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sundial::base {

/// RFC 4648 section 4, padded.
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Accepts only the padded form; nothing for any other `text`.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace sundial::base
