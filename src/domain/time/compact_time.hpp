#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "domain/time/types.hpp"

/// Dates and times in the format of iCalendar (RFC 5545, 3.3.4 and 3.3.5).
namespace sundial {

/// `19970902T090000`, optionally with `Z`.
struct CompactTime {
    std::chrono::local_seconds wall;
    bool utc = false;
};
/// Empty if the text is malformed or names no existing time of years 0001 to 9999.
[[nodiscard]] std::optional<CompactTime> read_compact_time(std::string_view text);

/// `19970902`. Outer empty if the text is not eight digits; inner empty if there is no such day.
[[nodiscard]] std::optional<std::optional<Date>> read_compact_date(std::string_view text);

}  // namespace sundial
