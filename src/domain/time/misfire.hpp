#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"

/// What to do with occurrences that came due while nobody looked (time-semantics 11).
namespace sundial {

/// What an intent can be, as in the batch format.
enum class TimeKind : std::uint8_t { instant, local, yearly, cron, rrule, interval };

/// `all` where each missed one is a message of its own, `once` where the newest stands for the
/// rest.
[[nodiscard]] MisfirePolicy default_misfire_policy(TimeKind kind);

struct MisfireRule {
    MisfirePolicy policy = MisfirePolicy::all;
    std::optional<std::chrono::seconds> window{};  // how late is still worth it; empty: always
    std::chrono::seconds grace{60};  // how late is still on time (Quartz's misfire threshold)
    std::uint32_t limit = 100;       // of `all`, the newest
    friend bool operator==(const MisfireRule&, const MisfireRule&) = default;
};
/// The most that `limit` may be, and that policies without one fire: a rule of every second with
/// years of grace must stay a bounded answer.
inline constexpr std::uint32_t most_at_once = 10'000;

enum class Punctuality : std::uint8_t { on_time, late, expired };
/// What `due` is at `now`. Grace goes before the window: what is on time is never expired.
[[nodiscard]] Punctuality punctuality_of(Instant due, Instant now, const MisfireRule& rule);

/// What becomes of the missed ones, those after `last` and not after `now`. The newest of them
/// fire; what is dropped is older than all that fire.
struct CatchUp {
    std::vector<RuleOccurrence> fire;  // ascending
    std::uint64_t dropped = 0;
    std::optional<RuleOccurrence> first_dropped{}, last_dropped{};  // one record tells of the run
    std::optional<RuleOccurrence> next{};                           // the first after `now`
};

/// `last` is the last occurrence that was handled. Walks through nothing that does not fire: a rule
/// of every second that was missed for 9,000 years is answered at once. With `now` before `last` (a
/// clock set back) nothing was missed, and `next` may be one that has been handled.
[[nodiscard]] CatchUp catch_up(const Recurrence& rule, Instant last, Instant now,
                               const MisfireRule& misfire);

}  // namespace sundial
