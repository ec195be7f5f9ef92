#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "domain/time/recurrence.hpp"
#include "domain/time/rrule.hpp"
#include "domain/time/rrule_days.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// The wall times that a rule names, before a zone maps them to instants. Internal to the RRULE
/// engine.
namespace sundial {

/// A set of wall times, queried by range. Immutable and thread-safe.
class WallTimes {
public:
    virtual ~WallTimes() = default;
    /// The first in [from, to).
    [[nodiscard]] virtual std::optional<WallSecond> next(WallSecond from, WallSecond to) const = 0;
    /// Number of members in [from, to).
    [[nodiscard]] virtual std::uint64_t count(WallSecond from, WallSecond to) const = 0;
    /// Number of members of [one, one + length) that are members at the same distance from `other`
    /// too.
    [[nodiscard]] virtual std::uint64_t count_common(WallSecond one, WallSecond other,
                                                     std::int64_t length) const;
};

/// The `values` (sorted) that BYSETPOS selects; all without BYSETPOS.
[[nodiscard]] std::vector<std::int64_t> at_positions(std::vector<std::int64_t> values,
                                                     const std::vector<int>& positions);

/// The wall times of a rule of days or longer from DTSTART on, up to an UNTIL that is a wall time.
[[nodiscard]] std::unique_ptr<const WallTimes> nominal_times(const RruleRule& rule,
                                                             WallSecond dtstart);

// Rules of hours, minutes and seconds: exact elapsed time from DTSTART, filtered by the wall clock
// at each step. Internal to the RRULE engine.

/// A period in which a zone keeps its offset, in seconds since 1970.
struct OffsetStretch {
    std::int64_t from, to;  // UTC; the stretch is [from, to)
    std::int64_t offset;    // east of UTC
};

/// The slots of a day (hours, minutes or seconds) that BYHOUR, BYMINUTE and BYSECOND allow for a
/// step, combined with INTERVAL: those that are `phase` modulo the interval. Answers without
/// iterating over them. Thread-safe.
class DaySlots {
public:
    DaySlots(const RruleRule& rule);

    [[nodiscard]] std::int64_t unit() const { return unit_; }  // seconds
    [[nodiscard]] std::int64_t per_day() const { return seconds_of_day / unit_; }

    /// The first at or after `from`.
    [[nodiscard]] std::optional<std::int64_t> next(std::int64_t phase, std::int64_t from) const;
    [[nodiscard]] bool contains(std::int64_t phase, std::int64_t slot) const;
    [[nodiscard]] std::uint64_t count_before(std::int64_t phase, std::int64_t end) const;
    [[nodiscard]] std::uint64_t count(std::int64_t phase) const;

private:
    /// By phase, the number of slots of an hour, minute or day in the set.
    using Counts = std::vector<std::uint32_t>;

    [[nodiscard]] std::int64_t per_hour() const { return 3600 / unit_; }
    [[nodiscard]] bool allows(std::int64_t slot) const;
    [[nodiscard]] bool allows_hour(std::int64_t hour) const { return (hours_ >> hour & 1U) != 0; }
    [[nodiscard]] bool allows_minute(std::int64_t minute) const {
        return (minutes_ >> minute & 1U) != 0;
    }
    /// The sum of `counts` for a period of slots that begins at `begin`.
    [[nodiscard]] std::uint64_t in(const Counts& counts, std::int64_t phase,
                                   std::int64_t begin) const;
    [[nodiscard]] std::optional<std::int64_t> step_in(std::int64_t phase, std::int64_t from,
                                                      std::int64_t end) const;
    [[nodiscard]] std::uint64_t count_steps(std::int64_t phase, std::int64_t from,
                                            std::int64_t end) const;
    [[nodiscard]] Counts empty_counts(std::int64_t slots) const;
    void add(Counts& sum, const Counts& counts, std::int64_t begin) const;

    std::int64_t unit_, interval_;
    std::uint64_t hours_, minutes_, seconds_;  // allowed values, one bit each
    Counts minute_, hour_;
    struct Day {
        std::once_flag once;
        Counts counts;
    };
    std::unique_ptr<Day> day_ = std::make_unique<Day>();  // computed on first use
};

/// One rule of FREQ HOURLY, MINUTELY or SECONDLY. Immutable and thread-safe.
class ElapsedRule {
public:
    /// `start` is DTSTART as seconds since 1970 in UTC.
    ElapsedRule(const RruleRule& rule, std::int64_t start, std::int64_t offset_at_start);

    /// The times that fire in `stretch`, as wall times of its offset. The rule must outlive them.
    [[nodiscard]] std::unique_ptr<const WallTimes> times_in(const OffsetStretch& stretch) const;
    /// An instant (UTC): nothing fires from `instant` until then. Empty: nothing fires any more.
    [[nodiscard]] std::optional<std::int64_t> nothing_before(std::int64_t instant) const;

private:
    friend class ElapsedTimes;
    /// Seconds into a slot.
    using Offsets = std::vector<std::int64_t>;

    /// When a step at `into_slot` of its slot fires, before BYSETPOS.
    [[nodiscard]] Offsets find_offsets(std::int64_t into_slot) const;

    RuleDays days_;
    DaySlots slots_;
    Frequency frequency_;
    std::int64_t interval_;  // slots
    std::int64_t start_;
    std::vector<int> by_minute_, by_second_, positions_;
    // Most stretches differ from DTSTART's by whole slots: these are computed once.
    std::int64_t usual_into_slot_;
    Offsets usual_offsets_, usual_chosen_;  // before and after BYSETPOS
};

/// One RRULE from its DTSTART on, in its zone. Internal to the RRULE engine: recurrence_set.hpp
/// adds RDATE and EXDATE.
///
/// Time is divided into stretches in which the zone keeps its offset. Near their ends are pieces in
/// which the policies map wall times to instants at which the clock shows another time.
class RruleInZone final : public Recurrence {
public:
    /// Policies are never `reject`. `start` is the instant of DTSTART, from which rules of hours
    /// and less count.
    RruleInZone(const RruleRule& rule, std::chrono::local_seconds dtstart,
                std::chrono::sys_seconds start, std::shared_ptr<const Zone> zone, GapPolicy gap,
                OverlapPolicy overlap);

    [[nodiscard]] std::unique_ptr<OccurrenceCursor> after(Instant after,
                                                          Skipped skipped) const override;
    [[nodiscard]] std::uint64_t count(Instant after, Instant until) const override;
    /// The subset of these whole seconds at which the rule fires.
    [[nodiscard]] std::vector<Instant> hits(const std::vector<Instant>& ascending) const;

private:
    class Cursor;
    /// Seconds since 1970 in UTC.
    using Second = std::int64_t;

    /// Wall times that map to an instant: `shift` later than it.
    struct Source {
        std::int64_t shift;
        OccurrenceNote note = OccurrenceNote::none;
        bool second_pass = false;
    };
    /// A gap whose wall times all map to one instant.
    struct WholeGap {
        WallSecond from, to;
        OccurrenceNote note;  // gap_boundary: as one occurrence; gap_skipped: as none
    };
    /// Instants [from, to) with the same sources. If a gap maps to `from`, it comes first.
    struct Piece {
        Second from, to;
        std::vector<Source> sources;
        std::optional<WholeGap> gap;
    };
    struct Stretch {
        OffsetStretch span;
        std::optional<ZoneChange> begins, ends;
        std::unique_ptr<const WallTimes> own_times;  // of a rule of elapsed time
        std::vector<Piece> pieces;                   // ascending, without overlap
    };

    [[nodiscard]] Stretch stretch_at(Second instant, Skipped skipped) const;
    [[nodiscard]] Stretch stretch_between(std::optional<ZoneChange> begins,
                                          std::optional<ZoneChange> ends, Skipped skipped) const;
    /// The next stretch in which something may fire, not after `last`.
    [[nodiscard]] std::optional<Stretch> stretch_after(const Stretch& stretch, Second last,
                                                       Skipped skipped) const;
    [[nodiscard]] std::optional<Second> nothing_before(Second instant) const;

    [[nodiscard]] std::vector<Piece> pieces_of(const Stretch& stretch, Skipped skipped) const;
    void add_first_piece(std::vector<Piece>& pieces, const ZoneChange& change,
                         Skipped skipped) const;
    void add_end(std::vector<Piece>& pieces, const ZoneChange& change, Skipped skipped) const;
    [[nodiscard]] const WallTimes& times_of(const Stretch& stretch) const {
        return nominal_ ? *nominal_ : *stretch.own_times;
    }

    [[nodiscard]] std::uint64_t count_in(const Piece& piece, const WallTimes& times, Second from,
                                         Second to) const;
    [[nodiscard]] Second last_by_until(const RuleEnd& until) const;
    [[nodiscard]] Second nth(std::uint64_t number) const;

    std::shared_ptr<const Zone> zone_;
    GapPolicy gap_;
    OverlapPolicy overlap_;
    Second first_;  // nothing fires before it
    Second last_;   // nothing fires after it, by COUNT, UNTIL or the range of years
    // Exactly one of the two is set.
    std::unique_ptr<const WallTimes> nominal_;
    std::unique_ptr<const ElapsedRule> elapsed_;
};

}  // namespace sundial
