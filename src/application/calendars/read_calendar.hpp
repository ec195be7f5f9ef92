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

/// At most so many occurrences of a rule that RFC 5545 cannot say are listed one by one.
inline constexpr std::size_t max_listed_occurrences = 1'000;
/// At most so many schedules and single events of a person are read.
inline constexpr std::size_t max_calendar_schedules = 500, max_calendar_events = 1'000;

/// The feed of a calendar, for programs that subscribe to it. It has the rules of the schedules
/// that are not paused, as rules where RFC 5545 can say them, else their occurrences within some
/// days; events that a caller has moved, at their new instants; and the single events of the
/// person. Each entry keeps its UID. The text changes only when one of them does, or a day begins.
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
