#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "application/ports/retention.hpp"
#include "contract/settlements.hpp"
#include "contract/storage.hpp"

/// Retention, for the stores that outlive their process. The tests of each include this with their
/// `Kind`, which opens a storage that has `retention()`.
namespace sundial {

template <class Kind>
class RetentionContract : public testing::Test {
protected:
    void SetUp() override {
        if constexpr (requires { Kind::is_there(); }) {
            if (!Kind::is_there()) GTEST_SKIP() << "there is no such storage";
        }
    }
    Event store_and_settle(const Event& event, bool succeeds) {
        storage_.store().transact(
            [&](Transaction& tx) { return tx.events().add(event).has_value(); });
        return settle_next(succeeds);
    }
    /// Settles the only due event.
    Event settle_next(bool succeeds) {
        std::vector<ClaimedEvent> claimed;
        for (std::uint32_t shard = 0; shard < storage_.queue().shards(); ++shard) {
            for (const Lane& lane : all_lanes) {
                auto some = storage_.queue().claim_ready({.by = instance_a,
                                                          .shard = shard,
                                                          .shares = {9, 9, 9, 9},
                                                          .lease = 30s,
                                                          .lane = lane});
                for (auto& one : some.events) claimed.push_back(std::move(one));
            }
        }
        EXPECT_EQ(claimed.size(), 1U);
        const Event held = claimed.at(0).event;
        const Instant now = storage_.clock().now();
        const auto settled = storage_.queue().settle(
            std::vector{succeeds ? accepted(held, now) : refused(held, now)});
        EXPECT_TRUE(settled.at(0).has_value());
        return held;
    }
    bool is_there(const Event& event) {
        return in_read(storage_.store(),
                       [&](Transaction& tx) { return tx.events().find(event.id).has_value(); });
    }
    std::size_t attempts_of(const Event& event) {
        return in_read(storage_.store(),
                       [&](Transaction& tx) { return tx.events().attempts_of(event.id).size(); });
    }
    bool is_taken(const IdempotencyKey& key) {
        bool taken = false;
        storage_.store().transact([&](Transaction& tx) {
            Event another = an_event().due(storage_.clock().now());
            another.key = key;
            taken = !tx.events().add(another).has_value();
            return false;
        });
        return taken;
    }
    void advance(std::chrono::days by) {
        ASSERT_TRUE(storage_.clock().set(storage_.clock().now() + by).has_value());
    }
    void forget(Kept what, std::chrono::days age) {
        while (storage_.retention().forget(what, age, 2)) {
        }
    }

    Kind storage_;
};

TYPED_TEST_SUITE_P(RetentionContract);

TYPED_TEST_P(RetentionContract, ForgetsWhatIsOverEachKindInItsTime) {
    const Event done = this->store_and_settle(an_event(), true);
    const Event failed = this->store_and_settle(an_event(), false);
    this->advance(std::chrono::days{60});
    const Event young = this->store_and_settle(an_event().due(this->storage_.clock().now()), true);
    this->forget(Kept::completed, std::chrono::days{90});
    EXPECT_TRUE(this->is_there(done));
    this->advance(std::chrono::days{70});  // a month that ends meanwhile is old as a whole
    this->forget(Kept::completed, std::chrono::days{90});
    this->forget(Kept::failed, std::chrono::days{365});
    EXPECT_FALSE(this->is_there(done));
    EXPECT_TRUE(this->is_there(failed));
    EXPECT_TRUE(this->is_there(young));
    this->advance(std::chrono::days{300});
    this->forget(Kept::failed, std::chrono::days{365});
    EXPECT_FALSE(this->is_there(failed));
}

TYPED_TEST_P(RetentionContract, LeavesWhatIsStillToComeAlone) {
    const Event pending = an_event().due(noon + std::chrono::days{900});
    this->storage_.store().transact(
        [&](Transaction& tx) { return tx.events().add(pending).has_value(); });
    this->advance(std::chrono::days{800});
    for (const Kept kind :
         {Kept::completed, Kept::failed, Kept::attempts, Kept::keys, Kept::skips}) {
        this->forget(kind, std::chrono::days{400});
    }
    EXPECT_TRUE(this->is_there(pending));
    EXPECT_TRUE(this->is_taken(pending.key));
}

TYPED_TEST_P(RetentionContract, ForgetsTriesBeforeTheirEvents) {
    const Event failed = this->store_and_settle(an_event(), false);
    ASSERT_EQ(this->attempts_of(failed), 1U);
    this->advance(std::chrono::days{29});
    this->forget(Kept::attempts, std::chrono::days{30});
    EXPECT_EQ(this->attempts_of(failed), 1U);
    this->advance(std::chrono::days{2});
    this->forget(Kept::attempts, std::chrono::days{30});
    EXPECT_EQ(this->attempts_of(failed), 0U);
    EXPECT_TRUE(this->is_there(failed));
}

TYPED_TEST_P(RetentionContract, AKeyOutlivesItsEvent) {
    const Event done = this->store_and_settle(an_event(), true);
    this->advance(std::chrono::days{399});
    this->forget(Kept::completed, std::chrono::days{90});
    this->forget(Kept::keys, std::chrono::days{400});
    EXPECT_FALSE(this->is_there(done));
    EXPECT_TRUE(this->is_taken(done.key));
    this->advance(std::chrono::days{2});
    this->forget(Kept::keys, std::chrono::days{500});
    EXPECT_TRUE(this->is_taken(done.key));
    this->forget(Kept::keys, std::chrono::days{400});
    EXPECT_FALSE(this->is_taken(done.key));
}

TYPED_TEST_P(RetentionContract, KeysOfABatchAreKeptAsLong) {
    const Event first = an_event(), second = an_event().due(noon + std::chrono::days{900});
    this->storage_.store().transact([&](Transaction& tx) {
        for (const auto& added : tx.events().add_each(std::array{first, second})) {
            EXPECT_TRUE(added);
        }
        return true;
    });
    this->settle_next(true);
    this->advance(std::chrono::days{399});
    this->forget(Kept::keys, key_kept_for);
    EXPECT_TRUE(this->is_taken(first.key));
    this->advance(std::chrono::days{2});
    this->forget(Kept::keys, key_kept_for);
    EXPECT_FALSE(this->is_taken(first.key));
    EXPECT_TRUE(this->is_taken(second.key));
}

// For example, a backfill of a time years ago that is requested again.
TYPED_TEST_P(RetentionContract, KeepsTheKeyOfALongPastTargetFromTheDayItWasStored) {
    const Event done = this->store_and_settle(an_event().due(noon - std::chrono::days{900}), true);
    this->advance(std::chrono::days{398});
    this->forget(Kept::keys, std::chrono::days{400});
    EXPECT_TRUE(this->is_taken(done.key));
}

TYPED_TEST_P(RetentionContract, KeepsTheKeyOfAnEventThatWasMovedByItsNewTarget) {
    Event moved = an_event().due(noon + 1h);
    this->storage_.store().transact([&](Transaction& tx) {
        EXPECT_TRUE(tx.events().add(moved));
        moved.due = moved.claimable_at = noon + std::chrono::days{900};
        moved.version = base::next(moved.version);
        tx.events().update(moved);
        return true;
    });
    this->advance(std::chrono::days{900});
    this->settle_next(true);
    this->advance(std::chrono::days{399});
    this->forget(Kept::keys, std::chrono::days{400});
    EXPECT_TRUE(this->is_taken(moved.key));
}

TYPED_TEST_P(RetentionContract, ForgetsWhatWasSkipped) {
    const auto skips = [&] {
        return in_read(this->storage_.store(),
                       [](Transaction& tx) { return tx.skips().list(SkipQuery{}).items.size(); });
    };
    const SkippedRun run{.id = uuid_of(next_number()),
                         .schedule = an_id<ScheduleId>(),
                         .user = std::nullopt,
                         .reason = "window",
                         .first = noon,
                         .last = noon,
                         .next = std::nullopt,
                         .recorded_at = noon};
    this->storage_.store().transact([&](Transaction& tx) { return tx.skips().add(run), true; });
    ASSERT_EQ(skips(), 1U);
    this->advance(std::chrono::days{91});
    this->forget(Kept::skips, std::chrono::days{90});
    EXPECT_EQ(skips(), 0U);
}

REGISTER_TYPED_TEST_SUITE_P(RetentionContract, ForgetsWhatIsOverEachKindInItsTime,
                            LeavesWhatIsStillToComeAlone, ForgetsTriesBeforeTheirEvents,
                            AKeyOutlivesItsEvent, KeysOfABatchAreKeptAsLong,
                            KeepsTheKeyOfALongPastTargetFromTheDayItWasStored,
                            KeepsTheKeyOfAnEventThatWasMovedByItsNewTarget, ForgetsWhatWasSkipped);

}  // namespace sundial
