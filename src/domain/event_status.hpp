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

}  // namespace sundial
