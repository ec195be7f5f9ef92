#pragma once

#include <string>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"
#include "application/users/user_fields.hpp"
#include "domain/user.hpp"

namespace sundial {

/// Adds a user and, in the same transaction, plans the first event of every perUser schedule,
/// strictly after now. A user created on the birthday at 09:00 or later gets the first event next
/// year.
class CreateUser {
public:
    CreateUser(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    /// Errors: ValidationFailed (pointers /firstName, /dateOfBirth, /dates/anniversary, …),
    /// DuplicateExternalId.
    [[nodiscard]] Result<User> run(const UserFields& wanted, const Caller& caller);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
