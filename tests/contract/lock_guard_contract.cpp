#include <gtest/gtest.h>

#include <atomic>

#include "application/locks/stored_locks.hpp"
#include "contract/lock_store_contract.hpp"

namespace sundial {

namespace {

/// Locks as rows of a storage. Time is the storage's test clock.
class LocksOfStorage final : public LockStorage {
public:
    explicit LocksOfStorage(std::unique_ptr<Storage> storage) : storage_{std::move(storage)} {}
    LockStore& locks() override { return locks_; }
    void advance(std::chrono::microseconds by) override {
        const auto moved = storage_->clock().set(storage_->clock().now() + by);
        ASSERT_TRUE(moved.has_value());
    }

private:
    std::unique_ptr<Storage> storage_;
    StoredLocks locks_{storage_->store()};
};

LockRequest request_of(char who) {
    return {.name = "job", .holder = "holder", .token_hash = hash_of(who), .ttl = 30s};
}

TEST_P(LockGuardContract, TheHolderWrites) {
    StoredLocks locks{store()};
    const auto grant = locks.acquire(request_of('a'));
    const User user = a_user();
    const auto written = in_transaction(store(), [&](Transaction& tx) -> Result<void> {
        const auto guarded = locks.guard(tx, "job", grant->fencing_token);
        if (!guarded) return guarded.error();
        EXPECT_TRUE(tx.users().add(user).has_value());
        return {};
    });
    EXPECT_TRUE(written.has_value());
    EXPECT_TRUE(read([&](Transaction& tx) { return tx.users().find(user.id); }));
}

TEST_P(LockGuardContract, LK08_AStaleHolderWritesNothing) {
    StoredLocks locks{store()};
    const auto sleeper = locks.acquire(request_of('a'));
    advance(31s);
    const auto next = locks.acquire(request_of('b'));
    const User of_sleeper = a_user(), of_next = a_user();
    const auto write_as = [&](const LockGrant& grant, const User& user) {
        return in_transaction(store(), [&](Transaction& tx) -> Result<void> {
            EXPECT_TRUE(tx.users().add(user).has_value());
            return locks.guard(tx, "job", grant.fencing_token);
        });
    };
    EXPECT_TRUE(write_as(*next, of_next).has_value());
    const auto refused = write_as(*sleeper, of_sleeper);
    ASSERT_TRUE(is<LockLeaseLost>(refused));
    EXPECT_EQ(std::get<LockLeaseLost>(refused.error()).held, sleeper->fencing_token);
    EXPECT_TRUE(read([&](Transaction& tx) { return tx.users().find(of_next.id); }));
    EXPECT_FALSE(read([&](Transaction& tx) { return tx.users().find(of_sleeper.id); }));
}

TEST_P(LockGuardContract, NoWriteHappensUnderAnExpiredReleasedOrUnknownLock) {
    StoredLocks locks{store()};
    const auto may_write = [&](const std::string& name, FencingToken token) {
        return in_transaction(store(),
                              [&](Transaction& tx) { return locks.guard(tx, name, token); })
            .has_value();
    };
    EXPECT_FALSE(may_write("job", FencingToken{1}));
    EXPECT_FALSE(may_write("job", FencingToken{0}));
    const auto first = locks.acquire(request_of('a'));
    EXPECT_TRUE(may_write("job", first->fencing_token));
    ASSERT_TRUE(locks.release("job", hash_of('a')).has_value());
    EXPECT_FALSE(may_write("job", first->fencing_token));
    const auto second = locks.acquire(request_of('b'));
    EXPECT_FALSE(may_write("job", first->fencing_token));
    advance(30s);
    EXPECT_FALSE(may_write("job", second->fencing_token));
}

TEST_P(LockGuardContract, AFenceLetsNoSmallerTokenPassThanItHasSeen) {
    const auto passes = [&](std::uint64_t token) {
        return in_transaction(
                   store(),
                   [&](Transaction& tx) { return pass_fence(tx, "far", FencingToken{token}); })
            .has_value();
    };
    const auto raises = [&](std::uint64_t token) {
        return in_transaction(
                   store(),
                   [&](Transaction& tx) { return raise_fence(tx, "far", FencingToken{token}); })
            .has_value();
    };
    EXPECT_EQ(greatest_seen(store(), "far"), FencingToken{0});
    EXPECT_TRUE(raises(5));
    EXPECT_TRUE(passes(5));
    EXPECT_FALSE(raises(5));
    EXPECT_TRUE(passes(8));
    EXPECT_FALSE(passes(7));
    EXPECT_EQ(greatest_seen(store(), "far"), FencingToken{8});
    StoredLocks locks{store()};  // a fence alone is not a held lock
    EXPECT_TRUE(locks.list({}).items.empty());
}

TEST_P(LockGuardContract, ARollbackRestoresAFence) {
    store().transact([](Transaction& tx) {
        EXPECT_TRUE(raise_fence(tx, "far", FencingToken{9}).has_value());
        return false;
    });
    EXPECT_EQ(greatest_seen(store(), "far"), FencingToken{0});
}

TEST_P(LockGuardContract, OneOfManyRaisesAFenceToTheSameToken) {
    std::atomic<int> raised = 0;
    at_once(8, [&](int) {
        const auto done = in_transaction(
            store(), [](Transaction& tx) { return raise_fence(tx, "far", FencingToken{3}); });
        if (done) ++raised;
    });
    EXPECT_EQ(raised, 1);
}

}  // namespace

LockStorageKind::LockStorageKind(const StorageKind& kind)
    : name{kind.name}, open{[open_storage = kind.open] {
          return std::make_unique<LocksOfStorage>(open_storage());
      }} {}

}  // namespace sundial
