#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/edits.hpp"
#include "application/requests/results.hpp"
#include "domain/user.hpp"

namespace sundial {

/// The fields of a requested user, as texts, so that all defects are reported together.
struct UserFields {
    std::optional<std::string> external_id{};
    std::string first_name{};
    std::string last_name{};
    std::string date_of_birth{};                 // 1992-02-29
    std::string timezone{};                      // IANA id
    std::map<std::string, std::string> dates{};  // "anniversary" → "2015-06-01"
    std::map<std::string, std::string> metadata{};
};

/// The changes of a user; empty fields stay.
struct UserEdit {
    Edit<std::string> external_id{};
    std::optional<std::string> first_name{};
    std::optional<std::string> last_name{};
    std::optional<std::string> date_of_birth{};
    std::optional<std::string> timezone{};
    TextsEdit dates{};
    TextsEdit metadata{};
};

[[nodiscard]] UserFields fields_of(const User& user);
[[nodiscard]] UserFields edited(UserFields fields, const UserEdit& edit);

/// `user` with all values of `fields`. Errors: ValidationFailed, with every wrong field (pointers
/// /firstName, /dateOfBirth, /timezone, /dates/anniversary, …).
[[nodiscard]] UserResult<User> read_user(User user, const UserFields& fields, const TzData& zones,
                                         Instant now);

/// The effect of an edit on the user's live events.
struct Reschedule {
    std::size_t rescheduled = 0;    // PENDING events that got another instant or occurrence
    std::size_t total_pending = 0;  // PENDING events found
    std::vector<EventId> skipped;   // in PROCESSING: delivered as planned
};

struct MovedEvents {
    std::optional<Reschedule> reschedule;  // present if zone, birth date or further dates changed
    Instant earliest = never;              // when the first moved or new event is claimable
};
/// Moves and renders again the live events of `after`, whose row is stored and locked. Shares the
/// schedules, locks the events.
[[nodiscard]] MovedEvents move_events_of(Transaction& tx, const User& before, const User& after,
                                         const TzData& zones, Ids& ids);

struct EditedUser {
    User user;
    bool changed = true;                   // false: the user was as requested already
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
    [[nodiscard]] UserResult<EditedUser> run(std::string_view reference, const UserEdit& edit,
                                             std::optional<Version> expected, const Caller& caller);
    /// Replaces every field of the user with that of `replacement`. The external id stays if
    /// `replacement` has none. Errors: as above.
    [[nodiscard]] UserResult<EditedUser> replace(std::string_view reference,
                                                 const UserFields& replacement,
                                                 std::optional<Version> expected,
                                                 const Caller& caller);

private:
    /// Computes the new fields from the current ones.
    using Transform = std::function<UserFields(UserFields)>;
    UserResult<EditedUser> change(std::string_view reference, const Transform& transform,
                                  std::optional<Version> expected, const Caller& caller);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
