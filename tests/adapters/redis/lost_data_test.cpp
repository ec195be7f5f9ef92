#include <gtest/gtest.h>

#include <string>

#include "application/ports/failures.hpp"
#include "redis_storage.hpp"
#include "support/mortal_store.hpp"

/// A Redis server that loses acknowledged writes or disappears: LK13, LK14, LK15, and the result
/// without fencing tokens.
namespace sundial::redis {
namespace {

class LostData : public testing::Test {
protected:
    static LockRequest request_of(char who) {
        return {.name = "job", .holder = "holder", .token_hash = hash_of(who), .ttl = 30s};
    }
    /// Writes `what` in a transaction that the lock guards.
    bool guarded_write(RedisLocks& by, const LockGrant& grant, const User& what) {
        return in_transaction(store,
                              [&](Transaction& tx) -> Result<void> {
                                  EXPECT_TRUE(tx.users().add(what).has_value());
                                  return by.guard(tx, "job", grant.fencing_token);
                              })
            .has_value();
    }
    bool is_there(const User& user) {
        return in_read(store,
                       [&](Transaction& tx) { return tx.users().find(user.id).has_value(); });
    }

    RedisServer primary;
    memory::ManualClock clock{noon};
    memory::MemoryStore store{clock};
    RedisLocks locks{parse_url(primary.url()), store};
};

TEST_F(LostData, LK13_TokensGoOnAboveThoseOfAServerThatCameBackEmpty) {
    FencingToken last{0};
    for (const char who : {'a', 'b', 'c'}) {
        last = locks.acquire(request_of(who))->fencing_token;
        ASSERT_TRUE(locks.release("job", hash_of(who)).has_value());
    }
    const auto before = locks.acquire(request_of('d'));
    ASSERT_GT(before->fencing_token, last);
    primary.restart();
    const auto after = locks.acquire(request_of('e'));  // the lock appears free
    ASSERT_TRUE(after.has_value());
    EXPECT_GT(after->fencing_token, before->fencing_token);

    const User of_first = a_user(), of_second = a_user();
    EXPECT_FALSE(guarded_write(locks, *before, of_first));  // although nothing was written since
    EXPECT_TRUE(guarded_write(locks, *after, of_second));
    EXPECT_FALSE(is_there(of_first));
    EXPECT_TRUE(is_there(of_second));
    EXPECT_FALSE(locks.renew("job", hash_of('d'), 30s).has_value());
}

TEST_F(LostData, LK14_AfterAFailoverThatLostAGrantOnlyTheGreaterTokenWrites) {
    RedisServer replica;
    Server at_replica{parse_url(replica.url())};
    at_replica.run({"REPLICAOF", "127.0.0.1", std::to_string(primary.port())});
    while (at_replica.run({"INFO", "replication"}).text.find("master_link_status:up") ==
           std::string::npos) {
    }
    at_replica.run({"REPLICAOF", "NO", "ONE"});  // promoted before the grant arrives
    const auto first = locks.acquire(request_of('a'));
    RedisLocks locks_there{parse_url(replica.url()), store};
    const auto second = locks_there.acquire(request_of('b'));
    ASSERT_TRUE(first.has_value());
    ASSERT_TRUE(second.has_value());  // both hold it
    EXPECT_GT(second->fencing_token, first->fencing_token);

    const User of_first = a_user(), of_second = a_user();
    EXPECT_FALSE(guarded_write(locks, *first, of_first));
    EXPECT_TRUE(guarded_write(locks_there, *second, of_second));
    EXPECT_FALSE(is_there(of_first));
    EXPECT_TRUE(is_there(of_second));
}

/// The control: SET NX PX alone, which many locks on Redis consist of.
TEST_F(LostData, WithoutFencingTokensBothOfTwoHoldersWrite) {
    Server plain{parse_url(primary.url())};
    const auto acquired = [&](const std::string& who) {
        return !plain.run({"SET", "plain", who, "NX", "PX", "30000"}).nil;
    };
    const auto write = [&](const User& what) {
        store.transact([&](Transaction& tx) { return tx.users().add(what).has_value(); });
    };
    const User of_first = a_user(), of_second = a_user();
    ASSERT_TRUE(acquired("first"));
    EXPECT_FALSE(acquired("second"));
    primary.restart();
    ASSERT_TRUE(acquired("second"));
    write(of_second);
    write(of_first);  // the holder cannot know
    EXPECT_TRUE(is_there(of_first));
    EXPECT_TRUE(is_there(of_second));
}

TEST_F(LostData, LK15_NothingIsGrantedWithoutAResponseOfTheServer) {
    const auto granted = locks.acquire(request_of('a'));
    primary.kill();
    EXPECT_THROW((void)locks.acquire(request_of('b')), Unavailable);
    EXPECT_THROW((void)locks.renew("job", hash_of('a'), 30s), Unavailable);
    EXPECT_THROW((void)locks.release("job", hash_of('a')), Unavailable);
    EXPECT_THROW((void)locks.list({}), Unavailable);
    primary.restart();
    EXPECT_TRUE(locks.acquire(request_of('b')).has_value());  // on a new connection
}

TEST_F(LostData, LK15_ALockThatTheDatabaseCouldNotRecordIsNotHeld) {
    Death death;
    MortalStore mortal{store, death};
    RedisLocks unlucky{parse_url(primary.url()), mortal};
    death.in_steps(2);  // after the greatest token was read
    EXPECT_THROW((void)unlucky.acquire(request_of('a')), Killed);
    EXPECT_TRUE(locks.acquire(request_of('b')).has_value());
}

TEST_F(LostData, AReplicaGrantsNothing) {
    RedisServer elsewhere;
    Server here{parse_url(primary.url())};
    here.run({"REPLICAOF", "127.0.0.1", std::to_string(elsewhere.port())});
    EXPECT_THROW((void)locks.acquire(request_of('a')), Unavailable);
    EXPECT_EQ(in_read(store, [](Transaction& tx) { return tx.locks().find("job"); }), std::nullopt);
}

}  // namespace
}  // namespace sundial::redis
