#include "adapters/postgres/user_repository.hpp"

#include "adapters/postgres/control_statements.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/rows.hpp"

namespace sundial::postgres {

Answer PostgresUserRepository::write(const Statement& statement, const User& user) {
    const auto [date_names, dates] = unzipped(user.dates);
    const auto [metadata_names, metadata] = unzipped(user.metadata);
    return session_.run(statement, user.id, user.external_id, user.first_name, user.last_name,
                        user.date_of_birth, user.timezone, date_names, dates, metadata_names,
                        metadata, user.version, user.created_at, user.updated_at);
}

Result<void> PostgresUserRepository::external_id_is_free(const User& user) {
    if (!user.external_id) return {};
    const auto holder = id_of(*user.external_id);
    if (!holder || *holder == user.id) return {};
    return DuplicateExternalId{Noun::user, *user.external_id, holder->value};
}

Result<void> PostgresUserRepository::add(const User& user) {
    if (write(sql::add_user, user).changed() == 1) return {};
    auto free = external_id_is_free(user);
    if (free) throw conflict("the user with that external id has just gone");
    return free;
}

std::optional<User> PostgresUserRepository::find(UserId id) {
    return first_of(users_in(session_.run(sql::find_user, id)));
}

std::optional<UserId> PostgresUserRepository::id_of(std::string_view external_id) {
    return first_of(column_of<UserId>(session_.run(sql::user_of_external_id, external_id), 0));
}

std::map<std::string, UserId> PostgresUserRepository::ids_of(
    std::span<const std::string> external_ids) {
    return ids_by_text<UserId>(
        session_.run(sql::users_of_external_ids,
                     std::vector<std::string>{external_ids.begin(), external_ids.end()}));
}

std::optional<User> PostgresUserRepository::lock(UserId id) {
    return first_of(users_in(session_.run(sql::lock_user, id)));
}

std::vector<User> PostgresUserRepository::share(std::span<const UserId> ids) {
    return users_in(session_.run(sql::share_users, std::vector<UserId>{ids.begin(), ids.end()}));
}

std::vector<User> PostgresUserRepository::try_share(std::span<const UserId> ids) {
    return users_in(
        session_.run(sql::try_share_users, std::vector<UserId>{ids.begin(), ids.end()}));
}

// If another transaction takes the external id between the check and the update, the update fails.
// Then the work runs again, and the check finds the other user.
Result<void> PostgresUserRepository::update(const User& user) {
    auto free = external_id_is_free(user);
    if (free) base::check(write(sql::update_user, user).changed() == 1);
    return free;
}

void PostgresUserRepository::remove(UserId id) {
    base::check(session_.run(sql::remove_user, id).changed() == 1);
}

Page<User> PostgresUserRepository::list(const UserQuery& query) {
    const auto run = [&](const Statement& statement, const auto& last_value) {
        return page_in(
            users_in(session_.run(statement, if_any(query.timezones), as_integer(query.birth_month),
                                  as_integer(query.birth_day), query.prefix, query.created_from,
                                  query.created_to, last_id(query.page), last_value,
                                  rows_for(query.page))),
            query.page);
    };
    const bool down = query.page.descending;
    switch (query.sort) {
        case UserQuery::Sort::last_name:
            return run(down ? sql::users_by_last_name_down : sql::users_by_last_name,
                       last_text(query.page));
        case UserQuery::Sort::updated_at:
            return run(down ? sql::users_by_update_down : sql::users_by_update,
                       last_instant(query.page));
        case UserQuery::Sort::created_at:
            break;
    }
    return run(down ? sql::users_by_creation_down : sql::users_by_creation,
               last_instant(query.page));
}

std::uint64_t PostgresUserRepository::count() {
    return session_.run(sql::count_users).get<std::uint64_t>(0, 0);
}

std::vector<User> PostgresUserRepository::share_after(std::optional<UserId> after,
                                                      std::size_t limit) {
    return users_in(session_.run(sql::share_users_after, after, std::int64_t(limit)));
}

}  // namespace sundial::postgres
