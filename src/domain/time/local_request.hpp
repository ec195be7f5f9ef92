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
