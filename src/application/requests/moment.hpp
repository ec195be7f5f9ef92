#pragma once

#include <string_view>

#include "domain/time/error.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// An instant in a request: RFC 3339, or `now`, `now-1h30m`, `now+P1M` (see
/// parse_calendar_duration; reckoned in UTC). Errors: bad_time, out_of_range.
[[nodiscard]] TimeResult<Instant> parse_moment(std::string_view text, Instant now);

}  // namespace sundial
