#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// Fate of a deleted user's events: erased with the user; or live ones are cancelled and all are
/// kept without the user.
enum class UserHistory : std::uint8_t { erase, keep };

/// Removes a user. Events claimed at that moment are delivered as planned and kept without the
/// user. The user's stream ends with UserDeleted and keeps no payloads.
class DeleteUser {
public:
    DeleteUser(Store& store, Ids& ids) : store_(store), ids_(ids) {}
    /// Errors: NotFound, OptimisticLock.
    [[nodiscard]] UserResult<void> run(std::string_view reference, UserHistory history,
                                       std::optional<Version> expected, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
};

}  // namespace sundial
