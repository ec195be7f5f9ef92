#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "domain/time/recurrence.hpp"
#include "domain/time/rrule.hpp"
#include "domain/time/rrule_elapsed.hpp"
#include "domain/time/rrule_walls.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

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
