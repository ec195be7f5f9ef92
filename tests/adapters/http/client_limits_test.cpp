#include "adapters/http/client_limits.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

TEST(TokenBuckets, LetABurstOfASecondThroughAndThenTheRate) {
    TokenBuckets buckets(3);
    EXPECT_EQ(buckets.take("key", 1000s).left, 2U);
    EXPECT_TRUE(buckets.take("key", 1000s).taken);
    EXPECT_TRUE(buckets.take("key", 1000s).taken);
    EXPECT_FALSE(buckets.take("key", 1000s).taken);
    EXPECT_FALSE(buckets.take("key", 1000s + 333ms).taken);
    EXPECT_TRUE(buckets.take("key", 1000s + 334ms).taken);
    EXPECT_FALSE(buckets.take("key", 1000s + 335ms).taken);
}

TEST(TokenBuckets, SaveNoMoreThanASecond) {
    TokenBuckets buckets(2);
    EXPECT_EQ(buckets.take("key", 1000s).left, 1U);
    EXPECT_EQ(buckets.take("key", 9000s).left, 1U);
}

TEST(TokenBuckets, KeepNamesApart) {
    TokenBuckets buckets(1);
    EXPECT_TRUE(buckets.take("one", 1000s).taken);
    EXPECT_FALSE(buckets.take("one", 1000s).taken);
    EXPECT_TRUE(buckets.take("two", 1000s).taken);
}

TEST(TokenBuckets, StayBoundedForAnyNumberOfClients) {
    TokenBuckets buckets(1);
    for (int i = 0; i < 30'000; ++i) {
        EXPECT_TRUE(buckets.take(std::to_string(i), 1000s).taken);
    }
}

TEST(FailureLimit, AllowsTenInAnyMinute) {
    FailureLimit failures(10);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(failures.count("1.2.3.4", 1000s + i * 1s), 0s);
    EXPECT_EQ(failures.count("1.2.3.4", 1010s), 50s);
    EXPECT_EQ(failures.count("1.2.3.4", 1059s), 1s);
    EXPECT_EQ(failures.count("1.2.3.4", 1060s), 0s);  // the first failure was a minute ago
    EXPECT_EQ(failures.count("1.2.3.4", 1060s), 1s);
    EXPECT_EQ(failures.count("5.6.7.8", 1060s), 0s);
}

TEST(FailureLimit, StaysBoundedForAnyNumberOfClients) {
    FailureLimit failures(1);
    for (int i = 0; i < 30'000; ++i) EXPECT_EQ(failures.count(std::to_string(i), 1000s), 0s);
}

}  // namespace

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

namespace {

class ConnectionSlots : public testing::Test {
protected:
    using Slot = ConnectionTable::Slot;

    /// A connection of `network` that gets in.
    Slot admit(const std::string& network = "a") {
        auto admission = table.admit(network, of_network);
        EXPECT_TRUE(admission.slot);
        return std::move(admission.slot).value();
    }
    bool rejected(const std::string& network = "a") {
        return !table.admit(network, of_network).slot;
    }

    static constexpr std::size_t of_network = 3;
    ConnectionTable table{5};
};

/// Whether another connection has got the slot. Afterwards the connection waits again.
bool was_closed(ConnectionTable::Slot& slot) {
    const bool evicted = !slot.answering();
    slot.waiting(false);
    return evicted;
}

TEST_F(ConnectionSlots, AreThereUpToTheBoundOfANetwork) {
    Slot one = admit(), two = admit(), three = admit();
    EXPECT_EQ(table.size(), 3U);
    EXPECT_FALSE(was_closed(one) || was_closed(two) || was_closed(three));
    Slot four = admit();
    EXPECT_EQ(table.size(), 3U);
    EXPECT_TRUE(was_closed(one));
    EXPECT_FALSE(was_closed(two) || was_closed(three) || was_closed(four));
}

TEST_F(ConnectionSlots, AreThereUpToTheBoundOfAll) {
    Slot one = admit("a"), two = admit("b"), three = admit("c"), four = admit("d"),
         five = admit("e");
    EXPECT_FALSE(was_closed(one));
    Slot six = admit("f");  // `two` has waited longest by now
    EXPECT_EQ(table.size(), 5U);
    EXPECT_TRUE(was_closed(two));
    EXPECT_FALSE(was_closed(one) || was_closed(three) || was_closed(four) || was_closed(five) ||
                 was_closed(six));
}

TEST_F(ConnectionSlots, OfAFullNetworkAreTakenFromItAndFromNoOther) {
    Slot oldest = admit("b"), one = admit(), two = admit(), three = admit(), four = admit();
    EXPECT_FALSE(was_closed(oldest));
    EXPECT_TRUE(was_closed(one));
}

TEST_F(ConnectionSlots, AreKeptWhileARequestIsAnswered) {
    Slot one = admit(), two = admit(), three = admit();
    EXPECT_TRUE(one.answering() && two.answering() && three.answering());
    EXPECT_TRUE(rejected());
    EXPECT_EQ(table.size(), 3U);
    two.waiting(false);
    Slot four = admit();
    EXPECT_FALSE(two.answering());
}

TEST_F(ConnectionSlots, StayWithConnectionsThatHaveShownAKey) {
    Slot one = admit(), two = admit(), three = admit();
    for (Slot* slot : {&one, &two, &three}) {
        EXPECT_TRUE(slot->answering());
        slot->waiting(true);
    }
    EXPECT_TRUE(rejected());
    EXPECT_TRUE(one.answering());
    one.waiting(false);  // its key is no longer valid
    Slot four = admit();
    EXPECT_FALSE(one.answering());
    EXPECT_TRUE(two.answering() && three.answering());
}

TEST_F(ConnectionSlots, MoveFromTheLongestWaitingConnection) {
    Slot one = admit(), two = admit(), three = admit();
    one.arriving();  // its request has begun
    Slot four = admit();
    EXPECT_TRUE(was_closed(two));
    EXPECT_FALSE(was_closed(one) || was_closed(three));
}

TEST_F(ConnectionSlots, AreReleased) {
    {
        Slot one = admit(), two = admit(), three = admit();
        EXPECT_EQ(table.size(), 3U);
        Slot four = admit();  // `one` gave way: its end frees no slot a second time
        EXPECT_EQ(table.size(), 3U);
    }
    EXPECT_EQ(table.size(), 0U);
    EXPECT_EQ(table.evict(), nullptr);
    Slot one = admit(), two = admit(), three = admit();
    EXPECT_FALSE(was_closed(one) || was_closed(two) || was_closed(three));
}

TEST_F(ConnectionSlots, CanBeTakenWithoutANewConnection) {
    Slot one = admit(), two = admit();
    EXPECT_TRUE(one.answering());
    (void)table.evict();
    EXPECT_EQ(table.size(), 1U);
    EXPECT_FALSE(two.answering());
    (void)table.evict();  // none gives way
    EXPECT_EQ(table.size(), 1U);
    one.waiting(false);
    EXPECT_TRUE(one.answering());
}

}  // namespace

}  // namespace sundial::http
