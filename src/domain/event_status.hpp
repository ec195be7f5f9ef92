#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sundial {

/// The seeds' four plus CANCELLED. The last three are final.
enum class EventStatus : std::uint8_t { pending, processing, completed, failed, cancelled };
/// Higher is claimed first; LOW never starves.
enum class Priority : std::uint8_t { critical, high, normal, low };

/// "PENDING", …
[[nodiscard]] std::string_view to_string(EventStatus status);
[[nodiscard]] std::optional<EventStatus> parse_event_status(std::string_view text);
/// "CRITICAL", …
[[nodiscard]] std::string_view to_string(Priority priority);
[[nodiscard]] std::optional<Priority> parse_priority(std::string_view text);

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
