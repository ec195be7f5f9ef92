#include "domain/liveness.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

Heartbeat of(Instant renewed_at, Instant unbroken_since) { return {renewed_at, unbroken_since}; }

TEST(Liveness, BeginsWithTheFirstRenewal) {
    EXPECT_EQ(renewed(std::nullopt, noon), of(noon, noon));
}

TEST(Liveness, IsUnbrokenWhileRenewalsAreClose) {
    EXPECT_EQ(renewed(of(noon, noon - 1h), noon + 1s), of(noon + 1s, noon - 1h));
    EXPECT_EQ(renewed(of(noon, noon - 1h), noon + longest_gap), of(noon + longest_gap, noon - 1h));
}

/// The database answered no instance for a while, or its clock was set.
TEST(Liveness, BeginsAgainAfterAGap) {
    const Instant later = noon + longest_gap + 1us;
    EXPECT_EQ(renewed(of(noon, noon - 1h), later), of(later, later));
    EXPECT_EQ(renewed(of(noon, noon - 1h), noon - 1us), of(noon - 1us, noon - 1us));
}

TEST(Liveness, FindsAnInstanceDeadThatIsSilentForLong) {
    EXPECT_EQ(found_dead_at(of(noon + 4s, noon - 1h), of(noon, noon - 1h)), noon + dead_after);
}

TEST(Liveness, DoesNotCountTimeInWhichTheDatabaseMayHaveAnsweredNobody) {
    EXPECT_EQ(found_dead_at(of(noon + 6s, noon + 6s), of(noon, noon - 1h)), noon + 6s + dead_after);
}

/// An instance must have stopped before others take what it holds, also if the database's clock is
/// set forward by so little that no gap shows it; and its events go out again within 5 s.
TEST(Liveness, LeavesTimeToAbortRequests) {
    EXPECT_GT(dead_after, silent_after);
    EXPECT_LE(longest_gap - renew_every, dead_after - silent_after);
    EXPECT_LT(dead_after, 5s);
}

class LeftBehind : public testing::Test {
protected:
    static Event claimed(Claimant by) {
        return claim(an_event().due(noon), std::move(by), noon, 30s).value();
    }
};

TEST_F(LeftBehind, IsWhatADeadInstanceHadClaimed) {
    const Event event = claimed(instance_a);
    EXPECT_TRUE(is_left_behind(event, {{instance_b, instance_a}, noon}));
    EXPECT_FALSE(is_left_behind(event, {{instance_b}, noon}));
    EXPECT_FALSE(is_left_behind(event, {}));
}

/// It was only frozen, and has claimed again since.
TEST_F(LeftBehind, IsNothingThatItClaimedLater) {
    EXPECT_FALSE(is_left_behind(claimed(instance_a), {{instance_a}, noon - 1us}));
}

TEST_F(LeftBehind, IsNoClaimOfAPullWorker) {
    EXPECT_FALSE(is_left_behind(claimed({instance_a, "w-1"}), {{instance_a}, noon}));
}

TEST_F(LeftBehind, IsNothingThatIsNotClaimed) {
    EXPECT_FALSE(is_left_behind(an_event(), {{instance_a}, noon}));
}

TEST_F(LeftBehind, IsClaimedAsAfterTheEndOfItsLease) {
    const Event event = claimed(instance_a);
    EXPECT_FALSE(claim(event, instance_b, noon + 5s, 30s));
    Event after_lease = claim(event, instance_b, noon + 30s, 30s).value();
    Event early = claim(event, instance_b, noon + 5s, 30s, true).value();
    EXPECT_EQ(early.retry_count, 1U);
    EXPECT_EQ(early.first_attempt_at, noon);
    after_lease.claimable_at = early.claimable_at = noon;
    after_lease.updated_at = early.updated_at = noon;
    EXPECT_EQ(early, after_lease);
}

}  // namespace
}  // namespace sundial
