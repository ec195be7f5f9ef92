#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace sundial {

/// The texts of an enum whose values count from 0, in their order.
template <std::size_t n>
using EnumNames = std::array<std::string_view, n>;

template <class Enum, std::size_t n>
[[nodiscard]] std::string_view name_in(const EnumNames<n>& names, Enum value) {
    return names.at(static_cast<std::size_t>(value));
}

template <class Enum, std::size_t n>
[[nodiscard]] std::optional<Enum> find_in(const EnumNames<n>& names, std::string_view text) {
    for (std::size_t i = 0; i < n; ++i) {
        if (names[i] == text) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

}  // namespace sundial
