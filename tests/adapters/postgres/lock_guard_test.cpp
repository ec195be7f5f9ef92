#include <gtest/gtest.h>

#include <array>
#include <future>
#include <utility>

#include "adapters/postgres/connection.hpp"
#include "application/locks/stored_locks.hpp"
#include "contract/lock_store_contract.hpp"
#include "postgres_storage.hpp"
#include "support/recorded_log.hpp"

/// Which calls wait for a transaction that guards a lock, and which do not (LK12). Other storages
/// run one write transaction at a time, so this applies to PostgreSQL only.
namespace sundial::postgres {
namespace {

class LockGuard : public testing::Test {
protected:
    Result<LockGrant> ask(char who) {
        return locks.acquire(
            {.name = "job", .holder = "holder", .token_hash = hash_of(who), .ttl = 30s});
    }
    LockGrant acquire(char who) {
        const auto granted = ask(who);
        EXPECT_TRUE(granted.has_value());
        return granted.value();
    }
    /// Runs a transaction of the holder of `token` that writes `user` and stays open until
    /// `may_commit`.
    std::future<bool> guarded_write(FencingToken token, const User& user,
                                    std::promise<void>& is_open, std::future<void> may_commit) {
        return std::async(std::launch::async, [this, token, user, &is_open,
                                               may_commit = std::move(may_commit)]() mutable {
            return in_transaction(storage.store(),
                                  [&](Transaction& tx) -> Result<void> {
                                      const auto guarded = locks.guard(tx, "job", token);
                                      if (!guarded) return guarded.error();
                                      EXPECT_TRUE(tx.users().add(user).has_value());
                                      is_open.set_value();
                                      may_commit.wait();
                                      return {};
                                  })
                .has_value();
        });
    }

    PostgresStorage storage{1};
    StoredLocks locks{storage.store()};
    std::promise<void> open, commit;
};

TEST_F(LockGuard, LK12_ATakeOverWaitsForTheCommitOfAGuardedTransaction) {
    const LockGrant first = acquire('a');
    const User user = a_user();
    auto written = guarded_write(first.fencing_token, user, open, commit.get_future());
    open.get_future().wait();
    ASSERT_TRUE(storage.clock().set(noon + 31s).has_value());
    const auto refused = ask('b');  // answered at once: a waiting caller retries
    ASSERT_TRUE(is<LockHeld>(refused));
    EXPECT_EQ(std::get<LockHeld>(refused.error()).holder, "holder");
    EXPECT_FALSE(
        in_read(storage.store(), [&](Transaction& tx) { return tx.users().find(user.id); }));
    commit.set_value();
    EXPECT_TRUE(written.get());
    EXPECT_GT(acquire('b').fencing_token, first.fencing_token);
    EXPECT_TRUE(
        in_read(storage.store(), [&](Transaction& tx) { return tx.users().find(user.id); }));
}

TEST_F(LockGuard, LK12_ARenewalPassesByAGuardedTransaction) {
    const LockGrant first = acquire('a');
    auto written = guarded_write(first.fencing_token, a_user(), open, commit.get_future());
    open.get_future().wait();
    EXPECT_TRUE(locks.renew("job", hash_of('a'), 40s).has_value());
    ASSERT_TRUE(storage.clock().set(noon + 41s).has_value());
    EXPECT_TRUE(is<LockLeaseLost>(locks.renew("job", hash_of('a'), 40s)));  // answered at once
    commit.set_value();
    EXPECT_TRUE(written.get());
}

TEST_F(LockGuard, TheFirstHolderOfANameIsUnknownDuringItsGrant) {
    RecordedLog log;
    Connection other{storage.url(), log};
    constexpr Statement begin{"begin", "BEGIN"}, roll_back{"roll_back", "ROLLBACK"},
        grant{"grant", R"(
        SELECT lock_token FROM sundial.try_lock('job', 'a'))"};
    const std::array calls{Call{begin}, Call{grant}};
    const std::array ends{Call{roll_back}};
    ASSERT_EQ(other.run(calls, false, 30s).back().size(), 1U);
    EXPECT_TRUE(is<LockHeld>(ask('b')));
    other.run(ends, false, 30s);  // not by closing it: the server notices that only later
}

TEST_F(LockGuard, AHeldLockIsRefusedAtOnceDuringAGuardedTransaction) {
    const LockGrant first = acquire('a');
    auto written = guarded_write(first.fencing_token, a_user(), open, commit.get_future());
    open.get_future().wait();
    EXPECT_TRUE(is<LockHeld>(
        locks.acquire({.name = "job", .holder = "b", .token_hash = hash_of('b'), .ttl = 30s})));
    EXPECT_TRUE(locks.release("job", hash_of('a')).has_value());  // a release does not wait either
    commit.set_value();
    EXPECT_TRUE(written.get());
}

}  // namespace
}  // namespace sundial::postgres
