#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"
#include "application/users/user_fields.hpp"
#include "domain/user.hpp"

namespace sundial {

/// The effect of an edit on the user's live events.
struct Reschedule {
    std::size_t rescheduled = 0;    // PENDING events that got another instant or occurrence
    std::size_t total_pending = 0;  // PENDING events found
    std::vector<EventId> skipped;   // in PROCESSING: delivered as planned
};

struct EditedUser {
    User user;
    std::optional<Reschedule> reschedule;  // present if zone, birth date or further dates changed
};

/// Changes a user and, in the same transaction, moves and renders again the user's PENDING events
/// (time-semantics 10). Another zone keeps the nominal date; another birth date replaces the
/// occurrence with the first one after now. An edit that changes nothing makes no new version.
class EditUser {
public:
    EditUser(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    /// `expected` is the version that the caller requires, if any. Errors: NotFound,
    /// OptimisticLock, ValidationFailed, DuplicateExternalId.
    [[nodiscard]] Result<EditedUser> run(std::string_view reference, const UserEdit& edit,
                                         std::optional<Version> expected, const Caller& caller);
    /// Replaces every field of the user with that of `wanted`. The external id stays if `wanted`
    /// has none. Errors: as above.
    [[nodiscard]] Result<EditedUser> replace(std::string_view reference, const UserFields& wanted,
                                             std::optional<Version> expected, const Caller& caller);

private:
    /// Computes the new fields from the current ones.
    using Transform = std::function<UserFields(UserFields)>;
    Result<EditedUser> change(std::string_view reference, const Transform& transform,
                              std::optional<Version> expected, const Caller& caller);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
