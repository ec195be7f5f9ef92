#include "application/users/create_users.hpp"

#include <functional>
#include <utility>

#include "application/transactions/after_commit.hpp"

namespace sundial {
namespace {

/// Runs `one` for each item in one transaction; each is a nested one, which is undone alone if it
/// is refused. Wake-ups wait for the commit.
template <class Outcome, class One>
std::vector<Outcome> together(Store& store, std::span<const UserFields> requested, bool all,
                              One one) {
    std::vector<Outcome> results;
    std::vector<std::function<void()>> effects;
    {
        HeldEffects held;
        bool kept = true;
        store.transact([&](Transaction&) {
            results.clear();
            kept = true;
            for (const UserFields& fields : requested) {
                results.push_back(one(fields));
                kept = !all || results.back().has_value();
                if (!kept) return false;
            }
            return true;
        });
        if (kept) effects = held.take();
    }
    for (auto& effect : effects) after_commit(std::move(effect));
    return results;
}

}  // namespace

std::vector<UserResult<User>> CreateUsers::run_each(std::span<const UserFields> requested,
                                                    const Caller& caller) {
    return together<UserResult<User>>(store_, requested, false, [&](const UserFields& fields) {
        return create_.run(fields, caller);
    });
}

std::vector<UserResult<User>> CreateUsers::run_all(std::span<const UserFields> requested,
                                                   const Caller& caller) {
    return together<UserResult<User>>(store_, requested, true, [&](const UserFields& fields) {
        return create_.run(fields, caller);
    });
}

std::vector<UserResult<PutResult>> CreateUsers::import_each(std::span<const UserFields> requested,
                                                            const Caller& caller) {
    const auto put = [&](const UserFields& fields) -> UserResult<PutResult> {
        if (fields.external_id) return put_.run(*fields.external_id, fields, std::nullopt, caller);
        auto created = create_.run(fields, caller);
        if (!created) return created.error();
        return PutResult{*std::move(created), true, std::nullopt};
    };
    return together<UserResult<PutResult>>(store_, requested, false, put);
}

}  // namespace sundial
