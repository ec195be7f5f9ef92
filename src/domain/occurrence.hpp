#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/ids.hpp"
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

/// The permanent identity of an occurrence within its rule, even if its instant moves
/// (time-semantics 10): for a yearly rule the date; for cron and RRULE the local time and, in an
/// overlap, which of its two passes; for an interval the instant, read as UTC.
struct Nominal {
    Date date;
    std::chrono::microseconds time{0};  // since midnight
    bool second_pass = false;

    Nominal(Date its_date, std::chrono::microseconds its_time = {}, bool is_second_pass = false)
        : date(its_date), time(its_time), second_pass(is_second_pass) {}
    friend auto operator<=>(const Nominal&, const Nominal&) = default;
};
[[nodiscard]] Nominal nominal_of(WallTime wall, bool second_pass = false);
[[nodiscard]] WallTime wall_of(const Nominal& nominal);
/// The text from which the idempotency key of an occurrence is computed: must never change.
[[nodiscard]] std::string identity_text(TriggerKind kind, const Nominal& nominal);

/// Why an event of a schedule exists.
enum class Origin : std::uint8_t {
    rule,      // by the rule: planned by its predecessor, and plans its successor
    trigger,   // requested now
    backfill,  // requested for a missed occurrence
};
[[nodiscard]] std::string_view to_string(Origin origin);
[[nodiscard]] std::optional<Origin> parse_origin(std::string_view name);

/// The occurrence, and the schedule, of an event.
struct Occurrence {
    ScheduleId schedule;
    Version schedule_version;  // of the rule that planned it
    Nominal nominal;
    Origin origin = Origin::rule;
    friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

/// Consecutive occurrences of one schedule, for one user or without one, that did not fire, all for
/// the same reason.
struct SkippedRun {
    Uuid id;
    ScheduleId schedule;
    std::optional<UserId> user;
    std::string reason;  // the policy's name: misfire_once, window, concurrency, gap_skipped, …
    Instant first, last;
    std::uint64_t count = 1;
    std::optional<Instant> next;  // the occurrence after the run; none: the rule has ended
    Instant recorded_at;
    friend bool operator==(const SkippedRun&, const SkippedRun&) = default;
};

}  // namespace sundial
