#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/strong.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// How two releases of the tz database are compared.
namespace sundial {

/// What a zone's clock will show, as one number: equal for equal clocks, whatever their names and
/// releases; for others it differs, but for one chance in 2^64.
using Fingerprint = base::Strong<struct FingerprintTag, std::uint64_t>;

/// How far a fingerprint looks: no event lies more than 50 years ahead (reliability 9), and 28
/// years more hold every kind of year (weekday of 1 January, leap or not), so that a rule without
/// end is told by what it does in them.
inline constexpr std::chrono::years fingerprint_reach{50 + 28};

/// Of the clock from `from` on: its offset there, and each change with its new offset.
[[nodiscard]] Fingerprint fingerprint(const Zone& zone, Instant from);

/// The first instant in [from, until) at which the clocks differ, if there is one.
[[nodiscard]] std::optional<Instant> first_difference(const Zone& a, const Zone& b, Instant from,
                                                      Instant until);

/// Whether both are names of releases, as "2025b", and `a` came out before `b`.
[[nodiscard]] bool is_older_release(std::string_view a, std::string_view b);

}  // namespace sundial
