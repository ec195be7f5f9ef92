#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sundial::base {

/// The candidate nearest to `wrong` by edit distance, ignoring ASCII case. Empty if none is near
/// enough to be the intended one (at most a third of the length, at least 2 edits).
[[nodiscard]] std::optional<std::string> nearest(std::string_view wrong,
                                                 std::span<const std::string> candidates);

}  // namespace sundial::base
