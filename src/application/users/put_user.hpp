#pragma once

#include <optional>
#include <string>

#include "application/audit/caller.hpp"
#include "application/users/create_user.hpp"
#include "application/users/edit_user.hpp"

namespace sundial {

struct PutResult {
    User user;
    bool created = false;
    std::optional<Reschedule> reschedule;
};

/// Creates the user of an external id, or replaces all its fields.
class PutUser {
public:
    PutUser(CreateUser& create, EditUser& edit) : create_(create), edit_(edit) {}
    /// Ignores `wanted.external_id`. With `expected` nothing is created. Errors: ValidationFailed,
    /// OptimisticLock, NotFound (only with `expected`).
    [[nodiscard]] Result<PutResult> run(const std::string& external_id, UserFields wanted,
                                        std::optional<Version> expected, const Caller& caller);

private:
    CreateUser& create_;
    EditUser& edit_;
};

}  // namespace sundial
