#include "contract/answer_once_contract.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <stdexcept>

#include "application/ports/failures.hpp"
#include "application/transactions/after_commit.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_P(AnswerOnceContract, ID01_CarriesOutTheFirstRequestAndKeepsItsAnswer) {
    EXPECT_EQ(ask(a_request(), making_a_user()), "first");
    EXPECT_EQ(users(), 1U);
    ASSERT_TRUE(kept(a_request()));
    EXPECT_EQ(kept(a_request())->answer, "201 made");
}

TEST_P(AnswerOnceContract, ID02_AnswersTheSameAgainWithoutAnEffect) {
    const std::string bytes("201 \0\xff\n", 8);
    EXPECT_EQ(ask(a_request(), making_a_user(bytes)), "first");
    EXPECT_EQ(ask(a_request(), making_a_user("other")), bytes);
    EXPECT_EQ(ask(a_request(), making_a_user("other")), bytes);
    EXPECT_EQ(users(), 1U);
}

TEST_P(AnswerOnceContract, ID04_RefusesAnotherRequestAndKeepsTheFirstAnswer) {
    EXPECT_EQ(ask(a_request(), making_a_user()), "first");
    EXPECT_EQ(ask(a_request("other"), making_a_user()), "reused");
    EXPECT_EQ(ask(a_request(), making_a_user()), "201 made");
    EXPECT_EQ(users(), 1U);
}

TEST_P(AnswerOnceContract, ID06_KeepsPrincipalsAndTenantsApart) {
    KeyedRequest of_other = a_request(), of_tenant = a_request();
    of_other.scope.principal = "key:b";
    of_tenant.scope.tenant = "t";
    for (const KeyedRequest& request : {a_request(), of_other, of_tenant}) {
        EXPECT_EQ(ask(request, making_a_user()), "first");
    }
    EXPECT_EQ(users(), 3U);
}

TEST_P(AnswerOnceContract, ID07_DoesNotWaitForTheFirstToEnd) {
    std::string second;
    EXPECT_EQ(ask(a_request(),
                  [&] {
                      // On another thread, while the first is running. If it waited, this would
                      // never end.
                      std::async(std::launch::async, [&] {
                          second = ask(a_request(), making_a_user());
                      }).get();
                      return making_a_user()();
                  }),
              "first");
    EXPECT_EQ(second, "in progress");
    EXPECT_EQ(users(), 1U);
}

TEST_P(AnswerOnceContract, ID09_OneOfFiftyAtOnceHasAnEffect) {
    constexpr int threads = 50;
    std::latch begin{threads};
    std::atomic<int> first = 0, replayed = 0, refused = 0;
    at_once(threads, [&](int) {
        begin.arrive_and_wait();
        const std::string answer = ask(a_request(), making_a_user());
        if (answer == "first") ++first;
        if (answer == "201 made") ++replayed;
        if (answer == "in progress") ++refused;
    });
    EXPECT_EQ(first, 1);
    EXPECT_EQ(first + replayed + refused, threads);
    EXPECT_EQ(users(), 1U);
}

TEST_P(AnswerOnceContract, ID09_NeitherDoesAnotherInstance) {
    AnswerOnce other(store(), digest_, seal_, settings_);
    constexpr int threads = 10;
    std::latch begin{threads};
    std::atomic<int> first = 0;
    at_once(threads, [&](int i) {
        begin.arrive_and_wait();
        AnswerOnce& its = i % 2 == 0 ? once_ : other;
        if (outcome_text(its.run(a_request(), making_a_user())) == "first") ++first;
    });
    EXPECT_EQ(first, 1);
    EXPECT_EQ(users(), 1U);
}

TEST_P(AnswerOnceContract, ID11_LeavesNoTraceOfARolledBackRequest) {
    EXPECT_THROW((void)once_.run(a_request(),
                                 [&]() -> Worked {
                                     (void)making_a_user()();
                                     throw std::domain_error{"mine"};
                                 }),
                 std::domain_error);
    EXPECT_EQ(users(), 0U);
    EXPECT_FALSE(kept(a_request()));
    EXPECT_EQ(ask(a_request(), making_a_user()), "first");
    EXPECT_EQ(users(), 1U);
}

TEST_P(AnswerOnceContract, ID12_ID14_RollsBackAndForgetsAnswersThatAreNotFinal) {
    EXPECT_EQ(ask(a_request(),
                  [&] {
                      (void)making_a_user()();
                      return Worked{};
                  }),
              "first");
    EXPECT_EQ(users(), 0U);
    EXPECT_EQ(ask(a_request("another body"), making_a_user()), "first");
    EXPECT_EQ(users(), 1U);
}

TEST_P(AnswerOnceContract, ID13_KeepsARefusalWhoseTransactionWasRolledBack) {
    const auto refuse = [&] {
        store().transact([](Transaction& tx) { return tx.users().add(a_user()) && false; });
        return Worked{.commit = true, .answer = "404"};
    };
    EXPECT_EQ(ask(a_request(), refuse), "first");
    EXPECT_EQ(ask(a_request(), making_a_user()), "404");
    EXPECT_EQ(users(), 0U);
}

TEST_P(AnswerOnceContract, CommitsARequestInProgressWithoutAnAnswer) {
    EXPECT_EQ(ask(a_request(),
                  [&] {
                      (void)making_a_user()();
                      return Worked{.commit = true};
                  }),
              "first");
    EXPECT_EQ(users(), 1U);
    EXPECT_FALSE(kept(a_request()));
}

TEST_P(AnswerOnceContract, ID18_KeepsAnAnswerForADayByTheDatabasesClock) {
    EXPECT_EQ(ask(a_request(), making_a_user()), "first");
    advance(24h - 1s);
    EXPECT_EQ(ask(a_request(), making_a_user()), "201 made");
    advance(2s);  // a repetition does not extend it
    EXPECT_EQ(ask(a_request(), making_a_user("201 again")), "first");
    EXPECT_EQ(ask(a_request(), making_a_user()), "201 again");
    EXPECT_EQ(users(), 2U);
}

TEST_P(AnswerOnceContract, ID19_SweepsOnlyExpiredRecordsInBatches) {
    constexpr int expired = 1'203;  // more than two batches
    write([&](Transaction& tx) {
        for (int i = 0; i < expired; ++i) {
            tx.idempotency().put({.scope = a_request("", "old-" + std::to_string(i)).scope,
                                  .fingerprint = std::string(32, 'f'),
                                  .answer = "201",
                                  .expires_at = noon});
        }
    });
    EXPECT_EQ(ask(a_request(), making_a_user()), "first");
    EXPECT_TRUE(once_.sweep());
    at_once(2, [&](int) {  // a leader that lost its lease, and its successor
        AnswerOnce its(store(), digest_, seal_, settings_);
        while (its.sweep()) {
        }
    });
    EXPECT_FALSE(once_.sweep());
    EXPECT_EQ(write([](Transaction& tx) { return tx.idempotency().remove_expired(1); }), 0U);
    EXPECT_EQ(ask(a_request(), making_a_user()), "201 made");
}

TEST_P(AnswerOnceContract, KeepsAnAnswerThatShowsASecretSealed) {
    const auto work = [] {
        return Worked{.commit = true, .answer = "201 whsec_abc", .secret = true};
    };
    EXPECT_EQ(ask(a_request(), work), "first");
    EXPECT_EQ(kept(a_request())->answer, "cba_ceshw 102");
    EXPECT_TRUE(kept(a_request())->sealed);
    EXPECT_EQ(ask(a_request(), work), "201 whsec_abc");
}

TEST_P(AnswerOnceContract, RollsBackIfASecretCannotBeSealed) {
    seal_.has_key = false;
    const auto work = [this] {
        (void)making_a_user()();
        return Worked{.commit = true, .answer = "201 whsec_abc", .secret = true};
    };
    EXPECT_EQ(ask(a_request(), work), "cannot seal");
    EXPECT_EQ(users(), 0U);
    EXPECT_FALSE(kept(a_request()));
}

TEST_P(AnswerOnceContract, DelaysExternalEffectsUntilTheCommit) {
    std::vector<std::size_t> seen;
    const auto work = [&](bool commit) {
        return [&, commit] {
            (void)making_a_user()();
            after_commit([&] { seen.push_back(users()); });
            EXPECT_THAT(seen, IsEmpty());
            return Worked{.commit = commit};
        };
    };
    EXPECT_EQ(ask(a_request(), work(false)), "first");
    EXPECT_THAT(seen, IsEmpty());
    EXPECT_EQ(ask(a_request(), work(true)), "first");
    EXPECT_THAT(seen, ElementsAre(1U));
    after_commit([&] { seen.push_back(7); });  // outside of a transaction it runs at once
    EXPECT_THAT(seen, SizeIs(2));
}

TEST_P(StepsContract, ReturnsTheAnswerOfTheLastStep) {
    EXPECT_EQ(ask_in_steps(steps()), "first");
    EXPECT_EQ(ask_in_steps(steps()), "123");
    EXPECT_THAT(done_, ElementsAre(1, 2, 3));
}

TEST_P(StepsContract, SealsAnAnswerThatShowsASecret) {
    const std::vector<AnswerOnce::Step> secret{
        [](const std::string&) { return Worked{.commit = true, .answer = "abc", .secret = true}; }};
    EXPECT_EQ(ask_in_steps(secret), "first");
    EXPECT_EQ(kept(a_request())->answer, "cba");
    EXPECT_EQ(ask_in_steps(secret), "abc");
}

TEST_P(StepsContract, ForgetsAnAnswerThatItCannotSeal) {
    seal_.has_key = false;
    const std::vector<AnswerOnce::Step> secret{
        [](const std::string&) { return Worked{.commit = true, .answer = "abc", .secret = true}; }};
    EXPECT_EQ(ask_in_steps(secret), "cannot seal");
    EXPECT_FALSE(kept(a_request()));
}

/// A process that dies in a step leaves the record as it was while the step ran.
TEST_P(StepsContract, ID22_ContinuesAfterTheLastCompletedStep) {
    std::optional<IdempotencyRecord> left;
    auto dying = steps();
    dying[2] = [&](const std::string&) -> Worked {
        left = kept(a_request());
        throw Unavailable{"as if by kill -9"};
    };
    EXPECT_THROW((void)ask_in_steps(dying), Unavailable);
    EXPECT_THAT(done_, ElementsAre(1, 2));
    ASSERT_TRUE(left);
    write([&](Transaction& tx) { tx.idempotency().put(*left); });

    const Answered early = once_.run(a_request(), steps());
    ASSERT_EQ(outcome_text(early), "in progress");
    EXPECT_EQ(std::get<InProgress>(early).ask_again_in, settings_.lease);
    advance(settings_.lease);
    EXPECT_EQ(ask_in_steps(steps()), "first");
    EXPECT_THAT(done_, ElementsAre(1, 2, 3));
    EXPECT_EQ(ask_in_steps(steps()), "123");
}

TEST_P(StepsContract, ID12_RetriesAFailedStepAtOnce) {
    EXPECT_THROW((void)ask_in_steps(steps(1)), Unavailable);
    EXPECT_FALSE(kept(a_request()));
    EXPECT_THROW((void)ask_in_steps(steps(3)), Unavailable);
    EXPECT_EQ(ask_in_steps(steps()), "first");
    EXPECT_THAT(done_, ElementsAre(1, 2, 3));
}

TEST_P(StepsContract, ForgetsARequestWithoutAnAnswer) {
    const std::vector<AnswerOnce::Step> refusing{[](const std::string&) { return Worked{}; }};
    EXPECT_EQ(outcome_text(once_.run(a_request(), refusing)), "first");
    EXPECT_EQ(outcome_text(once_.run(a_request("another body"), steps())), "first");
}

TEST_P(StepsContract, RefusesASecondRequestWhileTheFirstRuns) {
    auto all = steps();
    all[1] = [&](const std::string& so_far) -> Worked {
        AnswerOnce elsewhere(store(), digest_, seal_, settings_);
        EXPECT_EQ(outcome_text(elsewhere.run(a_request(), steps())), "in progress");
        EXPECT_EQ(outcome_text(elsewhere.run(a_request("other"), steps())), "reused");
        return {.commit = true, .answer = so_far + "2"};
    };
    EXPECT_EQ(ask_in_steps(all), "first");
    EXPECT_THAT(done_, ElementsAre(1, 3));
}

TEST_P(StepsContract, ASlowHolderOverwritesNothingOfItsSuccessor) {
    auto slow = steps();
    slow[1] = [&](const std::string& so_far) -> Worked {
        advance(settings_.lease);
        AnswerOnce elsewhere(store(), digest_, seal_, settings_);
        EXPECT_EQ(outcome_text(elsewhere.run(a_request(), steps())), "first");
        return {.commit = true, .answer = so_far + "slow"};
    };
    EXPECT_EQ(ask_in_steps(slow), "in progress");
    EXPECT_EQ(ask_in_steps(steps()), "123");
    EXPECT_THAT(done_, ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace sundial
