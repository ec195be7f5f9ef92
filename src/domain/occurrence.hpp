#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"
#include "domain/trigger.hpp"

namespace sundial {

/// Which of a rule's occurrences, for ever, whatever moves its instant (time-semantics 10): of a
/// yearly rule its date; of cron and RRULE its local time, and which of its two passes in an
/// overlap; of an interval its instant, read as UTC.
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
/// The text of which the occurrence's idempotency key is made: never to be changed.
[[nodiscard]] std::string identity_text(TriggerKind kind, const Nominal& nominal);

/// What made an event of a schedule.
enum class Origin : std::uint8_t {
    rule,      // its turn in the chain: planned by the one before, it plans the one after
    trigger,   // somebody asked for one now
    backfill,  // somebody asked for what was missed
};
[[nodiscard]] std::string_view to_string(Origin origin);
[[nodiscard]] std::optional<Origin> parse_origin(std::string_view name);

/// Which occurrence of which schedule an event is.
struct Occurrence {
    ScheduleId schedule;
    Version schedule_version;  // of the rule that it was planned by
    Nominal nominal;
    Origin origin = Origin::rule;
    friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

/// Occurrences of one schedule, for one user or for nobody, that did not fire, for one reason and
/// with none between them that did.
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
