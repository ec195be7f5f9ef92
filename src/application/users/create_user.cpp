#include "application/users/create_user.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "application/audit/recorded_changes.hpp"
#include "application/schedules/chain_planner.hpp"

namespace sundial {
namespace {

User blank(UserId id, Instant now) {
    return {.id = id,
            .external_id = std::nullopt,
            .first_name = {},
            .last_name = {},
            .date_of_birth = {},
            .timezone = {},
            .dates = {},
            .metadata = {},
            .created_at = now,
            .updated_at = now};
}

Instant plan_first_events(Transaction& tx, const User& user, std::span<const Schedule> schedules,
                          const TzData& zones, Ids& ids) {
    ChainPlanner planner{tx, &user, zones, ids};
    for (const Schedule& schedule : schedules) planner.begin(schedule);
    return planner.earliest();
}

}  // namespace

Instant plan_first_events(Transaction& tx, const User& user, const TzData& zones, Ids& ids) {
    return plan_first_events(tx, user, tx.schedules().share_per_user(), zones, ids);
}

AddedUsers CreateUser::add(Transaction& tx, std::span<const UserFields* const> requested,
                           const Caller& caller) {
    const auto zones = zones_.current();
    AddedUsers added;
    added.results.reserve(requested.size());
    for (const UserFields* fields : requested) {
        auto user = read_user(blank(UserId{ids_.fresh()}, tx.now()), *fields, *zones, tx.now());
        if (user) {
            if (auto stored = tx.users().add(*user); !stored) user = stored.error();
        }
        if (user) tx.record(user_created(*user, {ids_.fresh(), caller}));
        added.results.push_back(std::move(user));
    }
    const auto schedules = tx.schedules().share_per_user();
    for (const auto& user : added.results) {
        if (!user) continue;
        added.earliest =
            std::min(added.earliest, plan_first_events(tx, *user, schedules, *zones, ids_));
    }
    return added;
}

UserResult<User> CreateUser::run(const UserFields& requested, const Caller& caller) {
    Instant earliest = never;
    // Inserts the user, shares the schedules, inserts the events.
    auto result = in_transaction(store_, [&](Transaction& tx) -> UserResult<User> {
        const UserFields* const only = &requested;
        AddedUsers added = add(tx, {&only, 1}, caller);
        earliest = added.earliest;
        return std::move(added.results.front());
    });
    if (result) wake(earliest);
    return result;
}

namespace {

/// Bounds the attempts. Each attempt but the last lost to a concurrent create or delete of the same
/// user.
constexpr int turns = 5;

bool absent(const UserResult<EditedUser>& edited) {
    return !edited && std::holds_alternative<NotFound>(edited.error());
}

/// Another caller created it after the lookup.
bool exists(const UserResult<User>& created, const std::string& external_id) {
    if (created) return false;
    const auto* duplicate = std::get_if<DuplicateExternalId>(&created.error());
    return duplicate && duplicate->external_id == external_id;
}

}  // namespace

UserResult<PutResult> PutUser::run(const std::string& external_id, UserFields requested,
                                   std::optional<Version> expected, const Caller& caller) {
    requested.external_id = external_id;
    const std::string reference = "ext:" + external_id;
    for (int turn = 1;; ++turn) {
        auto edited = edit_.replace(reference, requested, expected, caller);
        if (edited) {
            return PutResult{edited->user, false, edited->changed, std::move(edited->reschedule)};
        }
        if (!absent(edited) || expected) return edited.error();

        auto created = create_.run(requested, caller);
        if (created) return PutResult{*std::move(created), true, true, std::nullopt};
        if (!exists(created, external_id) || turn == turns) return created.error();
    }
}

}  // namespace sundial
