#include "application/users/create_users.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <variant>

#include "application/transactions/after_commit.hpp"

namespace sundial {
namespace {

std::vector<const UserFields*> pointers_to(std::span<const UserFields> requested) {
    std::vector<const UserFields*> pointers;
    pointers.reserve(requested.size());
    for (const UserFields& fields : requested) pointers.push_back(&fields);
    return pointers;
}

/// Whether the user of the requested external id exists already.
bool is_known(const UserResult<User>& added, const UserFields& requested) {
    const auto* duplicate = std::get_if<DuplicateExternalId>(&added.error());
    return duplicate && duplicate->external_id == requested.external_id;
}

}  // namespace

std::vector<UserResult<User>> CreateUsers::run_each(std::span<const UserFields> requested,
                                                    const Caller& caller) {
    AddedUsers added;
    const auto users = pointers_to(requested);
    store_.transact([&](Transaction& tx) {
        added = create_.add(tx, users, caller);
        return true;
    });
    create_.wake(added.earliest);
    return std::move(added.results);
}

std::vector<UserResult<User>> CreateUsers::run_all(std::span<const UserFields> requested,
                                                   const Caller& caller) {
    AddedUsers added;
    auto refused = added.results.end();
    const auto users = pointers_to(requested);
    store_.transact([&](Transaction& tx) {
        added = create_.add(tx, users, caller);
        refused = std::ranges::find_if_not(added.results, &UserResult<User>::has_value);
        return refused == added.results.end();
    });
    if (refused == added.results.end()) {
        create_.wake(added.earliest);
    } else {
        added.results.erase(std::next(refused), added.results.end());
    }
    return std::move(added.results);
}

std::vector<UserResult<PutResult>> CreateUsers::import_each(std::span<const UserFields> requested,
                                                            const Caller& caller) {
    std::vector<UserResult<PutResult>> results;
    std::vector<std::function<void()>> effects;
    Instant earliest = never;
    const auto users = pointers_to(requested);
    {
        HeldEffects held;  // of the replaced users: each is a nested transaction
        store_.transact([&](Transaction& tx) {
            results.clear();
            AddedUsers added = create_.add(tx, users, caller);
            earliest = added.earliest;
            for (std::size_t i = 0; i < requested.size(); ++i) {
                auto& user = added.results[i];
                const UserFields& fields = requested[i];
                if (user) {
                    results.emplace_back(PutResult{*std::move(user), true, true, std::nullopt});
                } else if (is_known(user, fields)) {
                    results.push_back(put_.run(*fields.external_id, fields, std::nullopt, caller));
                } else {
                    results.emplace_back(user.error());
                }
            }
            return true;
        });
        effects = held.take();
    }
    for (auto& effect : effects) after_commit(std::move(effect));
    create_.wake(earliest);
    return results;
}

}  // namespace sundial
