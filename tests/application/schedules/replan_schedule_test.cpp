#include "application/schedules/replan_schedule.hpp"

#include <gmock/gmock.h>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::SizeIs;

/// People who are older than the schedule: `add` stores them without an event.
class PlanScheduleTest : public ControlPlane {
protected:
    User add(const User& user) {
        write([&](Transaction& tx) { ASSERT_TRUE(tx.users().add(user)); });
        return user;
    }
    Operation planned() {
        Operation operation = an_operation();
        write([&](Transaction& tx) {
            const auto birthday = tx.schedules().id_of("birthday").value();
            operation = operations.start(tx, OperationKind::plan_schedule,
                                         tx.schedules().find(birthday).value());
        });
        const OperationId id = operations.begin(operation).id;
        operations.drain();
        return queries.operation(to_string(id)).value();
    }
};

TEST_F(PlanScheduleTest, PlansTheFirstEventOfEveryUser) {
    const User ada = add(a_user().born(std::chrono::year{1992} / 1 / 6));
    const Operation operation = planned();
    EXPECT_EQ(pending_of(ada).due, noon + 20h);
    EXPECT_EQ(operation.status, OperationStatus::completed);
    EXPECT_EQ(operation.total, 1U);
    EXPECT_EQ(operation.done, 1U);
    EXPECT_EQ(wakeups.hints.back(), noon + 20h);
}

TEST_F(PlanScheduleTest, PlansEachUserOnceInSeveralBatches) {
    for (int i = 0; i < 1'234; ++i) add(a_user());
    EXPECT_EQ(planned().done, 1'234U);
    EXPECT_EQ(planned().done, 1'234U);
    EventQuery all;
    all.page.limit = 5'000;
    EXPECT_THAT(queries.events(all).items, SizeIs(1'234));
}

TEST_F(PlanScheduleTest, SkipsUsersThatHaveTheirEvent) {
    const User ada = created(ControlPlane::ada());
    const Event event = pending_of(ada);
    planned();
    EXPECT_EQ(pending_of(ada), event);
}

TEST_F(PlanScheduleTest, CountsUsersWithAnUnknownZone) {
    add(a_user().in("Mars/Base"));
    const User bob = add(a_user());
    const Operation operation = planned();
    EXPECT_EQ(operation.done, 1U);
    EXPECT_EQ(operation.failed, 1U);
    EXPECT_EQ(operation.status, OperationStatus::completed);
    EXPECT_EQ(events_of(bob).size(), 1U);
}

TEST_F(PlanScheduleTest, DoesNothingWithoutItsSchedule) {
    add(a_user());
    Operation operation = an_operation();
    operation.kind = OperationKind::plan_schedule;
    operation.schedule = an_id<ScheduleId>();
    operation.schedule_version = Version{1};
    write([&](Transaction& tx) { tx.operations().add(operation); });
    operations.drain();
    const Operation over = queries.operation(to_string(operation.id)).value();
    EXPECT_EQ(over.status, OperationStatus::stopped);
    EXPECT_EQ(over.reason, "the schedule has been deleted");
}

}  // namespace
}  // namespace sundial
