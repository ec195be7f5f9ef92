#include "application/ports/user_repository.hpp"

#include <memory>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"
#include "adapters/postgres/user_sql.hpp"

namespace sundial::postgres {
namespace {

class PostgresUserRepository final : public UserRepository {
public:
    explicit PostgresUserRepository(Session& session) : session_{session} {}

    Result<void, DuplicateExternalId> add(const User& user) override {
        if (write(sql::add_user, user).changed() == 1) return {};
        auto free = external_id_is_free(user);
        if (free) throw conflict("the user with that external id has just been deleted");
        return free;
    }

    std::optional<User> find(UserId id) override {
        return first_of(users_in(session_.run(sql::find_user, id)));
    }
    std::vector<User> find_all(std::span<const UserId> ids) override {
        return users_in(session_.run(sql::find_users, ids));
    }
    std::optional<UserId> id_of(std::string_view external_id) override {
        return first_of(column_of<UserId>(session_.run(sql::user_of_external_id, external_id), 0));
    }

    std::map<std::string, UserId> ids_of(std::span<const std::string> external_ids) override {
        return ids_by_text<UserId>(session_.run(sql::users_of_external_ids, external_ids));
    }

    std::optional<User> lock(UserId id) override {
        return first_of(users_in(session_.run(sql::lock_user, id)));
    }
    std::vector<User> share(std::span<const UserId> ids) override {
        return users_in(session_.run(sql::share_users, ids));
    }
    std::vector<User> try_share(std::span<const UserId> ids) override {
        return users_in(session_.run(sql::try_share_users, ids));
    }

    // If another transaction takes the external id between the check and the update, the update
    // fails. Then the work runs again, and the check finds the other user.
    Result<void, DuplicateExternalId> update(const User& user) override {
        auto free = external_id_is_free(user);
        if (free) base::check(write(sql::update_user, user).changed() == 1);
        return free;
    }

    void remove(UserId id) override {
        base::check(session_.run(sql::remove_user, id).changed() == 1);
    }

    Page<User> list(const UserQuery& query) override {
        const auto run = [&](const Statement& statement, const auto& last_value) {
            return page_in(
                users_in(session_.run(statement, if_any(query.timezones),
                                      as_integer(query.birth_month), as_integer(query.birth_day),
                                      query.prefix, query.created_from, query.created_to,
                                      last_id(query.page), last_value, rows_for(query.page))),
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

    std::uint64_t count() override {
        return session_.run(sql::count_users).get<std::uint64_t>(0, 0);
    }
    std::vector<User> share_after(std::optional<UserId> after, std::size_t limit) override {
        return users_in(session_.run(sql::share_users_after, after, std::int64_t(limit)));
    }

private:
    Answer write(const Statement& statement, const User& user) {
        return session_.run(statement, user.id, user.external_id, user.first_name, user.last_name,
                            user.date_of_birth, user.timezone, first_column(user.dates),
                            second_column(user.dates), first_column(user.metadata),
                            second_column(user.metadata), user.version, user.created_at,
                            user.updated_at);
    }

    Result<void, DuplicateExternalId> external_id_is_free(const User& user) {
        if (!user.external_id) return {};
        const auto holder = id_of(*user.external_id);
        if (!holder || *holder == user.id) return {};
        return DuplicateExternalId{Noun::user, *user.external_id, holder->value};
    }

    Session& session_;
};

}  // namespace

std::unique_ptr<UserRepository> make_user_repository(Session& session) {
    return std::make_unique<PostgresUserRepository>(session);
}

}  // namespace sundial::postgres
