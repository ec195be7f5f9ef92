#include "contract/checkpoint_contract.hpp"

#include <gmock/gmock.h>

#include <atomic>

#include "application/ports/event_store.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(CheckpointContract, BeginsBeforeTheFirstEvent) {
    EXPECT_EQ(keep_checkpoint_.find(name_).value(), Checkpoint{});
    EXPECT_TRUE(is<ValidationFailed>(keep_checkpoint_.find("no spaces")));
    EXPECT_TRUE(is<ValidationFailed>(keep_checkpoint_.save("", {})));
    EXPECT_TRUE(is<ValidationFailed>(keep_checkpoint_.hold("a/b", "me", 1s)));
}

TEST_P(CheckpointContract, AdvancesOnlyFromItsCurrentPosition) {
    const auto events = recorded_events(3);
    ASSERT_TRUE(keep_checkpoint_.save(name_, to(events[0], 0)));
    const auto second = keep_checkpoint_.save(name_, to(events[1], events[0].position));
    ASSERT_TRUE(second);
    EXPECT_EQ(second->version, Version{2});
    EXPECT_EQ(keep_checkpoint_.find(name_).value(), *second);
    const auto refused = keep_checkpoint_.save(name_, to(events[2], events[0].position));
    ASSERT_TRUE(is<CheckpointConflict>(refused));
    EXPECT_EQ(std::get<CheckpointConflict>(refused.error()).position, events[1].position);
    const auto back = keep_checkpoint_.save(name_, to(events[0], events[1].position));
    EXPECT_TRUE(is<ValidationFailed>(back));
    EXPECT_EQ(keep_checkpoint_.find(name_).value(), *second);
}

TEST_P(CheckpointContract, IsMeasuredAgainstTheEndOfTheFeed) {
    auto& meter = dynamic_cast<FeedMeter&>(feed());
    EXPECT_THAT(meter.measure(10).followers, IsEmpty());
    const auto events = recorded_events(3);
    ASSERT_TRUE(keep_checkpoint_.save("b", to(events[0], 0)));
    ASSERT_TRUE(keep_checkpoint_.save("a", to(events[2], 0)));
    const FeedProgress expected{
        .position = events[2].position,
        .followers = {{"a", events[2].position}, {"b", events[0].position}}};
    EXPECT_EQ(meter.measure(10), expected);
    EXPECT_THAT(meter.measure(1).followers, ElementsAre(expected.followers[0]));
}

TEST_P(CheckpointContract, OneOfManySubscribersAdvances) {
    const auto events = recorded_events(1);
    std::atomic<int> won = 0, lost = 0;
    at_once(8, [&](int) {
        const auto saved = keep_checkpoint_.save(name_, to(events[0], 0));
        ++(saved ? won : lost);
        EXPECT_TRUE(saved || is<CheckpointConflict>(saved));
    });
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 7);
}

TEST_P(CheckpointContract, CommitsTogetherWithTheProjection) {
    const auto events = recorded_events(1);
    const StreamId view = a_stream();
    store().transact([&](Transaction& tx) {
        EXPECT_TRUE(append_.run(tx, {view, ExpectedVersion::any(), facts(1)}));
        EXPECT_TRUE(KeepCheckpoint::save(tx, name_, to(events[0], 0)));
        return false;
    });
    EXPECT_EQ(keep_checkpoint_.find(name_).value(), Checkpoint{});
    EXPECT_EQ(version_of(view), 0U);
}

TEST_P(CheckpointContract, IsHeldByOneUntilItsLeaseExpires) {
    const auto first = keep_checkpoint_.hold(name_, "a", 30s);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->holder, "a");
    EXPECT_EQ(first->held_until, noon + 30s);
    EXPECT_EQ(first->fencing_token, 1U);
    advance(20s);
    EXPECT_EQ(keep_checkpoint_.hold(name_, "b", 30s).value(), *first);
    const auto prolonged = keep_checkpoint_.hold(name_, "a", 30s);
    EXPECT_EQ(prolonged->fencing_token, 1U);
    EXPECT_EQ(prolonged->held_until, noon + 50s);
    advance(30s);
    const auto taken_over = keep_checkpoint_.hold(name_, "b", 30s);
    EXPECT_EQ(taken_over->holder, "b");
    EXPECT_EQ(taken_over->fencing_token, 2U);
    keep_checkpoint_.release(name_, 1);
    EXPECT_EQ(keep_checkpoint_.find(name_)->holder, "b");
    keep_checkpoint_.release(name_, 2);
    EXPECT_EQ(keep_checkpoint_.hold(name_, "c", 30s)->fencing_token, 3U);
}

TEST_P(CheckpointContract, AnExpiredLeaseIsGrantedAsANewOne) {
    EXPECT_EQ(keep_checkpoint_.hold(name_, "a", 30s)->fencing_token, 1U);
    advance(30s);
    EXPECT_EQ(keep_checkpoint_.hold(name_, "a", 30s)->fencing_token, 2U);
}

TEST_P(CheckpointContract, ES39_AStaleHolderCannotAdvanceIt) {
    const auto events = recorded_events(3);
    const auto first = keep_checkpoint_.hold(name_, "a", 30s);
    advance(1min);
    const auto second = keep_checkpoint_.hold(name_, "b", 30s);
    ASSERT_TRUE(keep_checkpoint_.save(name_, to(events[1], 0, second->fencing_token)));
    const std::uint64_t at = events[1].position;
    for (const std::uint64_t previous : {std::uint64_t{0}, at}) {
        const auto late =
            keep_checkpoint_.save(name_, to(events[2], previous, first->fencing_token));
        ASSERT_TRUE(is<CheckpointLost>(late));
        EXPECT_EQ(std::get<CheckpointLost>(late.error()).fencing_token, first->fencing_token);
    }
    EXPECT_EQ(keep_checkpoint_.find(name_)->position, at);
}

TEST_P(CheckpointContract, ATokenOfALockElsewhereFencesToo) {
    const auto events = recorded_events(3);
    ASSERT_TRUE(keep_checkpoint_.save(name_, to(events[0], 0, 81)));
    EXPECT_TRUE(
        is<CheckpointLost>(keep_checkpoint_.save(name_, to(events[1], events[0].position, 80))));
    EXPECT_TRUE(
        is<CheckpointLost>(keep_checkpoint_.save(name_, to(events[1], events[0].position))));
    EXPECT_TRUE(keep_checkpoint_.save(name_, to(events[1], events[0].position, 82)));
}

TEST_P(CheckpointContract, ES40_ACheckpointOfAnotherHistoryIsRefused) {
    const auto events = recorded_events(2);
    CheckpointStep of_another{events[1].position, uuid_of(next_number()), 0, 0};
    EXPECT_TRUE(is<FeedDiverged>(keep_checkpoint_.save(name_, of_another)));
    of_another.event_id = events[0].event_id;  // exists, but at another position
    EXPECT_TRUE(is<FeedDiverged>(keep_checkpoint_.save(name_, of_another)));
    // The state after only the event store was restored from a backup.
    write([&](Transaction& tx) {
        Checkpoint checkpoint = tx.checkpoints().lock(name_);
        checkpoint.position = events[1].position + 7;
        checkpoint.event_id = uuid_of(next_number());
        checkpoint.version = Version{1};
        tx.checkpoints().put(name_, checkpoint);
    });
    const auto held = keep_checkpoint_.hold(name_, "a", 30s);
    ASSERT_TRUE(is<FeedDiverged>(held));
    EXPECT_EQ(std::get<FeedDiverged>(held.error()).position, events[1].position + 7);
    EXPECT_EQ(keep_checkpoint_.find(name_)->holder, "");
}

TEST_P(CheckpointContract, StillKnowsAnEventWhosePayloadIsErased) {
    const StreamId stream = a_stream_of(1);
    const auto events = recorded();
    ASSERT_TRUE(keep_.remove(stream));
    EXPECT_TRUE(keep_checkpoint_.save(name_, to(events[0], 0)));
    EXPECT_TRUE(keep_checkpoint_.hold(name_, "a", 30s));
}

TEST_P(CheckpointContract, ParksEventsUnderItsName) {
    const ParkedEvent first{3, uuid_of(next_number()), "no such customer", 5, noon};
    const ParkedEvent second{7, uuid_of(next_number()), "no stock", 1, noon + 1s};
    const std::string other = name_ + "-2";
    write([&](Transaction& tx) {
        tx.checkpoints().park(name_, second);
        tx.checkpoints().park(name_, first);
        tx.checkpoints().park(name_, {3, first.event_id, "again", 9, noon});
        tx.checkpoints().park(other, second);
    });
    const auto parked = [&](std::uint64_t after, std::size_t limit) {
        return read([&](Transaction& tx) { return tx.checkpoints().parked(name_, after, limit); });
    };
    EXPECT_THAT(parked(0, 9), ElementsAre(first, second));
    EXPECT_THAT(parked(0, 1), ElementsAre(first));
    EXPECT_THAT(parked(3, 9), ElementsAre(second));
    EXPECT_TRUE(write([&](Transaction& tx) { return tx.checkpoints().unpark(name_, 7); }));
    EXPECT_FALSE(write([&](Transaction& tx) { return tx.checkpoints().unpark(name_, 7); }));
    EXPECT_THAT(parked(3, 9), IsEmpty());
}

}  // namespace
}  // namespace sundial
