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
#include "domain/time/fingerprint.hpp"

namespace sundial {

/// What an event's instant was computed with: its zone, and the release of the tz database.
struct ComputedWith {
    std::string zone;
    std::string release;
    friend auto operator<=>(const ComputedWith&, const ComputedWith&) = default;
};

/// A zone's clock under one release: what it shows from `since` on.
struct KnownClock {
    Instant since;
    Fingerprint fingerprint;
    friend bool operator==(const KnownClock&, const KnownClock&) = default;
};
using KnownClocks = std::map<std::string, KnownClock, std::less<>>;  // by the zone's name

/// That an event's instant became another while its local time stayed.
struct EventMove {
    EventId event;
    Version version;  // of the event, with the new instant
    Instant before;
    Instant after;
    std::string reason;  // "tzdb 2025b -> 2026f"
    Instant at;
    friend bool operator==(const EventMove&, const EventMove&) = default;
};

/// Events by the tz database that they were computed with, and what is known of tz databases,
/// inside one transaction. It is about the events that follow another release: PENDING, with a wall
/// time, and no retry of a finished one. Below they are the pending ones.
class TzRepository {
public:
    virtual ~TzRepository() = default;
    /// With what pending events were computed: each pair once, sorted. Takes time for the pairs,
    /// not for the events.
    virtual std::vector<ComputedWith> computed_with() = 0;
    /// At most `limit` pending events of the pair, by id, after `after`.
    virtual std::vector<Event> list(const ComputedWith& pair, std::optional<EventId> after,
                                    std::size_t limit) = 0;
    /// The same, kept from claims and changes until the transaction ends.
    virtual std::vector<Event> lock(const ComputedWith& pair, std::optional<EventId> after,
                                    std::size_t limit) = 0;

    /// Empty for a release that nobody has stored.
    virtual KnownClocks known_clocks(std::string_view release) = 0;
    /// In place of what was known of these zones; others of the release stay.
    virtual void store_clocks(std::string_view release, const KnownClocks& clocks) = 0;

    virtual void add_move(const EventMove& move) = 0;
    /// Oldest first. They go when the event is erased.
    virtual std::vector<EventMove> moves_of(EventId event) = 0;
};

}  // namespace sundial
