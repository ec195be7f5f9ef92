#pragma once

#include <chrono>
#include <optional>

#include "domain/time/error.hpp"
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
/// Policy `reject` is a bug here: only kind `local` accepts it.
[[nodiscard]] Passes resolve_recurring(WallTime wall, const Zone& zone, GapPolicy gap,
                                       OverlapPolicy overlap);

}  // namespace sundial
