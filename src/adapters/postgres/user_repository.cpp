#include "application/ports/user_repository.hpp"

#include <array>
#include <memory>
#include <utility>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/event_list_sql.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"
#include "adapters/postgres/user_sql.hpp"

namespace sundial::postgres {
namespace {

/// Of one order and direction.
struct Statements {
    const Statement& list;
    const Statement& passed;
};

const Statements& statements_of(const UserQuery& query) {
    static constexpr std::array<std::array<Statements, 2>, 3> all{{
        {{{sql::users_by_creation, sql::passed_users_by_creation},
          {sql::users_by_creation_down, sql::passed_users_by_creation_down}}},
        {{{sql::users_by_last_name, sql::passed_users_by_last_name},
          {sql::users_by_last_name_down, sql::passed_users_by_last_name_down}}},
        {{{sql::users_by_update, sql::passed_users_by_update},
          {sql::users_by_update_down, sql::passed_users_by_update_down}}},
    }};
    return all.at(static_cast<std::size_t>(query.sort)).at(query.page.descending ? 1 : 0);
}

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
        return query.sort == UserQuery::Sort::last_name ? page_of(query, last_text)
                                                        : page_of(query, last_instant);
    }

    std::uint64_t count() override {
        return session_.run(sql::count_users).get<std::uint64_t>(0, 0);
    }
    std::vector<User> share_after(std::optional<UserId> after, std::size_t limit) override {
        return users_in(session_.run(sql::share_users_after, after, std::int64_t(limit)));
    }

private:
    /// `value_in`: the sort value of a page's last row, as a parameter.
    template <class Value>
    Page<User> page_of(const UserQuery& query, Value value_in(const PageRequest&)) {
        const Statements& statements = statements_of(query);
        PageRequest end;
        if (query.max_passed && passes_rows(query)) {
            (void)session_.run(sql::walk_indexes);
            const Answer row = session_.run(statements.passed, last_id(query.page),
                                            value_in(query.page), query.created_from,
                                            query.created_to, std::int64_t(*query.max_passed) - 1);
            if (!row.empty()) end.after = place_in(row, query.sort);
        }
        auto page =
            page_in(users_in(session_.run(
                        statements.list, if_any(query.timezones), as_integer(query.birth_month),
                        as_integer(query.birth_day), query.prefix, query.created_from,
                        query.created_to, last_id(query.page), value_in(query.page),
                        rows_for(query.page), last_id(end), value_in(end))),
                    query.page);
        if (end.after && !page.has_more) {
            page.has_more = true;
            page.passed = std::move(end.after);
        }
        return page;
    }

    static PageKey place_in(const Answer& row, UserQuery::Sort sort) {
        if (sort == UserQuery::Sort::last_name) {
            return {row.get<std::string>(0, 1), row.get<base::Uuid>(0, 0)};
        }
        return {std::to_string(row.get<Instant>(0, 1).time_since_epoch().count()),
                row.get<base::Uuid>(0, 0)};
    }

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
