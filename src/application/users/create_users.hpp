#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "application/users/create_user.hpp"

namespace sundial {

/// Creates or replaces many users with one commit.
class CreateUsers {
public:
    CreateUsers(Store& store, CreateUser& create, PutUser& put)
        : store_(store), create_(create), put_(put) {}

    /// One result per user, in their order; a refused user does not affect the others. Errors: as
    /// CreateUser.
    [[nodiscard]] std::vector<UserResult<User>> run_each(std::span<const UserFields> requested,
                                                         const Caller& caller);
    /// The same, but nothing is stored if one is refused; the results then end with that one.
    [[nodiscard]] std::vector<UserResult<User>> run_all(std::span<const UserFields> requested,
                                                        const Caller& caller);
    /// Replaces the users whose external ids exist and creates the others. Errors: as PutUser.
    [[nodiscard]] std::vector<UserResult<PutResult>> import_each(
        std::span<const UserFields> requested, const Caller& caller);

private:
    Store& store_;
    CreateUser& create_;
    PutUser& put_;
};

}  // namespace sundial
