#include <gtest/gtest.h>

#include "domain/lock.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr LockLease::Moment asked{100s};

LockLease a_lease(std::chrono::microseconds round_trip = 0s,
                  std::chrono::microseconds max_hold = 1h) {
    return {{.ttl = 30s, .max_hold = max_hold}, asked, asked + round_trip};
}

TEST(LockLease, IsRenewedAtAThirdAndLostATenthBeforeItsEnd) {
    const LockLease lease = a_lease();
    EXPECT_EQ(lease.renew_at(), asked + 10s);
    EXPECT_EQ(lease.lost_at(), asked + 27s);
}

TEST(LockLease, IsLostTwoRoundTripsBeforeItsEndWhereThatIsMore) {
    EXPECT_EQ(a_lease(1s).lost_at(), asked + 27s);
    EXPECT_EQ(a_lease(2s).lost_at(), asked + 26s);
}

TEST(LockLease, CountsFromWhenItWasAskedForNotFromTheAnswer) {
    LockLease lease = a_lease();
    lease.renewed(asked + 10s, asked + 14s);
    EXPECT_EQ(lease.renew_at(), asked + 20s);
    EXPECT_EQ(lease.lost_at(), asked + 10s + 30s - 8s);
}

TEST(LockLease, LK10_IsNotRenewedBeyondItsMaximumHoldTime) {
    LockLease lease = a_lease(0s, 45s);
    EXPECT_EQ(lease.renew_for(asked + 10s), 30s);
    lease.renewed(asked + 10s, asked + 10s);
    EXPECT_EQ(lease.renew_at(), asked + 20s);
    EXPECT_EQ(lease.renew_for(asked + 20s), 25s);
    lease.renewed(asked + 20s, asked + 20s);
    EXPECT_EQ(lease.renew_at(), std::nullopt);
    EXPECT_EQ(lease.lost_at(), asked + 42s);
}

TEST(LockLease, LK11_AFailedRenewalIsTriedAgainAndMovesNothing) {
    LockLease lease = a_lease();
    lease.failed(asked + 12s);
    EXPECT_EQ(lease.renew_at(), asked + 13500ms);
    EXPECT_EQ(lease.lost_at(), asked + 27s);
    lease.failed(asked + 26s);
    EXPECT_EQ(lease.renew_at(), std::nullopt);  // too late to be useful
}

TEST(LockLease, IsLostAtOnceIfTheStoreReportsIt) {
    LockLease lease = a_lease();
    lease.refused(asked + 11s);
    EXPECT_LE(lease.lost_at(), asked + 11s);
    EXPECT_EQ(lease.renew_at(), std::nullopt);
}

}  // namespace
}  // namespace sundial
