#include "application/users/delete_user.hpp"

#include "application/audit/recorded_changes.hpp"
#include "application/requests/edits.hpp"
#include "application/requests/queries.hpp"
#include "application/streams/append_to_stream.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

/// Cancels events that are not claimed. Plans no successors, because their user is deleted.
void cancel_all_of(UserId user, Transaction& tx) {
    for (const Event& event : tx.events().lock_of_user(user)) {
        if (is_claimed(event)) continue;
        const auto cancelled = cancel(event, tx.now(), "user deleted");
        base::check(cancelled.has_value());
        tx.events().finish(*cancelled);
    }
    tx.events().forget_user(user);
}

}  // namespace

UserResult<void> DeleteUser::run(std::string_view reference, UserHistory history,
                                 std::optional<Version> expected, const Caller& caller) {
    // Locks the user, then its events: a transaction that plans an event shares the user first.
    return in_transaction(store_, [&](Transaction& tx) -> UserResult<void> {
        const auto id = user_id(tx, reference);
        if (!id) return id.error();
        const auto user = tx.users().lock(*id);
        if (!user) return NotFound{Noun::user, std::string{reference}};
        if (auto refused = refuse_version(Noun::user, reference, expected, user->version)) {
            return *refused;
        }
        switch (history) {
            case UserHistory::erase:
                tx.events().erase_of_user(*id);
                break;
            case UserHistory::keep:
                cancel_all_of(*id, tx);
                break;
        }
        tx.record(user_deleted(*user, {ids_.fresh(), caller}));
        tx.skips().remove_of_user(*id);
        tx.calendars().remove_of_user(*id);
        tx.streams().close({own_stream::user, to_string(*id)});
        tx.users().remove(*id);
        return {};
    });
}

}  // namespace sundial
