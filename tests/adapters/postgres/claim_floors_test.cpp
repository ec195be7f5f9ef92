#include "adapters/postgres/claim_floors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Ge;
using testing::Le;
using testing::Lt;
using testing::SizeIs;

constexpr Instant noon = std::chrono::sys_days{std::chrono::year{2027} / 1 / 5} + 12h;
constexpr Instant long_ago = std::chrono::sys_days{std::chrono::year{-3999} / 1 / 1};
constexpr std::uint64_t many = 1000;

/// Two shards. Transaction ids start at 10.
class ClaimFloorsTest : public testing::Test {
protected:
    using Seen = ClaimFloors::Seen;

    static std::vector<Instant> heads(Instant all) { return std::vector<Instant>(8, all); }
    /// The result of a peek at `at`, with no transaction open.
    Seen seen(Instant at, std::uint64_t pages, std::vector<Instant> first = heads(never)) {
        number_ += 5;
        return {std::move(first), pages, at, number_, number_};
    }
    void peek(const Seen& seen) { floors_.note_peek(floors_.all(), seen, now_); }
    /// Raises the floors to a second before noon.
    void raise() { peek(seen(noon, many)); }
    /// The number of `entries`, which ascend, in the slice.
    static std::uint64_t count_in(const ClaimFloors::Slice& slice,
                                  const std::vector<Instant>& entries) {
        const auto from = std::ranges::lower_bound(entries, slice.from);
        return static_cast<std::uint64_t>(std::ranges::lower_bound(entries, slice.until) - from);
    }
    /// Sweeps a whole round and returns its slices. Each entry of `entries`, which ascend, in
    /// shard 0, takes a page.
    std::vector<ClaimFloors::Slice> sweep(const std::vector<Instant>& entries = {}) {
        std::vector<ClaimFloors::Slice> slices;
        do {
            now_ += 1s;
            const auto slice = floors_.next_slice(now_);
            if (!slice) break;
            Seen found{.heads = std::vector<Instant>(4, never)};
            if (slice->shard == 0) found.pages = count_in(*slice, entries);
            slices.push_back(*slice);
            floors_.swept(*slice, found, 1ms);
        } while (slices.back().shard != 1 || slices.back().from > long_ago);
        return slices;
    }

    ClaimFloors floors_{2, many};
    ClaimFloors::Mono now_{1h};
    std::uint64_t number_ = 10;
};

// Floors.

TEST_F(ClaimFloorsTest, DoNotExistWhilePeeksAreCheap) {
    for (int i = 0; i < 10; ++i) {
        peek(seen(noon, many - 1));
        EXPECT_THAT(floors_.of(1), Each(Lt(long_ago)));
        EXPECT_FALSE(floors_.next_slice(now_ += 1s));
    }
}

TEST_F(ClaimFloorsTest, AreRaisedIfAPeekTimesOut) {
    floors_.peek_failed(noon, now_);
    EXPECT_THAT(floors_.all(), Each(noon - 1s));
    EXPECT_FALSE(sweep().empty());  // until a round finds nothing below
    EXPECT_THAT(floors_.all(), Each(Lt(long_ago)));

    raise();
    const auto floors = floors_.all();
    floors_.peek_failed(noon + 1h, now_);  // the floors that exist stay
    EXPECT_EQ(floors_.all(), floors);
}

TEST_F(ClaimFloorsTest, AreRaisedToTheFirstWaitingEventOrASecondAgo) {
    auto first = heads(noon + 1h);
    first[5] = noon - 1min;  // shard 1, HIGH
    peek(seen(noon, many, first));
    EXPECT_THAT(floors_.of(0), Each(noon - 1s));
    EXPECT_EQ(floors_.of(1),
              (ClaimFloors::Priorities{noon - 1s, noon - 1min, noon - 1s, noon - 1s}));
}

TEST_F(ClaimFloorsTest, PeeksFromThemRaiseThemFurther) {
    peek(seen(noon, many, heads(noon - 1min)));
    EXPECT_THAT(floors_.all(), Each(noon - 1min));
    peek(seen(noon, 3));
    EXPECT_THAT(floors_.of(0), Each(Ge(noon - 1s)));
    peek(seen(noon, 3, heads(noon - 1h)));
    EXPECT_THAT(floors_.of(0), Each(Ge(noon - 1s))) << "a look from there cannot see that";
}

TEST_F(ClaimFloorsTest, FollowAPeekCloselyOnceOlderTransactionsHaveEnded) {
    raise();  // at noon, before transaction 15
    auto next = seen(noon + 400ms, 3);
    next.first_open = 14;
    peek(next);
    EXPECT_THAT(floors_.of(0), Each(noon + 400ms - 1s)) << "14 may have written before noon";
    next = seen(noon + 500ms, 3);
    next.first_open = 15;
    peek(next);
    EXPECT_THAT(floors_.of(0), Each(noon - 200ms)) << "15 began after noon";
}

TEST_F(ClaimFloorsTest, StayNoMoreThanASecondBehindForATransactionThatIsOpenForLong) {
    raise();
    for (int i = 1; i <= 10; ++i) {
        auto next = seen(noon + i * 1s, 3);
        next.first_open = 14;
        peek(next);
        EXPECT_THAT(floors_.of(0), Each(noon + (i - 1) * 1s));
    }
}

TEST_F(ClaimFloorsTest, ASlowPeekDoesNotChangeTheFloorsOfANewerOne) {
    raise();
    auto slow = seen(noon + 300ms, 3);
    slow.first_open = 14;
    auto quick = seen(noon + 400ms, 3);
    quick.first_open = 15;
    peek(quick);
    const auto at_first = floors_.all();
    peek(slow);
    EXPECT_EQ(floors_.all(), at_first);
}

TEST_F(ClaimFloorsTest, SinkWithAClockThatIsSetBack) {
    raise();
    peek(seen(noon - 1h, 3));
    EXPECT_THAT(floors_.all(), Each(noon - 1h - 200ms));
}

TEST_F(ClaimFloorsTest, ARecentHintLowersThem) {
    raise();
    floors_.lower(noon - 12s);
    EXPECT_THAT(floors_.all(), Each(noon - 1s));
    floors_.lower(noon - 3s);
    EXPECT_THAT(floors_.all(), Each(noon - 3s));
    floors_.lower(noon);
    EXPECT_THAT(floors_.all(), Each(noon - 3s));
}

// The sweep.

TEST_F(ClaimFloorsTest, TheSweepReadsEachShardFromItsFloorDownToTheBeginning) {
    raise();
    const auto slices = sweep();
    Instant down_to = noon - 1s;
    std::uint32_t shard = 0;
    for (const auto& slice : slices) {
        if (slice.shard != shard) {
            EXPECT_LT(down_to, long_ago);
            down_to = noon - 1s;
            shard = slice.shard;
        }
        EXPECT_EQ(slice.until, down_to);
        EXPECT_LT(slice.from, slice.until);
        down_to = slice.from;
    }
    EXPECT_EQ(shard, 1U);
    EXPECT_LT(down_to, long_ago);
    EXPECT_THAT(slices, SizeIs(Lt(30U))) << "where there is nothing it goes fast";
}

TEST_F(ClaimFloorsTest, SlicesReadAThousandPages) {
    raise();
    std::vector<Instant> entries;
    for (int i = 200'000; i-- > 0;) entries.push_back(noon - 1001ms - i * 300us);
    std::vector<std::uint64_t> counts;
    for (const auto& slice : sweep(entries)) {
        if (slice.shard != 0) continue;
        const auto count = count_in(slice, entries);
        if (count > 0) counts.push_back(count);
    }
    EXPECT_THAT(counts, SizeIs(Lt(450U)));
    counts.erase(counts.begin(), counts.begin() + 2);  // by now the sweep has adapted its slices
    EXPECT_THAT(counts, Each(Le(1'000U)));
}

TEST_F(ClaimFloorsTest, AFoundEventLowersTheFloorOfItsPriority) {
    raise();
    const auto slice = floors_.next_slice(now_ += 1s).value();
    Seen found{.heads = std::vector<Instant>(4, never)};
    found.heads[2] = slice.from;
    floors_.swept(slice, found, 1ms);
    EXPECT_EQ(floors_.of(0),
              (ClaimFloors::Priorities{noon - 1s, noon - 1s, slice.from, noon - 1s}));
    EXPECT_THAT(floors_.of(1), Each(noon - 1s));
}

TEST_F(ClaimFloorsTest, AnOlderPeekDoesNotRaiseALoweredFloor) {
    raise();
    const auto before = floors_.all();
    const auto slice = floors_.next_slice(now_ += 1s).value();
    floors_.swept(slice, {.heads = std::vector<Instant>(4, slice.from)}, 1ms);
    floors_.note_peek(before, seen(noon + 1min, 3), now_);
    EXPECT_THAT(floors_.of(0), Each(slice.from));
    EXPECT_THAT(floors_.of(1), Each(Ge(noon + 59s)));
}

TEST_F(ClaimFloorsTest, ASliceThatCannotBeReadInTimeIsAskedForInAShorterOne) {
    raise();
    const auto slice = floors_.next_slice(now_ += 1s).value();
    floors_.gave_up(slice, 5s);
    EXPECT_FALSE(floors_.next_slice(now_ += 10ms)) << "it has had its time";
    for (int i = 0; i < 60; ++i) (void)floors_.next_slice(now_ += 1s);
    const auto next = floors_.next_slice(now_ += 1s).value();
    EXPECT_EQ(next.until, slice.until);
    EXPECT_EQ(next.until - next.from, (slice.until - slice.from) / 16);
}

TEST_F(ClaimFloorsTest, TheSweepTakesATenthOfTheTime) {
    raise();
    std::chrono::microseconds swept{0};
    const auto start = now_;
    while (now_ < start + 10s) {
        now_ += 3ms;  // time for other work
        while (const auto slice = floors_.next_slice(now_)) {
            now_ += 2ms;
            swept += 2ms;
            floors_.swept(*slice, {.heads = std::vector<Instant>(4, never), .pages = 700}, 2ms);
        }
    }
    EXPECT_GT(swept, (now_ - start) / 10 - 10ms);
    EXPECT_LT(swept, (now_ - start) / 10 + 10ms);
}

TEST_F(ClaimFloorsTest, TheSweepTakesATenthOfASecondAtATimeAtMost) {
    raise();
    now_ += 1h;
    std::chrono::microseconds swept{0};
    while (const auto slice = floors_.next_slice(now_)) {
        now_ += 2ms;
        swept += 2ms;
        floors_.swept(*slice, {.heads = std::vector<Instant>(4, never), .pages = 700}, 2ms);
    }
    EXPECT_LE(swept, 120ms);
}

TEST_F(ClaimFloorsTest, AreRemovedAfterACheapRound) {
    raise();
    std::vector<Instant> dead(many, noon - 1h);
    sweep(dead);
    EXPECT_THAT(floors_.of(1), Each(noon - 1s));
    dead.pop_back();
    sweep(dead);
    EXPECT_THAT(floors_.of(0), Each(Lt(long_ago)));
    EXPECT_FALSE(floors_.next_slice(now_ += 1s));
}

}  // namespace
}  // namespace sundial::postgres
