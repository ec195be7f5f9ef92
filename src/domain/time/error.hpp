#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sundial {

/// The error codes of time rules (time-semantics 2); their texts are stable API.
enum class TimeErrorCode : std::uint8_t {
    bad_request,  // a field is missing, or two contradict each other
    bad_time,
    out_of_range,
    nonexistent_time,
    ambiguous_time,
    offset_mismatch,
    unknown_zone,
    bad_interval,
    bad_cron,
    bad_rrule,
    never_fires,    // well formed, but the set of occurrences is empty
    not_allowed,    // a policy that this kind does not accept
    too_expensive,  // takes more computing than a request may use
};

struct TimeError {
    TimeErrorCode code;
    std::string message;  // the defect, and what would be right; the caller names the field
};

/// "bad_time", "unknown_zone", …
[[nodiscard]] std::string_view to_string(TimeErrorCode code);

template <class T>
using TimeResult = base::Result<T, TimeError>;

/// A user's text in quotes for a message; long or unprintable texts are cut short.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
    const auto end = std::ranges::find_if_not(text.substr(0, longest), plain);
    const auto shown = static_cast<std::size_t>(end - text.begin());
    return "'" + std::string(text.substr(0, shown)) + (shown < text.size() ? "...'" : "'");
}

}  // namespace sundial
