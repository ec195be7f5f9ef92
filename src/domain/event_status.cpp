#include "domain/event_status.hpp"

#include <array>
#include <utility>

namespace sundial {
namespace {

constexpr std::array<std::string_view, 5> status_names{"PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"};
constexpr std::array<std::string_view, 4> priority_names{"CRITICAL", "HIGH", "NORMAL", "LOW"};

template <class Enum, std::size_t n>
std::optional<Enum> find_in(const std::array<std::string_view, n>& names, std::string_view text) {
    for (std::size_t i = 0; i < n; ++i) {
        if (names[i] == text) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(EventStatus status) { return status_names[static_cast<std::size_t>(status)]; }
std::optional<EventStatus> parse_event_status(std::string_view text) { return find_in<EventStatus>(status_names, text); }

std::string_view to_string(Priority priority) { return priority_names[static_cast<std::size_t>(priority)]; }
std::optional<Priority> parse_priority(std::string_view text) { return find_in<Priority>(priority_names, text); }

}  // namespace sundial
