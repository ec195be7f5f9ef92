#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/strong.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

/// Comparison of two releases of the tz database.
namespace sundial {

/// The future clock of a zone as one number. Equal clocks have equal fingerprints, whatever their
/// names and releases; different clocks have different ones, except for one chance in 2^64.
using Fingerprint = base::Strong<struct FingerprintTag, std::uint64_t>;

/// The period that a fingerprint covers. No event lies more than 50 years ahead (reliability 9). 28
/// more years contain every kind of year (weekday of 1 January, leap or not), so they determine a
/// rule without end.
inline constexpr std::chrono::years fingerprint_reach{50 + 28};

/// Covers the clock from `from` on: its offset there, and each change with its new offset.
[[nodiscard]] Fingerprint fingerprint(const Zone& zone, Instant from);

/// The first instant in [from, until) at which the clocks differ, if there is one.
[[nodiscard]] std::optional<Instant> first_difference(const Zone& a, const Zone& b, Instant from,
                                                      Instant until);

/// Whether both are names of releases, such as "2025b", and `a` was released before `b`.
[[nodiscard]] bool is_older_release(std::string_view a, std::string_view b);

}  // namespace sundial
