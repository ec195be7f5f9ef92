#include "contract/lock_store_contract.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "application/locks/locks.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_lock_tokens.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(LockStoreContract, LK01_AFreeNameIsGranted) {
    const auto granted = acquire('a');
    ASSERT_TRUE(granted.has_value());
    EXPECT_EQ(granted->fencing_token, FencingToken{1});
    const auto held = locks().list({});
    ASSERT_EQ(held.items.size(), 1U);
    EXPECT_EQ(held.items[0].name, "job");
    EXPECT_EQ(held.items[0].holder, "holder-a");
    EXPECT_EQ(held.items[0].fencing_token, FencingToken{1});
    EXPECT_EQ(held.items[0].expires_at, granted->expires_at);
    EXPECT_EQ(held.items[0].expires_at - held.items[0].acquired_at, 30s);
}

TEST_P(LockStoreContract, LK02_AHeldNameIsRefusedToAllIncludingItsHolder) {
    const auto granted = acquire('a');
    const LockRequest by_itself{
        .name = "job", .holder = "holder-a", .token_hash = hash_of('x'), .ttl = 30s};
    for (const auto& refused : {acquire('b'), locks().acquire(by_itself)}) {
        ASSERT_TRUE(is<LockHeld>(refused));
        const auto& held = refused.error();
        EXPECT_EQ(held.name, "job");
        EXPECT_EQ(held.holder, "holder-a");
        EXPECT_EQ(held.expires_at, granted->expires_at);
    }
    EXPECT_TRUE(renew('a').has_value());  // the lock is unchanged
}

TEST_P(LockStoreContract, ARepeatedRequestGetsTheSameAnswer) {
    const auto granted = acquire('a');
    EXPECT_EQ(acquire('a').value(), granted.value());  // the answer was lost
    EXPECT_EQ(locks().list({}).items.size(), 1U);
}

TEST_P(LockStoreContract, OtherNamesAreOtherLocks) {
    ASSERT_TRUE(acquire('a').has_value());
    const auto other = locks().acquire(
        {.name = "job 2 – ü/'x'", .holder = "b – ü", .token_hash = hash_of('b'), .ttl = 1s});
    ASSERT_TRUE(other.has_value());
    EXPECT_EQ(other->fencing_token, FencingToken{1});
    EXPECT_TRUE(locks().release("job 2 – ü/'x'", hash_of('b')).has_value());
    EXPECT_TRUE(is<LockHeld>(acquire('b')));
}

TEST_P(LockStoreContract, TokensRiseWhateverHappensToHolders) {
    EXPECT_EQ(acquire('a')->fencing_token, FencingToken{1});
    ASSERT_TRUE(release('a').has_value());
    EXPECT_EQ(acquire('b')->fencing_token, FencingToken{2});
    advance(31s);
    EXPECT_EQ(acquire('c')->fencing_token, FencingToken{3});
}

TEST_P(LockStoreContract, TokensExceedThoseThatTheResourceHasSeen) {
    EXPECT_EQ(acquire('a', FencingToken{41})->fencing_token, FencingToken{42});
    ASSERT_TRUE(release('a').has_value());
    EXPECT_EQ(acquire('b', FencingToken{7})->fencing_token, FencingToken{43});
}

TEST_P(LockStoreContract, LK05_AReleaseUnderAWrongOrSpentTokenChangesNothing) {
    ASSERT_TRUE(acquire('a').has_value());
    EXPECT_TRUE(is<LockNotHeld>(release('b')));
    EXPECT_TRUE(is<LockHeld>(acquire('c')));
    ASSERT_TRUE(release('a').has_value());
    EXPECT_TRUE(is<LockNotHeld>(release('a')));
    EXPECT_TRUE(is<LockNotHeld>(renew('a')));
    EXPECT_TRUE(acquire('c').has_value());
    EXPECT_TRUE(is<LockNotHeld>(locks().release("never held", hash_of('a'))));
}

TEST_P(LockStoreContract, LK06_AReleaseAfterTheNextGrantLeavesItAlone) {
    ASSERT_TRUE(acquire('a').has_value());
    advance(31s);
    ASSERT_TRUE(acquire('b').has_value());
    EXPECT_TRUE(is<LockNotHeld>(release('a')));
    EXPECT_TRUE(is<LockNotHeld>(renew('a')));
    EXPECT_TRUE(is<LockHeld>(acquire('c')));
    EXPECT_TRUE(renew('b').has_value());
}

TEST_P(LockStoreContract, LK07_ALockOfADeadHolderIsGrantedWhenItsLeaseExpires) {
    // On a lock server real time passes as well, so the lease is longer than any pause of a test.
    const auto dead =
        locks().acquire({.name = "job", .holder = "dead", .token_hash = hash_of('a'), .ttl = 1h});
    advance(59min);
    ASSERT_TRUE(is<LockHeld>(acquire('b')));
    advance(2min);
    const auto next = acquire('b');
    ASSERT_TRUE(next.has_value());
    EXPECT_GT(next->fencing_token, dead->fencing_token);
}

TEST_P(LockStoreContract, LK09_ARenewalKeepsTheTokenAndComesTooLateAfterTheEnd) {
    const auto granted = acquire('a');
    advance(20s);
    const auto renewed = renew('a');
    ASSERT_TRUE(renewed.has_value());
    EXPECT_EQ(renewed->fencing_token, granted->fencing_token);
    EXPECT_GT(renewed->expires_at, granted->expires_at);
    advance(20s);  // past the first lease
    EXPECT_TRUE(is<LockHeld>(acquire('b')));
    advance(11s);
    const auto late = renew('a');  // no other holder took it
    ASSERT_TRUE(is<LockLeaseLost>(late));
    EXPECT_EQ(std::get<LockLeaseLost>(late.error()).held, granted->fencing_token);
    EXPECT_TRUE(is<LockNotHeld>(release('a')));
    EXPECT_TRUE(is<LockNotHeld>(renew('b')));
    EXPECT_TRUE(acquire('b').has_value());
}

TEST_P(LockStoreContract, ARenewalNeverShortensALease) {
    const auto granted = acquire('a');
    EXPECT_EQ(renew('a', 1s)->expires_at, granted->expires_at);
}

TEST_P(LockStoreContract, FindsALockWhileItIsHeld) {
    EXPECT_FALSE(locks().find("job"));
    const auto granted =
        locks().acquire({.name = "job", .holder = "h", .token_hash = hash_of('a'), .ttl = 60s});
    ASSERT_TRUE(granted);
    const auto found = locks().find("job");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, "job");
    EXPECT_EQ(found->holder, "h");
    EXPECT_EQ(found->fencing_token, granted->fencing_token);
    EXPECT_EQ(found->expires_at, granted->expires_at);
    EXPECT_FALSE(locks().find("jo"));
    ASSERT_TRUE(locks().release("job", hash_of('a')).has_value());
    EXPECT_FALSE(locks().find("job"));

    ASSERT_TRUE(locks()
                    .acquire({.name = "job", .holder = "h", .token_hash = hash_of('b'), .ttl = 1s})
                    .has_value());
    advance(2s);
    EXPECT_FALSE(locks().find("job"));
}

TEST_P(LockStoreContract, ListsHeldLocksByName) {
    const auto take = [&](const std::string& name, std::chrono::seconds ttl) {
        ASSERT_TRUE(
            locks()
                .acquire({.name = name, .holder = "h", .token_hash = hash_of('a'), .ttl = ttl})
                .has_value());
    };
    take("jobs.b", 60s);
    take("jobs.a", 60s);
    take("other", 60s);
    take("jobs.over", 1s);
    take("jobs.released", 60s);
    ASSERT_TRUE(locks().release("jobs.released", hash_of('a')).has_value());
    advance(2s);
    const auto names = [&](const LockQuery& query) {
        std::vector<std::string> found;
        for (const Lock& lock : locks().list(query).items) found.push_back(lock.name);
        return found;
    };
    EXPECT_THAT(names({}), ElementsAre("jobs.a", "jobs.b", "other"));
    EXPECT_THAT(names({.prefix = "jobs."}), ElementsAre("jobs.a", "jobs.b"));
    EXPECT_THAT(names({.prefix = "jobs%"}), IsEmpty());
    EXPECT_THAT(names({.limit = 2}), ElementsAre("jobs.a", "jobs.b"));
    EXPECT_TRUE(locks().list({.limit = 2}).has_more);
    EXPECT_THAT(names({.after = "jobs.b"}), ElementsAre("other"));
    EXPECT_FALSE(locks().list({.after = "jobs.a"}).has_more);
}

/// Time stands still for waiting callers, so no wait times out.
class NoTime final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return 1s; }
};

TEST_P(LockStoreContract, LK04_OfAHundredContendersOneAtATimeIsInsideWithRisingTokens) {
    FakeLockTokens tokens;
    LockWaits waits;
    FakeRandom random;
    const NoTime monotonic;
    Locks contended{{locks(), tokens, waits, random, monotonic}};
    int inside = 0, max_inside = 0, entered = 0;  // protected by the lock alone
    std::vector<std::uint64_t> given;
    std::vector<std::future<void>> contenders;
    for (int i = 0; i < 100; ++i) {
        contenders.push_back(std::async(std::launch::async, [&] {
            const auto held = contended.acquire({.name = "job", .holder = "one of many"}, 1h);
            ASSERT_TRUE(held.has_value());
            max_inside = std::max(max_inside, ++inside);
            ++entered;
            given.push_back(held->fencing_token.value);
            --inside;
            ASSERT_TRUE(contended.release("job", held->lock_token).has_value());
        }));
    }
    for (auto& contender : contenders) contender.get();
    EXPECT_EQ(entered, 100);
    EXPECT_EQ(max_inside, 1);
    EXPECT_TRUE(std::ranges::is_sorted(given, std::less_equal{}));  // strictly rising
}

TEST_P(LockStoreContract, OneOfManyConcurrentRequestsIsGranted) {
    constexpr int many = 16;
    std::vector<std::future<bool>> asking;
    for (int i = 0; i < many; ++i) {
        asking.push_back(std::async(std::launch::async, [&, i] {
            const auto answer = acquire(static_cast<char>('a' + i));
            return answer.has_value();
        }));
    }
    int granted = 0;
    for (auto& one : asking) granted += one.get() ? 1 : 0;
    EXPECT_EQ(granted, 1);
    EXPECT_EQ(locks().list({}).items.at(0).fencing_token, FencingToken{1});
}

}  // namespace
}  // namespace sundial
