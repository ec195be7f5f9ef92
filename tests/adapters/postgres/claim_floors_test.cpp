#include "adapters/postgres/claim_floors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Lt;

constexpr Instant noon = std::chrono::sys_days{std::chrono::year{2027} / 1 / 5} + 12h;
constexpr std::uint64_t many = 1000;

/// Two shards. A look through both takes 20 ms.
class ClaimFloorsTest : public testing::Test {
protected:
    ClaimFloors::Look look(std::vector<Instant> heads, std::uint64_t entries) {
        const auto begun = floors_.begin(now_);
        now_ += std::ranges::count(begun.whole, true) * 10ms;
        floors_.end(begun, {heads, noon, entries}, now_);
        return begun;
    }
    static std::vector<Instant> heads(Instant all) { return std::vector<Instant>(8, all); }

    ClaimFloors floors_{2, many};
    ClaimFloors::Mono now_{1h};
};

TEST_F(ClaimFloorsTest, ThereAreNoneWhereLooksReadLittle) {
    for (int i = 0; i < 10; ++i) {
        EXPECT_THAT(look(heads(noon + 1h), many - 1).whole, Each(true));
        EXPECT_THAT(floors_.of(1), Each(Lt(noon - 24h * 365 * 1000)));
    }
}

TEST_F(ClaimFloorsTest, AreRaisedToWhatALookHasSeenLessASecond) {
    auto seen = heads(noon + 1h);
    seen[5] = noon - 1min;  // shard 1, HIGH
    look(seen, many);
    EXPECT_THAT(floors_.of(0), Each(noon - 1s));
    EXPECT_EQ(floors_.of(1),
              (ClaimFloors::Priorities{noon - 1s, noon - 61s, noon - 1s, noon - 1s}));
}

TEST_F(ClaimFloorsTest, MostLooksBeginAtThemThen) {
    look(heads(noon - 1min), many);
    EXPECT_THAT(look(heads(noon - 1min), 3).whole, Each(false));
    const auto next = look(heads(noon), 3);
    EXPECT_THAT(next.from, Each(noon - 61s));
    EXPECT_THAT(floors_.of(0), Each(noon - 1s)) << "what a look from the floor has seen raises it";
    look(heads(noon - 1s), 3);
    EXPECT_THAT(floors_.of(0), Each(noon - 1s)) << "it sinks by itself no more";
}

TEST_F(ClaimFloorsTest, EachShardIsLookedThroughInTurnInAFifthOfTheTime) {
    look(heads(noon), many);
    std::vector<int> looked(2);
    std::chrono::nanoseconds whole_for{0};
    const auto start = now_;
    while (now_ < start + 10s) {
        now_ += 3ms;
        const auto before = now_;
        const auto done = look(heads(noon), many);
        whole_for += now_ - before;
        for (std::size_t shard = 0; shard < 2; ++shard) looked[shard] += done.whole[shard];
    }
    EXPECT_NEAR(looked[0], looked[1], 1);
    EXPECT_GT(looked[0], 50);
    EXPECT_LE(whole_for, (now_ - start) / 5 + 200ms);
}

TEST_F(ClaimFloorsTest, WhatOthersInsertBelowOneIsFoundWithinATick) {
    look(heads(noon), many);
    auto seen = heads(noon);
    seen[6] = noon - 1h;
    for (const auto start = now_; now_ < start + 1s; now_ += 50ms) {
        const auto begun = floors_.begin(now_);
        // A look that begins at the floor cannot see it.
        const auto& sees = begun.from[6] <= noon - 1h ? seen : heads(noon);
        floors_.end(begun, {sees, noon, many}, now_);
    }
    EXPECT_LE(floors_.of(1)[2], noon - 1h);
}

TEST_F(ClaimFloorsTest, OfTwoLooksAtOnceTheOneThatKnowsLessRaisesNothing) {
    look(heads(noon), many);
    const auto from_the_floor = floors_.begin(now_);
    ASSERT_THAT(from_the_floor.whole, Each(false));
    now_ += 1s;
    auto seen = heads(noon);
    seen[0] = noon - 1h;
    EXPECT_THAT(look(seen, many).whole, Each(true));
    const auto above = heads(noon);
    floors_.end(from_the_floor, {above, noon, 3}, now_);
    EXPECT_EQ(floors_.of(0)[0], noon - 1h - 1s);
}

TEST_F(ClaimFloorsTest, AreGoneWhenTheSnapshotIs) {
    look(heads(noon), many);
    now_ += 1s;
    look(heads(noon), 3);
    EXPECT_THAT(look(heads(noon), 3).whole, Each(true));
    EXPECT_THAT(floors_.of(0), Each(Lt(noon - 24h * 365 * 1000)));
}

TEST_F(ClaimFloorsTest, AShardThatTakesLongHasItsTurnAllTheSame) {
    const auto slow = floors_.begin(now_);
    now_ += 4s;  // two seconds a shard
    const auto above = heads(noon);
    floors_.end(slow, {above, noon, many}, now_);
    now_ += 1s;
    EXPECT_EQ(std::ranges::count(floors_.begin(now_).whole, true), 1);
}

}  // namespace
}  // namespace sundial::postgres
