#include "sundial/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "sundial/session_lock.hpp"
#include "sundial/streams.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/temporary_folder.hpp"

// The parts of a temporary Result that a loop or a reference keeps are values of their own.
static_assert(std::is_same_v<decltype(*std::declval<sundial::Result<int>>()), int>);
static_assert(
    std::is_same_v<decltype(std::declval<sundial::Result<int>>().error()), sundial::Error>);

/// Tests the engine as an embedding program uses it: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::Engine;
using sundial::Event;
using sundial::Handled;
using sundial::SessionLock;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Engine opened(const std::string& storage, bool test_clock = true) {
    auto engine = Engine::open({.storage = storage, .test_clock = test_clock});
    if (!engine) throw std::runtime_error(engine.error().detail);
    return *std::move(engine);
}

/// Records the events that handlers get.
class Seen {
public:
    void add(const Event& event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    }
    [[nodiscard]] std::vector<Event> events() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Event> events_;
};

const sundial::NewUser ada{"Ada", "Li", "1992-06-15", "America/New_York"};

class EachStorage : public testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] std::string storage() const {
        if (GetParam() == "sqlite") return "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") return sundial::migrated_database();
        return "memory:";
    }

private:
    sundial::TemporaryFolder folder_;
};

TEST_P(EachStorage, HandlesEveryBirthdayAtNineInTheUsersZone) {
    Engine engine = opened(storage());
    Seen seen;
    engine.on("BIRTHDAY", [&](const Event& event) {
        seen.add(event);
        return Handled::done();
    });
    const auto user = engine.create_user(ada);
    ASSERT_TRUE(user);
    const auto done = engine.advance(2 * 366 * 24h);
    ASSERT_TRUE(done) << done.error().detail;
    // Two, or three if today or tomorrow is a birthday.
    EXPECT_EQ(*done, seen.events().size());
    ASSERT_THAT(seen.events(), AnyOf(SizeIs(2), SizeIs(3)));
    std::set<std::string> keys;
    for (const Event& event : seen.events()) {
        EXPECT_TRUE(keys.insert(event.idempotency_key).second);
        EXPECT_EQ(event.user_id, user->id);
        EXPECT_EQ(event.payload, R"({"message":"Hey, Ada Li it's your birthday"})");
        const auto day = std::chrono::floor<std::chrono::days>(event.due);
        EXPECT_EQ(event.due - day, 13h);  // 09:00 in summer
        const std::chrono::year_month_day date{day};
        EXPECT_EQ(date.month(), std::chrono::June);
        EXPECT_EQ(date.day(), std::chrono::day{15});
    }
}

/// A program's event there would conflict with the next change of the user.
TEST_P(EachStorage, WritesTheStreamsOfItsUsersItself) {
    using sundial::Expected;
    Engine engine = opened(storage());
    sundial::Streams streams = engine.streams();
    const auto user = engine.create_user(ada);
    ASSERT_TRUE(user);
    const sundial::StreamId its{"User", user->id};
    const auto refused = [](const auto& answer) {
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, "VALIDATION_FAILED");
        EXPECT_THAT(answer.error().detail, HasSubstr("are reserved"));
    };
    refused(streams.append(its, Expected::any(), {{.type = "UserRenamed"}}));
    refused(streams.transact([&](sundial::Transaction& tx) -> sundial::Result<sundial::Done> {
        const auto appended = tx.append(its, Expected::any(), {{.type = "UserRenamed"}});
        if (!appended) return appended.error();
        return sundial::Done{};
    }));
    refused(streams.save_snapshot(its, {.version = 1, .state = "{}"}));
    refused(streams.archive(its));
    refused(streams.restore(its));
    refused(streams.truncate(its, 1));
    refused(streams.redact(its, 1, "{}"));
    refused(streams.remove(its));
    for (const char* type : {"Schedule", "Endpoint", "ApiKey"}) {
        refused(streams.append({type, "1"}, Expected::any(), {{.type = "Changed"}}));
    }
    const auto deleted = engine.delete_user(user->id);
    EXPECT_TRUE(deleted) << deleted.error().detail;
}

INSTANTIATE_TEST_SUITE_P(Embedded, EachStorage, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

TEST(Embedded, RetriesAnEventWhoseHandlerFailed) {
    Engine engine = opened("memory:");
    std::atomic<int> tries = 0;
    engine.on("REMINDER", [&](const Event& event) {
        ++tries;
        if (event.attempt == 1) return Handled::retry("not now");
        if (event.attempt == 2) throw std::runtime_error("nor now");
        return Handled::done();
    });
    const auto event = engine.schedule({.type = "REMINDER", .at = *engine.now()});
    ASSERT_TRUE(event);
    EXPECT_EQ(*engine.advance(1h), 1U);
    EXPECT_EQ(tries, 3);
    EXPECT_EQ(engine.find_event(event->id)->status, "COMPLETED");
}

TEST(Embedded, FailsAnEventThatItsHandlerRefuses) {
    Engine engine = opened("memory:");
    engine.on("REMINDER", [](const Event&) { return Handled::refuse("nobody wants it"); });
    const auto event = engine.schedule({.type = "REMINDER", .at = *engine.now()});
    EXPECT_EQ(*engine.advance(1h), 0U);
    const auto failed = engine.find_event(event->id);
    EXPECT_EQ(failed->status, "FAILED");
    EXPECT_THAT(failed->failure_reason, HasSubstr("nobody wants it"));
}

TEST(Embedded, KeepsALocalTimeAcrossAChangeOfTheClocks) {
    Engine engine = opened("memory:");
    const auto event = engine.schedule(
        {.type = "REMINDER", .local_time = "2040-07-01T09:00:00", .timezone = "America/New_York"});
    ASSERT_TRUE(event) << event.error().detail;
    const auto day = std::chrono::floor<std::chrono::days>(event->due);
    EXPECT_EQ(event->due - day, 13h);
}

TEST(Embedded, KeepsDueEventsThroughARestart) {
    const sundial::TemporaryFolder folder;
    const std::string storage = "sqlite:" + folder.file().string();
    std::string id;
    {
        Engine engine = opened(storage);
        const auto event = engine.schedule({.type = "REMINDER", .at = *engine.now() + 1h});
        ASSERT_TRUE(event);
        id = event->id;
    }
    Engine engine = opened(storage);
    Seen seen;
    engine.on("REMINDER", [&](const Event& event) {
        seen.add(event);
        return Handled::done();
    });
    EXPECT_EQ(*engine.advance(2h), 1U);
    ASSERT_THAT(seen.events(), SizeIs(1));
    EXPECT_EQ(seen.events()[0].id, id);
}

TEST(Embedded, HandlesDueEventsOnceAHandlerIsAdded) {
    const sundial::TemporaryFolder folder;
    const std::string storage = "sqlite:" + folder.file().string();
    std::string id;
    {
        Engine engine = opened(storage);
        const auto event = engine.schedule({.type = "REMINDER", .at = *engine.now() + 1h});
        ASSERT_TRUE(event);
        id = event->id;
        EXPECT_EQ(*engine.advance(2h), 0U);
    }
    Engine engine = opened(storage);
    Seen seen;
    engine.on("REMINDER", [&](const Event& event) {
        seen.add(event);
        return Handled::done();
    });
    EXPECT_EQ(*engine.advance(1s), 1U);
    ASSERT_THAT(seen.events(), SizeIs(1));
    EXPECT_EQ(seen.events()[0].id, id);
}

TEST(Embedded, LeavesEventsToTheEngineThatHasTheirHandler) {
    const std::string storage = sundial::migrated_database();
    constexpr std::size_t each = 100;
    std::atomic left{2 * each};
    std::promise<void> all;
    Seen of_a, of_b;
    const auto engine_for = [&](const std::string& type, Seen& seen) {
        Engine engine = opened(storage, false);
        engine.on(type, [&](const Event& event) {
            seen.add(event);
            if (--left == 0) all.set_value();
            return Handled::done();
        });
        engine.start();
        return engine;
    };
    Engine a = engine_for("A", of_a), b = engine_for("B", of_b);
    const auto due = *a.now();
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < each; ++i) {
        ids.push_back(a.schedule({.type = "B", .at = due})->id);
        ids.push_back(b.schedule({.type = "A", .at = due})->id);
    }
    all.get_future().wait();
    a.stop();
    b.stop();
    for (const auto* seen : {&of_a, &of_b}) {
        std::set<std::string> once;
        for (const Event& event : seen->events()) {
            EXPECT_EQ(event.type, seen == &of_a ? "A" : "B");
            EXPECT_EQ(event.attempt, 1U);
            EXPECT_TRUE(once.insert(event.id).second);
        }
        EXPECT_THAT(once, SizeIs(each));
    }
    for (const std::string& id : ids) EXPECT_EQ(a.find_event(id)->status, "COMPLETED");
}

TEST(Embedded, CallsHandlersInTheBackgroundOnceStarted) {
    Engine first = opened("memory:", false);
    std::promise<std::string> handled;
    first.on("REMINDER", [&](const Event& event) {
        handled.set_value(event.payload);
        return Handled::done();
    });
    Engine engine = std::move(first);  // a moved engine keeps running
    engine.start();
    ASSERT_TRUE(engine.schedule({.type = "REMINDER", .at = *engine.now(), .payload = "[7]"}));
    EXPECT_EQ(handled.get_future().get(), "[7]");
    engine.stop();
}

TEST(Embedded, HandlesRemainingEventsAfterARestart) {
    const sundial::TemporaryFolder folder;
    const std::string storage = "sqlite:" + folder.file().string();
    constexpr std::size_t all = 100;
    Seen seen;
    std::latch one_runs(1), all_handled(all);
    const auto handle = [&](const Event& event) {
        seen.add(event);
        all_handled.count_down();
        return Handled::done();
    };
    {
        Engine engine = opened(storage, false);
        std::once_flag first;
        engine.on("REMINDER", [&](const Event& event) {
            std::call_once(first, [&] { one_runs.count_down(); });
            return handle(event);
        });
        for (std::size_t i = 0; i < all; ++i) {
            ASSERT_TRUE(engine.schedule({.type = "REMINDER", .at = *engine.now()}));
        }
        engine.start();
        one_runs.wait();
        engine.stop();  // at a random point
    }
    Engine engine = opened(storage, false);
    engine.on("REMINDER", handle);
    engine.start();
    all_handled.wait();
    engine.stop();
    std::set<std::string> ids;
    for (const Event& event : seen.events()) ids.insert(event.id);
    EXPECT_THAT(ids, SizeIs(all));
    EXPECT_THAT(seen.events(), SizeIs(all));
}

TEST(Embedded, RunsMaintenanceOnceStarted) {
    const std::string url = sundial::migrated_database();
    Engine engine = opened(url, false);
    const auto months_ahead = [&] {
        return sundial::query(url, R"(
            SELECT inhrelid::regclass FROM pg_inherits
             WHERE inhparent = 'sundial.event_history_done'::regclass
               AND inhrelid::regclass::text ~ '_\d{4}_\d{2}$')");
    };
    const auto made = months_ahead();
    for (const auto& month : made) sundial::query(url, "DROP TABLE " + month[0]);
    engine.start();
    while (months_ahead().size() < 3) std::this_thread::yield();
}

TEST(Embedded, ReturnsAnErrorForAnyException) {
    Engine engine = opened("memory:");
    sundial::Streams streams = engine.streams();
    const sundial::StreamId order{"Order", "17"};
    const auto thrown =
        streams.transact([&](sundial::Transaction& tx) -> sundial::Result<sundial::Done> {
            if (!tx.append(order, sundial::Expected::any(), {{.type = "Placed"}})) {
                ADD_FAILURE() << "not appended";
            }
            throw 42;
        });
    ASSERT_FALSE(thrown);
    EXPECT_EQ(thrown.error().code, "INTERNAL_ERROR");
    EXPECT_EQ(streams.read(order)->version, 0U);  // nothing was stored

    ASSERT_TRUE(streams.append(order, sundial::Expected::any(), {{.type = "Placed"}}));
    auto follower = streams.follow(
        {.name = "orders", .retry = {.max_attempts = 1}},
        [](const sundial::RecordedEvent&) -> sundial::Result<sundial::Done> { throw 42; });
    auto projection = streams.project(
        {.name = "view", .retry = {.max_attempts = 1}},
        [](sundial::Transaction&, const sundial::RecordedEvent&) -> sundial::Result<sundial::Done> {
            throw 42;
        });
    for (sundial::Subscription* each : {&follower, &projection}) {
        const auto stopped = each->catch_up();
        ASSERT_FALSE(stopped);
        EXPECT_EQ(stopped.error().code, "STOPPED");
        EXPECT_THAT(stopped.error().detail, HasSubstr("it threw an exception of unknown type"));
    }
}

TEST(Embedded, DeletesUsersAndCancelsEvents) {
    Engine engine = opened("memory:");
    const auto user = engine.create_user(ada);
    const auto event = engine.schedule({.type = "REMINDER", .at = *engine.now() + 1h});
    EXPECT_EQ(engine.cancel(event->id)->status, "CANCELLED");
    EXPECT_TRUE(engine.delete_user(user->id));
    EXPECT_EQ(engine.delete_user(user->id).error().code, "USER_NOT_FOUND");
    EXPECT_EQ(*engine.advance(366 * 24h), 0U);
}

TEST(Embedded, ReportsErrorsWithTheCodesOfTheApi) {
    Engine engine = opened("memory:");
    const auto unknown = engine.create_user({"Ada", "", "1992-02-30", "Europe/Pariss"});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, "VALIDATION_FAILED");
    EXPECT_THAT(unknown.error().detail,
                AllOf(HasSubstr("last_name"), HasSubstr("date_of_birth"), HasSubstr("timezone")));
    const auto& fields = std::get<sundial::InvalidFields>(unknown.error().data);
    ASSERT_THAT(fields, SizeIs(3));
    EXPECT_EQ(fields[0].field, "date_of_birth");
    EXPECT_FALSE(fields[0].message.empty());

    const sundial::NewEvent once{
        .type = "REMINDER", .at = *engine.now(), .idempotency_key = "only-once"};
    ASSERT_TRUE(engine.schedule(once));
    EXPECT_EQ(engine.schedule(once).error().code, "DUPLICATE_IDEMPOTENCY_KEY");
    EXPECT_EQ(engine.schedule({.type = "REMINDER"}).error().code, "VALIDATION_FAILED");
    EXPECT_EQ(engine.find_event("nonsense").error().code, "EVENT_NOT_FOUND");
    EXPECT_EQ(engine.cancel("nonsense").error().code, "EVENT_NOT_FOUND");
    EXPECT_EQ(opened("memory:", false).advance(1h).error().code, "CLOCK_NOT_TEST");
}

TEST(Embedded, GivesALockToOneHolderAtATimeUnderRisingTokens) {
    auto engine = opened("memory:", false);
    std::uint64_t first_token = 0;
    {
        const auto lock = engine.acquire_lock("job", {.holder = "first"});
        ASSERT_TRUE(lock);
        EXPECT_FALSE(lock->lost().stop_requested());
        first_token = lock->fencing_token();
        const auto refused = engine.acquire_lock("job");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, "LOCK_HELD");
        EXPECT_THAT(refused.error().detail, HasSubstr("first"));
        EXPECT_TRUE(engine.acquire_lock("another job"));
    }
    const auto next = engine.acquire_lock("job");
    ASSERT_TRUE(next);
    EXPECT_GT(next->fencing_token(), first_token);
    EXPECT_EQ(engine.acquire_lock("").error().code, "VALIDATION_FAILED");
    EXPECT_EQ(engine.acquire_lock("a", {.wait = -5s}).error().code, "VALIDATION_FAILED");
    EXPECT_EQ(engine.acquire_lock("a", {.max_hold = -5s}).error().code, "VALIDATION_FAILED");
    EXPECT_EQ(engine.acquire_lock("a", {.max_hold = 0s}).error().code, "VALIDATION_FAILED");
    const auto own = engine.acquire_lock("sundial.maintenance");
    ASSERT_FALSE(own);
    EXPECT_EQ(own.error().code, "VALIDATION_FAILED");
    EXPECT_THAT(own.error().detail, HasSubstr("Sundial's own"));
}

TEST(Embedded, HasSessionLocks) {
    const std::string url = sundial::PostgresCluster::shared().create_database();
    {
        const auto lock = SessionLock::acquire(url, "migrate");
        ASSERT_TRUE(lock);
        EXPECT_FALSE(lock->lost().stop_requested());
        EXPECT_EQ(SessionLock::acquire(url, "migrate").error().code, "LOCK_HELD");
    }
    EXPECT_TRUE(SessionLock::acquire(url, "migrate"));
    EXPECT_EQ(SessionLock::acquire(url, "").error().code, "VALIDATION_FAILED");
    EXPECT_EQ(SessionLock::acquire(url, "migrate", -5s).error().code, "VALIDATION_FAILED");
    EXPECT_EQ(SessionLock::acquire("sqlite:x.db", "migrate").error().code, "CANNOT_START");
    EXPECT_EQ(SessionLock::acquire("postgresql:///x?host=/nowhere", "migrate").error().code,
              "STORAGE_UNAVAILABLE");
}

TEST(Embedded, RefusesAStorageThatItCannotOpen) {
    for (const std::string storage :
         {"", "sqlite:", "mysql://root:hunter2@localhost/x", "sqlite:/nowhere/at/all/sundial.db"}) {
        const auto engine = Engine::open({.storage = storage});
        ASSERT_FALSE(engine) << storage;
        EXPECT_EQ(engine.error().code, "CANNOT_START");
        EXPECT_THAT(engine.error().detail, AllOf(Not(IsEmpty()), Not(HasSubstr("hunter2"))));
    }
    EXPECT_EQ(Engine::open({.storage = "postgresql:///x?host=/nowhere"}).error().code,
              "STORAGE_UNAVAILABLE");
}

}  // namespace
