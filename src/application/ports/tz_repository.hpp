#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/event.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// The zone and the tz database release from which an event's instant was computed.
struct ComputedWith {
    std::string zone;
    std::string release;
    friend auto operator<=>(const ComputedWith&, const ComputedWith&) = default;
};

/// A zone's clock under one release, from `since` on.
struct KnownClock {
    Instant since;
    Fingerprint fingerprint;
    friend bool operator==(const KnownClock&, const KnownClock&) = default;
};
using KnownClocks = std::map<std::string, KnownClock, std::less<>>;  // by the zone's name

/// A change of an event's instant while its local time stays.
struct EventMove {
    EventId event;
    Version version;  // of the event, with the new instant
    Instant before;
    Instant after;
    std::string reason;  // "tzdb 2025b -> 2026f"
    Instant at;
    friend bool operator==(const EventMove&, const EventMove&) = default;
};

/// Events by the tz database that they were computed with, and facts about tz databases, inside one
/// transaction. "Pending events" below are those that follow a new release: PENDING, with a wall
/// time, and not the retry of a finished event.
class TzRepository {
public:
    virtual ~TzRepository() = default;
    /// The distinct pairs that pending events were computed with, sorted. The time depends on the
    /// number of pairs, not of events.
    virtual std::vector<ComputedWith> computed_with() = 0;
    /// At most `limit` pending events of the pair, by id, after `after`.
    virtual std::vector<Event> list(const ComputedWith& pair, std::optional<EventId> after,
                                    std::size_t limit) = 0;
    /// The same, locked against claims and changes until the transaction ends.
    virtual std::vector<Event> lock(const ComputedWith& pair, std::optional<EventId> after,
                                    std::size_t limit) = 0;

    /// Empty for a release that was never stored.
    virtual KnownClocks known_clocks(std::string_view release) = 0;
    /// Replaces the known clocks of these zones; other zones of the release stay.
    virtual void store_clocks(std::string_view release, const KnownClocks& clocks) = 0;

    virtual void add_move(const EventMove& move) = 0;
    /// Oldest first. They are erased with the event.
    virtual std::vector<EventMove> moves_of(EventId event) = 0;
};

}  // namespace sundial
