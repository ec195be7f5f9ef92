#include "application/delivery/receivers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ReceiversTest : public testing::Test {
protected:
    static Destination to(const Endpoint& endpoint, bool circuit_closed = true) {
        return {.endpoint = std::make_shared<const Endpoint>(endpoint),
                .retry_policy = {},
                .target_time = {},
                .circuit_closed = circuit_closed};
    }
    void grant(const Endpoint& endpoint, std::uint32_t slots, std::uint32_t share = 1000) {
        receivers.admitted({.endpoint = endpoint.id, .slots = slots, .share = share}, std::nullopt,
                           now);
    }
    std::vector<EndpointId> to_renew(std::uint32_t in_flight, bool spare_now = false) {
        return receivers.to_renew([=](EndpointId) { return in_flight; }, spare_now, now);
    }
    void see(const Endpoint& endpoint, CallResult result, std::chrono::microseconds took = 10ms) {
        receivers.saw(endpoint.id, an_id<EventId>(), result, took, now);
    }
    std::vector<ReceiverReport> to_report(bool all = false) {
        return receivers.to_report(all, 100, now);
    }

    Mono now{1000s};
    Receivers receivers{{.slots = 64, .lease = 30s, .margin = 5s}};
    const Endpoint free = an_endpoint();
    const Endpoint limited = an_endpoint().with_max_in_flight(20);
};

TEST_F(ReceiversTest, NeedsNoAdmissionWithoutLimits) {
    receivers.meet(to(free), now);
    EXPECT_TRUE(receivers.admits(free.id, 1000, 10s, now));
    EXPECT_TRUE(receivers.usable(free.id, 10s, now));
}

TEST_F(ReceiversTest, AsksForEachEventWhereTheRateIsLimitedOrTheCircuitOpen) {
    const Endpoint paced = an_endpoint().limited_to({5, 5});
    receivers.meet(to(paced), now);
    EXPECT_FALSE(receivers.admits(paced.id, 0, 10s, now));
    receivers.meet(to(free, false), now);
    EXPECT_FALSE(receivers.admits(free.id, 0, 10s, now));
}

TEST_F(ReceiversTest, UsesGrantedSlotsUntilTheyExpire) {
    receivers.meet(to(limited), now);
    EXPECT_FALSE(receivers.admits(limited.id, 0, 10s, now));
    grant(limited, 3);
    EXPECT_TRUE(receivers.admits(limited.id, 2, 10s, now));
    EXPECT_FALSE(receivers.admits(limited.id, 3, 10s, now));
    now += 15s;  // a request of 10 s ends just before the last 5 s of the lease
    EXPECT_TRUE(receivers.admits(limited.id, 2, 10s, now));
    EXPECT_TRUE(receivers.usable(limited.id, 10s, now));
    now += 1us;
    EXPECT_FALSE(receivers.admits(limited.id, 2, 10s, now));
    EXPECT_FALSE(receivers.usable(limited.id, 10s, now));
}

TEST_F(ReceiversTest, LeavesOthersTheirShare) {
    receivers.meet(to(limited), now);
    grant(limited, 10, 5);
    EXPECT_TRUE(receivers.admits(limited.id, 4, 10s, now));
    EXPECT_FALSE(receivers.admits(limited.id, 5, 10s, now));
}

TEST_F(ReceiversTest, RequestsAdmissionAgainWhenTheLimitHasChanged) {
    receivers.meet(to(limited), now);
    grant(limited, 20);
    Endpoint lowered = limited;
    lowered.max_in_flight = 2;
    receivers.meet(to(lowered), now);
    EXPECT_FALSE(receivers.admits(limited.id, 0, 10s, now));
    EXPECT_FALSE(receivers.usable(limited.id, 10s, now));
    EXPECT_EQ(receivers.question(limited.id, 1, 2).rules.max_in_flight, 2U);
}

TEST_F(ReceiversTest, RenewsUsedSlotsAndReleasesSpareOnes) {
    receivers.meet(to(limited), now);
    EXPECT_FALSE(receivers.may_renew(now + 1h));
    grant(limited, 3);
    EXPECT_FALSE(receivers.may_renew(now));
    now += 250ms;
    EXPECT_TRUE(receivers.may_renew(now));
    EXPECT_THAT(to_renew(3), IsEmpty());
    now += 9'750ms;
    EXPECT_THAT(to_renew(3), ElementsAre(limited.id));
    grant(limited, 3);
    EXPECT_THAT(to_renew(2), IsEmpty());  // a slot is unused from now on
    now += 500ms;
    EXPECT_THAT(to_renew(3), IsEmpty());
    EXPECT_THAT(to_renew(2), IsEmpty());
    now += 1s;
    EXPECT_THAT(to_renew(2), ElementsAre(limited.id));
    grant(limited, 2);
    EXPECT_THAT(to_renew(1, true), ElementsAre(limited.id));
    EXPECT_TRUE(receivers.has_slots());
    grant(limited, 0);
    EXPECT_FALSE(receivers.has_slots());
    EXPECT_THAT(to_renew(0), IsEmpty());
}

TEST_F(ReceiversTest, LeavesThreeQuartersToOthersThatMayWait) {
    const Endpoint other = an_endpoint();
    const auto room = [&](std::uint32_t bound_for, bool more_due) {
        return receivers.room_for(free.id, bound_for, more_due, now);
    };
    receivers.meet(to(free), now);
    EXPECT_GT(room(64, true), 64U);  // alone
    receivers.meet(to(other), now);
    EXPECT_EQ(room(15, true), 1U);
    EXPECT_EQ(room(16, true), 0U);
    EXPECT_GT(room(16, false), 64U);  // no other event is due
    see(free, CallResult::accepted, 1s);
    EXPECT_EQ(room(17, false), 0U);  // but the endpoint is slow
    now += 60s;
    receivers.meet(to(free), now);
    EXPECT_GT(room(16, true), 64U);
}

TEST_F(ReceiversTest, ReportsFailuresSoonAndSuccessesLater) {
    for (int i = 0; i < 3; ++i) see(free, CallResult::accepted);
    EXPECT_TRUE(receivers.has_reported(false));
    EXPECT_FALSE(receivers.has_reported(true));
    now += 4'999ms;
    EXPECT_FALSE(receivers.may_report(now));
    EXPECT_THAT(to_report(), IsEmpty());
    now += 1ms;
    EXPECT_TRUE(receivers.may_report(now));
    auto reports = to_report();
    ASSERT_THAT(reports, SizeIs(1));
    EXPECT_EQ(reports[0].results, CallResults{.accepted = 3});
    EXPECT_TRUE(receivers.has_reported(true));

    see(free, CallResult::accepted);
    see(free, CallResult::failed);
    EXPECT_FALSE(receivers.has_reported(false));
    now += 20ms;
    reports = to_report();
    ASSERT_THAT(reports, SizeIs(1));
    EXPECT_EQ(reports[0].results, (CallResults{.accepted = 1, .failed = 1}));
    EXPECT_FALSE(receivers.may_report(now + 1h));
}

TEST_F(ReceiversTest, ReportsARecoveryAtOnce) {
    see(free, CallResult::failed);
    static_cast<void>(to_report(true));
    see(free, CallResult::accepted);
    EXPECT_THAT(to_report(), SizeIs(1));
    see(free, CallResult::accepted);
    EXPECT_THAT(to_report(), IsEmpty());

    Destination failing = to(limited);  // as other instances reported
    failing.failing = true;
    receivers.meet(failing, now);
    see(limited, CallResult::accepted);
    EXPECT_THAT(to_report(), SizeIs(1));
}

TEST_F(ReceiversTest, ReportsAProbeSeparately) {
    receivers.meet(to(free, false), now);
    const auto probe = an_id<EventId>();
    receivers.admitted({.endpoint = free.id, .admitted = 1, .probe = true}, probe, now);
    EXPECT_EQ(receivers.probe_of(free.id), probe);
    see(free, CallResult::failed);  // of another attempt
    receivers.saw(free.id, probe, CallResult::accepted, 1ms, now);
    EXPECT_EQ(receivers.probe_of(free.id), std::nullopt);
    const auto reports = to_report(true);
    ASSERT_THAT(reports, SizeIs(1));
    EXPECT_EQ(reports[0].probe, CallResult::accepted);
    EXPECT_EQ(reports[0].results, CallResults{.failed = 1});
}

TEST_F(ReceiversTest, KeepsReportsThatCouldNotBeStored) {
    see(free, CallResult::failed);
    const auto reports = to_report(true);
    see(free, CallResult::answered);
    receivers.put_back(reports, now);
    const auto again = to_report(true);
    ASSERT_THAT(again, SizeIs(1));
    EXPECT_EQ(again[0].results, (CallResults{.answered = 1, .failed = 1}));
}

TEST_F(ReceiversTest, BoundsTheReportsOfOneBatch) {
    for (int i = 0; i < 3; ++i) see(an_endpoint(), CallResult::failed);
    now += 1s;
    EXPECT_THAT(receivers.to_report(false, 2, now), SizeIs(2));
    EXPECT_TRUE(receivers.may_report(now));
    EXPECT_THAT(receivers.to_report(false, 2, now), SizeIs(1));
}

TEST_F(ReceiversTest, ForgetsIdleReceiversWithoutUnsentReports) {
    receivers.meet(to(free), now);
    receivers.meet(to(limited), now);
    grant(limited, 1);
    now += 60s;
    receivers.forget_idle([](EndpointId) { return true; }, now);
    EXPECT_TRUE(receivers.admits(free.id, 0, 10s, now));
    receivers.forget_idle([](EndpointId) { return false; }, now);
    EXPECT_THROW(static_cast<void>(receivers.admits(free.id, 0, 10s, now)), std::out_of_range);
    EXPECT_TRUE(receivers.has_slots());
}

}  // namespace
}  // namespace sundial
