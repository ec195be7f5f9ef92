#include "domain/operation.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace sundial {
namespace {

TEST(Operation, IsHeldForALease) {
    const Operation held = claim(an_operation(), instance_a, noon, 30s);
    EXPECT_EQ(held.held_by, instance_a);
    EXPECT_EQ(held.version, Version{2});
    EXPECT_FALSE(claimable(held, noon + 29s));
    EXPECT_TRUE(claimable(held, noon + 30s));
}

TEST(Operation, IsExtendedByAnotherLease) {
    const Operation held = claim(an_operation(), instance_a, noon, 30s);
    const Operation later = go_on(held, noon + 20s, 30s);
    EXPECT_EQ(later.held_by, instance_a);
    EXPECT_EQ(later.version, Version{3});
    EXPECT_FALSE(claimable(later, noon + 49s));
}

TEST(Operation, IsClaimableOnceReleased) {
    const Operation free = release(claim(an_operation(), instance_a, noon, 30s), noon + 1s);
    EXPECT_FALSE(free.held_by);
    EXPECT_TRUE(claimable(free, noon + 1s));
    EXPECT_FALSE(is_over(free));
}

TEST(Operation, IsNotClaimableWhileItPauses) {
    const Operation held = claim(an_operation(), instance_a, noon, 30s);
    const Operation resting = pause(held, noon + 1s, noon + 3s);
    EXPECT_FALSE(resting.held_by);
    EXPECT_EQ(resting.version, Version{3});
    EXPECT_FALSE(claimable(resting, noon + 2s));
    EXPECT_TRUE(claimable(resting, noon + 3s));
}

TEST(Operation, RaisesItsTotalToTheRowsHandled) {
    Operation operation = an_operation();
    operation.total = 10;
    operation.done = 11;
    operation.failed = 1;
    const Operation over = complete(operation, noon + 5s);
    EXPECT_EQ(over.total, 12U);
    EXPECT_EQ(over.finished_at, noon + 5s);
    EXPECT_TRUE(is_over(over));
    EXPECT_FALSE(claimable(over, never));
}

TEST(Operation, KeepsItsCountsIfItEndsEarly) {
    Operation operation = an_operation();
    operation.total = 10;
    operation.done = 4;
    const Operation stopped = end(operation, OperationStatus::stopped, "by request", noon);
    EXPECT_EQ(stopped.done, 4U);
    EXPECT_EQ(stopped.total, 10U);
    EXPECT_EQ(stopped.reason, "by request");
    EXPECT_FALSE(claimable(stopped, never));
}

TEST(Operation, HasNamesForKindsAndStatuses) {
    for (const OperationKind kind : operation_kinds) {
        EXPECT_EQ(parse_operation_kind(to_string(kind)), kind);
    }
    EXPECT_EQ(to_string(OperationKind::plan_schedule), "PLAN_SCHEDULE");
    EXPECT_EQ(to_string(OperationStatus::stopped), "STOPPED");
    EXPECT_EQ(parse_operation_status("RUNNING"), OperationStatus::running);
    EXPECT_FALSE(parse_operation_kind("replan_schedule"));
    EXPECT_FALSE(parse_operation_status("PENDING"));
    for (const auto subject :
         {OperationSubject::event, OperationSubject::user, OperationSubject::schedule}) {
        EXPECT_EQ(parse_operation_subject(to_string(subject)), subject);
    }
    EXPECT_FALSE(parse_operation_subject("endpoint"));
}

}  // namespace
}  // namespace sundial
