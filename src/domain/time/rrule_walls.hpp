#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "domain/time/rrule.hpp"
#include "domain/time/rrule_days.hpp"

/// The wall times that a rule names, before a zone maps them to instants. Internal to the RRULE
/// engine.
namespace sundial {

/// A set of wall times, queried by range. Immutable and thread-safe.
class WallTimes {
public:
    virtual ~WallTimes() = default;
    /// The first in [from, to).
    [[nodiscard]] virtual std::optional<WallSecond> next(WallSecond from, WallSecond to) const = 0;
    /// Number of members in [from, to).
    [[nodiscard]] virtual std::uint64_t count(WallSecond from, WallSecond to) const = 0;
    /// Number of members of [one, one + length) that are members at the same distance from `other`
    /// too.
    [[nodiscard]] virtual std::uint64_t count_common(WallSecond one, WallSecond other,
                                                     std::int64_t length) const;
};

/// The `values` (sorted) that BYSETPOS selects; all without BYSETPOS.
[[nodiscard]] std::vector<std::int64_t> at_positions(std::vector<std::int64_t> values,
                                                     const std::vector<int>& positions);

/// The wall times of a rule of days or longer from DTSTART on, up to an UNTIL that is a wall time.
[[nodiscard]] std::unique_ptr<const WallTimes> nominal_times(const RruleRule& rule,
                                                             WallSecond dtstart);

}  // namespace sundial
