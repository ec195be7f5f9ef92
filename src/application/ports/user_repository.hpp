#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/user.hpp"

namespace sundial {

struct UserQuery {
    enum class Sort : std::uint8_t { created_at, last_name, updated_at };
    std::vector<std::string> timezones;  // any of them; empty: all
    std::optional<unsigned> birth_month;
    std::optional<unsigned> birth_day;
    std::optional<std::string> prefix;    // of id, external id, first or last name
    std::optional<Instant> created_from;  // inclusive
    std::optional<Instant> created_to;    // exclusive
    Sort sort = Sort::created_at;
    PageRequest page;
    /// How many rows a page may pass (see `passes_rows`), greater than 0. A page that passed so
    /// many ends, perhaps without an item, and has more, even if these rows were the last ones.
    /// Empty: unbounded.
    std::optional<std::size_t> max_passed{};
};

/// Whether the users that match may be rare among those that a list reads in its order.
[[nodiscard]] inline bool passes_rows(const UserQuery& query) {
    const bool by_creation = query.sort == UserQuery::Sort::created_at;
    return !query.timezones.empty() || query.birth_month || query.birth_day || query.prefix ||
           (!by_creation && (query.created_from || query.created_to));
}

/// Users, inside one transaction.
class UserRepository {
public:
    virtual ~UserRepository() = default;
    /// Errors: DuplicateExternalId.
    virtual Result<void, DuplicateExternalId> add(const User& user) = 0;
    virtual std::optional<User> find(UserId id) = 0;
    /// Those that exist, each once, in any order.
    virtual std::vector<User> find_all(std::span<const UserId> ids) = 0;
    virtual std::optional<UserId> id_of(std::string_view external_id) = 0;
    /// By external id. Unknown external ids are left out.
    virtual std::map<std::string, UserId> ids_of(std::span<const std::string> external_ids) = 0;
    /// The user. No other transaction changes it until this one ends.
    virtual std::optional<User> lock(UserId id) = 0;
    /// The users that exist, in no order. No other transaction changes them until this one ends.
    virtual std::vector<User> share(std::span<const UserId> ids) = 0;
    /// The same, without users that another transaction is changing. Never waits.
    virtual std::vector<User> try_share(std::span<const UserId> ids) = 0;
    /// Replaces a locked user. Errors: DuplicateExternalId.
    virtual Result<void, DuplicateExternalId> update(const User& user) = 0;
    virtual void remove(UserId id) = 0;
    virtual Page<User> list(const UserQuery& query) = 0;
    virtual std::uint64_t count() = 0;
    /// At most `limit` users with id > `after`, by id, for work that visits all of them. Shared as
    /// above.
    virtual std::vector<User> share_after(std::optional<UserId> after, std::size_t limit) = 0;
};

}  // namespace sundial
