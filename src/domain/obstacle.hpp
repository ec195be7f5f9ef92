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

/// Why an event is not being sent: it waits for its next attempt, for an obstacle, for an enabled
/// endpoint, or for its schedule to be resumed.
enum class WaitReason : std::uint8_t { retry, circuit, limit, endpoint, schedule };
/// "RETRY", …
[[nodiscard]] std::string_view to_string(WaitReason reason);
[[nodiscard]] std::optional<WaitReason> parse_wait_reason(std::string_view text);
/// "it waits for its next attempt", …
[[nodiscard]] std::string_view in_words(WaitReason reason);

}  // namespace sundial
