#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// The interface of all recurring rules in a zone: yearly, cron, RRULE, interval. A pure function
/// of rule, zone and `after`; no function here reads a clock.

namespace sundial {

/// How the instant of an occurrence differs from its wall time.
enum class OccurrenceNote : std::uint8_t {
    none,
    gap_earlier,  // moved out of a gap by the policy
    gap_later,
    gap_boundary,
    gap_skipped,  // does not fire
    overlap_earlier,
    overlap_later,
    overlap_skipped,  // does not fire
    leap_moved,       // 29 February of a common year, by `feb28` or `mar1`
    leap_skipped,     // does not fire
};
/// "gap_earlier", …; empty for `none`. The names are stable API.
[[nodiscard]] std::string_view to_string(OccurrenceNote note);
/// Whether an occurrence with this note does not fire.
[[nodiscard]] bool is_skip(OccurrenceNote note);

/// One occurrence of a rule.
struct RuleOccurrence {
    /// When it fires. Of a skipped one, where it would have been: the end of its gap, the first
    /// pass of its overlap, for a leap day the first instant after 28 February.
    Instant instant;
    /// The wall time before gap and overlap; identifies the occurrence together with `second_pass`.
    /// Of a moved leap day, the day it was moved to (29 February of a common year is not a wall
    /// time); of a skipped one, 1 March 00:00. Of an interval, the instant read as UTC.
    WallTime nominal;
    bool second_pass = false;  // the later of two in an overlap
    OccurrenceNote note = OccurrenceNote::none;
    friend bool operator==(const RuleOccurrence&, const RuleOccurrence&) = default;
};

/// Iterates forward over the occurrences of one rule. Instants strictly ascend, except those of
/// skipped ones, which may equal the instant of an occurrence that fires. Not thread-safe. Its
/// Recurrence must outlive it.
class OccurrenceCursor {
public:
    virtual ~OccurrenceCursor() = default;
    /// Empty when the rule has ended or year 9999 has passed; from then on always empty.
    virtual std::optional<RuleOccurrence> next() = 0;
};

/// Whether occurrences that a policy skips are listed too, with their note.
enum class Skipped : bool { left_out, listed };

/// A rule in its zone. Immutable and thread-safe. Every call takes bounded time and memory, however
/// sparse, dense or long the rule is (the first occurrence 50 ms).
class Recurrence {
public:
    virtual ~Recurrence() = default;
    /// From the first occurrence strictly after `after`; `Instant::min()` is before everything.
    [[nodiscard]] virtual std::unique_ptr<OccurrenceCursor> after(
        Instant after, Skipped skipped = Skipped::left_out) const = 0;
    /// Number of occurrences that fire after `after` and not after `until`.
    [[nodiscard]] virtual std::uint64_t count(Instant after, Instant until) const = 0;
};

/// The first occurrence that fires strictly after `after`.
[[nodiscard]] std::optional<RuleOccurrence> next_after(const Recurrence& rule, Instant after);
/// The first `count` of those, or all if there are fewer.
[[nodiscard]] std::vector<RuleOccurrence> list_after(const Recurrence& rule, Instant after,
                                                     std::size_t count);
/// The newest `count` that fire after `after` and not after `until`, ascending. Does not iterate
/// over older ones.
[[nodiscard]] std::vector<RuleOccurrence> newest_until(const Recurrence& rule, Instant after,
                                                       Instant until, std::size_t count);

/// The occurrences of `rule` from `from` to `until`, both inclusive, each unbounded if empty: a
/// schedule's start and end. The rule itself does not change: its COUNT includes occurrences before
/// `from`.
[[nodiscard]] std::unique_ptr<Recurrence> bounded(std::shared_ptr<const Recurrence> rule,
                                                  std::optional<Instant> from,
                                                  std::optional<Instant> until);

/// A rule with one occurrence or none, for intents that are a single time.
[[nodiscard]] std::unique_ptr<Recurrence> single_recurrence(
    std::optional<RuleOccurrence> occurrence);

/// One occurrence as a preview shows it.
struct ListedOccurrence {
    RuleOccurrence occurrence;
    bool offset_changed = false;  // the first at a new UTC offset
};
/// How a change of the clocks or a leap day affected it: the occurrence's own note, else
/// "offset_changed"; empty if not at all. The names are stable API.
[[nodiscard]] std::string_view note_of(const ListedOccurrence& listed);

/// Iterates over the occurrences of a rule for display: includes those that a policy skips. Rule
/// and zone must outlive it.
class ListedOccurrences {
public:
    /// Starts with the first one strictly after `after`.
    ListedOccurrences(const Recurrence& rule, const Zone& zone, Instant after);
    /// Empty when the rule has ended.
    [[nodiscard]] std::optional<ListedOccurrence> next();

private:
    const Zone& zone_;
    std::unique_ptr<OccurrenceCursor> cursor_;
    std::optional<std::chrono::seconds> offset_;  // of the last one that fired
};

}  // namespace sundial
