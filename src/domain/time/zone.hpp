#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/strong.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The meanings of one local time in a zone. If it has one, all three instants are the same. In a
/// gap, `earlier` is t minus the offset after the change, `later` t minus the offset before,
/// `boundary` the change itself. In an overlap, `earlier` and `later` are the first and the second
/// pass.
struct LocalLookup {
    enum class Kind : std::uint8_t { unique, gap, overlap };
    Kind kind = Kind::unique;
    std::chrono::sys_seconds earlier, later, boundary;
};

/// A change of a zone's offset. A change of only the name or DST flag does not count.
struct ZoneChange {
    std::chrono::sys_seconds at;  // the first instant of the new offset
    std::chrono::seconds before, after;
    friend bool operator==(const ZoneChange&, const ZoneChange&) = default;
};

/// The offsets of one time zone in one release of tzdata: all that the time rules need. Immutable
/// and thread-safe. Valid for years 0001 to 9999; after 2037 by the zone's own rule.
class Zone {
public:
    virtual ~Zone() = default;
    /// The id as requested: a link keeps its name.
    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual LocalLookup lookup(std::chrono::local_seconds wall) const = 0;
    /// Seconds east of UTC.
    [[nodiscard]] virtual std::chrono::seconds offset_at(Instant instant) const = 0;
    /// The first change strictly after `after`; empty if the offset never changes again.
    [[nodiscard]] virtual std::optional<ZoneChange> next_change(Instant after) const = 0;
    /// The last change at or before `until`; empty before the first.
    [[nodiscard]] virtual std::optional<ZoneChange> last_change(Instant until) const = 0;
};

/// The wall clock in `zone` at `instant`.
[[nodiscard]] inline WallTime wall_time_at(const Zone& zone, Instant instant) {
    return WallTime{instant.time_since_epoch() + zone.offset_at(instant)};
}

// Comparison of two releases of the tz database.

/// The future clock of a zone as one number. Equal clocks have equal fingerprints, even under
/// different names and releases; different clocks have different ones, except with probability
/// 2^-64.
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
