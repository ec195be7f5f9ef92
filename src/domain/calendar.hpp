#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/error.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// Grants read access to one iCalendar feed: of a schedule, of a person, or of a schedule for a
/// person.
struct Calendar {
    CalendarId id;
    std::string name;                    // shown by calendar programs
    std::optional<ScheduleId> schedule;  // at least one of the two
    std::optional<UserId> user;
    std::string token_hash;  // SHA-256: 32 bytes
    std::optional<Instant> expires_at{};
    Version version{1};
    Instant created_at{};
    friend bool operator==(const Calendar&, const Calendar&) = default;
};

[[nodiscard]] inline bool expired(const Calendar& calendar, Instant now) {
    return calendar.expires_at && *calendar.expires_at <= now;
}

/// The token in the address of a feed: `sundial_cal_` and 32 random bytes in base64url.
[[nodiscard]] std::string calendar_token(std::string_view secret);
/// The secret; nothing if `text` is not such a token.
[[nodiscard]] std::optional<std::string> secret_of_calendar_token(std::string_view text);

}  // namespace sundial
