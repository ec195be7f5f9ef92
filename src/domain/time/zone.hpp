#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/time/types.hpp"

namespace sundial {

/// What a zone says of one local time. With one meaning all three instants are the same. In a gap,
/// `earlier` is t minus the offset after the change, `later` t minus the offset before, `boundary`
/// the change itself; in an overlap `earlier` and `later` are the first and the second pass.
struct LocalLookup {
    enum class Kind : std::uint8_t { unique, gap, overlap };
    Kind kind = Kind::unique;
    std::chrono::sys_seconds earlier, later, boundary;
};

/// The moment from which a zone has another offset. Never only another name or DST flag.
struct ZoneChange {
    std::chrono::sys_seconds at;  // the first instant of the new offset
    std::chrono::seconds before, after;
    friend bool operator==(const ZoneChange&, const ZoneChange&) = default;
};

/// The offsets of one time zone under one release of tzdata: all that the time rules know of zones.
/// Immutable and thread-safe. Valid for years 0001 to 9999 and beyond 2037 by the zone's own rule.
class Zone {
public:
    virtual ~Zone() = default;
    /// The id as it was asked for: a link keeps its name.
    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual LocalLookup lookup(std::chrono::local_seconds wall) const = 0;
    /// Seconds east of UTC.
    [[nodiscard]] virtual std::chrono::seconds offset_at(Instant instant) const = 0;
    /// The first change strictly after `after`; empty when the zone keeps its offset for ever.
    [[nodiscard]] virtual std::optional<ZoneChange> next_change(Instant after) const = 0;
    /// The last change at or before `until`; empty before the first.
    [[nodiscard]] virtual std::optional<ZoneChange> last_change(Instant until) const = 0;
};

/// The wall clock in `zone` at `instant`.
[[nodiscard]] inline WallTime wall_time_at(const Zone& zone, Instant instant) {
    return WallTime{instant.time_since_epoch() + zone.offset_at(instant)};
}

}  // namespace sundial
