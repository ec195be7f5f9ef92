#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// What becomes of a deleted user's events: gone with it, or live ones cancelled and all kept
/// without their user.
enum class UserHistory : std::uint8_t { erase, keep };

/// Removes a person. What is claimed at that moment is delivered as planned and kept without its
/// user. The user's stream ends with UserDeleted and keeps no payloads.
class DeleteUser {
public:
    DeleteUser(Store& store, Ids& ids) : store_(store), ids_(ids) {}
    /// Errors: NotFound, OptimisticLock.
    [[nodiscard]] Result<void> run(std::string_view reference, UserHistory history,
                                   std::optional<Version> expected, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
};

}  // namespace sundial
