#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "domain/time/error.hpp"
#include "domain/time/recurrence.hpp"

namespace sundial {

/// How long it is from one occurrence to the next: a duration as parse_duration reads it, at least
/// 1 s. Errors: bad_interval.
[[nodiscard]] TimeResult<std::chrono::seconds> parse_interval(std::string_view text);

/// `start + k × every`, k ≥ 0, as far as year 9999 goes (time-semantics 9): real time, anchored to
/// `start`, which lies in the range of years and may have a fraction; `every` is at least 1 s.
[[nodiscard]] std::unique_ptr<Recurrence> interval_recurrence(Instant start,
                                                              std::chrono::seconds every);

/// "every 15 minutes of real time".
[[nodiscard]] std::string describe_interval(std::chrono::seconds every);

}  // namespace sundial
