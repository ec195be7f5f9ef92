#include "adapters/memory/user_repository.hpp"

#include <string>

#include "adapters/memory/external_ids.hpp"
#include "adapters/memory/paging.hpp"

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

}  // namespace

Result<void> MemoryUserRepository::add(const User& user) {
    auto free = external_id_is_free(users_, user, Noun::user);
    if (free) users_.insert(user.id, user);
    return free;
}

std::optional<User> MemoryUserRepository::find(UserId id) {
    const User* user = users_.find(id);
    return user ? std::optional{*user} : std::nullopt;
}

std::optional<UserId> MemoryUserRepository::id_of(std::string_view external_id) {
    return memory::id_of(users_, external_id);
}

std::map<std::string, UserId> MemoryUserRepository::ids_of(
    std::span<const std::string> external_ids) {
    return memory::ids_of(users_, external_ids);
}

std::optional<User> MemoryUserRepository::lock(UserId id) { return find(id); }

std::vector<User> MemoryUserRepository::share(std::span<const UserId> ids) {
    return those_of(users_, ids);
}

std::vector<User> MemoryUserRepository::try_share(std::span<const UserId> ids) {
    return share(ids);
}

Result<void> MemoryUserRepository::update(const User& user) {
    auto free = external_id_is_free(users_, user, Noun::user);
    if (free) users_.replace(user.id, user);
    return free;
}

void MemoryUserRepository::remove(UserId id) { users_.erase(id); }

Page<User> MemoryUserRepository::list(const UserQuery& query) {
    std::vector<User> users;
    for (const auto& [id, user] : users_.rows()) {
        if (matches(user, query)) users.push_back(user);
    }
    using Sort = UserQuery::Sort;
    if (query.sort == Sort::last_name) {
        return page_of<std::string>(std::move(users), query.page,
                                    [](const User& user) { return user.last_name; });
    }
    return page_of<std::int64_t>(std::move(users), query.page, [&](const User& user) {
        return microseconds_of(query.sort == Sort::created_at ? user.created_at : user.updated_at);
    });
}

std::uint64_t MemoryUserRepository::count() { return users_.rows().size(); }

std::vector<User> MemoryUserRepository::share_after(std::optional<UserId> after,
                                                    std::size_t limit) {
    const auto& rows = users_.rows();
    std::vector<User> users;
    for (auto row = after ? rows.upper_bound(*after) : rows.begin();
         row != rows.end() && users.size() < limit; ++row) {
        users.push_back(row->second);
    }
    return users;
}

}  // namespace sundial::memory
