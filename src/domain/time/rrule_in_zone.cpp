#include "domain/time/rrule_in_zone.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "domain/time/effort.hpp"

namespace sundial {
namespace {

using std::chrono::seconds;

constexpr std::int64_t second_of(Instant instant) {
    return std::chrono::floor<seconds>(instant).time_since_epoch().count();
}
constexpr std::int64_t earliest = second_of(earliest_instant);
constexpr std::int64_t latest = second_of(latest_instant);
constexpr std::int64_t end_of_walls = (last_wall_day + 1) * seconds_of_day;
/// Wall clocks are less than this from UTC, and policies move a time by less than the remainder.
constexpr std::int64_t two_days = 2 * seconds_of_day;
/// Cost of finding a stretch and its pieces, compared with a day of a walk.
constexpr std::int64_t steps_of_stretch = 50;

std::int64_t at(const ZoneChange& change) { return change.at.time_since_epoch().count(); }
/// How far the clocks go forward; negative: back.
std::int64_t step_of(const ZoneChange& change) { return (change.after - change.before).count(); }

}  // namespace

RruleInZone::RruleInZone(const RruleRule& rule, std::chrono::local_seconds dtstart,
                         std::chrono::sys_seconds start, std::shared_ptr<const Zone> zone,
                         GapPolicy gap, OverlapPolicy overlap)
    : zone_(std::move(zone)), gap_(gap), overlap_(overlap), last_(latest) {
    base::check(gap != GapPolicy::reject && overlap != OverlapPolicy::reject);
    const auto first_wall = dtstart.time_since_epoch().count();
    const auto first = start.time_since_epoch().count();
    if (rule.frequency >= Frequency::daily) {
        nominal_ = nominal_times(rule, first_wall);
        first_ = std::max(earliest, first_wall - two_days);
    } else {
        elapsed_ =
            std::make_unique<ElapsedRule>(rule, first, zone_->offset_at(Instant{start}).count());
        first_ = std::max(earliest, first);
    }
    if (rule.until) last_ = std::min(last_, last_by_until(*rule.until));
    if (rule.count) last_ = std::min(last_, nth(*rule.count));
}

// --- stretches and pieces -----------------------------------------------------------------------

RruleInZone::Stretch RruleInZone::stretch_at(Second instant, Skipped skipped) const {
    const Instant moment{seconds{instant}};
    return stretch_between(zone_->last_change(moment), zone_->next_change(moment), skipped);
}

RruleInZone::Stretch RruleInZone::stretch_between(std::optional<ZoneChange> begins,
                                                  std::optional<ZoneChange> ends,
                                                  Skipped skipped) const {
    effort::spend(steps_of_stretch);
    const Second from = begins ? at(*begins) : earliest - two_days;
    const Second to = ends ? at(*ends) : latest + two_days;
    const seconds offset = begins ? begins->after
                           : ends ? ends->before
                                  : zone_->offset_at(earliest_instant);
    Stretch stretch{.span = {from, to, offset.count()},
                    .begins = begins,
                    .ends = ends,
                    .own_times = nullptr,
                    .pieces = {}};
    if (elapsed_) stretch.own_times = elapsed_->times_in(stretch.span);
    stretch.pieces = pieces_of(stretch, skipped);
    return stretch;
}

std::optional<RruleInZone::Second> RruleInZone::nothing_before(Second instant) const {
    if (elapsed_) return elapsed_->nothing_before(instant);
    const auto wall = nominal_->next(instant - two_days, end_of_walls);
    return wall ? std::optional(*wall - two_days) : std::nullopt;
}

std::optional<RruleInZone::Stretch> RruleInZone::stretch_after(const Stretch& stretch, Second last,
                                                               Skipped skipped) const {
    const Second from = stretch.span.to;
    if (!stretch.ends || from > last) return std::nullopt;
    const auto resume = nothing_before(from);
    if (!resume || *resume > last) return std::nullopt;
    const auto next = zone_->next_change(stretch.ends->at);
    if (next && at(*next) < *resume) return stretch_at(*resume, skipped);
    return stretch_between(stretch.ends, next, skipped);
}

std::vector<RruleInZone::Piece> RruleInZone::pieces_of(const Stretch& stretch,
                                                       Skipped skipped) const {
    const auto& [from, to, offset] = stretch.span;
    std::vector<Piece> pieces;
    if (stretch.begins) add_first_piece(pieces, *stretch.begins, skipped);
    std::vector<Piece> at_end;
    if (stretch.ends) add_end(at_end, *stretch.ends, skipped);
    const Second plain_from = pieces.empty() ? from : pieces.back().to;
    const Second plain_to = at_end.empty() ? to : at_end.front().from;
    pieces.push_back({plain_from, plain_to, {{offset}}, {}});
    std::ranges::move(at_end, std::back_inserter(pieces));
    for (Piece& piece : pieces) {
        piece.from = std::max(piece.from, earliest);
        piece.to = std::min(piece.to, latest + 1);
    }
    return pieces;
}

void RruleInZone::add_first_piece(std::vector<Piece>& pieces, const ZoneChange& change,
                                  Skipped skipped) const {
    const Second from = at(change);
    const auto step = step_of(change);
    const auto before = change.before.count();
    const auto after = change.after.count();
    if (step < 0) {
        const Second to = from - step;
        if (elapsed_ || overlap_ == OverlapPolicy::both) {
            const auto note = elapsed_ ? OccurrenceNote::none : OccurrenceNote::overlap_later;
            pieces.push_back({from, to, {{after, note, true}}, {}});
        } else if (overlap_ == OverlapPolicy::later) {
            pieces.push_back({from, to, {{after, OccurrenceNote::overlap_later}}, {}});
        } else {
            pieces.push_back({from, to, {}, {}});  // the first pass has handled them
        }
        return;
    }
    if (elapsed_) return;
    const WallSecond gap = from + before;
    const WallSecond gap_end = from + after;
    if (gap_ == GapPolicy::compatible || gap_ == GapPolicy::later) {
        pieces.push_back({from, from + step, {{before, OccurrenceNote::gap_later}, {after}}, {}});
    } else if (gap_ == GapPolicy::boundary) {
        pieces.push_back(
            {from, from + 1, {{after}}, WholeGap{gap, gap_end, OccurrenceNote::gap_boundary}});
    } else if (gap_ == GapPolicy::skip && skipped == Skipped::listed) {
        pieces.push_back({from, from, {}, WholeGap{gap, gap_end, OccurrenceNote::gap_skipped}});
    }
}

void RruleInZone::add_end(std::vector<Piece>& pieces, const ZoneChange& change,
                          Skipped skipped) const {
    if (elapsed_) return;
    const Second to = at(change);
    const auto step = step_of(change);
    const auto before = change.before.count();
    const auto after = change.after.count();
    if (step > 0) {
        if (gap_ == GapPolicy::earlier)
            pieces.push_back({to - step, to, {{before}, {after, OccurrenceNote::gap_earlier}}, {}});
        return;
    }
    Piece first_pass{to + step, to, {}, {}};
    if (overlap_ == OverlapPolicy::skip) {
        if (skipped == Skipped::listed)
            first_pass.sources = {{before, OccurrenceNote::overlap_skipped}};
    } else if (overlap_ != OverlapPolicy::later) {
        first_pass.sources = {{before, OccurrenceNote::overlap_earlier}};
    }
    pieces.push_back(std::move(first_pass));
}

// --- walking ------------------------------------------------------------------------------------

class RruleInZone::Cursor final : public OccurrenceCursor {
public:
    Cursor(const RruleInZone& rule, Second from, Skipped skipped)
        : rule_(rule), skipped_(skipped), position_(from) {
        if (from <= rule.last_) stretch_ = rule.stretch_at(from, skipped);
    }

    std::optional<RuleOccurrence> next() override {
        for (; stretch_; enter(rule_.stretch_after(*stretch_, rule_.last_, skipped_))) {
            for (; piece_ < stretch_->pieces.size(); leave_piece()) {
                const auto found = next_in(stretch_->pieces[piece_]);
                if (!found) continue;
                if (second_of(found->instant) <= rule_.last_) return found;
                stretch_.reset();
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

private:
    void enter(std::optional<Stretch> stretch) {
        stretch_ = std::move(stretch);
        piece_ = 0;
    }
    void leave_piece() {
        ++piece_;
        in_gap_.reset();
    }

    std::optional<RuleOccurrence> next_in(const Piece& piece) {
        if (piece.gap && position_ <= piece.from) {
            if (const auto found = next_in_gap(piece)) return found;
        }
        const WallTimes& times = rule_.times_of(*stretch_);
        const Second from = std::max(position_, piece.from);
        std::optional<RuleOccurrence> first;
        for (const Source& source : piece.sources) {
            const auto wall = times.next(from + source.shift, piece.to + source.shift);
            if (!wall) continue;
            const RuleOccurrence found = occurrence(*wall - source.shift, *wall, source);
            // If two nominal times have the same instant, the occurrence has the first.
            if (!first ||
                std::pair(found.instant, found.nominal) < std::pair(first->instant, first->nominal))
                first = found;
        }
        if (first) position_ = second_of(first->instant) + 1;
        return first;
    }

    /// The occurrences that a gap maps to one instant: a single one, or each listed.
    std::optional<RuleOccurrence> next_in_gap(const Piece& piece) {
        const WholeGap& gap = *piece.gap;
        const auto wall = rule_.times_of(*stretch_).next(in_gap_.value_or(gap.from), gap.to);
        if (!wall) return std::nullopt;
        in_gap_ = *wall + 1;
        if (!is_skip(gap.note)) position_ = piece.from + 1;
        return occurrence(piece.from, *wall, {.shift = 0, .note = gap.note});
    }

    static RuleOccurrence occurrence(Second instant, WallSecond nominal, const Source& source) {
        return {Instant{seconds{instant}}, WallTime{seconds{nominal}}, source.second_pass,
                source.note};
    }

    const RruleInZone& rule_;
    Skipped skipped_;
    Second position_;  // everything before it has been returned
    std::optional<Stretch> stretch_;
    std::size_t piece_ = 0;
    std::optional<WallSecond> in_gap_;  // where to continue in the gap of this piece
};

std::unique_ptr<OccurrenceCursor> RruleInZone::after(Instant after, Skipped skipped) const {
    const Instant from = std::clamp(after, earliest_instant - seconds{1}, latest_instant);
    return std::make_unique<Cursor>(*this, std::max(first_, second_of(from) + 1), skipped);
}

// --- counting -----------------------------------------------------------------------------------

std::uint64_t RruleInZone::count_in(const Piece& piece, const WallTimes& times, Second from,
                                    Second to) const {
    from = std::max(from, piece.from);
    to = std::min(to, piece.to);
    if (from >= to) return 0;
    if (piece.gap && from == piece.from && times.next(piece.gap->from, piece.gap->to))
        return 1 + count_in({piece.from + 1, piece.to, piece.sources, {}}, times, from, to);
    std::uint64_t counted = 0;
    for (const Source& source : piece.sources)
        counted += times.count(from + source.shift, to + source.shift);
    if (counted > 0 && piece.sources.size() == 2)
        counted -= times.count_common(from + piece.sources[0].shift, from + piece.sources[1].shift,
                                      to - from);
    return counted;
}

std::uint64_t RruleInZone::count(Instant after, Instant until) const {
    if (until <= after) return 0;
    const Second from =
        std::max(first_, second_of(std::max(after, earliest_instant - seconds{1})) + 1);
    const Second last = std::min(last_, second_of(std::min(until, latest_instant)));
    if (from > last) return 0;
    std::uint64_t counted = 0;
    for (std::optional<Stretch> stretch = stretch_at(from, Skipped::left_out); stretch;
         stretch = stretch_after(*stretch, last, Skipped::left_out)) {
        for (const Piece& piece : stretch->pieces)
            counted += count_in(piece, times_of(*stretch), from, last + 1);
    }
    return counted;
}

std::vector<Instant> RruleInZone::hits(const std::vector<Instant>& ascending) const {
    std::vector<Instant> found;
    std::optional<Stretch> stretch;
    for (const Instant instant : ascending) {
        const Second second = second_of(instant);
        if (second < first_ || second > last_) continue;
        if (!stretch || second >= stretch->span.to) stretch = stretch_at(second, Skipped::left_out);
        const bool hit = std::ranges::any_of(stretch->pieces, [&](const Piece& piece) {
            return count_in(piece, times_of(*stretch), second, second + 1) > 0;
        });
        if (hit) found.push_back(instant);
    }
    return found;
}

RruleInZone::Second RruleInZone::last_by_until(const RuleEnd& until) const {
    const Second as_utc = until.time.time_since_epoch().count();
    if (until.kind == RuleEnd::Kind::instant) return as_utc;
    if (nominal_) return latest;  // the wall times themselves end
    const LocalLookup found = zone_->lookup(until.time);
    const bool whole_day = until.kind == RuleEnd::Kind::day;
    switch (found.kind) {
        case LocalLookup::Kind::unique:
            break;
        case LocalLookup::Kind::gap:
            return whole_day ? found.boundary.time_since_epoch().count() - 1
                             : found.later.time_since_epoch().count();
        case LocalLookup::Kind::overlap:
            if (whole_day) return found.later.time_since_epoch().count();
            break;
    }
    return found.earlier.time_since_epoch().count();
}

/// The instant of the `number`-th occurrence, from 1; the latest one if there are fewer.
RruleInZone::Second RruleInZone::nth(std::uint64_t number) const {
    constexpr std::uint64_t few = 256;  // counting examines stretches that walking skips
    if (number <= few) {
        Cursor cursor(*this, first_, Skipped::left_out);
        std::optional<RuleOccurrence> found;
        for (std::uint64_t i = 0; i < number; ++i) {
            found = cursor.next();
            if (!found) return last_;
        }
        return second_of(found->instant);
    }
    std::int64_t look_ahead = 64 * seconds_of_day;  // in growing parts: it may be near
    for (std::optional<Stretch> stretch = stretch_at(first_, Skipped::left_out); stretch;
         stretch = stretch_after(*stretch, last_, Skipped::left_out)) {
        const WallTimes& times = times_of(*stretch);
        for (const Piece& piece : stretch->pieces) {
            for (Second from = std::max(piece.from, first_), to = from; from < piece.to;
                 from = to) {
                to = std::min(piece.to, from + look_ahead);
                look_ahead = std::min(look_ahead * 2, latest - earliest);
                const auto counted = count_in(piece, times, from, to);
                if (counted < number) {
                    number -= counted;
                    continue;
                }
                while (to - from > 1) {
                    const Second middle = from + (to - from) / 2;
                    const auto before = count_in(piece, times, from, middle);
                    if (before < number) {
                        number -= before;
                        from = middle;
                    } else {
                        to = middle;
                    }
                }
                return from;
            }
        }
    }
    return last_;
}

}  // namespace sundial
