#include "application/observation/engine_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/settlements.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// A log of level `warn`.
class WarnLog final : public RecordedLog {
public:
    [[nodiscard]] bool wants(base::LogLevel level) const override {
        return level >= base::LogLevel::warn;
    }
};

std::vector<std::string> names_of(const RecordedLog& log) {
    std::vector<std::string> names;
    for (const base::LogLine& line : log.lines()) names.push_back(line.event_name);
    return names;
}

/// One settlement of each kind, and one that came too late.
void report_all(base::Log& log) {
    EngineObserver observer;
    const Event event = *claim(EventBuilder{}, Claimant{an_id<InstanceId>(), ""}, noon, 30s);
    for (const Settlement& one :
         {accepted(event, noon), refused(event, noon), retry_in(event, noon, 5s)}) {
        report_settled({event, one, false}, noon, log, observer);
    }
    report_settled({event, accepted(event, noon), true}, noon, log, observer);
}

TEST(EngineReport, ReportsEachSettlement) {
    RecordedLog log;
    report_all(log);
    EXPECT_THAT(names_of(log),
                ElementsAre("event.completed", "event.failed", "event.retrying", "settle.late"));
}

TEST(EngineReport, WritesNoLineBelowTheLogLevel) {
    WarnLog log;
    report_all(log);
    EXPECT_THAT(names_of(log), ElementsAre("event.failed", "event.retrying", "settle.late"));
}

/// Keeps the lateness of first attempts that were lost.
class LostFirstAttempts final : public EngineObserver {
public:
    void first_attempt_lost(const Event& event) override {
        late_by.push_back(lateness(event).value());
    }
    std::vector<std::chrono::microseconds> late_by;
};

TEST(EngineReport, ReportsTheLatenessOfALostFirstAttempt) {
    RecordedLog log;
    LostFirstAttempts observer;
    const Claimant by{an_id<InstanceId>()};
    const Event first = *claim(EventBuilder{}, by, noon + 5ms, 30s);
    const Event previous_lost = *claim(first, by, noon + 30s + 5ms, 30s);
    const Event again = *claim(previous_lost, by, noon + 60s + 5ms, 30s);

    report_claim(std::vector<ClaimedEvent>{{first, false}}, 1ms, by, log, observer);
    EXPECT_THAT(observer.late_by, ElementsAre());
    report_claim(std::vector<ClaimedEvent>{{previous_lost, true}}, 1ms, by, log, observer);
    EXPECT_THAT(observer.late_by, ElementsAre(5ms));
    report_claim(std::vector<ClaimedEvent>{{again, true}}, 1ms, by, log, observer);
    EXPECT_THAT(observer.late_by, ElementsAre(5ms));
}

}  // namespace
}  // namespace sundial
