#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"

/// Handling of occurrences that came due while no instance ran (time-semantics 11).
namespace sundial {

/// The kinds of an intent, as in the batch format.
enum class TimeKind : std::uint8_t { instant, local, yearly, cron, rrule, interval };

/// `all` for kinds where each missed occurrence is a separate message, `once` where the newest
/// replaces the rest.
[[nodiscard]] MisfirePolicy default_misfire_policy(TimeKind kind);

struct MisfireRule {
    MisfirePolicy policy = MisfirePolicy::all;
    std::optional<std::chrono::seconds> window{};  // maximum useful delay; empty: unlimited
    std::chrono::seconds grace{60};  // delay still on time (Quartz's misfire threshold)
    std::uint32_t limit = 100;       // of `all`: the newest ones fire
    friend bool operator==(const MisfireRule&, const MisfireRule&) = default;
};
/// Maximum of `limit`, and of the occurrences that policies without a limit fire: bounds the result
/// for a rule of every second with years of grace.
inline constexpr std::uint32_t max_at_once = 10'000;

enum class Punctuality : std::uint8_t { on_time, late, expired };
/// The state of `due` at `now`. Grace takes precedence over the window: an occurrence on time never
/// expires.
[[nodiscard]] Punctuality punctuality_of(Instant due, Instant now, const MisfireRule& rule);

/// The missed occurrences: those after `last` and not after `now`. The newest of them fire; the
/// dropped ones are older than all that fire.
struct CatchUp {
    std::vector<RuleOccurrence> fire;  // ascending
    std::uint64_t dropped = 0;
    std::optional<RuleOccurrence> first_dropped{}, last_dropped{};  // the ends of the run
    std::optional<RuleOccurrence> next{};                           // the first after `now`
};

/// `last` is the last handled occurrence. Steps only through occurrences that fire, so a rule of
/// every second that was missed for 9,000 years takes no longer. If `now` is before `last` (a clock
/// set back), nothing was missed, and `next` may have been handled already.
[[nodiscard]] CatchUp catch_up(const Recurrence& rule, Instant last, Instant now,
                               const MisfireRule& misfire);

}  // namespace sundial
