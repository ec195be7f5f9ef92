#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sundial {

/// In characters (code points).
inline constexpr std::size_t longest_reason = 1000;

/// `text`, which says why something failed, as every storage can keep it and every reader show it:
/// what is no UTF-8 is U+FFFD, each control character a blank, and the end is cut off. A failure is
/// never refused for the words in which it is told.
[[nodiscard]] std::string storable_reason(std::string_view text);

}  // namespace sundial
