#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "domain/calendar.hpp"

namespace sundial {

struct NewCalendar {
    std::string name{};                     // empty: that of what it shows
    std::optional<std::string> schedule{};  // id or ext:…
    std::optional<std::string> user{};
    std::optional<Instant> expires_at{};
};

struct CreatedCalendar {
    Calendar calendar;
    std::string token;  // shown only once
};

/// Grants read access to the feed of a schedule, of a person, or of a schedule for a person.
class CreateCalendar {
public:
    CreateCalendar(Store& store, ApiKeySecrets& secrets, Ids& ids)
        : store_(store), secrets_(secrets), ids_(ids) {}
    /// Errors: ValidationFailed, also for a schedule that runs for each user without naming one;
    /// NotFound.
    [[nodiscard]] CalendarResult<CreatedCalendar> run(const NewCalendar& requested,
                                                      const Caller& caller);

private:
    Store& store_;
    ApiKeySecrets& secrets_;
    Ids& ids_;
};

/// Revokes the access, at once on every instance.
class RevokeCalendar {
public:
    RevokeCalendar(Store& store, Ids& ids) : store_(store), ids_(ids) {}
    /// Errors: NotFound.
    [[nodiscard]] CalendarResult<void> run(std::string_view id, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
};

}  // namespace sundial
