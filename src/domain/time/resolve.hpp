#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "domain/time/recurrence.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

struct Resolved {
    std::optional<Instant> instant;  // empty: the policy was `skip`
    LocalLookup::Kind kind = LocalLookup::Kind::unique;
};

/// The instant of `wall` in `zone` (time-semantics 5). If the text has an `offset`, the zone must
/// have that offset at that time. In an overlap it selects the pass; in a gap none is right.
/// Errors: nonexistent_time, ambiguous_time (policy `reject`), offset_mismatch, not_allowed
/// (overlap `both` is for recurring kinds), out_of_range (outside years 0001 to 9999 UTC).
[[nodiscard]] TimeResult<Resolved> resolve(
    WallTime wall, const Zone& zone, GapPolicy gap, OverlapPolicy overlap,
    std::optional<std::chrono::seconds> offset = std::nullopt);

/// The instants of one nominal time of a recurring kind: none if a policy skips it or it is out of
/// range, two (ascending) in an overlap with `both`, else one.
struct Passes {
    std::optional<Instant> first, second;
    LocalLookup::Kind kind = LocalLookup::Kind::unique;
};
/// Policy `reject` is not allowed here: only kind `local` accepts it.
[[nodiscard]] Passes resolve_recurring(WallTime wall, const Zone& zone, GapPolicy gap,
                                       OverlapPolicy overlap);

/// The occurrences of one nominal time of a rule: one; two (ascending) in an overlap with `both`;
/// none outside the range of years. An occurrence that a policy skips is there as `first`, with its
/// note.
struct NominalOccurrences {
    std::optional<RuleOccurrence> first, second;
};
/// Policy `reject` is not allowed here: only kind `local` accepts it.
[[nodiscard]] NominalOccurrences occurrences_at(WallTime nominal, const Zone& zone, GapPolicy gap,
                                                OverlapPolicy overlap);

/// A wall time, its zone, and the offset, if one was given, that selects or must match the zone's:
/// the arguments of `resolve` without the policies.
struct LocalRequest {
    WallTime wall;
    std::string zone;  // as written; not looked up yet
    std::optional<std::chrono::seconds> offset;
};

/// Reads a local time and its separate zone field. The text's own suffix may name the zone instead;
/// if both do, they must be equal. Errors: bad_time, out_of_range (of the text), bad_request (no
/// zone at all, or two).
[[nodiscard]] TimeResult<LocalRequest> read_local_request(std::string_view text,
                                                          std::optional<std::string_view> zone);

/// The defect of an instant's text whose suffix named `zone`: a numeric offset must be the zone's
/// at that time (else offset_mismatch); `Z` always fits.
[[nodiscard]] std::optional<TimeError> offset_defect(const InstantText& text, const Zone& zone);

}  // namespace sundial
