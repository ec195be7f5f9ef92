#include "application/ports/user_repository.hpp"

#include <memory>
#include <string>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

bool matches(const User& user, const UserQuery& query) {
    return any_of(query.timezones, user.timezone) &&
           is(query.birth_month, static_cast<unsigned>(user.date_of_birth.month())) &&
           is(query.birth_day, static_cast<unsigned>(user.date_of_birth.day())) &&
           any_starts(query.prefix, {to_string(user.id), user.first_name, user.last_name,
                                     user.external_id.value_or("")}) &&
           within(query.created_from, query.created_to, std::optional{user.created_at});
}

/// Whether a list that passes users reads this one: lists by creation begin and end at these times.
bool is_in_range(const User& user, const UserQuery& query) {
    return query.sort != UserQuery::Sort::created_at ||
           within(query.created_from, query.created_to, std::optional{user.created_at});
}

class MemoryUserRepository final : public UserRepository {
public:
    explicit MemoryUserRepository(State& state) : users_{state.users} {}

    Result<void, DuplicateExternalId> add(const User& user) override {
        auto free = external_id_is_free(users_, user, Noun::user);
        if (free) users_.insert(user.id, user);
        return free;
    }

    std::optional<User> find(UserId id) override {
        const User* user = users_.find(id);
        return user ? std::optional{*user} : std::nullopt;
    }
    std::vector<User> find_all(std::span<const UserId> ids) override {
        return those_of(users_, ids);
    }
    std::optional<UserId> id_of(std::string_view external_id) override {
        return memory::id_of(users_, external_id);
    }
    std::map<std::string, UserId> ids_of(std::span<const std::string> external_ids) override {
        return memory::ids_of(users_, external_ids);
    }
    std::optional<User> lock(UserId id) override { return find(id); }
    std::vector<User> share(std::span<const UserId> ids) override { return those_of(users_, ids); }
    std::vector<User> try_share(std::span<const UserId> ids) override { return share(ids); }

    Result<void, DuplicateExternalId> update(const User& user) override {
        auto free = external_id_is_free(users_, user, Noun::user);
        if (free) users_.replace(user.id, user);
        return free;
    }

    void remove(UserId id) override { users_.erase(id); }

    Page<User> list(const UserQuery& query) override {
        using Sort = UserQuery::Sort;
        if (query.sort == Sort::last_name) {
            return list_by<std::string>(
                query, [](const User& user) { return user.last_name; },
                [](const std::string& name) { return name; });
        }
        return list_by<std::int64_t>(
            query,
            [&](const User& user) {
                return microseconds_of(query.sort == Sort::created_at ? user.created_at
                                                                      : user.updated_at);
            },
            [](std::int64_t at) { return std::to_string(at); });
    }

    std::uint64_t count() override { return users_.rows().size(); }

    std::vector<User> share_after(std::optional<UserId> after, std::size_t limit) override {
        const auto& rows = users_.rows();
        std::vector<User> users;
        for (auto row = after ? rows.upper_bound(*after) : rows.begin();
             row != rows.end() && users.size() < limit; ++row) {
            users.push_back(row->second);
        }
        return users;
    }

private:
    template <class Value, class ValueOf, class Text>
    Page<User> list_by(const UserQuery& query, const ValueOf& value_of, const Text& text) {
        const bool bounded = query.max_passed && passes_rows(query);
        std::vector<User> users;
        for (const auto& [id, user] : users_.rows()) {
            if (bounded ? is_in_range(user, query) : matches(user, query)) users.push_back(user);
        }
        std::optional<PageKey> passed;
        if (bounded) {
            PageRequest all = query.page;
            all.limit = *query.max_passed;
            Page<User> read = page_of<Value>(std::move(users), all, value_of);
            if (read.items.size() == all.limit) {
                const User& last = read.items.back();
                passed = PageKey{text(value_of(last)), last.id.value};
            }
            users = std::move(read.items);
            std::erase_if(users, [&](const User& user) { return !matches(user, query); });
        }
        Page<User> page = page_of<Value>(std::move(users), query.page, value_of);
        if (passed && !page.has_more) {
            page.has_more = true;
            page.passed = std::move(passed);
        }
        return page;
    }

    Table<UserId, User>& users_;
};

}  // namespace

std::unique_ptr<UserRepository> make_user_repository(Session& session) {
    return std::make_unique<MemoryUserRepository>(session.state);
}

}  // namespace sundial::memory
