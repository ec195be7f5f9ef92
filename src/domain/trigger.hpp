#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/time/types.hpp"

/// The rule by which a schedule yields events, as requested: texts stay as they were written.
namespace sundial {

/// Every year on `on` (`dateOfBirth`, a key of the user's `dates`, or `MM-DD`) at `at`.
struct YearlyTrigger {
    std::string on = "dateOfBirth";
    TimeOfDay at{9 * 3600};
    friend bool operator==(const YearlyTrigger&, const YearlyTrigger&) = default;
};
/// Five fields, six with seconds, or a macro.
struct CronTrigger {
    std::string text;
    friend bool operator==(const CronTrigger&, const CronTrigger&) = default;
};
/// RFC 5545: `ical` alone, the lines of an iCalendar text; or, with `ical` empty, its parts.
struct RruleTrigger {
    std::string ical;
    std::string dtstart;
    std::optional<std::string> rrule;
    std::vector<std::string> rdate, exdate;
    friend bool operator==(const RruleTrigger&, const RruleTrigger&) = default;
};
/// An interval of elapsed time from the schedule's start, or else from its creation.
struct EveryTrigger {
    std::chrono::seconds every{};
    friend bool operator==(const EveryTrigger&, const EveryTrigger&) = default;
};
using Trigger = std::variant<YearlyTrigger, CronTrigger, RruleTrigger, EveryTrigger>;

/// In the order of the variant.
enum class TriggerKind : std::uint8_t { yearly, cron, rrule, every };
[[nodiscard]] TriggerKind kind_of(const Trigger& trigger);
/// "yearly", …: the member's name in the API.
[[nodiscard]] std::string_view to_string(TriggerKind kind);
[[nodiscard]] std::optional<TriggerKind> parse_trigger_kind(std::string_view name);

}  // namespace sundial
