#include "application/users/delete_user.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

class DeleteUserTest : public ControlPlane {
protected:
    Result<void> remove(const User& user, UserHistory history = UserHistory::erase,
                        std::optional<Version> expected = std::nullopt) {
        return delete_user.run(to_string(user.id), history, expected, "req-9");
    }
    /// A user with one event COMPLETED, one claimed and one PENDING.
    struct Lives {
        User user;
        Event done, held, pending;
    };
    Lives some_lives() {
        const User user = created(ada());
        NewEvent requested = a_reminder();
        requested.user = to_string(user.id);
        requested.target.utc = "now";
        scheduled(requested);
        const Event done = completed(claimed_one());
        scheduled(requested);
        return {user, done, claimed_one(), pending_of(user)};
    }
};

TEST_F(DeleteUserTest, CancelsTheEventsOfTheUser) {
    const auto [user, done, held, pending] = some_lives();

    ASSERT_TRUE(remove(user));

    EXPECT_TRUE(fails_with<NotFound>(queries.user(to_string(user.id))));
    EXPECT_TRUE(fails_with<NotFound>(queries.event(to_string(done.id))));
    EXPECT_TRUE(fails_with<NotFound>(queries.event(to_string(pending.id))));
    EXPECT_TRUE(fails_with<NotFound>(remove(user)));
}

TEST_F(DeleteUserTest, LetsClaimedEventsBeDelivered) {
    for (const auto history : {UserHistory::erase, UserHistory::keep}) {
        const auto [user, done, held, pending] = some_lives();
        ASSERT_TRUE(remove(user, history));
        const Event after = find(held);
        EXPECT_FALSE(after.user);
        EXPECT_EQ(after.version, held.version);
        EXPECT_EQ(status_of(completed(held)), EventStatus::completed);
    }
}

TEST_F(DeleteUserTest, KeepsTheHistoryWithoutTheUserOnRequest) {
    const auto [user, done, held, pending] = some_lives();

    ASSERT_TRUE(remove(user, UserHistory::keep));

    EXPECT_EQ(status_of(find(done)), EventStatus::completed);
    EXPECT_FALSE(find(done).user);
    EXPECT_EQ(status_of(find(pending)), EventStatus::cancelled);
    EXPECT_FALSE(find(pending).user);
    EXPECT_EQ(queries.events({}).items.size(), 3U);  // no successor
}

TEST_F(DeleteUserTest, RefusesAStaleVersion) {
    const User user = created(ada());
    EXPECT_TRUE(fails_with<OptimisticLock>(remove(user, UserHistory::erase, Version{4})));
    EXPECT_TRUE(queries.user(to_string(user.id)));
    EXPECT_TRUE(remove(user, UserHistory::erase, Version{1}));
}

TEST_F(DeleteUserTest, ClosesTheStreamAndErasesItsPayloads) {
    const User user = created(ada());
    ASSERT_TRUE(remove(user));
    const auto recorded = store.recorded();
    ASSERT_EQ(recorded.size(), 2U);
    EXPECT_EQ(recorded[1].event_type, "UserDeleted");
    EXPECT_EQ(recorded[1].version, Version{2});
    EXPECT_EQ(recorded[0].data, "");
    EXPECT_EQ(recorded[1].data, "");
}

}  // namespace
}  // namespace sundial
