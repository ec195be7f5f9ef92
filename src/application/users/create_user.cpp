#include "application/users/create_user.hpp"

#include <utility>

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

Result<User> CreateUser::run(const UserFields& wanted, const Caller& caller) {
    Instant earliest = never;
    // Inserts the user, shares the schedules, inserts the events.
    auto result = in_transaction(store_, [&](Transaction& tx) -> Result<User> {
        const auto zones = zones_.current();
        const auto read =
            read_user(blank(UserId{ids_.fresh()}, tx.now()), wanted, *zones, tx.now());
        if (!read) return read.error();
        const User& user = *read;
        if (auto added = tx.users().add(user); !added) return added.error();
        tx.record(user_created(user, {ids_.fresh(), caller}));

        ChainPlanner planner{tx, &user, *zones, ids_};
        for (const Schedule& schedule : tx.schedules().share_per_user()) planner.begin(schedule);
        earliest = planner.earliest();
        return user;
    });
    if (result) wakeups_.due_at(earliest);
    return result;
}

}  // namespace sundial
