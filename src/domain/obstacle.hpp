#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sundial {

/// What keeps an event that is given back unsent from its endpoint, for a while: its circuit is not
/// closed, or it has as many requests as its limits allow.
enum class Obstacle : std::uint8_t { circuit, limit };
/// "CIRCUIT", "LIMIT"
[[nodiscard]] std::string_view to_string(Obstacle obstacle);
[[nodiscard]] std::optional<Obstacle> parse_obstacle(std::string_view text);

}  // namespace sundial
