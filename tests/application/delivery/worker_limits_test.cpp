#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "application/delivery/worker.hpp"
#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::SizeIs;
using testing::StartsWith;

/// Whether and when a worker sends its claimed events: circuits, limits, its bulkhead.
class WorkerLimitsTest : public testing::Test {
protected:
    [[nodiscard]] Instant db() const { return noon + (now - start); }

    template <class Expected>
    Expected want() {
        Command command = worker.next(now);
        if (auto* expected = std::get_if<Expected>(&command)) return std::move(*expected);
        throw std::logic_error("the worker wants command " + std::to_string(command.index()));
    }
    /// Expects the worker to do nothing before `when`.
    void expect_rest(std::chrono::microseconds from_now = 1us) {
        EXPECT_GE(want<WaitUntil>().when, now + from_now);
    }
    void peek(Instant next) {
        want<Peek>(), worker.peeked({db(), {next}, {}, {}, reminders_only}, now);
    }

    static Endpoint limited(std::uint32_t slots) { return an_endpoint().with_max_in_flight(slots); }
    static Destination to(const Endpoint& endpoint, bool circuit_closed = true) {
        return {.endpoint = std::make_shared<const Endpoint>(endpoint),
                .retry_policy = endpoint.retry_policy,
                .timeout = endpoint.timeout,
                .target_time = "target",
                .circuit_closed = circuit_closed};
    }
    /// Claims one event for each of the destinations; `more`: more events are due.
    std::vector<Event> take(const std::vector<Destination>& destinations, bool more = false) {
        peek(db());
        want<Claim>();
        Claimed claimed{{}, db()};
        std::vector<Event> events;
        for (std::size_t i = 0; i < destinations.size(); ++i) {
            const Event event = an_event().with_priority(Priority::normal);
            claimed.events.push_back({sundial::claim(event, instance_a, db(), 30s).value(), false});
            events.push_back(claimed.events.back().event);
        }
        worker.claimed({claimed}, now);
        const Plan plan = want<Plan>();
        // The worker must know the horizon by now: there is no look between a claim and its plan.
        if (more) worker.peeked({db(), {db()}, {}, {}, reminders_only}, now);
        std::vector<Decision> decisions;
        for (std::size_t i = 0; i < events.size(); ++i) {
            decisions.push_back({events[i].id, destinations[i]});
        }
        worker.planned(std::move(decisions), never, now);
        return events;
    }
    std::vector<Event> take(std::size_t count, const Destination& destination) {
        return take(std::vector<Destination>(count, destination));
    }
    void answer(std::uint32_t admitted, std::vector<std::chrono::microseconds> waits = {},
                std::optional<Obstacle> obstacle = std::nullopt, bool probe = false) {
        const auto asked = want<RequestAdmission>().asked;
        ASSERT_THAT(asked, SizeIs(1));
        worker.admitted(std::vector{Admission{.endpoint = asked[0].endpoint,
                                              .admitted = admitted,
                                              .probe = probe,
                                              .slots = asked[0].in_flight + admitted,
                                              .share = 1000,
                                              .obstacle = obstacle,
                                              .waits = std::move(waits)}});
    }
    std::vector<Event> send(std::size_t count) {
        std::vector<Event> sent;
        for (std::size_t i = 0; i < count; ++i) sent.push_back(want<Send>().event);
        return sent;
    }
    std::vector<ReleasedClaim> release_claims() {
        auto batch = want<ReleaseClaims>().batch;
        worker.claims_released({}, 0, 0.0, now);
        return batch;
    }
    void settle() {
        const Settle expected = want<Settle>();
        static_cast<void>(worker.settled(
            {std::vector<Result<void, LeaseLost>>(expected.batch.size())}, 0.5, now));
    }
    static Outcome status(int code) {
        Outcome outcome;
        outcome.verdict = judge_status(code, 0);
        outcome.status_code = code;
        if (outcome.verdict != Verdict::accepted) outcome.error = DeliveryErrorCode::http_status;
        return outcome;
    }
    void deliver(const Event& event, int code, std::chrono::microseconds took = 10ms) {
        Outcome outcome = status(code);
        outcome.duration = took;
        worker.delivered(event.id, outcome, 0.5, now);
    }
    /// Makes the worker claim only half as many ahead next.
    void end_many_in_no_time(const Destination& destination) {
        take(60, destination);
        for (const Event& event : send(60)) deliver(event, 200);
        want<Claim>();
        worker.claimed({Claimed{{}, db()}}, now);
        settle();
        now += 100ms;
    }

    const Mono start = 1000s;
    Mono now = start;
    Worker worker{{.instance = instance_a, .slots = 64, .count_backlog = false}};
};

TEST_F(WorkerLimitsTest, NeedsNoAdmissionForAHealthyEndpointWithoutLimits) {
    take(5, to(an_endpoint()));
    send(5);
    peek(never);
    expect_rest();
}

TEST_F(WorkerLimitsTest, SendsAdmittedEventsAndLetsOthersWaitInLine) {
    take(3, to(limited(2)));
    const auto asked = want<RequestAdmission>().asked;
    ASSERT_THAT(asked, SizeIs(1));
    EXPECT_EQ(asked[0].waiting, 3U);
    EXPECT_EQ(asked[0].in_flight, 0U);
    EXPECT_EQ(asked[0].rules.max_in_flight, 2U);
    worker.admitted(std::vector{Admission{.endpoint = asked[0].endpoint,
                                          .admitted = 2,
                                          .slots = 2,
                                          .share = 2,
                                          .obstacle = Obstacle::limit}});
    send(2);
    const auto returned = release_claims();
    ASSERT_THAT(returned, SizeIs(1));
    EXPECT_EQ(returned[0].delay, 0us);
    EXPECT_EQ(returned[0].obstacle, Obstacle::limit);
    EXPECT_THAT(returned[0].reason, StartsWith("LIMIT_REACHED"));
}

TEST_F(WorkerLimitsTest, AdmitsTheMostUrgentFirst) {
    peek(db());
    want<Claim>();
    const Event late = an_event().due(noon - 1s), later = an_event(),
                critical = an_event().with_priority(Priority::critical);
    Claimed claimed{{}, db()};
    for (const Event& event : {later, late, critical}) {
        claimed.events.push_back({sundial::claim(event, instance_a, db(), 30s).value(), false});
    }
    worker.claimed({claimed}, now);
    want<Plan>();
    const Destination destination = to(limited(2));
    worker.planned({{later.id, destination}, {late.id, destination}, {critical.id, destination}},
                   never, now);
    answer(2, {1s}, Obstacle::limit);
    const auto sent = send(2);
    EXPECT_EQ(sent[0].id, critical.id);
    EXPECT_EQ(sent[1].id, late.id);
    EXPECT_EQ(release_claims().at(0).id, later.id);
}

TEST_F(WorkerLimitsTest, FillsItsSlotsWithoutAskingAgain) {
    const Destination destination = to(limited(2));
    take(2, destination);
    answer(2);
    for (const Event& event : send(2)) deliver(event, 200);
    settle();
    now += 1s;
    take(1, destination);
    send(1);
}

TEST_F(WorkerLimitsTest, RenewsTheSlotsItUsesAndReleasesTheOthers) {
    take(2, to(limited(2)));
    answer(2);
    const auto sent = send(2);
    now += 10s;  // a third of the lease, and of the events' leases
    deliver(sent[0], 200);
    want<Extend>();
    worker.extended({}, 0.5, now);
    const auto asked = want<RequestAdmission>().asked;
    ASSERT_THAT(asked, SizeIs(1));
    EXPECT_EQ(asked[0].waiting, 0U);
    EXPECT_EQ(asked[0].in_flight, 1U);
}

TEST_F(WorkerLimitsTest, SendsNothingUnderSlotsThatMayHaveExpired) {
    take(1, to(limited(2)));
    answer(1);
    now += 16s;  // a request could outlast its slot
    want<Extend>();
    worker.extended({}, 0.5, now);
    worker.failed(want<RequestAdmission>(), true, 0.0, now);  // the slot cannot be renewed either
    peek(never);
    expect_rest();
    now += 100ms;
    const auto asked = want<RequestAdmission>().asked;
    ASSERT_THAT(asked, SizeIs(1));
    EXPECT_EQ(asked[0].waiting, 1U);
    EXPECT_EQ(asked[0].in_flight, 0U);
}

TEST_F(WorkerLimitsTest, RequestsAdmissionAgainAfterADatabaseOutage) {
    take(2, to(limited(2)));
    worker.failed(want<RequestAdmission>(), true, 0.0, now);
    peek(never);
    EXPECT_EQ(want<WaitUntil>().when, now + 100ms);
    now += 100ms;
    answer(2);
    send(2);
}

TEST_F(WorkerLimitsTest, DefersEventsThatCannotBeAdmitted) {
    take(1, to(limited(2)));
    worker.failed(want<RequestAdmission>(), false, 0.0, now);
    EXPECT_THAT(release_claims().at(0).reason, StartsWith("ADMISSION_FAILED"));
}

TEST_F(WorkerLimitsTest, ReleasesSlotsAndReportsEverythingBeforeItEnds) {
    take(1, to(limited(2)));
    answer(1);
    deliver(send(1).at(0), 200);
    worker.stop(now);
    answer(0);
    settle();
    EXPECT_EQ(want<ReportResults>().reports.at(0).results, CallResults{.accepted = 1});
    worker.results_reported({});
    want<Finished>();
}

TEST_F(WorkerLimitsTest, RequestsAdmissionOnceForAnEventThatItClaimedTwice) {
    const Destination destination = to(limited(2));
    Event event = take(1, destination).front();
    worker.failed(want<RequestAdmission>(), true, 0.0, now);
    // Its lease had expired before any instance noticed.
    event.version = base::next(event.version);
    event.attempt = base::next(event.attempt);
    worker.wake(db());
    peek(db());
    want<Claim>();
    worker.claimed({Claimed{{{event, true}}, db()}}, now);
    want<Plan>();
    worker.planned({{event.id, destination}}, never, now);
    now += 100ms;
    answer(1);
    EXPECT_EQ(send(1).front().version, event.version);
}

TEST_F(WorkerLimitsTest, UsesNoAttemptWhileTheCircuitIsOpen) {
    take(2, to(an_endpoint(), false));
    answer(0, {20s, 25s}, Obstacle::circuit);
    const auto returned = release_claims();
    ASSERT_THAT(returned, SizeIs(2));
    EXPECT_EQ(returned[1].delay, 25s);
    EXPECT_EQ(returned[1].obstacle, Obstacle::circuit);
    EXPECT_THAT(returned[1].reason, StartsWith("CIRCUIT_OPEN"));
}

TEST_F(WorkerLimitsTest, ChecksTheCircuitsOfReleasedEventsAgain) {
    const Endpoint endpoint = an_endpoint();
    take(2, to(endpoint, false));
    answer(0, {20s, 25s}, Obstacle::circuit);
    const auto command = want<ReleaseClaims>();
    ASSERT_THAT(command.blocked, SizeIs(2));
    EXPECT_EQ(command.blocked[0].event, command.batch[0].id);
    EXPECT_EQ(command.blocked[0].held, command.batch[0].held);
    EXPECT_EQ(command.blocked[0].endpoint, endpoint.id);
}

TEST_F(WorkerLimitsTest, SendsOneProbeAndReportsItsResult) {
    const Endpoint endpoint = an_endpoint();
    take(2, to(endpoint, false));
    answer(1, {2s}, Obstacle::circuit, true);
    const auto probe = send(1);
    release_claims();
    now += 1s;
    take(1, to(endpoint, false));
    EXPECT_FALSE(want<RequestAdmission>().asked.at(0).may_probe);
    worker.admitted(std::vector{
        Admission{.endpoint = endpoint.id, .obstacle = Obstacle::circuit, .waits = {1s}}});
    release_claims();
    deliver(probe[0], 200);
    now += 20ms;
    const auto reports = want<ReportResults>().reports;
    ASSERT_THAT(reports, SizeIs(1));
    EXPECT_EQ(reports[0].endpoint, endpoint.id);
    EXPECT_EQ(reports[0].probe, CallResult::accepted);
    EXPECT_EQ(reports[0].results, CallResults{});
    worker.results_reported({});
    settle();
    take(1, to(endpoint, false));
    EXPECT_TRUE(want<RequestAdmission>().asked.at(0).may_probe);
}

TEST_F(WorkerLimitsTest, SendsNoOtherProbeBeforeItHasReportedTheLast) {
    const Endpoint endpoint = an_endpoint();
    take(1, to(endpoint, false));
    answer(1, {}, std::nullopt, true);
    const auto probe = send(1);
    deliver(probe[0], 503);
    settle();
    take(1, to(endpoint, false));
    EXPECT_FALSE(want<RequestAdmission>().asked.at(0).may_probe);
}

TEST_F(WorkerLimitsTest, ReportsTheFailuresOfABatchTogether) {
    take(3, to(an_endpoint()));
    const auto sent = send(3);
    deliver(sent[0], 200);
    deliver(sent[1], 503);
    deliver(sent[2], 503);
    settle();
    peek(never);
    EXPECT_EQ(want<WaitUntil>().when, now + 20ms);
    now += 20ms;
    const auto reports = want<ReportResults>().reports;
    ASSERT_THAT(reports, SizeIs(1));
    EXPECT_EQ(reports[0].results, (CallResults{.accepted = 1, .failed = 2}));
    worker.failed(ReportResults{reports}, true, 0.0, now);  // the report was lost
    EXPECT_EQ(want<WaitUntil>().when, now + 100ms);
    now += 100ms;
    EXPECT_EQ(want<ReportResults>().reports.at(0).results, reports[0].results);
    worker.results_reported({});
    expect_rest();
}

// Otherwise a crash in between could lose the news that the receiver works again.
TEST_F(WorkerLimitsTest, ReportsARecoveredReceiverBeforeItSettles) {
    Destination failing = to(an_endpoint());
    failing.failing = true;
    take(1, failing);
    deliver(send(1).at(0), 200);
    EXPECT_EQ(want<ReportResults>().reports.at(0).results, CallResults{.accepted = 1});
    worker.results_reported({});
    settle();
}

TEST_F(WorkerLimitsTest, WritesNothingPerDeliveryOfAHealthyEndpoint) {
    const Destination destination = to(an_endpoint());
    for (int i = 0; i < 4; ++i) {
        take(1, destination);
        deliver(send(1).at(0), 200);
        settle();
        now += 1s;
    }
    now += 1s;
    EXPECT_EQ(want<ReportResults>().reports.at(0).results, CallResults{.accepted = 4});
}

TEST_F(WorkerLimitsTest, DisablesAnEndpointThatAcceptedNothingForDays) {
    const Endpoint endpoint = an_endpoint();
    take(1, to(endpoint));
    deliver(send(1).at(0), 503);
    settle();
    now += 20ms;
    want<ReportResults>();
    worker.results_reported(
        std::vector{ReceiverChange{.endpoint = endpoint.id,
                                   .before = CircuitState::open,
                                   .after = CircuitState::open,
                                   .given_up = "no delivery was accepted since 2026"}});
    const auto disable = want<DisableEndpoint>();
    EXPECT_EQ(disable.endpoint, endpoint.id);
    EXPECT_EQ(disable.reason, "no delivery was accepted since 2026");
}

TEST_F(WorkerLimitsTest, LetsOneEndpointTakeAQuarterOfItsSlotsWhileOthersWait) {
    const Destination busy = to(an_endpoint()), other = to(an_endpoint());
    std::vector<Destination> destinations(32, busy);
    destinations.insert(destinations.begin(), other);
    take(destinations, true);
    send(17);
    want<Claim>();
    const auto returned = release_claims();
    ASSERT_THAT(returned, SizeIs(16));
    EXPECT_EQ(returned[0].obstacle, Obstacle::limit);
}

TEST_F(WorkerLimitsTest, LetsOneEndpointTakeAllSlotsIfNoOtherWaits) {
    take(std::vector<Destination>(64, to(an_endpoint())), true);
    send(64);
}

TEST_F(WorkerLimitsTest, ReleasesPrefetchedClaimsOfAnEndpointThatStopsResponding) {
    const Destination hanging = to(an_endpoint());
    end_many_in_no_time(hanging);
    const std::vector<Event> taken = take(90, hanging);
    send(64);
    now += 200ms;  // no attempt has ended within the period that the worker considers
    EXPECT_EQ(want<WaitUntil>().when, now + 1s);
    now += 1s;
    const auto returned = release_claims();
    ASSERT_THAT(returned, SizeIs(26));
    // The last one is released first, because the earliest due are sent first.
    EXPECT_EQ(returned.front().id, taken.back().id);
    EXPECT_EQ(returned.front().delay, 0us);
    EXPECT_THAT(returned.front().reason, StartsWith("TRIES_SLOW"));
    EXPECT_EQ(worker.held(), 64U);
}

TEST_F(WorkerLimitsTest, KeepsPrefetchedClaimsWhileAttemptsPause) {
    const Destination pausing = to(an_endpoint());
    end_many_in_no_time(pausing);
    take(90, pausing);
    const std::vector<Event> sent = send(64);
    now += 200ms;
    want<WaitUntil>();
    now += 900ms;
    for (const Event& event : sent) deliver(event, 200);
    send(26);
    peek(never);
    now += 20ms;
    settle();
    expect_rest();
}

TEST_F(WorkerLimitsTest, RequestsAdmissionForReadyEventsOnceTheCircuitOpens) {
    const Endpoint endpoint = an_endpoint();
    end_many_in_no_time(to(endpoint));
    take(90, to(endpoint));
    const std::vector<Event> sent = send(64);
    deliver(sent[0], 503);
    send(1);
    now += 20ms;
    want<ReportResults>();
    worker.results_reported(std::vector{ReceiverChange{
        .endpoint = endpoint.id, .before = CircuitState::closed, .after = CircuitState::open}});
    answer(0, std::vector<std::chrono::microseconds>(25, 20s), Obstacle::circuit);
    const auto returned = release_claims();
    ASSERT_THAT(returned, SizeIs(25));
    EXPECT_EQ(returned.front().obstacle, Obstacle::circuit);
}

}  // namespace
}  // namespace sundial
