#include "application/delivery/advance_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/engine.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

/// The machine's own clock, which tests cannot move.
class RealClock final : public Clock {
public:
    Instant now() override { return noon; }
    [[nodiscard]] bool is_test() const override { return false; }
    Result<void, ClockNotTest, ValidationFailed> set(Instant) override { return ClockNotTest{}; }
};

class AdvanceClockTest : public Engine {
protected:
    AdvanceClockTest() {
        birthdays_go_to(an_endpoint());
        webhook.answer = [this](const DeliveryRequest& request) {
            sent_at.push_back(clock.now());
            latenesses.push_back(clock.now() - request.event->due);
            return accepted_outcome();
        };
    }

    AdvanceClock advance_clock{clock, queue, operations, *loop};
    std::vector<Instant> sent_at;
    std::vector<microseconds> latenesses;
};

TEST_F(AdvanceClockTest, StopsAtEachDueEvent) {
    created(born("1992-01-06", "Europe/Paris"));
    created(born("1992-01-06", "America/New_York"));
    created(born("1990-07-01", "Asia/Kolkata"));

    const Advanced advanced = advance_clock.to(noon + days{365}).value();

    EXPECT_EQ(advanced.delivered, 3U);
    EXPECT_EQ(advanced.failed, 0U);
    EXPECT_EQ(advanced.now, noon + days{365});
    EXPECT_EQ(clock.now(), noon + days{365});
    EXPECT_THAT(sent_at,
                ElementsAre(sys_days{January / 6 / 2027} + 8h, sys_days{January / 6 / 2027} + 14h,
                            sys_days{July / 1 / 2027} + 3h + 30min));
    EXPECT_THAT(latenesses, Each(0us));
}

TEST_F(AdvanceClockTest, DeliversEachYearOnTime) {
    created(born("1992-02-29", "Europe/Paris"));
    EXPECT_EQ(advance_clock.by(days{10 * 365 + 3}).value().delivered, 10U);
    EXPECT_THAT(latenesses, Each(0us));
}

TEST_F(AdvanceClockTest, DeliversRetriesOnTheWay) {
    created(ada());
    int tries = 0;
    webhook.answer = [&](const DeliveryRequest&) {
        sent_at.push_back(clock.now());
        return ++tries < 4 ? status_outcome(503) : accepted_outcome();
    };
    EXPECT_EQ(advance_clock.by(24h).value().delivered, 1U);
    const Instant due = sys_days{January / 6 / 2027} + 8h;
    EXPECT_THAT(sent_at, ElementsAre(due, due + 1s, due + 3s, due + 7s));
}

TEST_F(AdvanceClockTest, CountsFailures) {
    created(ada());
    webhook.answer = [](const DeliveryRequest&) { return status_outcome(404); };
    const Advanced advanced = advance_clock.by(24h).value();
    EXPECT_EQ(advanced.delivered, 0U);
    EXPECT_EQ(advanced.failed, 1U);
}

TEST_F(AdvanceClockTest, ReportsItsProgress) {
    created(born("1992-01-06", "Europe/Paris"));
    created(born("1992-01-07", "Europe/Paris"));
    std::vector<std::uint64_t> delivered;
    ASSERT_TRUE(advance_clock.by(
        days{3}, [&](const Advanced& so_far) { delivered.push_back(so_far.delivered); }));
    EXPECT_THAT(delivered, ElementsAre(0U, 1U, 2U, 2U));
}

TEST_F(AdvanceClockTest, DeliversEventsDueAtItsTarget) {
    created(ada());
    EXPECT_EQ(advance_clock.to(sys_days{January / 6 / 2027} + 8h).value().delivered, 1U);
    EXPECT_EQ(clock.now(), sys_days{January / 6 / 2027} + 8h);
}

TEST_F(AdvanceClockTest, IgnoresParkedEvents) {
    change_birthday([](Schedule& schedule) { schedule.endpoint.reset(); });
    created(ada());
    EXPECT_EQ(advance_clock.by(days{800}).value().delivered, 0U);
    EXPECT_EQ(clock.now(), noon + days{800});
}

TEST_F(AdvanceClockTest, NeverGoesBack) {
    const auto to_defects = defects_of(advance_clock.to(noon - 1us));
    EXPECT_THAT(to_defects, ElementsAre("/to out_of_range"));
    EXPECT_THAT(defects_of(advance_clock.by(-1us)), ElementsAre("/by out_of_range"));
    EXPECT_THAT(defects_of(advance_clock.jump(noon - 1us)), ElementsAre("/now out_of_range"));
    EXPECT_EQ(clock.now(), noon);
}

TEST_F(AdvanceClockTest, StaysWithinTheCalendar) {
    EXPECT_THAT(defects_of(advance_clock.by(microseconds::max())), ElementsAre("/by out_of_range"));
}

TEST_F(AdvanceClockTest, MovesNoRealClock) {
    RealClock real;
    AdvanceClock real_time{real, queue, operations, *loop};
    EXPECT_TRUE(fails_with<ClockNotTest>(real_time.to(noon + 1h)));
    EXPECT_TRUE(fails_with<ClockNotTest>(real_time.by(1h)));
    EXPECT_TRUE(fails_with<ClockNotTest>(real_time.jump(noon + 1h)));
}

TEST_F(AdvanceClockTest, DeliversSkippedEventsLateAfterAJump) {
    created(ada());
    EXPECT_EQ(advance_clock.jump(noon + 48h).value(), noon + 48h);
    EXPECT_THAT(sent_at, SizeIs(0));
    EXPECT_EQ(drain(), (TickCounters{.claimed = 1, .completed = 1}));
    EXPECT_THAT(latenesses, ElementsAre(noon + 48h - (sys_days{January / 6 / 2027} + 8h)));
}

TEST_F(AdvanceClockTest, StopsWithTheWorker) {
    created(born("1992-01-06", "Europe/Paris"));
    created(born("1992-01-07", "Europe/Paris"));
    const auto stop_after_the_first = [&](const Advanced& so_far) {
        if (so_far.delivered == 1) loop->stop();
    };
    const Advanced advanced = advance_clock.by(days{3}, stop_after_the_first).value();
    EXPECT_EQ(advanced.delivered, 1U);
    EXPECT_LT(clock.now(), noon + days{3});
}

}  // namespace
}  // namespace sundial
