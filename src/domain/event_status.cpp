#include "domain/event_status.hpp"

#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<5> status_names{"PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"};
constexpr EnumNames<4> priority_names{"CRITICAL", "HIGH", "NORMAL", "LOW"};

}  // namespace

std::string_view to_string(EventStatus status) { return name_in(status_names, status); }
std::optional<EventStatus> parse_event_status(std::string_view text) {
    return find_in<EventStatus>(status_names, text);
}

std::string_view to_string(Priority priority) { return name_in(priority_names, priority); }
std::optional<Priority> parse_priority(std::string_view text) {
    return find_in<Priority>(priority_names, text);
}

}  // namespace sundial
