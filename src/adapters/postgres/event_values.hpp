#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "application/ports/retention.hpp"
#include "domain/event.hpp"
#include "domain/time/types.hpp"
#include "domain/trace_context.hpp"

/// Values of an event's columns that are not simply its members.
namespace sundial::postgres {

/// One member of an event's occurrence, as a row has it; null without an occurrence.
template <class Member>
[[nodiscard]] auto of_occurrence(const Event& event, Member member) {
    using Value = std::remove_cvref_t<decltype(std::declval<Occurrence>().*member)>;
    if (!event.occurrence) return std::optional<Value>{};
    return std::optional<Value>{(*event.occurrence).*member};
}

/// Identifies an occurrence within its schedule; empty for a single event.
struct Identity {
    std::optional<Date> date;
    std::chrono::microseconds time{0};
    bool second_pass = false;
    std::string_view origin = to_string(Origin::rule);
};
[[nodiscard]] inline Identity identity_of(const Event& event) {
    if (!event.occurrence) return {};
    const auto& [date, time, second_pass] = event.occurrence->nominal;
    return {date, time, second_pass, to_string(event.occurrence->origin)};
}

[[nodiscard]] inline std::int16_t number_of(Priority priority) {
    return static_cast<std::int16_t>(priority);
}

/// When retention may remove the key of an event that is due or created at this instant.
[[nodiscard]] inline Instant expiry_after(Instant at) {
    return at > never - key_kept_for ? never : at + key_kept_for;
}
[[nodiscard]] inline Instant expiry_of_key(const Event& event) {
    return expiry_after(std::max(event.due, event.created_at));
}

[[nodiscard]] inline std::optional<std::string> trace_of(const Event& event) {
    return event.trace ? std::optional{stored_form(*event.trace)} : std::nullopt;
}

[[nodiscard]] inline Version version_before(const Event& event) {
    return Version{event.version.value - 1};
}

/// When and why an event ended.
struct End {
    Instant at;
    std::optional<std::string> reason;
};
[[nodiscard]] inline End end_of(const Event& event) {
    if (const auto* completed = std::get_if<Completed>(&event.state)) return {completed->at, {}};
    if (const auto* failed = std::get_if<Failed>(&event.state)) return {failed->at, failed->reason};
    const auto& cancelled = std::get<Cancelled>(event.state);
    return {cancelled.at, cancelled.reason};
}

}  // namespace sundial::postgres
