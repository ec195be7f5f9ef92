#include "domain/time/resolve.hpp"

#include "base/check.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

/// A wall time and its lookup in the zone. Offsets change at whole seconds, so the fraction is
/// added unchanged.
struct Found {
    LocalLookup lookup;
    microseconds fraction;

    Found(WallTime wall, const Zone& zone)
        : lookup(zone.lookup(std::chrono::floor<seconds>(wall))),
          fraction(wall - std::chrono::floor<seconds>(wall)) {}

    [[nodiscard]] Instant earlier() const { return lookup.earlier + fraction; }
    [[nodiscard]] Instant later() const { return lookup.later + fraction; }
    [[nodiscard]] Instant boundary() const { return lookup.boundary; }
};

/// The instants that the policies choose, ascending; `reject` chooses none, like `skip`.
struct Choice {
    std::optional<Instant> first, second;
};

Choice choose_in_gap(const Found& found, GapPolicy policy) {
    switch (policy) {
        case GapPolicy::earlier:
            return {found.earlier(), {}};
        case GapPolicy::compatible:
        case GapPolicy::later:
            return {found.later(), {}};
        case GapPolicy::boundary:
            return {found.boundary(), {}};
        case GapPolicy::skip:
        case GapPolicy::reject:
            break;
    }
    return {};
}

Choice choose_in_overlap(const Found& found, OverlapPolicy policy) {
    switch (policy) {
        case OverlapPolicy::compatible:
        case OverlapPolicy::earlier:
            return {found.earlier(), {}};
        case OverlapPolicy::later:
            return {found.later(), {}};
        case OverlapPolicy::both:
            return {found.earlier(), found.later()};
        case OverlapPolicy::skip:
        case OverlapPolicy::reject:
            break;
    }
    return {};
}

Choice choose(const Found& found, GapPolicy gap, OverlapPolicy overlap) {
    switch (found.lookup.kind) {
        case LocalLookup::Kind::unique:
            return {found.earlier(), {}};
        case LocalLookup::Kind::gap:
            return choose_in_gap(found, gap);
        case LocalLookup::Kind::overlap:
            return choose_in_overlap(found, overlap);
    }
    base::check(false);
    return {};
}

std::string quoted_time(WallTime wall, const Zone& zone) {
    return "'" + format_wall(wall) + "' in " + std::string(zone.name());
}

TimeError outside(WallTime wall, const Zone& zone) {
    return {TimeErrorCode::out_of_range,
            quoted_time(wall, zone) + " lies outside 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z"};
}

std::string right_offsets(WallTime wall, const Found& found) {
    const auto offset_of = [wall](Instant pass) {
        return format_offset(
            std::chrono::floor<seconds>(wall.time_since_epoch() - pass.time_since_epoch()));
    };
    switch (found.lookup.kind) {
        case LocalLookup::Kind::unique:
            return "the offset there is " + offset_of(found.earlier());
        case LocalLookup::Kind::overlap:
            return "the offsets there are " + offset_of(found.earlier()) + " and " +
                   offset_of(found.later());
        case LocalLookup::Kind::gap:
            break;
    }
    return "that time does not exist in the zone, so no offset is correct; leave it out";
}

TimeResult<Resolved> resolve_by_offset(WallTime wall, const Zone& zone, const Found& found,
                                       seconds offset) {
    const Instant candidate{wall.time_since_epoch() - offset};
    const bool exists = found.lookup.kind != LocalLookup::Kind::gap;
    if (!exists || (candidate != found.earlier() && candidate != found.later()))
        return TimeError{TimeErrorCode::offset_mismatch,
                         quoted_time(wall, zone) + " does not have the offset " +
                             format_offset(offset) + ": " + right_offsets(wall, found)};
    if (!in_range(candidate)) return outside(wall, zone);
    return Resolved{candidate, found.lookup.kind};
}

}  // namespace

TimeResult<Resolved> resolve(WallTime wall, const Zone& zone, GapPolicy gap, OverlapPolicy overlap,
                             std::optional<seconds> offset) {
    if (overlap == OverlapPolicy::both)
        return TimeError{TimeErrorCode::not_allowed,
                         "'both' is for what recurs; a single time takes compatible, earlier, "
                         "later, skip or reject"};
    const Found found(wall, zone);
    if (offset) return resolve_by_offset(wall, zone, found, *offset);

    const auto kind = found.lookup.kind;
    if (kind == LocalLookup::Kind::gap && gap == GapPolicy::reject)
        return TimeError{TimeErrorCode::nonexistent_time,
                         quoted_time(wall, zone) +
                             " does not exist: the clocks there are moved forward over it"};
    if (kind == LocalLookup::Kind::overlap && overlap == OverlapPolicy::reject)
        return TimeError{TimeErrorCode::ambiguous_time,
                         quoted_time(wall, zone) +
                             " occurs twice: say which by its offset, or by another policy"};

    const std::optional<Instant> chosen = choose(found, gap, overlap).first;
    if (chosen && !in_range(*chosen)) return outside(wall, zone);
    return Resolved{chosen, kind};
}

Passes resolve_recurring(WallTime wall, const Zone& zone, GapPolicy gap, OverlapPolicy overlap) {
    base::check(gap != GapPolicy::reject && overlap != OverlapPolicy::reject);
    const Found found(wall, zone);
    const Choice chosen = choose(found, gap, overlap);
    Passes passes{.first = {}, .second = {}, .kind = found.lookup.kind};
    for (const std::optional<Instant>& pass : {chosen.first, chosen.second}) {
        if (!pass || !in_range(*pass)) continue;
        (passes.first ? passes.second : passes.first) = pass;
    }
    return passes;
}

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

TimeResult<LocalRequest> read_local_request(std::string_view text,
                                            std::optional<std::string_view> zone) {
    const auto local = parse_local(text);
    if (!local) return local.error();
    const std::optional<std::string>& suffix = local->zone;
    if (zone && suffix && *zone != *suffix)
        return TimeError{
            TimeErrorCode::bad_request,
            "the separate zone and the zone in the brackets of the time must be equal"};
    if (!zone && !suffix)
        return TimeError{TimeErrorCode::bad_request,
                         "a local time needs a zone: give it separately or in brackets, as "
                         "2027-05-04T10:11:12[Europe/Rome]"};
    return LocalRequest{local->wall, zone ? std::string(*zone) : *suffix, local->offset};
}

std::optional<TimeError> offset_defect(const InstantText& text, const Zone& zone) {
    if (!text.offset) return std::nullopt;
    const auto right = zone.offset_at(text.instant);
    if (right == *text.offset) return std::nullopt;
    return TimeError{TimeErrorCode::offset_mismatch,
                     "the offset " + format_offset(*text.offset) + " is not the one of " +
                         std::string(zone.name()) + " at that time, " + format_offset(right)};
}

}  // namespace sundial
