#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sundial::base {

/// 128 bits, RFC 9562. Ordered by bytes, so version 7 ids sort by creation.
struct Uuid {
    std::array<std::uint8_t, 16> bytes{};
    friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

/// 36 characters, lower case.
[[nodiscard]] std::string to_string(const Uuid& uuid);
/// Accepts only the 36-character form, hex digits in either case.
[[nodiscard]] std::optional<Uuid> parse_uuid(std::string_view text);

}  // namespace sundial::base

template <>
struct std::hash<sundial::base::Uuid> {
    std::size_t operator()(const sundial::base::Uuid& uuid) const noexcept;
};
