#include "application/schedules/plan_successors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PlanSuccessorsTest : public ControlPlane {
protected:
    /// Ada's birthday, 6 January 2027, as a claim returns it.
    Event claimed_birthday(const User& user) {
        clock.advance(pending_of(user).due - clock.now());
        return claimed_one();
    }
    Planning planned(const Event& event) { return plan.run(std::vector<SharedEvent>{event}); }
    std::vector<Date> pending_dates(const User& user) {
        std::vector<Date> dates;
        for (const Event& event : events_of(user, {EventStatus::pending})) {
            dates.push_back(event.occurrence->nominal.date);
        }
        return dates;
    }

    PlanSuccessors plan{store, zones, ids};
};

TEST_F(PlanSuccessorsTest, StoresTheNextOccurrence) {
    const User user = created(ada());
    const Planning planning = planned(claimed_birthday(user));

    EXPECT_THAT(pending_dates(user), ElementsAre(Date{January / 6 / 2028}));
    EXPECT_THAT(planning.stored, ElementsAre(testing::Pair("BIRTHDAY", 1U)));
    EXPECT_EQ(planning.earliest, sys_days{January / 6 / 2028} + 8h);
    EXPECT_THAT(planning.schedules, SizeIs(1));
}

TEST_F(PlanSuccessorsTest, ChangesNothingWhenRepeated) {
    const User user = created(ada());
    const Event claimed = claimed_birthday(user);
    planned(claimed);
    const Event successor = pending_of(user);

    EXPECT_THAT(planned(claimed).stored, ElementsAre(testing::Pair("BIRTHDAY", 0U)));
    EXPECT_EQ(pending_of(user), successor);
}

TEST_F(PlanSuccessorsTest, IgnoresSingleEvents) {
    const Event single = an_event();
    const Planning planning = planned(single);
    EXPECT_THAT(planning.schedules, IsEmpty());
    EXPECT_THAT(planning.stored, IsEmpty());
    EXPECT_EQ(planning.earliest, never);
}

TEST_F(PlanSuccessorsTest, FollowsTheUserToAnotherZone) {
    const User user = created(ada());
    const Event claimed = claimed_birthday(user);
    moved(user, "America/New_York");
    planned(claimed);
    EXPECT_EQ(pending_of(user).due, sys_days{January / 6 / 2028} + 14h);
}

TEST_F(PlanSuccessorsTest, FollowsAnotherBirthDateInTheSameYear) {
    const User user = created(ada());
    const Event claimed = claimed_birthday(user);
    reborn(user, "1992-03-01");
    planned(claimed);
    EXPECT_THAT(pending_dates(user), ElementsAre(Date{March / 1 / 2027}));
}

TEST_F(PlanSuccessorsTest, EndsWithItsUser) {
    const User user = created(ada());
    const Event claimed = claimed_birthday(user);
    ASSERT_TRUE(delete_user.run(to_string(user.id), {}, std::nullopt, "req-4"));
    EXPECT_THAT(planned(claimed).stored, IsEmpty());
}

TEST_F(PlanSuccessorsTest, ParksTheSuccessorOfAPausedSchedule) {
    const User user = created(ada());
    const Event claimed = claimed_birthday(user);
    change_birthday([](Schedule& schedule) { schedule.enabled = false; });
    const Planning planning = planned(claimed);
    EXPECT_EQ(pending_of(user).claimable_at, never);
    EXPECT_FALSE(planning.schedules.front().enabled);
}

TEST_F(PlanSuccessorsTest, NamesTheUserWhoseZoneIsUnknown) {
    const User user = created(ada());
    const Event claimed = claimed_birthday(user);
    write([&](Transaction& tx) {
        User moved_away = tx.users().lock(user.id).value();
        moved_away.timezone = "Mars/Base";
        ASSERT_TRUE(tx.users().update(moved_away));
    });
    EXPECT_THAT(planned(claimed).without_zone, ElementsAre(claimed.id));
}

TEST_F(PlanSuccessorsTest, DoesNotRestoreOccurrencesRemovedByAnEdit) {
    const User user = created(ada());
    const Event waits = parked(claimed_birthday(user));
    planned(waits);
    clock.advance(days{100});  // 16 April 2027
    reborn(user, "1992-02-01");
    ASSERT_THAT(pending_dates(user), ElementsAre(Date{February / 1 / 2028}));

    planned(waits);  // 1 February 2027 has passed, and the schedule continues a year later
    EXPECT_THAT(pending_dates(user), ElementsAre(Date{February / 1 / 2028}));
}

TEST_F(PlanSuccessorsTest, CatchesUpYearByYear) {
    const User user = created(ada());
    clock.advance(days{3 * 365});
    for (const int year_missed : {2027, 2028, 2029}) {
        const Event claimed = claimed_one();
        EXPECT_EQ(claimed.occurrence->nominal.date.year(), year{year_missed});
        planned(claimed);
        completed(claimed);
    }
    EXPECT_THAT(claimed(), IsEmpty());
    EXPECT_THAT(pending_dates(user), ElementsAre(Date{January / 6 / 2030}));
}

}  // namespace
}  // namespace sundial
