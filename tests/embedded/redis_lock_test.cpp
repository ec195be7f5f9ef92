#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sundial/cache.hpp"
#include "sundial/coordination.hpp"
#include "sundial/engine.hpp"
#include "sundial/locks.hpp"
#include "support/migrated_database.hpp"
#include "support/redis_server.hpp"
#include "support/results.hpp"
#include "support/temporary_folder.hpp"

/// Tests locks on a Redis server as an embedding program uses them: through the public headers
/// alone, with a real server.
namespace {

using namespace std::chrono_literals;
using sundial::code_of;
using sundial::Engine;
using sundial::Lock;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Two engines that share nothing but the lock server, unless their storage is PostgreSQL.
class RedisLocksOnEach : public testing::TestWithParam<std::string> {
protected:
    RedisLocksOnEach() {
        if (GetParam() == "postgres") {
            database_ = sundial::migrated_database();
        }
        first_.emplace(open("first.db"));
        second_.emplace(open("second.db"));
    }
    Engine& first() { return *first_; }
    Engine& second() { return *second_; }
    sundial::RedisServer& redis() { return redis_; }
    static std::string guarded(Engine& by, const Lock& lock) {
        return code_of(by.transact([&](sundial::Transaction& tx) { return tx.guard(lock); }));
    }

private:
    Engine open(const char* file) {
        const std::map<std::string, std::string> storages{
            {"memory", "memory:"},
            {"sqlite", "sqlite:" + folder_.file(file).string()},
            {"postgres", database_}};
        auto opened =
            Engine::open({.storage = storages.at(GetParam()), .lock_server = redis_.url()});
        if (!opened) throw std::runtime_error(opened.error().detail);
        return *std::move(opened);
    }

    sundial::RedisServer redis_;
    sundial::TemporaryFolder folder_;
    std::string database_;
    std::optional<Engine> first_, second_;
};

TEST_P(RedisLocksOnEach, HaveOneHolderAmongTheEnginesOfALockServer) {
    std::uint64_t token = 0;
    {
        const auto held = first().acquire_lock("report", {.ttl = 20s, .holder = "anna"});
        ASSERT_TRUE(held) << held.error().detail;
        EXPECT_FALSE(held->lost().stop_requested());
        token = held->fencing_token();
        const auto refused = second().acquire_lock("report");
        ASSERT_EQ(code_of(refused), "LOCK_HELD");
        const auto& data = std::get<sundial::HeldLock>(refused.error().data);
        EXPECT_EQ(data.name, "report");
        EXPECT_EQ(data.holder, "anna");
        EXPECT_EQ(code_of(first().acquire_lock("report")), "LOCK_HELD");
        const auto shown = second().find_lock("report");
        ASSERT_TRUE(shown) << shown.error().detail;
        EXPECT_EQ(*shown, std::optional{data});
    }
    EXPECT_EQ(*second().find_lock("report"), std::nullopt);
    const auto next = second().acquire_lock("report");
    ASSERT_TRUE(next) << next.error().detail;
    EXPECT_GT(next->fencing_token(), token);
}

TEST_P(RedisLocksOnEach, GuardWritesAlsoAfterTheServerHasLostItsData) {
    const auto before = first().acquire_lock("report");
    ASSERT_TRUE(before) << before.error().detail;
    EXPECT_EQ(guarded(first(), *before), "");
    redis().restart();  // comes back empty: the lock appears free
    const auto after = first().acquire_lock("report");
    ASSERT_TRUE(after) << after.error().detail;
    EXPECT_GT(after->fencing_token(), before->fencing_token());
    EXPECT_EQ(guarded(first(), *before), "LEASE_LOST");
    EXPECT_EQ(guarded(first(), *after), "");
}

TEST_P(RedisLocksOnEach, AreNotGrantedWhileTheServerIsDown) {
    ASSERT_TRUE(first().acquire_lock("report"));
    redis().kill();
    const auto refused = first().acquire_lock("report");
    EXPECT_EQ(code_of(refused), "STORAGE_UNAVAILABLE");
    EXPECT_EQ(refused.error().repeat(), sundial::Repeat::later);
    redis().restart();
    EXPECT_TRUE(first().acquire_lock("report"));
}

TEST_P(RedisLocksOnEach, AreAcquiredTogetherOrNotAtAll) {
    {
        const auto one = second().acquire_lock("stock");
        ASSERT_TRUE(one) << one.error().detail;
        EXPECT_EQ(code_of(first().acquire_locks({"stock", "prices"})), "LOCK_HELD");
        EXPECT_EQ(*second().find_lock("prices"), std::nullopt);
    }
    const auto both = first().acquire_locks({"stock", "prices"});
    ASSERT_TRUE(both) << both.error().detail;
    EXPECT_THAT(*both, SizeIs(2));
    EXPECT_EQ(code_of(second().acquire_lock("prices")), "LOCK_HELD");
}

TEST_P(RedisLocksOnEach, CarryTheSemaphoreAndTheLeader) {
    const sundial::Semaphore here{first(), "gateway", 2};
    const sundial::Semaphore there{second(), "gateway", 2};
    const auto one = here.acquire();
    const auto two = there.acquire();
    ASSERT_TRUE(one && two);
    EXPECT_NE(one->number(), two->number());
    EXPECT_EQ(code_of(there.acquire()), "LOCK_HELD");
    const auto led = sundial::lead(first(), "feed", [&](const std::stop_token&, std::uint64_t) {
        EXPECT_EQ(code_of(second().acquire_lock("feed")), "LOCK_HELD");
    });
    EXPECT_TRUE(led) << led.error().detail;
    EXPECT_TRUE(second().acquire_lock("feed"));
}

TEST_P(RedisLocksOnEach, DecideWhichProcessLoads) {
    const auto here = first().load_leases();
    const auto there = second().load_leases();
    const std::string name = "report of März, " + std::string(300, 'x');  // as keys may be
    const auto token = here->try_acquire(name, 10s);
    ASSERT_TRUE(token);
    EXPECT_FALSE(there->try_acquire(name, 10s));
    EXPECT_TRUE(there->try_acquire("another", 10s));
    here->release(name, *token);
    EXPECT_TRUE(there->try_acquire(name, 10s));
    redis().kill();
    EXPECT_FALSE(there->try_acquire("a third", 10s));
}

INSTANTIATE_TEST_SUITE_P(Storage, RedisLocksOnEach, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

/// A process that holds a lock until it is killed.
class KilledHolder {
public:
    explicit KilledHolder(const std::string& lock_server) {
        if (pipe(ends_) != 0) throw std::runtime_error("no pipe");
        process_ = fork();
        if (process_ < 0) throw std::runtime_error("no process");
        if (process_ == 0) hold(lock_server);
        close(ends_[1]);
        if (read(ends_[0], &token_, sizeof token_) != sizeof token_) token_ = 0;
    }
    ~KilledHolder() {
        kill();
        close(ends_[0]);
    }
    KilledHolder(const KilledHolder&) = delete;
    KilledHolder& operator=(const KilledHolder&) = delete;

    /// 0: it was not granted.
    [[nodiscard]] std::uint64_t token() const { return token_; }
    void kill() {
        if (process_ == 0) return;
        ::kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        process_ = 0;
    }

private:
    [[noreturn]] void hold(const std::string& lock_server) {
        auto engine = Engine::open({.lock_server = lock_server});
        if (!engine) _exit(1);
        // Longer than a busy machine may delay its renewals.
        const auto lock = engine->acquire_lock("report", {.ttl = 5s});
        if (!lock) _exit(1);
        const std::uint64_t token = lock->fencing_token();
        if (write(ends_[1], &token, sizeof token) != sizeof token) _exit(1);
        for (;;) pause();
    }

    int ends_[2]{};
    pid_t process_ = 0;
    std::uint64_t token_ = 0;
};

TEST(RedisLocks, PassToTheNextProcessWhenTheirHolderIsKilled) {
    const sundial::RedisServer redis;
    KilledHolder holder{redis.url()};
    ASSERT_GT(holder.token(), 0U);
    auto engine = Engine::open({.lock_server = redis.url()});
    ASSERT_TRUE(engine) << engine.error().detail;
    EXPECT_EQ(code_of(engine->acquire_lock("report")), "LOCK_HELD");
    holder.kill();
    const auto next = engine->acquire_lock("report", {.wait = 10min});
    ASSERT_TRUE(next) << next.error().detail;
    EXPECT_GT(next->fencing_token(), holder.token());
}

TEST(RedisLocks, NeedAUrlOfARedisServer) {
    for (const char* url : {"redis://", "http://h", "redis://:hush@h:99999"}) {
        const auto engine = Engine::open({.lock_server = url});
        ASSERT_EQ(code_of(engine), "CANNOT_START") << url;
        EXPECT_THAT(engine.error().detail, HasSubstr("Options::lock_server")) << url;
        EXPECT_THAT(engine.error().detail, Not(HasSubstr("hush"))) << url;
    }
}

/// Two engines load through a storage that they share, each with a cache of its own.
TEST(RedisLocks, LetOneEngineLoadForAll) {
    const sundial::RedisServer redis;
    auto first = Engine::open({.lock_server = redis.url()});
    auto second = Engine::open({.lock_server = redis.url()});
    ASSERT_TRUE(first && second);
    const auto here = first->load_leases();
    const auto there = second->load_leases();
    std::mutex mutex;
    std::map<std::string, int> shared;
    int loads = 0;
    const auto loader = [&](sundial::LoadLeases& leases) {
        return sundial::once_across_processes<std::string, int>(
            {.leases = leases,
             .name = [](const std::string& key) { return key; },
             .find = [&](const std::string& key) -> sundial::Result<std::optional<int>> {
                 const std::lock_guard lock{mutex};
                 const auto found = shared.find(key);
                 if (found == shared.end()) return std::optional<int>{};
                 return std::optional{found->second};
             },
             .keep =
                 [&](const std::string& key, int value) {
                     const std::lock_guard lock{mutex};
                     shared[key] = value;
                 }},
            [&](const std::string&, const std::stop_token&) -> sundial::Result<std::optional<int>> {
                const std::lock_guard lock{mutex};
                return std::optional{++loads};
            });
    };
    const auto one = loader(*here)("key", {});
    const auto two = loader(*there)("key", {});
    ASSERT_TRUE(one && two);
    EXPECT_EQ(*one, std::optional{1});
    EXPECT_EQ(*two, std::optional{1});
    EXPECT_EQ(loads, 1);
}

}  // namespace
