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

namespace {

constexpr EnumNames<2> names{"CIRCUIT", "LIMIT"};
constexpr EnumNames<5> wait_names{"RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE"};
constexpr EnumNames<5> wait_words{
    "it waits for its next attempt", "it waits until the circuit of its endpoint is closed",
    "it waits for a place within the limits of its endpoint",
    "it waits for an endpoint that is enabled", "it waits until its schedule is resumed"};

}  // namespace

std::string_view to_string(Obstacle obstacle) { return name_in(names, obstacle); }
std::optional<Obstacle> parse_obstacle(std::string_view text) {
    return find_in<Obstacle>(names, text);
}

std::string_view to_string(WaitReason reason) { return name_in(wait_names, reason); }
std::optional<WaitReason> parse_wait_reason(std::string_view text) {
    return find_in<WaitReason>(wait_names, text);
}
std::string_view in_words(WaitReason reason) { return name_in(wait_words, reason); }

}  // namespace sundial
