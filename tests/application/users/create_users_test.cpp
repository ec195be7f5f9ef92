#include "application/users/create_users.hpp"

#include <gmock/gmock.h>

#include "application/transactions/after_commit.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class CreateUsersTest : public ControlPlane {
protected:
    static UserFields with(const std::string& external_id,
                           const std::string& zone = "Europe/Paris") {
        UserFields fields = ada();
        fields.external_id = external_id;
        fields.timezone = zone;
        return fields;
    }
    std::size_t count() {
        return in_read(store, [](Transaction& tx) { return tx.users().count(); });
    }

    WakeupsAfterCommit after_commit{wakeups};
    CreateUser create{store, zones, ids, after_commit};
    CreateUsers create_users{store, create, put_user};
};

TEST_F(CreateUsersTest, CreatesEachThatIsValidWithItsEvents) {
    const auto results = create_users.run_each(
        std::vector{with("a"), with("b", "Mars/Base"), with("a"), with("c")}, "req-1");
    ASSERT_THAT(results, SizeIs(4));
    EXPECT_TRUE(results[0]);
    EXPECT_FALSE(results[1]);
    EXPECT_TRUE(fails_with<DuplicateExternalId>(results[2]));
    EXPECT_TRUE(results[3]);
    EXPECT_EQ(count(), 2U);
    EXPECT_THAT(events_of(*results[3]), SizeIs(1));
    EXPECT_THAT(wakeups.hints, SizeIs(1));
}

TEST_F(CreateUsersTest, CreatesAllOrNone) {
    const auto refused =
        create_users.run_all(std::vector{with("a"), with("b", "Mars/Base"), with("c")}, "req-1");
    ASSERT_THAT(refused, SizeIs(2));
    EXPECT_FALSE(refused.back());
    EXPECT_EQ(count(), 0U);
    EXPECT_THAT(wakeups.hints, IsEmpty());
    EXPECT_THAT(create_users.run_all(std::vector{with("a"), with("c")}, "req-1"), SizeIs(2));
    EXPECT_EQ(count(), 2U);
}

TEST_F(CreateUsersTest, ImportsByExternalId) {
    const User known = created(with("a"));
    const User same = created(with("d"));
    wakeups.hints.clear();
    UserFields moved = with("a", "America/New_York");
    const auto results = create_users.import_each(
        std::vector{moved, with("b"), ada(), with("c", "Mars/Base"), with("d"), with("b")},
        "req-1");
    ASSERT_THAT(results, SizeIs(6));
    EXPECT_FALSE(results[0]->created);
    EXPECT_EQ(results[0]->user.id, known.id);
    EXPECT_EQ(results[0]->user.timezone, "America/New_York");
    EXPECT_TRUE(results[1]->created);
    EXPECT_TRUE(results[2]->created);
    EXPECT_FALSE(results[3]);
    EXPECT_EQ(results[4]->user.id, same.id);
    EXPECT_EQ(results[5]->user.id, results[1]->user.id);
    std::vector<bool> changed;
    for (const auto& result : results) changed.push_back(result && result->changed);
    EXPECT_THAT(changed, testing::ElementsAre(true, true, true, false, false, false));
    EXPECT_THAT(events_of(results[1]->user), SizeIs(1));
    EXPECT_THAT(wakeups.hints, testing::Contains(testing::Lt(never)));
    EXPECT_EQ(count(), 4U);
}

}  // namespace
}  // namespace sundial
