#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/events/target.hpp"
#include "application/ports/event_repository.hpp"

namespace sundial {

enum class BulkAction : std::uint8_t { retry, cancel, reschedule, dismiss };
inline constexpr std::array bulk_actions{BulkAction::retry, BulkAction::cancel,
                                         BulkAction::reschedule, BulkAction::dismiss};
/// "retry", …
[[nodiscard]] std::string_view to_string(BulkAction action);
[[nodiscard]] std::optional<BulkAction> parse_bulk_action(std::string_view text);

/// One action on many events.
struct BulkRequest {
    BulkAction action = BulkAction::retry;
    EventQuery filter{};           // used if no ids are given; its sort and page are ignored
    std::vector<EventId> ids{};    // at most 1,000
    std::uint32_t per_second = 0;  // maximum rate; 0: no limit
    // For a reschedule, one of these.
    TargetFields target{};
    /// Relative to each event's target; may be negative.
    std::optional<std::chrono::seconds> shift{};
};

/// The form in which an operation stores it, and back. Throws Corrupt for text that `text_of` did
/// not write.
[[nodiscard]] std::string text_of(const BulkRequest& request);
[[nodiscard]] BulkRequest bulk_request_of(std::string_view text);

}  // namespace sundial
