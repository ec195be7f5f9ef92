#include "adapters/http/connection_table.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sundial::http {
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
    one.waiting(false);  // its key is in force no more
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
