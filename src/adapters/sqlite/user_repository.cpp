#include "application/ports/user_repository.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/user_sql.hpp"
#include "adapters/sqlite/value.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

std::int64_t write(Connection& connection, const Statement& statement, const User& user) {
    TextPairs dates;
    for (const auto& [name, date] : user.dates) dates.emplace_back(name, format_date(date));
    const TextPairs metadata{user.metadata.begin(), user.metadata.end()};
    return connection.execute(statement, user.id, user.external_id, user.first_name, user.last_name,
                              user.date_of_birth, user.timezone, object_of(dates),
                              object_of(metadata), user.version, user.created_at, user.updated_at);
}

/// Of one order and direction.
struct UserStatements {
    const Statement& list;
    const Statement& passed;
};

/// The part of an order that a page may read: after `start`, up to `end`.
struct CreationPart {
    PageRequest start, end;
};

/// A list by creation begins and ends with its range, instead of passing the users outside of it.
CreationPart part_of(const UserQuery& query) {
    CreationPart part{.start = query.page, .end = {}};
    if (query.sort != UserQuery::Sort::created_at) return part;
    const bool down = query.page.descending;
    const auto place = [](Instant at) {
        return PageKey{std::to_string(at.time_since_epoch().count()), Uuid{}};  // before all ids
    };
    if (const auto last = down ? query.created_from : query.created_to)
        part.end.after = place(*last);
    const auto first = down ? query.created_to : query.created_from;
    if (!first) return part;
    const auto after = number_after(query.page);
    const std::int64_t at = first->time_since_epoch().count();
    if (!after || (down ? at <= *after : at > *after)) part.start.after = place(*first);
    return part;
}

const UserStatements& statements_of(const UserQuery& query) {
    static constexpr std::array<std::array<UserStatements, 2>, 3> all{{
        {{{sql::users_by_creation, sql::passed_users_by_creation},
          {sql::users_by_creation_down, sql::passed_users_by_creation_down}}},
        {{{sql::users_by_name, sql::passed_users_by_name},
          {sql::users_by_name_down, sql::passed_users_by_name_down}}},
        {{{sql::users_by_update, sql::passed_users_by_update},
          {sql::users_by_update_down, sql::passed_users_by_update_down}}},
    }};
    return all.at(static_cast<std::size_t>(query.sort)).at(query.page.descending ? 1 : 0);
}

/// Only one connection writes, so every row that it reads is already locked and shared.
class SqliteUserRepository final : public UserRepository {
public:
    explicit SqliteUserRepository(Session& session) : connection_{session.connection} {}

    Result<void, DuplicateExternalId> add(const User& user) override {
        if (write(connection_, sql::add_user, user) == 1) return {};
        return DuplicateExternalId{Noun::user, user.external_id.value(),
                                   id_of(*user.external_id).value().value};
    }

    std::optional<User> find(UserId id) override {
        return first_of(connection_.query(sql::user, id), read_user);
    }
    std::optional<UserId> id_of(std::string_view external_id) override {
        return sqlite::id_of<UserId>(connection_.query(sql::user_id, external_id));
    }

    std::map<std::string, UserId> ids_of(std::span<const std::string> external_ids) override {
        std::map<std::string, UserId> found;
        for (const std::string& external_id : external_ids) {
            if (const auto id = id_of(external_id)) found.emplace(external_id, *id);
        }
        return found;
    }

    std::optional<User> lock(UserId id) override { return find(id); }

    std::vector<User> find_all(std::span<const UserId> ids) override {
        std::vector<User> users;
        for (const UserId& id : std::set<UserId>{ids.begin(), ids.end()}) {
            if (auto user = find(id)) users.push_back(*std::move(user));
        }
        return users;
    }
    std::vector<User> share(std::span<const UserId> ids) override { return find_all(ids); }

    std::vector<User> try_share(std::span<const UserId> ids) override { return share(ids); }

    Result<void, DuplicateExternalId> update(const User& user) override {
        if (user.external_id) {
            const auto holder = id_of(*user.external_id);
            if (holder && *holder != user.id) {
                return DuplicateExternalId{Noun::user, *user.external_id, holder->value};
            }
        }
        base::check(write(connection_, sql::update_user, user) == 1);
        return {};
    }

    void remove(UserId id) override { connection_.execute(sql::remove_user, id); }

    Page<User> list(const UserQuery& query) override {
        return query.sort == UserQuery::Sort::last_name
                   ? walked<std::string>(query, text_after, [](const auto& text) { return text; })
                   : walked<std::int64_t>(query, number_after,
                                          [](auto number) { return std::to_string(number); });
    }

    std::uint64_t count() override { return count_in(connection_.query(sql::count_users)); }
    std::vector<User> share_after(std::optional<UserId> after, std::size_t limit) override {
        return all_of(connection_.query(sql::users_after, after, limit), read_user);
    }

private:
    /// `value_in`: the sort value of a page's last row. `text_of`: its text in a PageKey.
    template <class Value, class TextOf>
    Page<User> walked(const UserQuery& query, std::optional<Value> value_in(const PageRequest&),
                      const TextOf& text_of) {
        const UserStatements& statements = statements_of(query);
        const CreationPart part = part_of(query);
        PageRequest end;
        if (query.max_passed && passes_rows(query)) {
            Cursor row =
                connection_.query(statements.passed, id_after(part.start), value_in(part.start),
                                  id_after(part.end), value_in(part.end), *query.max_passed - 1);
            if (row.next()) end.after = PageKey{text_of(row.get<Value>(1)), row.get<Uuid>(0)};
        }
        const PageRequest& until = end.after ? end : part.end;
        std::optional<std::string> zones;
        if (!query.timezones.empty()) zones = array_of(query.timezones);
        const IdRange ids = ids_with(query.prefix);
        auto page = page_of(
            all_of(connection_.query(statements.list, zones, query.birth_month, query.birth_day,
                                     query.prefix, ids.first, ids.last, query.created_from,
                                     query.created_to, id_after(part.start), value_in(part.start),
                                     limit_of(query.page), id_after(until), value_in(until)),
                   read_user),
            query.page);
        if (end.after && !page.has_more) {
            page.has_more = true;
            page.passed = std::move(end.after);
        }
        return page;
    }

    Connection& connection_;
};

}  // namespace

std::unique_ptr<UserRepository> make_user_repository(Session& session) {
    return std::make_unique<SqliteUserRepository>(session);
}

}  // namespace sundial::sqlite
