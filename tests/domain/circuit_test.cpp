#include "domain/circuit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

const CircuitPolicy policy{};
const CallResults one_accepted{.accepted = 1};
const CallResults one_failed{.failed = 1};

Circuit fresh() { return {.endpoint = an_id<EndpointId>()}; }

Circuit open_since(Instant at) { return count(fresh(), {.failed = 5}, at, policy); }

Circuit probed(const Circuit& circuit, CallResult result, Instant now) {
    return end_probe(begin_probe(circuit, instance_a, now + 30s), instance_a, result, now, policy);
}

TEST(Circuit, OpensOnceEnoughOfTheLatestResultsAreFailures) {
    struct Row {
        CallResults results;
        CircuitState then;
    };
    const Row rows[]{
        {{.failed = 4}, CircuitState::closed},  // too few results
        {{.failed = 5}, CircuitState::open},
        {{.accepted = 3, .failed = 3}, CircuitState::open},
        {{.accepted = 4, .failed = 3}, CircuitState::closed},
        {{.answered = 4, .failed = 3}, CircuitState::closed},  // a refusal is an answer
        {{.answered = 100}, CircuitState::closed},
        {{.accepted = 100}, CircuitState::closed},
    };
    for (const auto& [results, then] : rows) {
        EXPECT_EQ(count(fresh(), results, noon, policy).state, then)
            << results.accepted << ' ' << results.answered << ' ' << results.failed;
    }
}

TEST(Circuit, CountsSingleAndBatchedResultsAlike) {
    Circuit circuit = fresh();
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(circuit.state, CircuitState::closed);
        circuit = count(circuit, one_failed, noon + i * 12s, policy);
    }
    EXPECT_EQ(circuit.state, CircuitState::open);
    EXPECT_EQ(circuit.opened_at, noon + 48s);
    EXPECT_EQ(circuit.probe_at, noon + 78s);
}

TEST(Circuit, ForgetsResultsOlderThanItsWindow) {
    Circuit circuit = count(fresh(), {.failed = 4}, noon, policy);
    EXPECT_DOUBLE_EQ(failure_ratio(circuit, noon + 59s, policy), 1.0);
    EXPECT_DOUBLE_EQ(failure_ratio(circuit, noon + 60s, policy), 0.0);
    circuit = count(circuit, one_failed, noon + 60s, policy);
    EXPECT_EQ(circuit.state, CircuitState::closed);
    circuit = count(circuit, {.accepted = 3}, noon + 61s, policy);
    EXPECT_DOUBLE_EQ(failure_ratio(circuit, noon + 61s, policy), 0.25);
}

TEST(Circuit, DoesNotOpenForASuccessThatComesLate) {
    const Circuit circuit = count(fresh(), {.failed = 4}, noon, policy);
    EXPECT_EQ(count(circuit, one_accepted, noon, policy).state, CircuitState::closed);
}

TEST(Circuit, FollowsTheSettingsThatItIsGiven) {
    const CircuitPolicy strict{
        .window = 6s, .min_calls = 2, .failure_ratio = 1.0, .open = 7s, .open_max = 10s};
    Circuit circuit = count(fresh(), {.failed = 2}, noon, strict);
    EXPECT_EQ(circuit.open_for, 7s);
    circuit = end_probe(begin_probe(circuit, instance_a, noon + 60s), instance_a,
                        CallResult::failed, noon + 8s, strict);
    EXPECT_EQ(circuit.open_for, 10s);
    EXPECT_EQ(count(fresh(), {.accepted = 1, .failed = 2}, noon, strict).state,
              CircuitState::closed);
}

TEST(Circuit, IsProbedByOneInstanceAfterThePause) {
    Circuit circuit = open_since(noon);
    EXPECT_FALSE(may_probe(circuit, instance_a, noon + 30s - 1us));
    EXPECT_TRUE(may_probe(circuit, instance_a, noon + 30s));
    circuit = begin_probe(circuit, instance_a, noon + 60s);
    EXPECT_EQ(circuit.state, CircuitState::half_open);
    EXPECT_FALSE(may_probe(circuit, instance_b, noon + 60s - 1us));
    EXPECT_TRUE(may_probe(circuit, instance_b, noon + 60s));  // the prober has died
    EXPECT_FALSE(may_probe(fresh(), instance_a, noon));
}

TEST(Circuit, ClosesAfterThreeProbesThatWereAnswered) {
    Circuit circuit = open_since(noon);
    const CallResult answers[]{CallResult::accepted, CallResult::answered, CallResult::accepted};
    for (const CallResult answer : answers) {
        EXPECT_TRUE(may_probe(circuit, instance_b, noon + 31s));
        circuit = probed(circuit, answer, noon + 31s);
    }
    EXPECT_EQ(circuit.state, CircuitState::closed);
    EXPECT_EQ(circuit.opened_at, std::nullopt);
    EXPECT_DOUBLE_EQ(failure_ratio(circuit, noon + 31s, policy), 0.0);
}

TEST(Circuit, PausesTwiceAsLongForEachProbeThatFails) {
    Circuit circuit = open_since(noon);
    circuit = probed(circuit, CallResult::accepted, noon + 30s);
    const std::chrono::seconds pauses[]{60s, 120s, 240s, 480s, 600s, 600s};
    for (const auto pause : pauses) {
        const Instant now = circuit.probe_at;
        circuit = probed(circuit, CallResult::failed, now);
        EXPECT_EQ(circuit.state, CircuitState::open);
        EXPECT_EQ(circuit.probe_at, now + pause);
        EXPECT_EQ(circuit.probes_answered, 0U);
        EXPECT_EQ(circuit.opened_at, noon);
    }
}

TEST(Circuit, IgnoresAProbeThatWasNeverSent) {
    const Circuit circuit = probed(open_since(noon), CallResult::none, noon + 30s);
    EXPECT_EQ(circuit.state, CircuitState::half_open);
    EXPECT_EQ(circuit.probes_answered, 0U);
    EXPECT_TRUE(may_probe(circuit, instance_b, noon + 30s));
}

TEST(Circuit, IgnoresAProbeThatIsNotExpected) {
    const Circuit circuit = begin_probe(open_since(noon), instance_b, noon + 60s);
    const Circuit after = end_probe(circuit, instance_a, CallResult::failed, noon + 61s, policy);
    EXPECT_EQ(after, circuit);
}

TEST(Circuit, IgnoresOtherResultsUntilItIsClosed) {
    const Circuit circuit = open_since(noon);
    const Circuit after = count(circuit, {.accepted = 100, .failed = 3}, noon + 1s, policy);
    EXPECT_EQ(after.state, CircuitState::open);
    EXPECT_EQ(after.probe_at, circuit.probe_at);
    EXPECT_EQ(after.accepted_at, noon + 1s);
}

TEST(Circuit, IsClosedByHandFromAnyState) {
    const Circuit open = open_since(noon);
    EXPECT_EQ(closed(open), Circuit{.endpoint = open.endpoint});
}

TEST(Circuit, SpreadsWaitingEventsOverHalfOfItsPause) {
    const Circuit circuit = open_since(noon);
    EXPECT_EQ(wait_for_circuit(circuit, noon + 10s, 0.0), 20s);
    EXPECT_EQ(wait_for_circuit(circuit, noon + 10s, 0.5), 27'500ms);
    EXPECT_EQ(wait_for_circuit(circuit, noon + 40s, 0.0), 1ms);  // never at once
    const Circuit probing = begin_probe(circuit, instance_a, noon + 60s);
    EXPECT_EQ(wait_for_circuit(probing, noon + 31s, 0.0), 2s);
    EXPECT_EQ(wait_for_circuit(probing, noon + 31s, 0.5), 3s);
}

TEST(Circuit, GivesUpAfterFiveDaysWithoutAnAcceptanceAndADayOfAttempts) {
    const auto given_up_after = [](std::chrono::hours since_acceptance,
                                   std::chrono::hours since_failure) {
        const Circuit circuit{.endpoint = an_id<EndpointId>(),
                              .accepted_at = noon - since_acceptance,
                              .failing_since = noon - since_failure};
        return given_up(circuit, noon).has_value();
    };
    EXPECT_TRUE(given_up_after(120h, 24h));
    EXPECT_FALSE(given_up_after(119h, 118h));
    EXPECT_FALSE(given_up_after(1000h, 23h));  // there was nothing to send for a long time
    Circuit never{.endpoint = an_id<EndpointId>(), .failing_since = noon - 120h};
    EXPECT_EQ(given_up(never, noon), "no delivery was accepted since 2026-12-31T12:00:00.000Z");
    EXPECT_FALSE(given_up(never, noon - 1us));
    EXPECT_FALSE(given_up(fresh(), noon));
}

TEST(Circuit, KnowsSinceWhenNothingWasAccepted) {
    Circuit circuit = count(fresh(), one_failed, noon, policy);
    circuit = count(circuit, {.answered = 1}, noon + 1s, policy);
    EXPECT_EQ(circuit.failing_since, noon);
    circuit = count(circuit, {.accepted = 1, .failed = 9}, noon + 2s, policy);
    EXPECT_EQ(circuit.failing_since, std::nullopt);
    EXPECT_EQ(circuit.accepted_at, noon + 2s);
}

TEST(CallResult, ClassifiesAnOutcomeForTheCircuit) {
    const auto of = [](Verdict verdict, std::optional<DeliveryErrorCode> error) {
        Outcome outcome;
        outcome.verdict = verdict;
        outcome.error = error;
        return call_result(outcome);
    };
    EXPECT_EQ(of(Verdict::accepted, std::nullopt), CallResult::accepted);
    EXPECT_EQ(of(Verdict::permanent, DeliveryErrorCode::http_status), CallResult::answered);
    EXPECT_EQ(of(Verdict::retryable, DeliveryErrorCode::http_status), CallResult::failed);
    EXPECT_EQ(of(Verdict::retryable, DeliveryErrorCode::timeout), CallResult::failed);
    EXPECT_EQ(of(Verdict::permanent, DeliveryErrorCode::destination_forbidden), CallResult::none);
    EXPECT_EQ(of(Verdict::retryable, DeliveryErrorCode::worker), CallResult::none);
}

TEST(CircuitState, HasNames) {
    for (const auto state : {CircuitState::closed, CircuitState::half_open, CircuitState::open}) {
        EXPECT_EQ(parse_circuit_state(to_string(state)), state);
    }
    EXPECT_EQ(to_string(CircuitState::half_open), "HALF_OPEN");
    EXPECT_EQ(parse_circuit_state("open"), std::nullopt);
}

/// Actions of two instances at any times.
RC_GTEST_PROP(Circuit, NeverHasTwoProbesAtOnceNorAPauseOutOfBounds, ()) {
    Circuit circuit = fresh();
    Instant now = noon;
    Instant probe_lost{};
    std::optional<InstanceId> prober;
    const int steps = *rc::gen::inRange(1, 100);
    for (int i = 0; i < steps; ++i) {
        now += std::chrono::seconds{*rc::gen::inRange(0, 40)};
        const InstanceId by = *rc::gen::element(instance_a, instance_b);
        const auto result = *rc::gen::element(CallResult::accepted, CallResult::answered,
                                              CallResult::failed, CallResult::none);
        if (*rc::gen::arbitrary<bool>()) {
            CallResults results;
            for (int n = *rc::gen::inRange(0, 6); n > 0; --n) results.add(result);
            const Circuit before = circuit;
            circuit = count(circuit, results, now, policy);
            RC_ASSERT(before.state == CircuitState::closed || before.state == circuit.state);
        } else if (prober == by) {
            circuit = end_probe(circuit, by, result, now, policy);
            prober.reset();
        } else if (may_probe(circuit, by, now)) {
            RC_ASSERT(!prober || now >= probe_lost);
            probe_lost = now + 30s;
            prober = by;
            circuit = begin_probe(circuit, by, probe_lost);
        }
        const bool is_closed = circuit.state == CircuitState::closed;
        RC_ASSERT(is_closed == !circuit.opened_at);
        const bool in_bounds =
            circuit.open_for >= policy.open && circuit.open_for <= policy.open_max;
        RC_ASSERT(in_bounds != is_closed);
        RC_ASSERT(circuit.probes_answered < 3U);
        const auto wait = wait_for_circuit(circuit, now, 0.999);
        RC_ASSERT(wait > 0us && wait <= policy.open_max + policy.open_max / 2);
    }
}

}  // namespace
}  // namespace sundial
