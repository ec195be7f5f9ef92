#pragma once

#include <string>
#include <string_view>

#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"

namespace sundial {

struct CalendarFeed {
    std::string text;    // iCalendar, RFC 5545
    std::string digest;  // SHA-256 of `text`
};

/// Maximum number of occurrences that are listed one by one if RFC 5545 cannot express a rule.
inline constexpr std::size_t max_listed_occurrences = 1'000;
/// Maximum number of schedules, and of single events, that are read for a person.
inline constexpr std::size_t max_calendar_schedules = 500, max_calendar_events = 1'000;

/// The feed of a calendar, for programs that subscribe to it. It contains the schedules that are
/// not paused, as rules if RFC 5545 can express them, else as occurrences within some days; events
/// that a caller has moved, at their new instants; and the person's single events. Each entry keeps
/// its UID. The text changes only when an entry changes or a new day begins.
class ReadCalendar {
public:
    ReadCalendar(Store& store, const TimeZones& zones, const ApiKeySecrets& secrets,
                 const Digest& digest)
        : store_(store), zones_(zones), secrets_(secrets), digest_(digest) {}
    /// `days`: how far ahead occurrences are listed. Errors: NotFound, also for a token that was
    /// revoked or has expired; ValidationFailed at ?days if the rules are too expensive.
    [[nodiscard]] CalendarResult<CalendarFeed> run(std::string_view token, unsigned days);

private:
    Store& store_;
    const TimeZones& zones_;
    const ApiKeySecrets& secrets_;
    const Digest& digest_;
};

}  // namespace sundial
