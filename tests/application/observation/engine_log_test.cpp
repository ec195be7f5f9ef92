#include "application/observation/engine_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

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
    const std::vector<Settled> all{{event, accepted(event, noon), false},
                                   {event, refused(event, noon), false},
                                   {event, retry_in(event, noon, 5s), false},
                                   {event, accepted(event, noon), true}};
    report_settled(all, noon, log, observer);
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

/// Keeps the reported transitions.
class Transitions final : public EngineObserver {
public:
    void transition(std::string_view type, EventStatus status, std::size_t count) override {
        all.emplace_back(type, status, count);
    }
    std::vector<std::tuple<std::string, EventStatus, std::size_t>> all;
};

TEST(EngineReport, CountsTheFinishedEventsOfABatchTogether) {
    RecordedLog log;
    Transitions transitions;
    const auto claimed = [](const char* type) {
        return *claim(an_event().of_type(type), Claimant{an_id<InstanceId>(), ""}, noon, 30s);
    };
    const Event first = claimed("A"), second = claimed("A"), other = claimed("B");
    const std::vector<Settled> all{{first, accepted(first, noon), false},
                                   {other, accepted(other, noon), false},
                                   {second, accepted(second, noon), false},
                                   {second, accepted(second, noon), true}};
    report_settled(all, noon, log, transitions);
    EXPECT_THAT(transitions.all, ElementsAre(std::tuple{"A", EventStatus::completed, 2U},
                                             std::tuple{"B", EventStatus::completed, 1U}));
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
