#include "application/users/put_user.hpp"

#include <utility>
#include <variant>

namespace sundial {
namespace {

/// Bounds the attempts. Each attempt but the last lost to a concurrent create or delete of the same
/// user.
constexpr int turns = 5;

bool absent(const Result<EditedUser>& edited) {
    return !edited && std::holds_alternative<NotFound>(edited.error());
}

/// Another caller created it after the lookup.
bool exists(const Result<User>& created, const std::string& external_id) {
    if (created) return false;
    const auto* duplicate = std::get_if<DuplicateExternalId>(&created.error());
    return duplicate && duplicate->external_id == external_id;
}

}  // namespace

Result<PutResult> PutUser::run(const std::string& external_id, UserFields wanted,
                               std::optional<Version> expected, const Caller& caller) {
    wanted.external_id = external_id;
    const std::string reference = "ext:" + external_id;
    for (int turn = 1;; ++turn) {
        auto edited = edit_.replace(reference, wanted, expected, caller);
        if (edited) return PutResult{edited->user, false, std::move(edited->reschedule)};
        if (!absent(edited) || expected) return edited.error();

        auto created = create_.run(wanted, caller);
        if (created) return PutResult{*std::move(created), true, std::nullopt};
        if (!exists(created, external_id) || turn == turns) return created.error();
    }
}

}  // namespace sundial
