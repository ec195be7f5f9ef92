#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sundial/engine.hpp"
#include "sundial/locks.hpp"
#include "sundial/session_lock.hpp"
#include "sundial/streams.hpp"
#include "support/child_process.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/results.hpp"
#include "support/temporary_folder.hpp"

/// Issue 19, item 29: calls of an engine inside its own callbacks, callbacks that throw, and copies
/// of an engine in a forked process. None ends the process, and none waits for itself.
namespace {

using namespace std::chrono_literals;
using sundial::code_of;
using sundial::Done;
using sundial::Engine;
using sundial::Event;
using sundial::Expected;
using sundial::Handled;
using sundial::Result;
using sundial::SessionLock;
using sundial::Transaction;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool under_thread_sanitizer = true;
#else
constexpr bool under_thread_sanitizer = false;
#endif
#else
constexpr bool under_thread_sanitizer = false;
#endif

/// Completed when the last copy is destroyed.
class LastCopy {
public:
    std::shared_ptr<void> copy() {
        return {this, [gone = gone_](void*) { gone->set_value(); }};
    }
    void wait() { gone_->get_future().get(); }

private:
    std::shared_ptr<std::promise<void>> gone_ = std::make_shared<std::promise<void>>();
};

class Callbacks : public testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] std::unique_ptr<Engine> opened(
        bool test_clock, std::function<void(const std::string&)> log = {}) const {
        auto engine =
            Engine::open({.storage = storage_, .test_clock = test_clock, .log = std::move(log)});
        if (!engine) throw std::runtime_error(engine.error().detail);
        return std::make_unique<Engine>(*std::move(engine));
    }
    static std::string due_now(Engine& engine) {
        const auto event = engine.schedule({.type = "REMINDER", .at = *engine.now()});
        EXPECT_TRUE(event);
        return event->id;
    }
    static std::string status(Engine& engine, const std::string& id) {
        return engine.find_event(id)->status;
    }
    [[nodiscard]] bool outlives_engines() const { return GetParam() != "memory"; }
    [[nodiscard]] const std::string& storage() const { return storage_; }

private:
    sundial::TemporaryFolder folder_;
    std::string storage_ = [this]() -> std::string {
        if (GetParam() == "sqlite") return "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") return sundial::migrated_database();
        return "memory:";
    }();
};

TEST_P(Callbacks, CannotAdvanceTheClockInAHandler) {
    const auto engine = opened(true);
    Result<std::uint64_t> inside = std::uint64_t{0};
    engine->on("REMINDER", [&](const Event&) {
        inside = engine->advance(1h);
        return Handled::done();
    });
    const std::string id = due_now(*engine);
    EXPECT_EQ(*engine->advance(1s), 1U);
    ASSERT_EQ(code_of(inside), "REENTRANT_CALL");
    EXPECT_THAT(inside.error().detail, HasSubstr("advance() was called inside a handler"));
    EXPECT_EQ(status(*engine, id), "COMPLETED");
}

TEST_P(Callbacks, AdvanceTheClockOfAnotherEngineInAHandler) {
    const auto engine = opened(true);
    auto other = Engine::open({.test_clock = true});
    ASSERT_TRUE(other);
    std::string inside = "not called";
    engine->on("REMINDER", [&](const Event&) {
        inside = code_of(other->advance(1h));
        return Handled::done();
    });
    due_now(*engine);
    EXPECT_EQ(*engine->advance(1s), 1U);
    EXPECT_EQ(inside, "");
}

TEST_P(Callbacks, EndAnAdvanceThatAHandlerStops) {
    const auto engine = opened(true);
    engine->on("REMINDER", [&](const Event&) {
        engine->stop();
        return Handled::done();
    });
    const std::string id = due_now(*engine);
    const auto later = engine->schedule({.type = "REMINDER", .at = *engine->now() + 1h});
    EXPECT_EQ(code_of(engine->advance(2h)), "STOPPED");
    EXPECT_EQ(status(*engine, id), "COMPLETED");
    EXPECT_EQ(status(*engine, later->id), "PENDING");
    EXPECT_EQ(code_of(engine->advance(2h)), "STOPPED");
}

TEST_P(Callbacks, StopAStartedEngineInAHandler) {
    const auto engine = opened(false);
    std::promise<void> stopped;
    engine->on("REMINDER", [&](const Event&) {
        engine->stop();
        stopped.set_value();
        return Handled::done();
    });
    const std::string id = due_now(*engine);
    engine->start();
    stopped.get_future().get();
    engine->stop();  // waits for the handler and its outcome
    EXPECT_EQ(status(*engine, id), "COMPLETED");
    engine->start();  // in vain
    const std::string left = due_now(*engine);
    EXPECT_EQ(status(*engine, left), "PENDING");
}

TEST_P(Callbacks, StopInAHandlerWhileAnotherThreadStops) {
    const auto engine = opened(false);
    std::promise<void> running;
    std::atomic<bool> other_stops = false;
    engine->on("REMINDER", [&](const Event&) {
        running.set_value();
        while (!other_stops) std::this_thread::yield();
        engine->stop();
        return Handled::done();
    });
    const std::string id = due_now(*engine);
    engine->start();
    running.get_future().get();
    std::thread other{[&] {
        other_stops = true;
        engine->stop();
    }};
    engine->stop();
    other.join();
    EXPECT_EQ(status(*engine, id), "COMPLETED");
}

TEST_P(Callbacks, DestroyTheEngineInAHandler) {
    std::string id;
    LastCopy parts;
    {
        auto engine = opened(false, [held = parts.copy()](const std::string&) {});
        std::promise<void> destroyed;
        engine->on("REMINDER", [&](const Event&) {
            engine.reset();
            destroyed.set_value();
            return Handled::done();
        });
        id = due_now(*engine);
        engine->start();
        destroyed.get_future().get();
        parts.wait();
    }
    if (!outlives_engines()) return;
    EXPECT_EQ(status(*opened(false), id), "COMPLETED");
}

TEST_P(Callbacks, DestroyTheEngineWhileItAdvances) {
    std::string id;
    LastCopy parts;
    {
        auto engine = opened(true, [held = parts.copy()](const std::string&) {});
        engine->on("REMINDER", [&](const Event&) {
            engine.reset();
            return Handled::done();
        });
        id = due_now(*engine);
        EXPECT_EQ(code_of(engine->advance(1s)), "STOPPED");
        parts.wait();
    }
    if (!outlives_engines()) return;
    EXPECT_EQ(status(*opened(true), id), "COMPLETED");
}

TEST_P(Callbacks, MayThrowInTheLog) {
    std::atomic<int> lines = 0;
    const auto engine = opened(true, [&](const std::string&) {
        if (++lines % 2 == 0) throw std::runtime_error{"disk full"};
        throw 42;
    });
    engine->on("REMINDER", [](const Event&) { return Handled::done(); });
    const std::string first = due_now(*engine), second = due_now(*engine);
    EXPECT_EQ(*engine->advance(1s), 2U);
    EXPECT_EQ(status(*engine, first), "COMPLETED");
    EXPECT_EQ(status(*engine, second), "COMPLETED");
    EXPECT_GT(lines, 0);
}

TEST_P(Callbacks, StopTheEngineInTheLog) {
    Engine* its = nullptr;
    std::string inside;
    const auto engine = opened(true, [&](const std::string&) {
        if (its == nullptr) return;
        inside = code_of(its->advance(1s));
        its->stop();
    });
    engine->on("REMINDER", [](const Event&) { return Handled::done(); });
    due_now(*engine);
    its = engine.get();
    EXPECT_EQ(code_of(engine->advance(1s)), "STOPPED");
    EXPECT_EQ(inside, "REENTRANT_CALL");
}

/// Both would wait for the database that the transaction holds.
TEST_P(Callbacks, NeitherAdvanceNorWaitInATransaction) {
    const auto engine = opened(true);
    auto streams = engine->streams();
    engine->on("REMINDER", [](const Event&) { return Handled::done(); });
    due_now(*engine);
    std::string inside;
    EXPECT_TRUE(streams.transact([&](Transaction& tx) -> Result<Done> {
        const auto appended = tx.append({"Order", "1"}, Expected::any(), {{.type = "Placed"}});
        if (!appended) return appended.error();
        inside = code_of(engine->advance(1s));
        engine->stop();
        return Done{};
    }));
    EXPECT_EQ(inside, "REENTRANT_CALL");
    EXPECT_EQ(code_of(engine->advance(1s)), "STOPPED");
}

TEST_P(Callbacks, DestroyASubscriptionInItsHandler) {
    const auto engine = opened(true);
    auto streams = engine->streams();
    ASSERT_TRUE(streams.append({"Order", "1"}, Expected::any(), {{.type = "Placed"}}));
    for (const std::size_t lanes : {1U, 4U}) {
        LastCopy handler;
        std::optional<sundial::Subscription> subscription;
        std::string inside;
        subscription.emplace(
            streams.follow({.name = "on-its-thread-" + std::to_string(lanes), .lanes = lanes},
                           [&, held = handler.copy()](const auto&) -> Result<Done> {
                               inside = code_of(subscription->catch_up());
                               subscription.reset();
                               return Done{};
                           }));
        subscription->start();
        handler.wait();
        EXPECT_EQ(inside, "REENTRANT_CALL");
    }
    std::optional<sundial::Subscription> subscription;
    subscription.emplace(
        streams.project({.name = "on-this-thread"}, [&](auto&, const auto&) -> Result<Done> {
            subscription.reset();
            return Done{};
        }));
    EXPECT_EQ(code_of(subscription->catch_up()), "STOPPED");
    engine->stop();
}

/// The calls of a child write their codes to the parent, one in each line.
std::vector<std::string> in_child(const std::function<void(std::vector<std::string>&)>& work) {
    sundial::Pipe pipe;
    sundial::ChildProcess child{[&] {
        std::vector<std::string> codes;
        work(codes);
        std::string lines;
        for (const std::string& code : codes) lines += code + '\n';
        pipe.write(lines);
    }};
    pipe.close_writing();
    std::vector<std::string> codes;
    std::string lines;
    for (std::string more = pipe.read(); !more.empty(); more = pipe.read()) lines += more;
    child.wait();
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = lines.find('\n', at);
        codes.push_back(lines.substr(at, end - at));
        at = end + 1;
    }
    return codes;
}

TEST_P(Callbacks, RefuseTheEngineInAForkedProcess) {
    auto engine = opened(false);
    std::promise<void> handled;
    engine->on("REMINDER", [&](const Event&) {
        handled.set_value();
        return Handled::done();
    });
    engine->start();
    ASSERT_TRUE(engine->create_queue("printers"));
    auto worker = engine->worker("printers", "printer-1");
    std::optional<sundial::Streams> streams{engine->streams()};
    std::optional<sundial::Subscription> subscription;
    subscription.emplace(
        streams->follow({.name = "orders"}, [](const auto&) -> Result<Done> { return Done{}; }));
    subscription->start();
    std::optional<sundial::Lock> lock;
    {
        auto acquired = engine->acquire_lock("job");
        ASSERT_TRUE(acquired);
        lock.emplace(*std::move(acquired));
    }

    const auto codes = in_child([&](std::vector<std::string>& all) {
        all.push_back(code_of(engine->schedule({.type = "REMINDER", .at = {{}}})));
        all.push_back(code_of(engine->now()));
        all.push_back(code_of(engine->advance(1s)));
        all.push_back(code_of(engine->acquire_lock("job")));
        all.push_back(code_of(worker.claim({.wait = 1h})));
        all.push_back(code_of(engine->worker("printers", "printer-2").claim()));
        all.push_back(code_of(streams->append({"Order", "1"}, Expected::any(), {{.type = "A"}})));
        all.push_back(code_of(streams->transact([](auto&) -> Result<Done> { return Done{}; })));
        all.push_back(code_of(subscription->catch_up()));
        all.push_back(lock->lost().stop_requested() ? "WRONG_PROCESS" : "held");
        all.push_back(subscription->stopped() ? "WRONG_PROCESS" : "runs");
        engine->on("REMINDER", [](const Event&) { return Handled::done(); });
        engine->start();
        engine->stop();
        subscription->start();
        lock.reset();
        subscription.reset();
        streams.reset();
        engine.reset();
        all.emplace_back("WRONG_PROCESS");  // they were destroyed
    });
    EXPECT_THAT(codes, SizeIs(12));
    EXPECT_THAT(codes, Each("WRONG_PROCESS"));

    due_now(*engine);
    handled.get_future().get();
    EXPECT_FALSE(lock->lost().stop_requested());
    EXPECT_EQ(code_of(engine->acquire_lock("job")), "LOCK_HELD");
    EXPECT_FALSE(subscription->stopped());
}

TEST_P(Callbacks, OpenAnotherEngineInAForkedProcess) {
    if (under_thread_sanitizer) GTEST_SKIP() << "it allows no threads in a forked process";
    const auto engine = opened(false);
    const auto codes = in_child([&](std::vector<std::string>& all) {
        const auto another = Engine::open({.storage = storage()});
        all.push_back(code_of(another));
    });
    // A file has one process.
    EXPECT_THAT(codes, testing::ElementsAre(GetParam() == "sqlite" ? "CANNOT_START" : ""));
}

INSTANTIATE_TEST_SUITE_P(Embedded, Callbacks, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

/// The destructor of a copy would end the parent's session.
TEST(Callbacks, LeaveASessionLockToTheParent) {
    const std::string url = sundial::PostgresCluster::shared().create_database();
    auto acquired = SessionLock::acquire(url, "migrate");
    ASSERT_TRUE(acquired);
    std::optional<SessionLock> lock{*std::move(acquired)};
    const auto codes = in_child([&](std::vector<std::string>& all) {
        all.push_back(lock->lost().stop_requested() ? "lost" : "held");
        lock.reset();
        all.push_back(code_of(SessionLock::acquire(url, "migrate")));
    });
    EXPECT_THAT(codes, testing::ElementsAre("lost", "LOCK_HELD"));
    EXPECT_FALSE(lock->lost().stop_requested());
    EXPECT_EQ(code_of(SessionLock::acquire(url, "migrate")), "LOCK_HELD");
}

}  // namespace
