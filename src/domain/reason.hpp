#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sundial {

/// In characters (code points).
inline constexpr std::size_t longest_reason = 1000;

/// Makes `text`, the reason of a failure, storable in every database and printable: invalid UTF-8
/// becomes U+FFFD, control characters become blanks, and the end is cut off. A failure report is
/// never refused because of its text.
[[nodiscard]] std::string storable_reason(std::string_view text);

}  // namespace sundial
