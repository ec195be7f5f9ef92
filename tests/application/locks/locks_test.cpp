#include "application/locks/locks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stop_token>
#include <thread>

#include "adapters/memory/store.hpp"
#include "application/locks/lock_guard.hpp"
#include "application/locks/stored_locks.hpp"
#include "application/maintenance/maintenance.hpp"
#include "application/ports/failures.hpp"
#include "contract/storage.hpp"
#include "support/builders.hpp"
#include "support/control_plane.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_lock_tokens.hpp"
#include "support/recorded_log.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A store that a test can disconnect.
class CutOff final : public LockStore {
public:
    explicit CutOff(LockStore& store) : store_{store} {}
    Result<LockGrant, LockHeld> acquire(const LockRequest& request) override {
        return reach(), store_.acquire(request);
    }
    Result<LockGrant, LockNotHeld, LockLeaseLost> renew(const std::string& name,
                                                        const std::string& token_hash,
                                                        std::chrono::microseconds ttl) override {
        return reach(), store_.renew(name, token_hash, ttl);
    }
    Result<void, LockNotHeld> release(const std::string& name,
                                      const std::string& token_hash) override {
        return reach(), store_.release(name, token_hash);
    }
    std::optional<Lock> find(const std::string& name) override {
        return reach(), store_.find(name);
    }
    Page<Lock> list(const LockQuery& query) override { return reach(), store_.list(query); }
    Result<void, LockLeaseLost> guard(Transaction& tx, const std::string& name,
                                      FencingToken token) override {
        return store_.guard(tx, name, token);
    }
    std::atomic<bool> cut = false;

private:
    void reach() const {
        if (cut) throw Unavailable{"cut off"};
    }
    LockStore& store_;
};

/// Real time, for tests that wait.
class RunningClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override {
        return std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now().time_since_epoch());
    }
};

class LocksTest : public testing::Test {
protected:
    static LockTerms requested(const std::string& name = "job") {
        return {.name = name, .holder = "holder of " + name, .ttl = 30s};
    }
    /// Moves both clocks.
    void advance(std::chrono::microseconds by) {
        monotonic.time += by;
        ASSERT_TRUE(clock.set(clock.now() + by).has_value());
    }
    std::vector<std::string> held() {
        std::vector<std::string> names;
        for (const Lock& lock : locks.list({}).items) names.push_back(lock.name);
        return names;
    }

    memory::ManualClock clock{noon};
    ManualMonotonic monotonic;
    memory::MemoryStore store{clock};
    StoredLocks stored{store};
    CutOff reached{stored};
    FakeLockTokens tokens;
    LockWaits waits;
    FakeRandom random;
    Locks locks{{reached, tokens, waits, random, monotonic}};
};

TEST_F(LocksTest, RefusesInvalidNamesHoldersAndTimes) {
    EXPECT_TRUE(is<ValidationFailed>(locks.acquire({.name = "", .holder = "h"})));
    EXPECT_TRUE(is<ValidationFailed>(locks.acquire({.name = "a\nb", .holder = "h"})));
    EXPECT_TRUE(
        is<ValidationFailed>(locks.acquire({.name = std::string(129, 'x'), .holder = "h"})));
    EXPECT_TRUE(is<ValidationFailed>(locks.acquire({.name = "a", .holder = " "})));
    EXPECT_TRUE(is<ValidationFailed>(locks.acquire({.name = "a", .holder = "h", .ttl = 99ms})));
    EXPECT_TRUE(is<ValidationFailed>(locks.acquire({.name = "a", .holder = "h", .ttl = 25h})));
    EXPECT_THAT(held(), IsEmpty());
    const auto lock = locks.acquire(requested());
    EXPECT_TRUE(is<ValidationFailed>(locks.renew("job", lock->lock_token, 25h)));
}

TEST_F(LocksTest, KeepsOnlyAHashOfTheToken) {
    const auto lock = locks.acquire(requested());
    const auto row = in_read(store, [](Transaction& tx) { return tx.locks().find("job"); });
    ASSERT_TRUE(row.has_value());
    EXPECT_EQ(row->token_hash, tokens.hash(lock->lock_token));
}

TEST_F(LocksTest, LK03_AWaiterIsGrantedTheLockWhenItIsReleased) {
    const auto first = locks.acquire(requested());
    auto waiter = std::async(std::launch::async, [&] { return locks.acquire(requested(), 1h); });
    ASSERT_TRUE(locks.release("job", first->lock_token).has_value());
    const auto second = waiter.get();
    ASSERT_TRUE(second.has_value());
    EXPECT_GT(second->fencing_token, first->fencing_token);
}

TEST_F(LocksTest, LK03_AWaitThatTimesOutReportsTheHolder) {
    const RunningClock running;
    Locks here{{reached, tokens, waits, random, running}};
    const auto first = here.acquire(requested());
    const auto refused = here.acquire(requested(), 30ms);
    ASSERT_TRUE(is<LockHeld>(refused));
    EXPECT_EQ(std::get<LockHeld>(refused.error()).holder, "holder of job");
}

TEST_F(LocksTest, LK03_AWaiterThatIsCancelledLeavesNothingBehind) {
    const auto first = locks.acquire(requested());
    std::stop_source stop;
    auto waiter = std::async(std::launch::async,
                             [&] { return locks.acquire(requested(), 1h, stop.get_token()); });
    stop.request_stop();
    EXPECT_TRUE(is<LockHeld>(waiter.get()));
    ASSERT_TRUE(locks.release("job", first->lock_token).has_value());
    EXPECT_THAT(held(), IsEmpty());
    EXPECT_EQ(locks.acquire(requested())->fencing_token, FencingToken{2});
}

TEST_F(LocksTest, LK15_AMissingResponseIsNeverAGrant) {
    reached.cut = true;
    EXPECT_THROW((void)locks.acquire(requested()), Unavailable);
    EXPECT_THROW((void)locks.acquire(requested(), 1h), Unavailable);
    reached.cut = false;
    EXPECT_THAT(held(), IsEmpty());
}

TEST_F(LocksTest, LK17_OppositeOrdersDoNotDeadlock) {
    const auto want = [&](std::vector<LockTerms> names) {
        return std::async(std::launch::async, [this, names = std::move(names)] {
            for (int i = 0; i < 50; ++i) {
                const auto all = locks.acquire_all(names, 1h);
                ASSERT_TRUE(all.has_value());
                for (const AcquiredLock& one : *all) {
                    ASSERT_TRUE(locks.release(one.name, one.lock_token).has_value());
                }
            }
        });
    };
    auto one = want({requested("a"), requested("b")}),
         other = want({requested("b"), requested("a")});
    one.get();
    other.get();
    EXPECT_THAT(held(), IsEmpty());
}

TEST_F(LocksTest, LK17_AllOrNoneAreAcquired) {
    const auto b = locks.acquire(requested("b"));
    EXPECT_TRUE(is<LockHeld>(locks.acquire_all({requested("b"), requested("a")})));
    EXPECT_THAT(held(), ElementsAre("b"));
    EXPECT_TRUE(is<ValidationFailed>(locks.acquire_all({requested("a"), requested("a")})));
    ASSERT_TRUE(locks.release("b", b->lock_token).has_value());
    EXPECT_EQ(locks.acquire_all({requested("b"), requested("a")})->size(), 2U);
    EXPECT_THAT(held(), ElementsAre("a", "b"));
}

class LockKeeperTest : public LocksTest {
protected:
    LockKeeper a_keeper(std::chrono::microseconds max_hold = 1h) {
        return {locks, monotonic, *locks.acquire(requested()), requested(), max_hold};
    }
    /// Moves the time; the keeper takes each turn when it is due.
    void live(LockKeeper& keeper, std::chrono::seconds time) {
        for (auto i = 0s; i < time; ++i) {
            (void)keeper.renew_if_due();
            (void)keeper.stop_if_due();
            advance(1s);
        }
    }
};

TEST_F(LockKeeperTest, LK10_IsHeldForFiveTimesItsLeaseUnderOneToken) {
    LockKeeper keeper = a_keeper();
    live(keeper, 150s);
    EXPECT_FALSE(keeper.lost().stop_requested());
    EXPECT_TRUE(is<LockHeld>(locks.acquire(requested())));
    EXPECT_EQ(locks.list({}).items.at(0).fencing_token, keeper.lock().fencing_token);
}

TEST_F(LockKeeperTest, LK10_IsLostAtTheMaximumHoldTime) {
    LockKeeper keeper = a_keeper(60s);
    live(keeper, 57s);
    EXPECT_FALSE(keeper.lost().stop_requested());
    live(keeper, 1s);
    EXPECT_TRUE(keeper.lost().stop_requested());
    EXPECT_TRUE(is<LockHeld>(locks.acquire(requested())));  // the lease has not expired yet
    live(keeper, 2s);
    EXPECT_TRUE(locks.acquire(requested()).has_value());
}

TEST_F(LockKeeperTest, LK11_RequestsAStopBeforeTheEndWhenNoRenewalArrives) {
    LockKeeper keeper = a_keeper();
    live(keeper, 5s);
    reached.cut = true;
    live(keeper, 22s);
    EXPECT_FALSE(keeper.lost().stop_requested());
    live(keeper, 1s);  // 27 of 30 seconds have passed
    EXPECT_TRUE(keeper.lost().stop_requested());
    reached.cut = false;
    EXPECT_TRUE(is<LockHeld>(locks.acquire(requested())));
}

TEST_F(LockKeeperTest, AShortOutageDoesNotLoseTheLock) {
    LockKeeper keeper = a_keeper();
    live(keeper, 8s);
    reached.cut = true;
    live(keeper, 10s);
    reached.cut = false;
    live(keeper, 60s);
    EXPECT_FALSE(keeper.lost().stop_requested());
}

TEST_F(LockKeeperTest, RequestsAStopWhenTheStoreReportsTheLossOfTheLock) {
    LockKeeper keeper = a_keeper();
    ASSERT_TRUE(locks.release("job", keeper.lock().lock_token).has_value());
    live(keeper, 11s);
    EXPECT_TRUE(keeper.lost().stop_requested());
}

/// No interface here uses the wall clock. The store decides by its own clock, the keeper by the
/// monotonic one.
TEST_F(LockKeeperTest, LK16_ALeaseIsCountedByTheMonotonicClockAlone) {
    LockKeeper keeper = a_keeper();
    ASSERT_TRUE(clock.set(clock.now() + 1h).has_value());  // the store's wall clock
    EXPECT_FALSE(keeper.stop_if_due() == std::nullopt);
    EXPECT_FALSE(keeper.lost().stop_requested());
}

TEST_F(LocksTest, AGuardReleasesItsLockWhenDestroyed) {
    {
        auto guard = LockGuard::acquire(locks, monotonic, requested(), {});
        ASSERT_TRUE(guard.has_value());
        LockGuard moved = std::move(*guard);
        EXPECT_FALSE(moved.lost().stop_requested());
        EXPECT_TRUE(
            in_transaction(store, [&](Transaction& tx) { return moved.guard(tx); }).has_value());
        EXPECT_TRUE(is<LockHeld>(locks.acquire(requested())));
    }
    EXPECT_THAT(held(), IsEmpty());
}

TEST_F(LocksTest, AGuardsThreadsStopItsWorkWhenItIsLost) {
    const RunningClock running;
    Locks here{{reached, tokens, waits, random, running}};
    LockTerms brief = requested();
    brief.ttl = shortest_lock_ttl;
    auto guard = LockGuard::acquire(here, running, brief, {});
    ASSERT_TRUE(guard.has_value());
    reached.cut = true;
    std::promise<void> stopped;
    const std::stop_callback notify{guard->lost(), [&] { stopped.set_value(); }};
    stopped.get_future().wait();
    reached.cut = false;
}

class MaintenanceTest : public LocksTest {
protected:
    Maintenance an_instance(const std::string& name) {
        return {
            {locks, monotonic, log}, name, {{.name = "often", .every = 60s, .batch = [this, name] {
                                                 return done.push_back(name), false;
                                             }}}};
    }
    RecordedLog log;
    std::vector<std::string> done;  // the instance that ran each job
};

TEST_F(MaintenanceTest, IsDoneByOneInstanceAndTakenOverAfterItsDeath) {
    Maintenance a = an_instance("a"), b = an_instance("b");
    for (int i = 0; i < 7; ++i) {  // 70 seconds
        (void)a.turn();
        (void)b.turn();
        advance(10s);
    }
    EXPECT_THAT(done, ElementsAre("a", "a"));
    for (int i = 0; i < 4; ++i) {  // a is dead, and its lease expires
        (void)b.turn();
        advance(10s);
    }
    EXPECT_THAT(done, ElementsAre("a", "a", "b"));
    (void)a.turn();  // a was only frozen: by its own clock it has lost the lead
    EXPECT_THAT(done, ElementsAre("a", "a", "b"));
}

TEST_F(MaintenanceTest, IsHandedOverByAnInstanceThatStops) {
    Maintenance a = an_instance("a"), b = an_instance("b");
    (void)a.turn();
    a.hand_over();
    (void)b.turn();
    EXPECT_THAT(done, ElementsAre("a", "b"));
}

TEST_F(MaintenanceTest, ContinuesUnfinishedJobsAndBacksOffAfterAFailure) {
    int batches = 0;
    Maintenance one{{locks, monotonic, log}, "one", {{.name = "long", .every = 1h, .batch = [&] {
                                                          if (++batches == 4)
                                                              throw Unavailable{"no disk"};
                                                          return batches < 4;
                                                      }}}};
    for (int i = 0; i < 4; ++i) EXPECT_LE(one.turn(), monotonic.time + 60s);
    EXPECT_EQ(batches, 4);
    (void)one.turn();
    EXPECT_EQ(batches, 4);
    ASSERT_EQ(log.lines().size(), 1U);
    EXPECT_THAT(log.lines()[0].message, testing::HasSubstr("long"));
    for (int i = 0; i < 7; ++i) {
        advance(10s);
        (void)one.turn();
    }
    EXPECT_EQ(batches, 5);
}

TEST_F(MaintenanceTest, BeginsAJobOnlyAfterItsDelay) {
    Maintenance one{{locks, monotonic, log},
                    "one",
                    {{.name = "heavy", .every = 1h, .first_after = 60s, .batch = [&] {
                          return done.push_back("heavy"), false;
                      }}}};
    for (int i = 0; i < 6; ++i) {
        (void)one.turn();
        advance(10s);
    }
    EXPECT_THAT(done, IsEmpty());
    (void)one.turn();
    EXPECT_THAT(done, ElementsAre("heavy"));
}

TEST_F(MaintenanceTest, WaitsWhileNoServerAnswers) {
    Maintenance a = an_instance("a");
    reached.cut = true;
    (void)a.turn();
    EXPECT_THAT(done, IsEmpty());
    reached.cut = false;
    (void)a.turn();
    EXPECT_THAT(done, ElementsAre("a"));
}

TEST(LockWaitsTest, WakesTheLongestWaitingRequestAndEachOnce) {
    LockWaits waits;
    std::vector<int> woken;
    const auto first = waits.wait("a", [&] { woken.push_back(1); });
    const auto second = waits.wait("a", [&] { woken.push_back(2); });
    const auto other = waits.wait("b", [&] { woken.push_back(3); });
    {
        const auto gone = waits.wait("b", [&] { woken.push_back(4); });
    }
    waits.released("a");
    EXPECT_THAT(woken, ElementsAre(1));
    waits.released("a");
    waits.released("a");
    EXPECT_THAT(woken, ElementsAre(1, 2));
    waits.stop();
    EXPECT_THAT(woken, ElementsAre(1, 2, 3));
    const auto late = waits.wait("a", [&] { woken.push_back(5); });
    EXPECT_THAT(woken, ElementsAre(1, 2, 3, 5));
}

TEST(LockWaitsTest, WakesWaitingRequestsPeriodically) {
    LockWaits waits{1ms};
    std::promise<void> woken;
    const auto waiting = waits.wait("a", [&] { woken.set_value(); });
    std::thread polling{[&] { waits.run(); }};
    woken.get_future().wait();
    waits.stop();
    polling.join();
}

}  // namespace
}  // namespace sundial
