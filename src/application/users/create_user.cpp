#include "application/users/create_user.hpp"

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

}  // namespace

Instant plan_first_events(Transaction& tx, const User& user, const TzData& zones, Ids& ids) {
    ChainPlanner planner{tx, &user, zones, ids};
    for (const Schedule& schedule : tx.schedules().share_per_user()) planner.begin(schedule);
    return planner.earliest();
}

UserResult<User> CreateUser::run(const UserFields& requested, const Caller& caller) {
    Instant earliest = never;
    // Inserts the user, shares the schedules, inserts the events.
    auto result = in_transaction(store_, [&](Transaction& tx) -> UserResult<User> {
        const auto zones = zones_.current();
        const auto read =
            read_user(blank(UserId{ids_.fresh()}, tx.now()), requested, *zones, tx.now());
        if (!read) return read.error();
        const User& user = *read;
        if (auto added = tx.users().add(user); !added) return added.error();
        tx.record(user_created(user, {ids_.fresh(), caller}));

        earliest = plan_first_events(tx, user, *zones, ids_);
        return user;
    });
    if (result) wakeups_.due_at(earliest);
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
        if (edited) return PutResult{edited->user, false, std::move(edited->reschedule)};
        if (!absent(edited) || expected) return edited.error();

        auto created = create_.run(requested, caller);
        if (created) return PutResult{*std::move(created), true, std::nullopt};
        if (!exists(created, external_id) || turn == turns) return created.error();
    }
}

}  // namespace sundial
