#include "application/events/explain_event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

class ExplainEventTest : public ControlPlane {
protected:
    Explanation explained(const Event& event) {
        return explain_event.run(to_string(event.id)).value();
    }
    static std::vector<std::string> steps_of(const Explanation& explanation) {
        std::vector<std::string> names;
        for (const auto& step : explanation.steps) names.emplace_back(step.step);
        return names;
    }
    static const ExplainedStep& step(const Explanation& explanation, std::string_view name) {
        for (const auto& one : explanation.steps) {
            if (one.step == name) return one;
        }
        throw std::out_of_range(std::string{name});
    }
    static std::string member(const ExplainedStep& step, std::string_view name) {
        for (const auto& [key, value] : step.members) {
            if (key != name) continue;
            const auto* text = std::get_if<std::string>(&value);
            return text ? *text : "null";
        }
        throw std::out_of_range(std::string{name});
    }
    Event at_local(const char* local, const char* zone,
                   std::optional<GapPolicy> gap = std::nullopt) {
        NewEvent requested = a_reminder();
        requested.target = {.local = local, .zone = zone, .gap = gap};
        return scheduled(requested);
    }
    Event release_of(const Event& claimed, std::chrono::microseconds delay, std::string reason) {
        const ReleasedClaim released{.id = claimed.id,
                                     .held = claimed.version,
                                     .number = claimed.attempt,
                                     .by = instance_a,
                                     .delay = delay,
                                     .reason = std::move(reason)};
        EXPECT_TRUE(queue.release_claims(std::vector{released}).at(0));
        return find(claimed);
    }

    ExplainEvent explain_event{store, zones};
};

TEST_F(ExplainEventTest, ExplainsEachStepFromTheRuleToTheInstant) {
    const Event event = pending_of(created(ada()));
    const auto explanation = explained(event);
    EXPECT_THAT(steps_of(explanation), ElementsAre("rule", "local", "zone", "utc"));
    EXPECT_THAT(step(explanation, "rule").text,
                HasSubstr("2027-01-06 of its schedule: every year on dateOfBirth at 09:00"));
    EXPECT_THAT(step(explanation, "local").text, HasSubstr("2027-01-06T09:00:00"));
    EXPECT_EQ(member(step(explanation, "zone"), "offset"), "+01:00");
    EXPECT_EQ(member(step(explanation, "zone"), "note"), "null");
    EXPECT_EQ(member(step(explanation, "zone"), "tzdb"), "2025b");
    EXPECT_EQ(member(step(explanation, "utc"), "targetTimestampUTC"), "2027-01-06T08:00:00.000Z");
    EXPECT_EQ(explanation.wait->what, "due");
    EXPECT_EQ(explanation.wait->until, event.due);
    EXPECT_THAT(explanation.summary, HasSubstr("2027-01-06T09:00:00+01:00[Europe/Paris]"));
}

TEST_F(ExplainEventTest, ExplainsTheEffectOfAGap) {
    const auto later =
        explained(at_local("2027-03-14T02:30:00", "America/New_York", GapPolicy::later));
    EXPECT_EQ(member(step(later, "zone"), "note"), "gap_later");
    EXPECT_THAT(step(later, "zone").text, HasSubstr("does not exist in the zone"));
    const auto boundary =
        explained(at_local("2027-03-14T02:30:00", "America/New_York", GapPolicy::boundary));
    EXPECT_EQ(member(step(boundary, "zone"), "note"), "gap_boundary");
}

TEST_F(ExplainEventTest, ReportsThePassOfAnOverlap) {
    const auto first = explained(at_local("2027-11-07T01:30:00", "America/New_York"));
    EXPECT_EQ(member(step(first, "zone"), "note"), "overlap_earlier");
    EXPECT_EQ(member(step(first, "zone"), "offset"), "-04:00");
}

TEST_F(ExplainEventTest, ReportsThatAnotherTzDatabaseWouldMoveIt) {
    const Event event = pending_of(created(ada()));
    FakeTzData newer{"2026f"};
    newer.put(FakeZone("Europe/Paris", hours{2}));
    zones.set(std::move(newer));
    const auto explanation = explained(event);
    EXPECT_THAT(step(explanation, "zone").text,
                HasSubstr("tz database 2026f gives it another instant"));
    EXPECT_EQ(member(step(explanation, "zone"), "tzdb"), "2025b");
}

TEST_F(ExplainEventTest, DistinguishesAnInstantFromALocalTime) {
    NewEvent requested = a_reminder();
    requested.target.utc = "2027-02-01T00:00:00Z";
    const auto explanation = explained(scheduled(requested));
    EXPECT_THAT(steps_of(explanation), ElementsAre("rule", "utc"));
    EXPECT_THAT(step(explanation, "rule").text, HasSubstr("a single event"));
}

TEST_F(ExplainEventTest, ReportsTheEditThatMovedIt) {
    const Event event = pending_of(created(ada()));
    EventEdit edit;
    edit.target.utc = "2027-01-06T12:00:00Z";
    ASSERT_TRUE(edit_event.run(to_string(event.id), edit, std::nullopt, "req-1"));
    EXPECT_THAT(steps_of(explained(event)), IsSupersetOf({"utc", "change"}));
}

TEST_F(ExplainEventTest, ReportsTheReasonForWaiting) {
    created(ada());
    clock.advance(24h);
    const Event held = claimed_one();
    EXPECT_EQ(explained(held).wait->what, "result");
    EXPECT_EQ(explained(held).wait->until, clock.now() + 30s);
    settle(held, RetryIn{1h});
    EXPECT_EQ(explained(held).wait->what, "retry");
    EXPECT_EQ(explained(held).wait->until, clock.now() + 1h);
    clock.advance(2h);
    EXPECT_EQ(explained(held).wait->what, "endpoint");  // or a handler
    const Event parked_event = parked(claimed_one());
    EXPECT_EQ(explained(parked_event).wait->what, "endpoint");
    EXPECT_FALSE(explained(parked_event).wait->until);
    NewEvent requested = a_reminder();
    requested.target.utc = "now";
    requested.endpoint = to_string(an_existing_endpoint().id);
    EXPECT_EQ(explained(scheduled(requested)).wait->what, "claim");
    requested.endpoint.reset();
    const Event without_endpoint = scheduled(requested);
    EXPECT_EQ(explained(without_endpoint).wait->what, "endpoint");
    EXPECT_FALSE(explained(without_endpoint).wait->until);
}

TEST_F(ExplainEventTest, ReportsWhyItWasReleasedUnsent) {
    created(ada());
    clock.advance(24h);
    const auto waiting =
        explained(release_of(claimed_one(), 10min, "CIRCUIT_OPEN its endpoint is failing"));
    EXPECT_EQ(waiting.wait->what, "retry");
    EXPECT_EQ(waiting.wait->until, clock.now() + 10min);
    EXPECT_THAT(waiting.wait->text,
                HasSubstr("released without being sent: CIRCUIT_OPEN its endpoint is failing"));
    EXPECT_THAT(step(waiting, "attempt").text, HasSubstr("CIRCUIT_OPEN its endpoint is failing"));
}

TEST_F(ExplainEventTest, NamesThePauseOfItsSchedule) {
    const User user = created(ada());
    edited_birthday({.enabled = false});
    EXPECT_EQ(explained(pending_of(user)).wait->what, "schedule");
}

TEST_F(ExplainEventTest, ReportsTheFinalState) {
    const auto failure = explained(a_failed_event());
    EXPECT_FALSE(failure.wait);
    EXPECT_THAT(steps_of(failure), ElementsAre("rule", "utc", "attempt", "result"));
    EXPECT_THAT(step(failure, "result").text, HasSubstr("HTTP_STATUS 400"));
    EXPECT_EQ(member(step(failure, "result"), "status"), "FAILED");

    created(ada());
    clock.advance(24h);
    const auto success = explained(completed(claimed_one()));
    EXPECT_THAT(steps_of(success),
                ElementsAre("rule", "local", "zone", "utc", "attempt", "result"));
    EXPECT_THAT(step(success, "result").text, HasSubstr("late"));
    EXPECT_THAT(success.summary, HasSubstr("COMPLETED"));
}

TEST_F(ExplainEventTest, ReportsAnUnknownName) {
    EXPECT_TRUE(fails_with<NotFound>(explain_event.run("nothing")));
    EXPECT_TRUE(fails_with<NotFound>(explain_event.run(to_string(an_id<EventId>()))));
}

}  // namespace
}  // namespace sundial
