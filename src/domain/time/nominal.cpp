#include "domain/time/nominal.hpp"

#include "base/check.hpp"
#include "domain/time/resolve.hpp"

namespace sundial {
namespace {

OccurrenceNote note_of(GapPolicy policy) {
    switch (policy) {
        case GapPolicy::earlier:
            return OccurrenceNote::gap_earlier;
        case GapPolicy::compatible:
        case GapPolicy::later:
            return OccurrenceNote::gap_later;
        case GapPolicy::boundary:
            return OccurrenceNote::gap_boundary;
        case GapPolicy::skip:
        case GapPolicy::reject:
            break;
    }
    return OccurrenceNote::gap_skipped;
}

/// Of the first occurrence; with `both` the second pass is a separate one.
OccurrenceNote note_of(OverlapPolicy policy) {
    switch (policy) {
        case OverlapPolicy::compatible:
        case OverlapPolicy::earlier:
        case OverlapPolicy::both:
            return OccurrenceNote::overlap_earlier;
        case OverlapPolicy::later:
            return OccurrenceNote::overlap_later;
        case OverlapPolicy::skip:
        case OverlapPolicy::reject:
            break;
    }
    return OccurrenceNote::overlap_skipped;
}

OccurrenceNote note_of(LocalLookup::Kind kind, GapPolicy gap, OverlapPolicy overlap) {
    switch (kind) {
        case LocalLookup::Kind::unique:
            return OccurrenceNote::none;
        case LocalLookup::Kind::gap:
            return note_of(gap);
        case LocalLookup::Kind::overlap:
            return note_of(overlap);
    }
    base::check(false);
    return {};
}

/// Where a skipped occurrence would have been.
Instant place_of(OccurrenceNote skipped, WallTime nominal, const Zone& zone) {
    const auto wall = std::chrono::floor<std::chrono::seconds>(nominal);
    const LocalLookup found = zone.lookup(wall);
    if (skipped == OccurrenceNote::gap_skipped) return found.boundary;
    return found.earlier + (nominal - wall);
}

}  // namespace

NominalOccurrences occurrences_at(WallTime nominal, const Zone& zone, GapPolicy gap,
                                  OverlapPolicy overlap) {
    const Passes passes = resolve_recurring(nominal, zone, gap, overlap);
    const OccurrenceNote note = note_of(passes.kind, gap, overlap);
    if (is_skip(note)) {
        const Instant place = place_of(note, nominal, zone);
        if (!in_range(place)) return {};
        return {RuleOccurrence{place, nominal, false, note}, {}};
    }
    NominalOccurrences found;
    if (passes.first) found.first = {*passes.first, nominal, false, note};
    if (passes.second)
        found.second = {*passes.second, nominal, true, OccurrenceNote::overlap_later};
    return found;
}

}  // namespace sundial
