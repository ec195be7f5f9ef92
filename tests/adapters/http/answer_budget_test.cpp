#include "adapters/http/answer_budget.hpp"

#include <gtest/gtest.h>

namespace sundial::http {
namespace {

TEST(AnswerBudget, GivesANetworkAQuarter) {
    AnswerBudget budget(400);
    const auto first = budget.reserve("a", 60);
    ASSERT_TRUE(first);
    EXPECT_FALSE(budget.reserve("a", 41));
    const auto second = budget.reserve("a", 40);
    EXPECT_TRUE(second);
    EXPECT_TRUE(budget.reserve("b", 100));
}

TEST(AnswerBudget, BoundsAllNetworksTogether) {
    AnswerBudget budget(400);
    std::vector<AnswerBudget::Share> shares;
    for (const char* network : {"a", "b", "c", "d"}) {
        shares.push_back(*budget.reserve(network, 90));
    }
    EXPECT_TRUE(budget.reserve("a", 10));
    const auto fifth = budget.reserve("e", 30);
    EXPECT_TRUE(fifth);
    EXPECT_FALSE(budget.reserve("e", 20));
}

TEST(AnswerBudget, LetsANetworkHaveOneAnswerOfAnySize) {
    AnswerBudget budget(400);
    auto large = budget.reserve("a", 1'000);
    EXPECT_TRUE(large);
    EXPECT_FALSE(budget.reserve("a", 1));
    large.reset();
    EXPECT_TRUE(budget.reserve("a", 100));
}

TEST(AnswerBudget, BoundsTheFirstAnswersOfManyNetworksByTwiceItself) {
    AnswerBudget budget(400);
    const auto first = budget.reserve("a", 500);
    const auto second = budget.reserve("b", 300);
    EXPECT_TRUE(second);
    EXPECT_FALSE(budget.reserve("c", 1));
    EXPECT_TRUE(budget.spent("c"));
}

TEST(AnswerBudget, RefusesAFirstAnswerThatWouldExceedTwiceItself) {
    AnswerBudget budget(400);
    const auto first = budget.reserve("a", 500);
    EXPECT_FALSE(budget.reserve("b", 301));
    EXPECT_FALSE(budget.spent("b"));
}

TEST(AnswerBudget, ReclaimsReleasedBytes) {
    AnswerBudget budget(400);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(budget.reserve("a", 100));
    EXPECT_FALSE(budget.spent("a"));
}

TEST(AnswerBudget, TakesTheAnswerOfAnEffectAndIsThenSpent) {
    AnswerBudget budget(400);
    const auto first = budget.take("a", 90);
    EXPECT_FALSE(budget.spent("a"));
    const auto second = budget.take("a", 90);
    EXPECT_TRUE(budget.spent("a"));
    EXPECT_FALSE(budget.spent("b"));
}

}  // namespace
}  // namespace sundial::http
