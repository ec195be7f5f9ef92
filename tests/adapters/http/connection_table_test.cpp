#include "adapters/http/connection_table.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sundial::http {
namespace {

class Seats : public testing::Test {
protected:
    using Seat = ConnectionTable::Seat;

    /// A connection of `network` that gets in.
    Seat admit(const std::string& network = "a") {
        auto admission = table.admit(network, of_network);
        EXPECT_TRUE(admission.seat);
        return std::move(admission.seat).value();
    }
    bool turned_away(const std::string& network = "a") {
        return !table.admit(network, of_network).seat;
    }

    static constexpr std::size_t of_network = 3;
    ConnectionTable table{5};
};

/// Whether another connection has got the seat. Afterwards the connection waits again.
bool gave_way(ConnectionTable::Seat& seat) {
    const bool evicted = !seat.answering();
    seat.waiting(false);
    return evicted;
}

TEST_F(Seats, AreThereUpToTheBoundOfANetwork) {
    Seat one = admit(), two = admit(), three = admit();
    EXPECT_EQ(table.size(), 3U);
    EXPECT_FALSE(gave_way(one) || gave_way(two) || gave_way(three));
    Seat four = admit();
    EXPECT_EQ(table.size(), 3U);
    EXPECT_TRUE(gave_way(one));
    EXPECT_FALSE(gave_way(two) || gave_way(three) || gave_way(four));
}

TEST_F(Seats, AreThereUpToTheBoundOfAll) {
    Seat one = admit("a"), two = admit("b"), three = admit("c"), four = admit("d"),
         five = admit("e");
    EXPECT_FALSE(gave_way(one));
    Seat six = admit("f");  // `two` has waited longest by now
    EXPECT_EQ(table.size(), 5U);
    EXPECT_TRUE(gave_way(two));
    EXPECT_FALSE(gave_way(one) || gave_way(three) || gave_way(four) || gave_way(five) ||
                 gave_way(six));
}

TEST_F(Seats, OfAFullNetworkAreTakenFromItAndFromNoOther) {
    Seat oldest = admit("b"), one = admit(), two = admit(), three = admit(), four = admit();
    EXPECT_FALSE(gave_way(oldest));
    EXPECT_TRUE(gave_way(one));
}

TEST_F(Seats, AreKeptWhileARequestIsAnswered) {
    Seat one = admit(), two = admit(), three = admit();
    EXPECT_TRUE(one.answering() && two.answering() && three.answering());
    EXPECT_TRUE(turned_away());
    EXPECT_EQ(table.size(), 3U);
    two.waiting(false);
    Seat four = admit();
    EXPECT_FALSE(two.answering());
}

TEST_F(Seats, StayWithConnectionsThatHaveShownAKey) {
    Seat one = admit(), two = admit(), three = admit();
    for (Seat* seat : {&one, &two, &three}) {
        EXPECT_TRUE(seat->answering());
        seat->waiting(true);
    }
    EXPECT_TRUE(turned_away());
    EXPECT_TRUE(one.answering());
    one.waiting(false);  // its key is in force no more
    Seat four = admit();
    EXPECT_FALSE(one.answering());
    EXPECT_TRUE(two.answering() && three.answering());
}

TEST_F(Seats, MoveFromTheLongestWaitingConnection) {
    Seat one = admit(), two = admit(), three = admit();
    one.arriving();  // its request has begun
    Seat four = admit();
    EXPECT_TRUE(gave_way(two));
    EXPECT_FALSE(gave_way(one) || gave_way(three));
}

TEST_F(Seats, AreGivenBack) {
    {
        Seat one = admit(), two = admit(), three = admit();
        EXPECT_EQ(table.size(), 3U);
        Seat four = admit();  // `one` gave way: its end frees no seat a second time
        EXPECT_EQ(table.size(), 3U);
    }
    EXPECT_EQ(table.size(), 0U);
    EXPECT_EQ(table.evict(), nullptr);
    Seat one = admit(), two = admit(), three = admit();
    EXPECT_FALSE(gave_way(one) || gave_way(two) || gave_way(three));
}

TEST_F(Seats, CanBeTakenWithoutANewConnection) {
    Seat one = admit(), two = admit();
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
