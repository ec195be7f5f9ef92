#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The time between occurrences: a duration as parse_duration reads it, at least 1 s. Errors:
/// bad_interval.
[[nodiscard]] TimeResult<std::chrono::seconds> parse_interval(std::string_view text);

/// The instants `start + k × every`, k ≥ 0, up to year 9999 (time-semantics 9). Elapsed time,
/// anchored to `start`, which must be in the range of years and may have a fraction; `every` is at
/// least 1 s.
[[nodiscard]] std::unique_ptr<Recurrence> interval_recurrence(Instant start,
                                                              std::chrono::seconds every);

/// "every 15 minutes of real time".
[[nodiscard]] std::string describe_interval(std::chrono::seconds every);

}  // namespace sundial
