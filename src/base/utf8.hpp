#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sundial::base {

/// The number of code points, or nothing if `text` is not well-formed UTF-8 (RFC 3629: no overlong
/// forms, no surrogates, nothing past U+10FFFF).
[[nodiscard]] std::optional<std::size_t> count_code_points(std::string_view text);

}  // namespace sundial::base
