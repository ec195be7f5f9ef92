#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "domain/time/rrule.hpp"
#include "domain/time/rrule_days.hpp"

/// The wall times that a rule names, before zones make instants of them. Inside of the RRULE
/// engine.
namespace sundial {

/// A set of wall times without an order to walk through it: whoever asks brings the range.
/// Immutable and thread-safe.
class WallTimes {
public:
    virtual ~WallTimes() = default;
    /// The first in [from, to).
    [[nodiscard]] virtual std::optional<WallSecond> next(WallSecond from, WallSecond to) const = 0;
    /// How many lie in [from, to).
    [[nodiscard]] virtual std::uint64_t count(WallSecond from, WallSecond to) const = 0;
    /// How many of [one, one + length) are there at the same distance from `other` too.
    [[nodiscard]] virtual std::uint64_t count_common(WallSecond one, WallSecond other,
                                                     std::int64_t length) const;
};

/// Of all `values` (sorted), the ones that BYSETPOS names; all when there is no BYSETPOS.
[[nodiscard]] std::vector<std::int64_t> at_positions(std::vector<std::int64_t> values,
                                                     const std::vector<int>& positions);

/// What a rule of days or longer names from DTSTART on, until a wall time of its UNTIL.
[[nodiscard]] std::unique_ptr<const WallTimes> nominal_times(const RruleRule& rule,
                                                             WallSecond dtstart);

}  // namespace sundial
