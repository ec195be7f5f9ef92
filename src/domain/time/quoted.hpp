#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sundial {

/// A user's text in quotes for a message; long or unprintable texts are cut short.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
    const auto end = std::ranges::find_if_not(text.substr(0, longest), plain);
    const auto shown = static_cast<std::size_t>(end - text.begin());
    return "'" + std::string(text.substr(0, shown)) + (shown < text.size() ? "...'" : "'");
}

}  // namespace sundial
