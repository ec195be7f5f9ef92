#include "application/delivery/claim_scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::SizeIs;

/// A shard with a number of due events per priority.
class Backlogged {
public:
    explicit Backlogged(Shares due) : due_(due) {}
    /// The result of a claim of `asked`.
    Shares take(const Shares& asked) {
        Shares found{};
        for (std::size_t p = 0; p < asked.size(); ++p) {
            found[p] = std::min(asked[p], due_[p]);
            due_[p] -= found[p];
        }
        return found;
    }

private:
    Shares due_;
};

std::uint32_t sum(const Shares& shares) { return shares[0] + shares[1] + shares[2] + shares[3]; }

/// The combined result of `claims` claims of `total`.
Shares claim(PriorityShares& shares, Backlogged& shard, std::uint32_t total, int claims) {
    Shares all{};
    for (int i = 0; i < claims; ++i) {
        const Shares asked = shares.of(total);
        EXPECT_EQ(sum(asked), total);
        const Shares found = shard.take(asked);
        shares.found(asked, found);
        for (std::size_t p = 0; p < all.size(); ++p) all[p] += found[p];
    }
    return all;
}

constexpr std::uint32_t plenty = 1'000'000;

TEST(PriorityShares, AreEightToFourToTwoToOne) {
    PriorityShares shares;
    Backlogged shard{{plenty, plenty, plenty, plenty}};
    EXPECT_THAT(claim(shares, shard, 60, 10), ElementsAre(320, 160, 80, 40));
}

TEST(PriorityShares, AreFairOneSlotAtATime) {
    PriorityShares shares;
    Backlogged shard{{plenty, plenty, plenty, plenty}};
    EXPECT_THAT(claim(shares, shard, 1, 150), ElementsAre(80, 40, 20, 10));
}

TEST(PriorityShares, GoToPrioritiesWithMoreEvents) {
    PriorityShares shares;
    Backlogged shard{{0, 0, plenty, 0}};
    const Shares first = claim(shares, shard, 60, 1);
    EXPECT_EQ(first[2], 8U);
    const Shares second = claim(shares, shard, 60, 1);
    EXPECT_EQ(second[2], 57U);  // one per other priority remains, to notice its events
}

TEST(PriorityShares, IncludeMoreUrgentEventsInTheNextClaim) {
    PriorityShares shares;
    Backlogged normal{{0, 0, plenty, 0}};
    claim(shares, normal, 60, 3);
    Backlogged both{{plenty, 0, plenty, 0}};
    EXPECT_EQ(claim(shares, both, 60, 1)[0], 1U);
    EXPECT_THAT(claim(shares, both, 60, 1)[0], Gt(40U));
}

TEST(PriorityShares, IncludeMoreUrgentEventsSoonWithOneSlot) {
    PriorityShares shares;
    Backlogged low{{0, 0, 0, plenty}};
    claim(shares, low, 1, 30);
    Backlogged both{{plenty, 0, 0, plenty}};
    EXPECT_THAT(claim(shares, both, 1, 10)[0], Gt(0U));
}

TEST(PriorityShares, AreDrainedIfEachHadFewerEventsThanRequested) {
    PriorityShares shares;
    Backlogged shard{{0, 0, 3, 0}};
    EXPECT_FALSE(shares.drained());
    claim(shares, shard, 2, 1);
    EXPECT_FALSE(shares.drained());
    claim(shares, shard, 60, 1);
    EXPECT_TRUE(shares.drained());
}

TEST(PriorityShares, ExpectFewEventsWhereTheLastOnesWere) {
    PriorityShares shares;
    EXPECT_EQ(shares.of_few(15), (Shares{8, 4, 2, 1}));  // none is known
    shares.found({8, 4, 2, 1}, {0, 0, 2, 0});
    EXPECT_EQ(shares.of_few(15), (Shares{1, 1, 12, 1}));
    shares.found({1, 1, 12, 1}, {1, 0, 5, 0});
    EXPECT_EQ(shares.of_few(14), (Shares{10, 1, 2, 1}));
}

void claimed(ClaimScheduler& scheduler, std::uint32_t part, const Shares& asked,
             const Claimed& claimed, Mono asked_at, Mono now) {
    scheduler.claimed(std::array{ClaimScheduler::Turn{part, asked}}, std::array{claimed}, asked_at,
                      now);
}
// The first part to claim from.
std::optional<ClaimScheduler::Turn> next_claim(ClaimScheduler& scheduler, std::uint32_t total,
                                               Mono now) {
    const auto turns = scheduler.next_claims(total, now);
    return turns.empty() ? std::nullopt : std::optional{turns.front()};
}

TEST(ClaimScheduler, IsNeverAheadOfTheDatabasesClock) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {never}}, 99s, 100s);
    EXPECT_EQ(scheduler.database_now(101s), noon + 1s);
    // The database's clock runs slower than ours.
    claimed(scheduler, 0, {1, 1, 1, 1}, {{}, noon + 900ms}, 101s, 101s);
    EXPECT_EQ(scheduler.database_now(101s), noon + 900ms);
}

TEST(ClaimScheduler, SendsAClaimSoThatItArrivesOnTime) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon + 10ms}}, 99'999'800us, 100s);  // the round trip takes 0.2 ms
    EXPECT_EQ(scheduler.next_change(100s), 100s + 9'800us);
    EXPECT_FALSE(next_claim(scheduler, 60, 100s + 9'799us));
    EXPECT_TRUE(next_claim(scheduler, 60, 100s + 9'800us));
}

TEST(ClaimScheduler, RepeatsAtOnceAClaimThatArrivedEarly) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon + 10ms}}, 99'999'800us, 100s);
    const Mono sent = 100s + 9'800us;
    const auto turn = next_claim(scheduler, 60, sent);
    ASSERT_TRUE(turn);
    claimed(scheduler, 0, turn->shares, {{}, noon + 9'970us}, sent, sent + 400us);
    EXPECT_TRUE(next_claim(scheduler, 60, sent + 400us));
    EXPECT_FALSE(scheduler.must_peek(sent + 400us));
}

TEST(ClaimScheduler, BacksOffIfTheClockStandsStill) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon + 100us}}, 99'999'800us, 100s);
    const auto turn = next_claim(scheduler, 60, 100s);
    ASSERT_TRUE(turn);
    claimed(scheduler, 0, turn->shares, {{}, noon}, 100s, 100s + 400us);  // the clock was set back
    EXPECT_FALSE(next_claim(scheduler, 60, 100s + 5'399us));
    EXPECT_TRUE(next_claim(scheduler, 60, 100s + 5'400us));
}

TEST(ClaimScheduler, RepeatsAtOnceEachOfSeveralClaimsThatArrivedEarly) {
    ClaimScheduler scheduler{2, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon + 10ms, noon + 10ms}}, 99'999'800us, 100s);
    const Mono sent = 100s + 9'800us;
    const auto turns = scheduler.next_claims(60, sent);
    ASSERT_THAT(turns, SizeIs(2));
    const Claimed none{{}, noon + 9'970us};
    scheduler.claimed(turns, std::array{none, none}, sent, sent + 400us);
    EXPECT_THAT(scheduler.next_claims(60, sent + 400us), SizeIs(2));
}

TEST(ClaimScheduler, BacksOffFromRowsThatOthersHaveLocked) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    const auto turn = next_claim(scheduler, 60, 100s);
    ASSERT_TRUE(turn);
    claimed(scheduler, 0, turn->shares, {{}, noon}, 100s, 100s);
    EXPECT_TRUE(scheduler.must_peek(100s));
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    EXPECT_FALSE(next_claim(scheduler, 60, 100s + 4'999us));
    EXPECT_TRUE(next_claim(scheduler, 60, 100s + 5ms));
}

TEST(ClaimScheduler, FollowsChangesOfTheLanes) {
    ClaimScheduler scheduler{2, 0, 1s, false, 8};
    scheduler.note_peek({noon, {}}, 100s, 100s);  // no lane
    EXPECT_FALSE(next_claim(scheduler, 60, 100s));
    EXPECT_FALSE(scheduler.must_peek(100s));
    EXPECT_TRUE(scheduler.past(noon));
    scheduler.note_peek({noon, {never, never, never, noon}}, 100s, 100s);  // two lanes
    EXPECT_EQ(next_claim(scheduler, 60, 100s)->part, 3U);
    scheduler.note_peek({noon, {never, noon}}, 100s, 100s);
    EXPECT_EQ(next_claim(scheduler, 60, 100s)->part, 1U);
}

TEST(ClaimScheduler, BeginsWithItsHomeShard) {
    ClaimScheduler scheduler{4, 2, 1s, false, 8};
    scheduler.note_peek({noon, {noon, noon, noon, noon}}, 100s, 100s);
    EXPECT_EQ(next_claim(scheduler, 60, 100s)->part, 2U);
    claimed(scheduler, 2, {32, 16, 8, 4}, {{}, noon}, 100s, 100s);
    EXPECT_EQ(next_claim(scheduler, 60, 100s)->part, 3U);
}

std::vector<std::uint32_t> parts_of(const std::vector<ClaimScheduler::Turn>& turns) {
    std::vector<std::uint32_t> parts;
    for (const auto& turn : turns) parts.push_back(turn.part);
    return parts;
}
// Claims that return `many` normal events.
Claimed some_events(std::size_t many) {
    Claimed claimed{{}, noon};
    for (std::size_t i = 0; i < many; ++i) {
        claimed.events.push_back({an_event().with_priority(Priority::normal), false});
    }
    return claimed;
}

TEST(ClaimScheduler, ClaimsPartsWithFewEventsTogetherWithinTheTotal) {
    ClaimScheduler scheduler{12, 10, 1s, false, 8};
    scheduler.note_peek({noon, std::vector(12, noon)}, 100s, 100s);
    EXPECT_THAT(parts_of(scheduler.next_claims(64, 100s)), ElementsAre(10, 11, 0, 1, 2, 3, 4, 5));
    for (const std::uint32_t total : {1U, 7U, 8U, 15U, 16U, 17U, 64U, 1000U}) {
        std::uint32_t all = 0;
        for (const auto& turn : scheduler.next_claims(total, 100s)) all += sum(turn.shares);
        EXPECT_LE(all, total);
        EXPECT_GT(all + 8, total);  // a rest that cannot be divided
    }
    EXPECT_THAT(scheduler.next_claims(15, 100s), SizeIs(1));
    EXPECT_THAT(scheduler.next_claims(16, 100s), SizeIs(2));
}

TEST(ClaimScheduler, ClaimsNoMorePartsTogetherThanTheQueueCan) {
    ClaimScheduler scheduler{12, 0, 1s, false, 1};
    scheduler.note_peek({noon, std::vector(12, noon)}, 100s, 100s);
    const auto turns = scheduler.next_claims(64, 100s);
    EXPECT_THAT(parts_of(turns), ElementsAre(0));
    EXPECT_EQ(sum(turns.front().shares), 64U);
}

TEST(ClaimScheduler, ClaimsAPartWithManyEventsAlone) {
    ClaimScheduler scheduler{3, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon, noon, noon}}, 100s, 100s);
    claimed(scheduler, 0, {1, 1, 40, 1}, some_events(40), 100s, 100s);
    claimed(scheduler, 2, {1, 1, 40, 1}, some_events(4), 100s, 100s);
    scheduler.note_peek({noon, {noon, noon, noon}}, 100s, 100s);
    const auto turns = scheduler.next_claims(64, 100s);
    EXPECT_THAT(parts_of(turns), ElementsAre(0));
    EXPECT_EQ(sum(turns.front().shares), 64U);
    claimed(scheduler, 0, turns.front().shares, some_events(3), 100s, 100s);
    scheduler.note_peek({noon, {noon, noon, noon}}, 100s, 100s);
    EXPECT_THAT(parts_of(scheduler.next_claims(64, 100s)), ElementsAre(1, 2, 0));
}

TEST(ClaimScheduler, ClaimsAPartWithARoomOfItsOwnAlone) {
    ClaimScheduler scheduler{3, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon, noon, noon}}, 100s, 100s);
    scheduler.set_room(1, 20);
    EXPECT_THAT(parts_of(scheduler.next_claims(64, 100s)), ElementsAre(0));
    claimed(scheduler, 0, {1, 1, 1, 1}, {{}, noon}, 100s, 100s);
    const auto turns = scheduler.next_claims(64, 100s);
    EXPECT_THAT(parts_of(turns), ElementsAre(1));
    EXPECT_EQ(sum(turns.front().shares), 20U);
}

// `some_events` that were the last due ones of their part.
Claimed last_events(std::size_t many, Instant next) {
    Claimed claimed = some_events(many);
    claimed.next = next;
    return claimed;
}

TEST(ClaimScheduler, PeeksAfterAClaimThatTookAllDueEvents) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    const auto turn = next_claim(scheduler, 60, 100s).value();
    claimed(scheduler, 0, turn.shares, some_events(1), 100s, 100s);
    EXPECT_TRUE(scheduler.must_peek(100s));
}

// Otherwise it would wait for the tick beside parts that always have due events.
TEST(ClaimScheduler, PeeksForADrainedPartBesideOthersThatAreNot) {
    for (const auto& [took, waits] : {std::pair{0ms, 5ms}, std::pair{2ms, 20ms}}) {
        ClaimScheduler scheduler{2, 0, 1s, false, 1};
        scheduler.note_peek({noon, {noon, noon}}, 100s - took, 100s);
        claimed(scheduler, 0, {1, 1, 57, 1}, some_events(3), 100s, 100s);
        EXPECT_FALSE(scheduler.peek_overdue(100s + waits)) << "part 1 will be drained soon, too";
        claimed(scheduler, 1, {1, 1, 57, 1}, last_events(57, noon), 100s, 100s);
        EXPECT_EQ(next_claim(scheduler, 60, 100s).value().part, 1U);
        EXPECT_FALSE(scheduler.peek_overdue(100s + waits - 1us));
        EXPECT_TRUE(scheduler.peek_overdue(100s + waits));
    }
}

TEST(ClaimScheduler, NeedsNoPeekAfterAClaimThatReportsTheNextInstants) {
    ClaimScheduler scheduler{3, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon, noon, never}}, 100s, 100s);
    const auto turns = scheduler.next_claims(60, 100s);
    ASSERT_THAT(turns, SizeIs(2));
    for (const auto& turn : turns) EXPECT_TRUE(turn.with_next);
    scheduler.claimed(turns, std::array{last_events(2, noon + 20ms), last_events(0, noon + 10ms)},
                      100s, 100s);
    EXPECT_FALSE(scheduler.must_peek(100s));
    EXPECT_FALSE(scheduler.past(noon + 10ms));
    EXPECT_TRUE(scheduler.past(noon + 9ms));
    EXPECT_EQ(scheduler.next_change(100s), 100s + 10ms);
    EXPECT_FALSE(next_claim(scheduler, 60, 100s + 9'999us));
    EXPECT_THAT(parts_of(scheduler.next_claims(60, 100s + 10ms)), ElementsAre(1));
    EXPECT_THAT(parts_of(scheduler.next_claims(60, 100s + 20ms)), ElementsAre(0, 1));
}

TEST(ClaimScheduler, PeeksEachTickAlthoughClaimsReportTheNextInstants) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    for (Mono now = 100s; now < 101s; now += 10ms) {
        EXPECT_FALSE(scheduler.must_peek(now));
        EXPECT_FALSE(scheduler.peek_overdue(now));
        const auto turn = next_claim(scheduler, 60, now).value();
        Claimed found = last_events(1, noon + (now - 100s) + 10ms);
        found.now = noon + (now - 100s);
        claimed(scheduler, 0, turn.shares, found, now, now);
    }
    EXPECT_TRUE(scheduler.must_peek(101s));
    EXPECT_TRUE(scheduler.peek_overdue(101s));
}

TEST(ClaimScheduler, ClaimsAtOnceWhatAClaimHasLeft) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon - 1s}}, 100s, 100s);
    const auto turn = next_claim(scheduler, 60, 100s).value();
    claimed(scheduler, 0, turn.shares, last_events(1, noon - 1ms), 100s, 100s);
    EXPECT_FALSE(scheduler.must_peek(100s));
    EXPECT_TRUE(next_claim(scheduler, 60, 100s));
}

TEST(ClaimScheduler, BacksOffFromLockedRowsThatAClaimReports) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    claimed(scheduler, 0, next_claim(scheduler, 60, 100s)->shares, last_events(0, noon), 100s,
            100s);
    EXPECT_FALSE(scheduler.must_peek(100s));
    EXPECT_FALSE(next_claim(scheduler, 60, 100s + 4'999us));
    const auto again = next_claim(scheduler, 60, 100s + 5ms);
    ASSERT_TRUE(again);
    // Now another instance has taken them. The part does not rest: later events have no obstacle.
    Claimed none = last_events(0, noon + 6ms);
    none.now = noon + 5ms;
    claimed(scheduler, 0, again->shares, none, 100s + 5ms, 100s + 5ms);
    EXPECT_TRUE(next_claim(scheduler, 60, 100s + 6ms));
}

TEST(ClaimScheduler, KeepsWhatItExpectsWhileAClaimIsUnderWay) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    scheduler.expect(0, noon + 5ms);  // this claim looks after that
    const auto turn = next_claim(scheduler, 60, 100s).value();
    scheduler.expect(0, noon + 20ms);  // perhaps committed after the claim has looked
    claimed(scheduler, 0, turn.shares, last_events(1, noon + 50ms), 100s, 100s);
    EXPECT_EQ(scheduler.next_change(100s), 100s + 20ms);
}

TEST(ClaimScheduler, PeeksForAHintThatCameDuringAClaim) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    const auto turn = next_claim(scheduler, 60, 100s).value();
    EXPECT_TRUE(turn.with_next);
    scheduler.hint(noon + 20ms);
    claimed(scheduler, 0, turn.shares, last_events(1, noon + 50ms), 100s, 100s);
    EXPECT_FALSE(scheduler.must_peek(100s));
    EXPECT_EQ(scheduler.next_change(100s), 100s + 20ms);
    EXPECT_TRUE(scheduler.must_peek(100s + 20ms));
}

TEST(ClaimScheduler, LetsDrainedPartsWaitForThePeekOfADueHint) {
    ClaimScheduler scheduler{2, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon, noon}}, 100s, 100s);
    scheduler.hint(noon);
    const auto turns = scheduler.next_claims(60, 100s);
    ASSERT_THAT(turns, SizeIs(2));
    for (const auto& turn : turns) EXPECT_FALSE(turn.with_next);
    scheduler.claimed(turns, std::array{some_events(1), some_events(1)}, 100s, 100s);
    EXPECT_FALSE(next_claim(scheduler, 60, 100s + 1ms));
    EXPECT_TRUE(scheduler.must_peek(100s + 1ms));
}

TEST(ClaimScheduler, RequestsNoNextInstantsFromFullClaims) {
    ClaimScheduler scheduler{1, 0, 1s, false, 8};
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    EXPECT_TRUE(next_claim(scheduler, 60, 100s)->with_next);
    claimed(scheduler, 0, {1, 1, 57, 1}, some_events(57), 100s, 100s);
    EXPECT_FALSE(next_claim(scheduler, 60, 100s)->with_next);
    claimed(scheduler, 0, {1, 1, 57, 1}, some_events(56), 100s, 100s);
    scheduler.note_peek({noon, {noon}}, 100s, 100s);
    EXPECT_TRUE(next_claim(scheduler, 60, 100s)->with_next);
}

TEST(ClaimScheduler, RequestsNoNextInstantsOnATestClock) {
    ClaimScheduler scheduler{2, 0, 1s, true, 8};
    scheduler.note_peek({noon, {noon, noon}}, 100s, 100s);
    for (const auto& turn : scheduler.next_claims(60, 100s)) EXPECT_FALSE(turn.with_next);
}

TEST(ClaimScheduler, HasPassedATimeOnceNoShardHasEarlierEvents) {
    ClaimScheduler scheduler{2, 0, 1s, false, 8};
    EXPECT_FALSE(scheduler.past(noon));
    scheduler.note_peek({noon, {never, noon}}, 100s, 100s);
    EXPECT_FALSE(scheduler.past(noon));
    scheduler.note_peek({noon, {never, noon + 1us}}, 100s, 100s);
    EXPECT_TRUE(scheduler.past(noon));
}

}  // namespace
}  // namespace sundial
