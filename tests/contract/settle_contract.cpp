#include <gmock/gmock.h>

#include "contract/event_queue_contract.hpp"
#include "contract/settlements.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(SettleContract, MovesAnAcceptedEventToItsHistory) {
    const Event event = an_event().to_endpoint(an_id<EndpointId>());
    given(event);
    advance(1s);
    const Event held = claim_one();
    advance(1s);
    EXPECT_TRUE(settle(accepted(held, noon + 1500ms)));

    Event expected = complete(held, noon + 2s).value();
    expected.first_attempt_at = noon + 1500ms;
    EXPECT_EQ(find(event.id), expected);
    EXPECT_FALSE(write([&](Transaction& tx) { return tx.events().lock(event.id); }));
    advance(1h);
    EXPECT_THAT(claim(instance_b), IsEmpty());
}

TEST_P(SettleContract, RecordsASuccessAmongTheAttempts) {
    const Event event = an_event().to_endpoint(an_id<EndpointId>());
    given(event);
    EXPECT_TRUE(settle(accepted(claim_one(), noon + 5us)));
    const AttemptRecord success{.event = event.id,
                                .number = Attempt{1},
                                .outcome = AttemptOutcome::succeeded,
                                .endpoint = event.endpoint,
                                .started_at = noon + 5us,
                                .duration = attempt_duration,
                                .status_code = 200,
                                .error_code = {},
                                .error_text = {},
                                .response_body = {},
                                .instance = instance_a,
                                .held = Version{2}};
    EXPECT_THAT(attempts_of(event.id), ElementsAre(success));
}

TEST_P(SettleContract, DelaysTheNextAttempt) {
    given(an_event());
    const Event held = claim_one();
    const Settlement settlement = retry_in(held, noon + 1us, 4s);
    advance(1s);
    EXPECT_TRUE(settle(settlement));

    Event expected = wait_for_retry(held, noon + 1s, noon + 5s).value();
    expected.first_attempt_at = noon + 1us;
    EXPECT_EQ(find(held.id), expected);
    EXPECT_THAT(attempts_of(held.id), ElementsAre(*settlement.attempt));
    advance(4s - 1us);
    EXPECT_THAT(claim(instance_b), IsEmpty());
    advance(1us);
    const auto again = claim(instance_b);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_FALSE(again[0].previous_lost);
    EXPECT_EQ(again[0].event.attempt, Attempt{2});
    EXPECT_EQ(again[0].event.retry_count, 1U);
}

TEST_P(SettleContract, KeepsTheStartOfTheFirstAttemptAndEveryFailedAttempt) {
    const Event event = an_event();
    given(event);
    std::vector<AttemptRecord> tries;
    for (int i = 0; i < 3; ++i) {
        const Settlement settlement = retry_in(claim_one(), noon + 1s * i, 1s);
        EXPECT_TRUE(settle(settlement));
        tries.push_back(*settlement.attempt);
        advance(1s);
    }
    EXPECT_TRUE(settle(accepted(claim_one(), noon + 3s)));

    EXPECT_EQ(find(event.id)->first_attempt_at, noon);
    EXPECT_EQ(find(event.id)->retry_count, 3U);
    const auto attempts = attempts_of(event.id);
    ASSERT_EQ(attempts.size(), 4U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(attempts[i], tries[i]);
    EXPECT_EQ(attempts[3].outcome, AttemptOutcome::succeeded);
    EXPECT_EQ(attempts[3].number, Attempt{4});
    EXPECT_EQ(attempts[3].started_at, noon + 3s);
}

TEST_P(SettleContract, FailsAnEventThatIsRefusedForGood) {
    given(an_event());
    const Event held = claim_one();
    const Settlement settlement = refused(held, noon);
    EXPECT_TRUE(settle(settlement));

    Event expected = fail(held, noon, "HTTP_STATUS 404").value();
    expected.first_attempt_at = noon;
    EXPECT_EQ(find(held.id), expected);
    EXPECT_EQ(expected.retry_count, 0U);
    EXPECT_THAT(attempts_of(held.id), ElementsAre(*settlement.attempt));
    advance(1h);
    EXPECT_THAT(claim(instance_b), IsEmpty());
}

TEST_P(SettleContract, CountsTheLastAttemptOfAnEventWhoseAttemptsAreUsedUp) {
    given(an_event());
    const Event held = claim_one();
    EXPECT_TRUE(settle(used_up(held, noon)));
    Event expected = give_up(held, noon, "HTTP_STATUS 503").value();
    expected.first_attempt_at = noon;
    EXPECT_EQ(find(held.id), expected);
    EXPECT_EQ(expected.retry_count, 1U);
}

TEST_P(SettleContract, FailsAnEventUnsentIfAllAttemptsWereLost) {
    given(an_event());
    claim_one(instance_a);
    advance(30s);
    const Event previous_lost = claim_one(instance_b);
    EXPECT_TRUE(settle(lost_for_good(previous_lost)));

    EXPECT_EQ(find(previous_lost.id), fail(previous_lost, noon + 30s, "LEASE_LOST").value());
    EXPECT_EQ(find(previous_lost.id)->first_attempt_at, noon);
    EXPECT_EQ(find(previous_lost.id)->retry_count, 1U);
    const auto attempts = attempts_of(previous_lost.id);
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].outcome, AttemptOutcome::lost);
}

TEST_P(SettleContract, AllowsAHolderWithAnExpiredLeaseIfTheEventWasNotClaimedAgain) {
    given(an_event());
    const Event held = claim_one();
    advance(10min);
    EXPECT_TRUE(settle(accepted(held, noon)));
    EXPECT_EQ(status_of(*find(held.id)), EventStatus::completed);
}

/// For every kind of report from a stale holder.
TEST_P(SettleContract, RefusesAStaleHolderAndChangesNothingOfTheEvent) {
    for (const auto& say : std::vector<std::function<Settlement(const Event&)>>{
             [](const Event& stale) { return accepted(stale, noon + 1s); },
             [](const Event& stale) { return retry_in(stale, noon + 1s, 1s); },
             [](const Event& stale) { return refused(stale, noon + 1s); },
             [](const Event& stale) { return used_up(stale, noon + 1s); }}) {
        given(an_event().due(clock().now()));
        const Event stale = claim_one(instance_a);
        advance(30s);
        const Event held = claim_one(instance_b);

        const Settlement late = say(stale);
        const auto answer = settle(late);

        ASSERT_TRUE(is<LeaseLost>(answer));
        EXPECT_EQ(std::get<LeaseLost>(answer.error()).id, stale.id);
        EXPECT_EQ(std::get<LeaseLost>(answer.error()).held, stale.version);
        EXPECT_EQ(find(stale.id), held);
        const auto attempts = attempts_of(stale.id);
        ASSERT_EQ(attempts.size(), 1U);
        EXPECT_EQ(attempts[0].number, stale.attempt);
        EXPECT_EQ(attempts[0].outcome, AttemptOutcome::late);
        EXPECT_EQ(attempts[0].status_code, late.status_code);
        EXPECT_EQ(attempts[0].started_at, noon + 1s);
        EXPECT_EQ(attempts[0].duration, attempt_duration);
        EXPECT_EQ(attempts[0].instance, instance_a);
        EXPECT_EQ(attempts[0].error_code, late.attempt ? "HTTP_STATUS" : "");
        EXPECT_TRUE(settle(accepted(held, noon + 30s)));
    }
}

TEST_P(SettleContract, KeepsAnUnsentAttemptLostDespiteALateReport) {
    given(an_event());
    const Event stale = claim_one(instance_a);
    advance(30s);
    const Event held = claim_one(instance_b);
    EXPECT_TRUE(is<LeaseLost>(settle(lost_for_good(stale))));
    const auto attempts = attempts_of(stale.id);
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].outcome, AttemptOutcome::lost);
    EXPECT_EQ(find(stale.id), held);
}

TEST_P(SettleContract, RefusesAHolderWhoseEventHasEnded) {
    given(an_event());
    const Event stale = claim_one(instance_a);
    advance(30s);
    EXPECT_TRUE(settle(accepted(claim_one(instance_b), noon + 30s)));
    const auto completed = find(stale.id);
    EXPECT_TRUE(is<LeaseLost>(settle(refused(stale, noon))));
    EXPECT_TRUE(is<LeaseLost>(settle(accepted(stale, noon))));
    EXPECT_EQ(find(stale.id), completed);
}

TEST_P(SettleContract, RefusesAnUnknownEvent) {
    Event unknown = sundial::claim(an_event(), instance_a, noon, 30s).value();
    EXPECT_TRUE(is<LeaseLost>(settle(accepted(unknown, noon))));
    EXPECT_TRUE(is<LeaseLost>(settle(retry_in(unknown, noon, 1s))));
    EXPECT_TRUE(is<LeaseLost>(release_claims(release_of(unknown, 1s))));
    EXPECT_THAT(attempts_of(unknown.id), IsEmpty());
    EXPECT_FALSE(find(unknown.id));
}

/// The answer was lost, so the holder repeats it.
TEST_P(SettleContract, AcceptsARepeatedSettlement) {
    for (const auto& say : std::vector<std::function<Settlement(const Event&)>>{
             [](const Event& held) { return accepted(held, noon); },
             [](const Event& held) { return retry_in(held, noon, 1h); },
             [](const Event& held) { return refused(held, noon); },
             [](const Event& held) { return used_up(held, noon); },
             [](const Event& held) { return lost_for_good(held); }}) {
        given(an_event());
        const Settlement settlement = say(claim_one());
        EXPECT_TRUE(settle(settlement));
        const auto event = find(settlement.id);
        const auto attempts = attempts_of(settlement.id);
        advance(1s);

        EXPECT_TRUE(settle(settlement).has_value());

        EXPECT_EQ(find(settlement.id), event);
        EXPECT_EQ(attempts_of(settlement.id), attempts);
    }
}

TEST_P(SettleContract, AcceptsARepeatedFailureEvenIfTheNextAttemptHasBegun) {
    given(an_event());
    const Settlement settlement = retry_in(claim_one(instance_a), noon, 1s);
    EXPECT_TRUE(settle(settlement));
    advance(1s);
    const Event held = claim_one(instance_b);
    EXPECT_TRUE(settle(settlement).has_value());
    EXPECT_EQ(find(held.id), held);
    EXPECT_THAT(attempts_of(held.id), ElementsAre(*settlement.attempt));
}

/// The second one is a repetition, as in a batch of its own.
TEST_P(SettleContract, SettlesAClaimOnceThatABatchNamesTwice) {
    given(an_event().due(noon - 2s), an_event().due(noon - 1s), an_event());
    std::vector<Event> held;
    for (const auto& one : claim(instance_a)) held.push_back(one.event);
    ASSERT_EQ(held.size(), 3U);
    const std::vector batch{accepted(held[0], noon),     refused(held[1], noon),
                            accepted(held[0], noon),     refused(held[1], noon),
                            retry_in(held[2], noon, 1s), retry_in(held[2], noon, 1s)};

    for (const auto& answer : queue().settle(batch)) EXPECT_TRUE(answer.has_value());

    EXPECT_EQ(status_of(*find(held[0].id)), EventStatus::completed);
    EXPECT_EQ(status_of(*find(held[1].id)), EventStatus::failed);
    EXPECT_EQ(attempts_of(held[1].id).size(), 1U);
    EXPECT_EQ(find(held[2].id)->retry_count, 1U);
    EXPECT_EQ(find(held[2].id)->version, base::next(held[2].version));
    EXPECT_EQ(attempts_of(held[2].id).size(), 1U);
}

TEST_P(SettleContract, SettlesAClaimOnceBehindAStaleSettlementOfTheEvent) {
    given(an_event());
    const Event held = claim(instance_a).at(0).event;
    Settlement stale = accepted(held, noon);
    stale.held = Version{1};
    stale.number = Attempt{9};
    const std::vector batch{stale, accepted(held, noon), accepted(held, noon)};

    const auto answers = queue().settle(batch);

    EXPECT_FALSE(answers[0].has_value());
    EXPECT_TRUE(answers[1].has_value());
    EXPECT_TRUE(answers[2].has_value());
    EXPECT_EQ(status_of(*find(held.id)), EventStatus::completed);
}

TEST_P(SettleContract, AnswersEachSettlementOfABatchInItsPlace) {
    given(an_event().due(noon - 4s), an_event().due(noon - 3s), an_event().due(noon - 2s),
          an_event().due(noon - 1s), an_event());
    std::vector<Event> held;
    for (const auto& one : claim(instance_a)) held.push_back(one.event);
    ASSERT_EQ(held.size(), 5U);
    Settlement stale = accepted(held[1], noon);
    stale.held = Version{1};
    stale.number = Attempt{9};
    Settlement unknown = accepted(held[3], noon);
    unknown.id = an_id<EventId>();
    const std::vector batch{retry_in(held[0], noon, 1s), stale, accepted(held[2], noon), unknown,
                            refused(held[4], noon)};

    const auto answers = queue().settle(batch);

    ASSERT_EQ(answers.size(), 5U);
    EXPECT_TRUE(answers[0].has_value());
    EXPECT_TRUE(is<LeaseLost>(answers[1]));
    EXPECT_TRUE(answers[2].has_value());
    EXPECT_TRUE(is<LeaseLost>(answers[3]));
    EXPECT_TRUE(answers[4].has_value());
    EXPECT_FALSE(is_claimed(*find(held[0].id)));
    EXPECT_EQ(find(held[1].id), held[1]);
    EXPECT_EQ(status_of(*find(held[2].id)), EventStatus::completed);
    EXPECT_EQ(find(held[3].id), held[3]);
    EXPECT_EQ(status_of(*find(held[4].id)), EventStatus::failed);
    EXPECT_THAT(queue().settle({}), IsEmpty());
    EXPECT_THAT(queue().release_claims({}), IsEmpty());
}

/// All in one shard, so that one statement settles those of a kind.
TEST_P(SettleContract, SettlesClaimsBesideThoseThatAreLost) {
    const auto another = [] { return an_event().in_shard(0).due(noon - 1s); };
    given(another(), another(), another(), another(), another(), another());
    const auto claimed_by = [&](InstanceId by) {
        std::vector<Event> events;
        for (const auto& one : claim(by)) events.push_back(one.event);
        std::ranges::sort(events, {}, &Event::id);
        return events;
    };
    const std::vector<Event> lost = claimed_by(instance_a);
    advance(30s);
    const std::vector<Event> held = claimed_by(instance_b);
    ASSERT_EQ(lost.size(), 6U);
    ASSERT_EQ(held.size(), 6U);
    const std::vector batch{accepted(lost[0], noon),     accepted(held[0], noon + 30s),
                            accepted(lost[1], noon),     refused(held[2], noon + 30s),
                            refused(lost[3], noon),      retry_in(held[4], noon + 30s, 1s),
                            retry_in(lost[5], noon, 1s), accepted(held[0], noon + 30s)};

    const auto answers = queue().settle(batch);

    const std::vector settled{false, true, false, true, false, true, false, true};
    ASSERT_EQ(answers.size(), settled.size());
    for (std::size_t i = 0; i < settled.size(); ++i) EXPECT_EQ(answers[i].has_value(), settled[i]);
    EXPECT_EQ(status_of(*find(held[0].id)), EventStatus::completed);
    EXPECT_EQ(status_of(*find(held[2].id)), EventStatus::failed);
    EXPECT_EQ(find(held[4].id)->retry_count, held[4].retry_count + 1);
    for (const std::size_t taken : {1U, 3U, 5U}) EXPECT_EQ(find(held[taken].id), held[taken]);
    for (const std::size_t late : {0U, 1U, 3U, 5U}) {
        EXPECT_EQ(attempts_of(held[late].id).at(0).outcome, AttemptOutcome::late);
    }
    for (const std::size_t untold : {2U, 4U}) {
        EXPECT_EQ(attempts_of(held[untold].id).at(0).outcome, AttemptOutcome::lost);
    }
}

TEST_P(SettleContract, KeepsTheTextsOfAFailureExactly) {
    given(an_event());
    const Event held = claim_one();
    Settlement settlement = refused(held, noon);
    settlement.result = Refused{"HTTP_STATUS 404 ünknown \"o'clock\" \\ ␀ %s"};
    settlement.attempt->error_text = "línea 1\nline 2\t'; DROP TABLE events; --";
    settlement.attempt->response_body = std::string(2048, 'x') + "…";
    EXPECT_TRUE(settle(settlement));
    EXPECT_EQ(std::get<Failed>(find(held.id)->state).reason,
              std::get<Refused>(settlement.result).reason);
    EXPECT_THAT(attempts_of(held.id), ElementsAre(*settlement.attempt));
}

TEST_P(SettleContract, KeepsAnAttemptThatGotNoAnswer) {
    given(an_event());
    Settlement settlement = retry_in(claim_one(), noon, 1s);
    settlement.status_code = settlement.attempt->status_code = std::nullopt;
    settlement.attempt->error_code = "TIMEOUT";
    settlement.attempt->response_body.clear();
    EXPECT_TRUE(settle(settlement));
    EXPECT_THAT(attempts_of(settlement.id), ElementsAre(*settlement.attempt));
}

TEST_P(SettleContract, ReleasesAnUnsentEventForLater) {
    const Event event = an_event().to_endpoint(an_id<EndpointId>());
    given(event);
    const Event held = claim_one();
    advance(1s);
    EXPECT_TRUE(release_claims(release_of(held, 9s)));

    EXPECT_EQ(find(event.id), release(held, noon + 1s, noon + 10s).value());
    EXPECT_EQ(find(event.id)->retry_count, 0U);
    const AttemptRecord released{.event = event.id,
                                 .number = Attempt{1},
                                 .outcome = AttemptOutcome::released,
                                 .endpoint = event.endpoint,
                                 .started_at = std::nullopt,
                                 .status_code = std::nullopt,
                                 .error_code = {},
                                 .error_text = "endpoint disabled",
                                 .response_body = {},
                                 .instance = instance_a,
                                 .held = Version{2}};
    EXPECT_THAT(attempts_of(event.id), ElementsAre(released));
    advance(9s);
    const auto again = claim(instance_b);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_FALSE(again[0].previous_lost);
    EXPECT_EQ(again[0].event.attempt, Attempt{2});  // the number is not reused
}

TEST_P(SettleContract, ParksAnEventThatIsReleasedWithoutATime) {
    given(an_event());
    const Event held = claim_one();
    EXPECT_TRUE(release_claims(release_of(held, std::nullopt)));
    EXPECT_EQ(find(held.id), release(held, noon, never).value());
    advance(std::chrono::hours{24 * 365});
    EXPECT_THAT(claim(instance_b), IsEmpty());
}

TEST_P(SettleContract, AnswersARepeatedReleaseWithSuccess) {
    given(an_event());
    const Event held = claim_one(instance_a);
    EXPECT_TRUE(release_claims(release_of(held, 1s)));
    const auto waiting = find(held.id);
    EXPECT_TRUE(release_claims(release_of(held, 1s)).has_value());
    EXPECT_EQ(find(held.id), waiting);
    advance(1s);
    const Event next = claim_one(instance_b);
    EXPECT_TRUE(release_claims(release_of(held, 1s)).has_value());
    EXPECT_EQ(find(held.id), next);
    EXPECT_EQ(attempts_of(held.id).size(), 1U);
}

TEST_P(SettleContract, IgnoresAReleaseByAStaleHolder) {
    given(an_event());
    const Event stale = claim_one(instance_a);
    advance(30s);
    const Event held = claim_one(instance_b);
    const auto attempts = attempts_of(stale.id);
    const auto answer = release_claims(release_of(stale, 1s));
    ASSERT_TRUE(is<LeaseLost>(answer));
    EXPECT_EQ(std::get<LeaseLost>(answer.error()).held, stale.version);
    EXPECT_EQ(find(stale.id), held);
    EXPECT_EQ(attempts_of(stale.id), attempts);
}

TEST_P(SettleContract, NeverChangesAFinalState) {
    given(an_event());
    const Event held = claim_one();
    EXPECT_TRUE(settle(accepted(held, noon)));
    const auto completed = find(held.id);
    Settlement other = refused(held, noon);
    other.by = instance_b;
    EXPECT_TRUE(is<LeaseLost>(settle(other)));
    EXPECT_TRUE(is<LeaseLost>(settle(retry_in(held, noon, 1s))));
    EXPECT_TRUE(is<LeaseLost>(release_claims(release_of(held, 1s))));
    EXPECT_EQ(find(held.id), completed);
    EXPECT_EQ(attempts_of(held.id).size(), 1U);
}

}  // namespace
}  // namespace sundial
