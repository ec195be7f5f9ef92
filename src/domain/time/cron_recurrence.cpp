#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/effort.hpp"

namespace sundial {
namespace {

using std::chrono::hours;
using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

/// A gap of this length or more is a calendar change, not DST: its nominal times do not run.
constexpr seconds calendar_change = hours{3};

/// More than the distance of a wall clock from UTC (RFC 9636: under 26 hours), including a move out
/// of a gap.
constexpr seconds widest = hours{48};

constexpr sys_seconds beginning = std::chrono::floor<seconds>(earliest_instant);
constexpr sys_seconds end_of_time = std::chrono::floor<seconds>(latest_instant) + seconds{1};

local_seconds wall_clock(sys_seconds instant, seconds offset) {
    return local_seconds{instant.time_since_epoch() + offset};
}

/// The period between two changes of a zone's offset. Changes are further apart than any of them
/// moves the clock; this holds in all of tzdata.
struct Stretch {
    std::optional<ZoneChange> opened_by, closed_by;
    seconds offset;

    [[nodiscard]] sys_seconds until() const {
        return closed_by ? std::min(closed_by->at, end_of_time) : end_of_time;
    }
};

/// Instants, from `from` and before `until`.
struct Span {
    sys_seconds from, until;
};

/// Nominal times, from `from` and before `until`, that map to instants in the same way.
struct Reading {
    local_seconds from, until;
    seconds offset;  // of the clock by which they are read
    OccurrenceNote note = OccurrenceNote::none;
    bool second_pass = false;
    sys_seconds all_at = {};  // their common instant, if at_one_instant()

    /// Whether they do not keep their distances.
    [[nodiscard]] bool at_one_instant() const {
        return note == OccurrenceNote::gap_boundary || note == OccurrenceNote::gap_skipped;
    }
    [[nodiscard]] sys_seconds instant(local_seconds nominal) const {
        return at_one_instant() ? all_at : sys_seconds{nominal.time_since_epoch() - offset};
    }
    [[nodiscard]] bool moved() const {
        return note == OccurrenceNote::gap_earlier || note == OccurrenceNote::gap_later;
    }
};

/// The part of `reading` whose instants lie in `span`; empty ranges stay empty.
Reading clipped(Reading reading, Span span) {
    if (reading.at_one_instant()) {
        if (reading.all_at < span.from || reading.all_at >= span.until)
            reading.until = reading.from;
        return reading;
    }
    reading.from = std::max(reading.from, wall_clock(span.from, reading.offset));
    reading.until = std::min(reading.until, wall_clock(span.until, reading.offset));
    return reading;
}

class CronRecurrence final : public Recurrence {
public:
    CronRecurrence(const CronRule& rule, std::shared_ptr<const Zone> zone, GapPolicy gap,
                   OverlapPolicy overlap)
        : calendar_(rule),
          wildcard_(rule.wildcard),
          zone_(std::move(zone)),
          gap_(gap),
          overlap_(rule.wildcard ? OverlapPolicy::both : overlap) {}

    [[nodiscard]] std::unique_ptr<OccurrenceCursor> after(Instant after,
                                                          Skipped skipped) const override;
    [[nodiscard]] std::uint64_t count(Instant after, Instant until) const override;

    [[nodiscard]] const CronCalendar& calendar() const { return calendar_; }
    [[nodiscard]] Stretch stretch_at(sys_seconds instant) const;
    /// The next stretch that may have a nominal time; skips those without.
    [[nodiscard]] std::optional<Stretch> stretch_after(const Stretch& stretch) const;
    /// How to find the occurrences in `span` of `stretch`.
    [[nodiscard]] std::vector<Reading> readings(const Stretch& stretch, Span span,
                                                Skipped skipped) const;

private:
    [[nodiscard]] std::optional<Reading> after_gap(const ZoneChange& change) const;
    [[nodiscard]] std::optional<Reading> before_gap(const ZoneChange& change) const;
    [[nodiscard]] std::optional<Reading> first_pass(const ZoneChange& change) const;
    [[nodiscard]] std::optional<Reading> second_pass(const ZoneChange& change) const;
    [[nodiscard]] std::uint64_t count_in(const Stretch& stretch, Span span) const;

    CronCalendar calendar_;
    bool wildcard_;
    std::shared_ptr<const Zone> zone_;
    GapPolicy gap_;
    OverlapPolicy overlap_;
};

bool is_gap(const ZoneChange& change) { return change.before < change.after; }

/// From after `after` to the end of the calendar.
Span later_than(Instant after) {
    const auto second = std::chrono::floor<seconds>(std::min(after, latest_instant));
    return {std::max(second + seconds{1}, beginning), end_of_time};
}

/// Iterates over the readings, one stretch after the other.
class CronCursor final : public OccurrenceCursor {
public:
    CronCursor(const CronRecurrence& rule, Instant after, Skipped skipped)
        : rule_(rule), span_(later_than(after)), skipped_(skipped) {
        if (span_.from < span_.until) enter(rule_.stretch_at(span_.from));
    }

    std::optional<RuleOccurrence> next() override {
        while (stretch_) {
            while (const auto found = take_first()) {
                if (is_skip(found->note)) return found;
                if (found->instant == last_) continue;  // two nominal times, one occurrence
                last_ = found->instant;
                return found;
            }
            enter(rule_.stretch_after(*stretch_));
        }
        return std::nullopt;
    }

private:
    struct Source {
        Reading reading;
        std::optional<local_seconds> next;
    };

    void enter(const std::optional<Stretch>& stretch) {
        stretch_ = stretch;
        sources_.clear();
        if (!stretch) return;
        for (const Reading& reading : rule_.readings(*stretch, span_, skipped_))
            sources_.push_back({reading, next_of(reading)});
    }

    [[nodiscard]] std::optional<local_seconds> next_of(const Reading& reading) const {
        return rule_.calendar().first_in(reading.from, reading.until);
    }

    std::optional<RuleOccurrence> take_first() {
        Source* first = nullptr;
        for (Source& source : sources_)
            if (source.next && (first == nullptr || place(source) < place(*first))) first = &source;
        if (first == nullptr) return std::nullopt;

        Reading& reading = first->reading;
        const RuleOccurrence found{.instant = reading.instant(*first->next),
                                   .nominal = *first->next,
                                   .second_pass = reading.second_pass,
                                   .note = reading.note};
        reading.from = *first->next + seconds{1};
        const bool rest_is_same = reading.note == OccurrenceNote::gap_boundary;
        first->next = rest_is_same ? std::nullopt : next_of(reading);
        return found;
    }

    static std::pair<sys_seconds, local_seconds> place(const Source& source) {
        return {source.reading.instant(*source.next), *source.next};
    }

    const CronRecurrence& rule_;
    Span span_;
    Skipped skipped_;
    std::optional<Stretch> stretch_;
    std::vector<Source> sources_;
    std::optional<Instant> last_;
};

std::unique_ptr<OccurrenceCursor> CronRecurrence::after(Instant after, Skipped skipped) const {
    return std::make_unique<CronCursor>(*this, after, skipped);
}

std::uint64_t CronRecurrence::count(Instant after, Instant until) const {
    const Span span{later_than(after).from, later_than(until).from};
    if (span.from >= span.until) return 0;
    std::uint64_t found = 0;
    for (std::optional stretch = stretch_at(span.from); stretch;
         stretch = stretch->until() < span.until ? stretch_after(*stretch) : std::nullopt) {
        found += count_in(*stretch, span);
    }
    return found;
}

std::uint64_t CronRecurrence::count_in(const Stretch& stretch, Span span) const {
    std::uint64_t found = 0;
    for (const Reading& reading : readings(stretch, span, Skipped::left_out)) {
        if (reading.at_one_instant()) {
            const bool taken = calendar_.has(wall_clock(reading.all_at, stretch.offset));
            if (!taken && calendar_.first_in(reading.from, reading.until)) ++found;
            continue;
        }
        found += calendar_.count_in(reading.from, reading.until);
        if (reading.moved())
            found -= calendar_.count_repeated_in(reading.from, reading.until,
                                                 stretch.offset - reading.offset);
    }
    return found;
}

Stretch CronRecurrence::stretch_at(sys_seconds instant) const {
    Stretch stretch{.opened_by = zone_->last_change(instant),
                    .closed_by = zone_->next_change(instant),
                    .offset = {}};
    if (stretch.opened_by) {
        stretch.offset = stretch.opened_by->after;
    } else {
        stretch.offset = stretch.closed_by ? stretch.closed_by->before : zone_->offset_at(instant);
    }
    return stretch;
}

std::optional<Stretch> CronRecurrence::stretch_after(const Stretch& stretch) const {
    const sys_seconds from = stretch.until();
    if (!stretch.closed_by || from == end_of_time) return std::nullopt;
    const auto nominal =
        calendar_.first_in(wall_clock(from, -widest), wall_clock(end_of_time, widest));
    if (!nominal) return std::nullopt;
    const sys_seconds not_before{nominal->time_since_epoch() - widest};
    if (not_before >= end_of_time) return std::nullopt;
    if (not_before > from) return stretch_at(not_before);
    return Stretch{.opened_by = stretch.closed_by,
                   .closed_by = zone_->next_change(from),
                   .offset = stretch.closed_by->after};
}

std::vector<Reading> CronRecurrence::readings(const Stretch& stretch, Span span,
                                              Skipped skipped) const {
    constexpr std::int64_t steps_of_stretch = 50;  // compared with a month of the calendar
    effort::spend(steps_of_stretch);
    std::vector<Reading> found;
    const auto add = [&](const std::optional<Reading>& reading) {
        if (!reading || (skipped == Skipped::left_out && is_skip(reading->note))) return;
        const Reading part = clipped(*reading, span);
        if (part.from < part.until) found.push_back(part);
    };
    Reading plain{.from = wall_clock(beginning, stretch.offset),
                  .until = wall_clock(end_of_time, stretch.offset),
                  .offset = stretch.offset};
    if (const auto& change = stretch.opened_by) {
        plain.from = wall_clock(change->at, std::max(change->before, change->after));
        add(is_gap(*change) ? after_gap(*change) : second_pass(*change));
    }
    if (const auto& change = stretch.closed_by) {
        plain.until = wall_clock(change->at, std::min(change->before, change->after));
        add(is_gap(*change) ? before_gap(*change) : first_pass(*change));
    }
    add(plain);
    return found;
}

/// Maps the nominal times of a gap to its end or later.
std::optional<Reading> CronRecurrence::after_gap(const ZoneChange& change) const {
    if (wildcard_) return std::nullopt;
    Reading gap{.from = wall_clock(change.at, change.before),
                .until = wall_clock(change.at, change.after),
                .offset = change.before};
    if (change.after - change.before >= calendar_change || gap_ == GapPolicy::skip) {
        gap.note = OccurrenceNote::gap_skipped;
        gap.all_at = change.at;
        return gap;
    }
    switch (gap_) {
        case GapPolicy::compatible:
        case GapPolicy::later:
            gap.note = OccurrenceNote::gap_later;
            return gap;
        case GapPolicy::boundary:
            gap.note = OccurrenceNote::gap_boundary;
            gap.all_at = change.at;
            return gap;
        case GapPolicy::earlier:
        case GapPolicy::skip:
        case GapPolicy::reject:
            break;
    }
    return std::nullopt;
}

/// Maps the nominal times of a gap to instants before it.
std::optional<Reading> CronRecurrence::before_gap(const ZoneChange& change) const {
    if (wildcard_ || gap_ != GapPolicy::earlier || change.after - change.before >= calendar_change)
        return std::nullopt;
    return Reading{.from = wall_clock(change.at, change.before),
                   .until = wall_clock(change.at, change.after),
                   .offset = change.after,
                   .note = OccurrenceNote::gap_earlier};
}

std::optional<Reading> CronRecurrence::first_pass(const ZoneChange& change) const {
    if (overlap_ == OverlapPolicy::later) return std::nullopt;
    return Reading{.from = wall_clock(change.at, change.after),
                   .until = wall_clock(change.at, change.before),
                   .offset = change.before,
                   .note = overlap_ == OverlapPolicy::skip ? OccurrenceNote::overlap_skipped
                                                           : OccurrenceNote::overlap_earlier};
}

std::optional<Reading> CronRecurrence::second_pass(const ZoneChange& change) const {
    if (overlap_ != OverlapPolicy::later && overlap_ != OverlapPolicy::both) return std::nullopt;
    return Reading{.from = wall_clock(change.at, change.after),
                   .until = wall_clock(change.at, change.before),
                   .offset = change.after,
                   .note = OccurrenceNote::overlap_later,
                   .second_pass = overlap_ == OverlapPolicy::both};
}

}  // namespace

std::unique_ptr<Recurrence> cron_recurrence(const CronRule& rule, std::shared_ptr<const Zone> zone,
                                            GapPolicy gap, OverlapPolicy overlap) {
    base::check(gap != GapPolicy::reject && overlap != OverlapPolicy::reject);
    return std::make_unique<CronRecurrence>(rule, std::move(zone), gap, overlap);
}

}  // namespace sundial
