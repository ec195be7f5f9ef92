#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sundial {

/// Why an event that was released unsent waits for its endpoint: its circuit is not closed, or its
/// limits allow no further request.
enum class Obstacle : std::uint8_t { circuit, limit };
/// "CIRCUIT", "LIMIT"
[[nodiscard]] std::string_view to_string(Obstacle obstacle);
[[nodiscard]] std::optional<Obstacle> parse_obstacle(std::string_view text);

}  // namespace sundial
