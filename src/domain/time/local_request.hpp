#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "domain/time/error.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// A wall time, the zone in which it is meant, and the offset that chooses or must fit there, if
/// one was given: the arguments of `resolve`, but for the policies.
struct LocalRequest {
    WallTime wall;
    std::string zone;  // as written; nobody has looked it up yet
    std::optional<std::chrono::seconds> offset;
};

/// Reads a local time together with the zone field beside it. The text's own suffix may name the
/// zone instead; when both do, they must be equal. Errors: bad_time, out_of_range (of the text),
/// bad_request (no zone at all, or two).
[[nodiscard]] TimeResult<LocalRequest> read_local_request(std::string_view text,
                                                          std::optional<std::string_view> zone);

/// What is wrong with the offset of an instant's text in `zone`, which its suffix named: a numeric
/// offset must be the zone's at that time (else offset_mismatch); `Z` always fits.
[[nodiscard]] std::optional<TimeError> offset_defect(const InstantText& text, const Zone& zone);

}  // namespace sundial
