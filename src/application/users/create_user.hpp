#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "application/users/edit_user.hpp"
#include "domain/user.hpp"

namespace sundial {

/// Plans the first event of every perUser schedule for a stored user, and returns when the first of
/// them is claimable. Shares the schedules.
[[nodiscard]] Instant plan_first_events(Transaction& tx, const User& user, const TzData& zones,
                                        Ids& ids);

/// The result of adding several users in one transaction.
struct AddedUsers {
    std::vector<UserResult<User>> results;  // one per requested user, in their order
    Instant earliest = never;               // when the first of their events is claimable
};

/// Adds a user and, in the same transaction, plans the first event of every perUser schedule,
/// strictly after now. A user created on the birthday at 09:00 or later gets the first event next
/// year.
class CreateUser {
public:
    CreateUser(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    /// Errors: ValidationFailed (pointers /firstName, /dateOfBirth, /dates/anniversary, …),
    /// DuplicateExternalId.
    [[nodiscard]] UserResult<User> run(const UserFields& requested, const Caller& caller);
    /// Adds each user that is not refused, in the caller's transaction. Nothing is written for a
    /// refused one. Inserts all users first and shares the schedules once, so many users cost less
    /// than as many calls of `run`. Call `wake` after the commit. Errors: as above.
    [[nodiscard]] AddedUsers add(Transaction& tx, std::span<const UserFields* const> requested,
                                 const Caller& caller);
    /// Hints that events from `earliest` on are committed.
    void wake(Instant earliest) { wakeups_.due_at(earliest); }

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

struct PutResult {
    User user;
    bool created = false;
    bool changed = true;  // false: the user was as requested already
    std::optional<Reschedule> reschedule;
};

/// Creates the user of an external id, or replaces all its fields.
class PutUser {
public:
    PutUser(CreateUser& create, EditUser& edit) : create_(create), edit_(edit) {}
    /// Ignores `requested.external_id`. With `expected` nothing is created. Errors:
    /// ValidationFailed, OptimisticLock, NotFound (only with `expected`).
    [[nodiscard]] UserResult<PutResult> run(const std::string& external_id, UserFields requested,
                                            std::optional<Version> expected, const Caller& caller);

private:
    CreateUser& create_;
    EditUser& edit_;
};

}  // namespace sundial
