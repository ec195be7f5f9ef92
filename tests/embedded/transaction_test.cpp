#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "sundial/engine.hpp"
#include "sundial/locks.hpp"
#include "sundial/streams.hpp"
#include "support/migrated_database.hpp"
#include "support/temporary_folder.hpp"
#include "support/transactions_on_each.hpp"

/// Tests transactions as an embedding program uses them: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::ada;
using sundial::code_of;
using sundial::detail_of;
using sundial::Done;
using sundial::Engine;
using sundial::Error;
using sundial::Event;
using sundial::Expected;
using sundial::Handled;
using sundial::order_17;
using sundial::Result;
using sundial::SqlFailure;
using sundial::Transaction;
using sundial::TransactionsOnEach;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_P(TransactionsOnEach, CommitsARowAnEventAndARecordedEventTogether) {
    std::string event;
    const auto done = engine().transact([&](Transaction& tx) {
        (void)add(tx, 1, "tea");
        const auto scheduled = tx.schedule({.type = "REMINDER", .at = *tx.now() + 1h});
        if (scheduled) event = scheduled->id;
        (void)tx.append(order_17, Expected::no_stream(), {{.type = "Placed"}});
        (void)tx.create_user(ada);
    });
    ASSERT_TRUE(done) << detail_of(done);
    EXPECT_THAT(items(), ElementsAre("tea"));
    EXPECT_EQ(engine().find_event(event)->status, "PENDING");
    EXPECT_EQ(version_of(order_17), 1U);
    EXPECT_EQ(code_of(engine().create_user(ada)), "DUPLICATE_EXTERNAL_ID");
}

TEST_P(TransactionsOnEach, KeepsNothingIfTheWorkReturnsAnError) {
    std::string event;
    const auto done = engine().transact([&](Transaction& tx) -> Result<Done> {
        EXPECT_TRUE(add(tx, 1, "tea"));
        event = tx.schedule({.type = "REMINDER", .at = *tx.now()})->id;
        EXPECT_TRUE(tx.append(order_17, Expected::no_stream(), {{.type = "Placed"}}));
        EXPECT_TRUE(tx.create_user(ada));
        return Error{"SOLD_OUT", "there is no tea"};
    });
    EXPECT_EQ(code_of(done), "SOLD_OUT");
    EXPECT_THAT(items(), IsEmpty());
    EXPECT_EQ(code_of(engine().find_event(event)), "EVENT_NOT_FOUND");
    EXPECT_EQ(version_of(order_17), 0U);
    EXPECT_TRUE(engine().create_user(ada));
}

TEST_P(TransactionsOnEach, KeepsNothingIfTheWorkThrows) {
    const auto done = engine().transact([&](Transaction& tx) {
        (void)add(tx, 1, "tea");
        throw std::runtime_error("the printer is on fire");
    });
    EXPECT_EQ(code_of(done), "INTERNAL_ERROR");
    EXPECT_THAT(detail_of(done), HasSubstr("on fire"));
    EXPECT_THAT(items(), IsEmpty());
}

TEST_P(TransactionsOnEach, RollsBackWorkThatReturnsNothingIfACallFailed) {
    const auto done = engine().transact([&](Transaction& tx) {
        (void)add(tx, 1, "tea");
        (void)tx.append(order_17, Expected::exactly(5), {{.type = "Placed"}});
        (void)add(tx, 2, "milk");
    });
    EXPECT_EQ(code_of(done), "OPTIMISTIC_LOCK");
    EXPECT_THAT(items(), IsEmpty());
}

TEST_P(TransactionsOnEach, GoesOnAfterARefusedCallIfTheWorkDecidesSo) {
    const auto done = engine().transact([&](Transaction& tx) -> Result<Done> {
        EXPECT_EQ(code_of(tx.append(order_17, Expected::exactly(5), {{.type = "Placed"}})),
                  "OPTIMISTIC_LOCK");
        EXPECT_EQ(code_of(tx.schedule({.type = "REMINDER", .local_time = "soon"})),
                  "VALIDATION_FAILED");
        if (const auto added = add(tx, 1, "tea"); !added) return added.error();
        return Done{};
    });
    ASSERT_TRUE(done) << detail_of(done);
    EXPECT_THAT(items(), ElementsAre("tea"));
}

TEST_P(TransactionsOnEach, ReturnsTheValueOfTheWork) {
    const Result<Event> event = engine().transact(
        [&](Transaction& tx) { return tx.schedule({.type = "REMINDER", .at = *tx.now() + 1h}); });
    ASSERT_TRUE(event) << detail_of(event);
    EXPECT_EQ(engine().find_event(event->id)->type, "REMINDER");
}

TEST_P(TransactionsOnEach, TakesWorkAndReturnsValuesThatCanOnlyBeMoved) {
    const auto returns_done =
        engine().transact([item = std::make_unique<std::string>("tea")](Transaction& tx) {
            const auto added = add(tx, 1, *item);
            return added ? Result<Done>{Done{}} : Result<Done>{added.error()};
        });
    EXPECT_TRUE(returns_done) << detail_of(returns_done);
    const auto returns_nothing =
        engine().transact([item = std::make_unique<std::string>("milk")](Transaction& tx) {
            (void)add(tx, 2, *item);
        });
    EXPECT_TRUE(returns_nothing) << detail_of(returns_nothing);
    auto returns_pointer =
        engine().transact([item = std::make_unique<std::string>("rice")](
                              Transaction& tx) mutable -> Result<std::unique_ptr<std::string>> {
            if (const auto added = add(tx, 3, *item); !added) return added.error();
            return std::make_unique<std::string>(*item);
        });
    ASSERT_TRUE(returns_pointer) << detail_of(returns_pointer);
    EXPECT_EQ(**std::move(returns_pointer), "rice");
    EXPECT_THAT(items(), ElementsAre("tea", "milk", "rice"));
}

TEST_P(TransactionsOnEach, EndsAfterAFailedStatement) {
    ASSERT_TRUE(engine().transact([](Transaction& tx) { return add(tx, 1, "tea"); }));
    const auto done = engine().transact([&](Transaction& tx) -> Result<Done> {
        (void)add(tx, 2, "milk");
        const auto twice = add(tx, 1, "tea");
        EXPECT_EQ(code_of(twice), "SQL_FAILED");
        EXPECT_EQ(code_of(add(tx, 3, "rice")), "SQL_FAILED");
        EXPECT_EQ(code_of(tx.schedule({.type = "REMINDER", .at = sundial::Instant{}})),
                  "SQL_FAILED");
        return Done{};
    });
    ASSERT_EQ(code_of(done), "SQL_FAILED");
    const auto* failure = std::get_if<SqlFailure>(&done.error().data);
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failure->sqlstate, on_sqlite() ? "" : "23505");
    EXPECT_EQ(failure->sqlite, on_sqlite() ? 1555 : 0);  // SQLITE_CONSTRAINT_PRIMARYKEY
    EXPECT_EQ(failure->constraint, on_sqlite() ? "" : "shop_orders_pkey");
    EXPECT_THAT(items(), ElementsAre("tea"));
}

TEST_P(TransactionsOnEach, UndoesAPartAlone) {
    const auto done = engine().transact([&](Transaction& tx) -> Result<Done> {
        if (const auto added = add(tx, 1, "tea"); !added) return added.error();
        const auto twice = tx.nested([](Transaction& part) -> Result<Done> {
            EXPECT_TRUE(add(part, 2, "milk"));
            if (const auto added = add(part, 1, "tea"); !added) return added.error();
            return Done{};
        });
        EXPECT_EQ(code_of(twice), "SQL_FAILED");
        const auto kept = tx.nested([](Transaction& part) -> Result<Done> {
            if (const auto added = add(part, 3, "rice"); !added) return added.error();
            return Done{};
        });
        EXPECT_TRUE(kept) << detail_of(kept);
        return Done{};
    });
    ASSERT_TRUE(done) << detail_of(done);
    EXPECT_THAT(items(), ElementsAre("tea", "rice"));
}

TEST_P(TransactionsOnEach, KeepsItsTablesThroughARestart) {
    ASSERT_TRUE(engine().transact([](Transaction& tx) { return add(tx, 1, "tea"); }));
    reopen();
    EXPECT_THAT(items(), ElementsAre("tea"));
}

TEST_P(TransactionsOnEach, CountsEveryIncrementOfConcurrentWriters) {
    ASSERT_TRUE(engine().transact([](Transaction& tx) {
        return tx.sql("INSERT INTO shop_orders (id, item, paid) VALUES (1, 'tea', 0)");
    }));
    constexpr int writers = 8, each = 25;
    std::vector<std::jthread> threads;
    std::atomic<int> failed = 0;
    for (int i = 0; i < writers; ++i) {
        threads.emplace_back([&, i] {
            for (int n = 0; n < each; ++n) {
                const auto done = transact_patiently([&](Transaction& tx) -> Result<Done> {
                    const auto read = tx.sql(
                        on_sqlite() ? "SELECT CAST(paid AS INTEGER) FROM shop_orders WHERE id = 1"
                                    : "SELECT paid FROM shop_orders WHERE id = 1 FOR UPDATE");
                    if (!read) return read.error();
                    const auto written = tx.sql("UPDATE shop_orders SET paid = $1 WHERE id = 1",
                                                *read->integer(0, 0) + 1);
                    if (!written) return written.error();
                    const auto event = tx.schedule(
                        {.type = "PAID",
                         .at = *tx.now(),
                         .idempotency_key = "paid-" + std::to_string(i) + "-" + std::to_string(n)});
                    if (!event) return event.error();
                    return Done{};
                });
                if (!done) ++failed;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(failed, 0);
    const auto paid = engine().transact(
        [](Transaction& tx) { return tx.sql("SELECT paid FROM shop_orders WHERE id = 1"); });
    EXPECT_EQ(std::stod(paid->text(0, 0).value()), writers * each);
    std::atomic<int> handled = 0;
    engine().on("PAID", [&](const Event&) {
        ++handled;
        return Handled::done();
    });
    EXPECT_EQ(*engine().advance(1s), std::uint64_t{writers * each});
    EXPECT_EQ(handled, writers * each);
}

/// The event is COMPLETED if and only if the handler's own row is committed.
TEST_P(TransactionsOnEach, CompletesAnEventTogetherWithTheHandlersRow) {
    std::atomic<int> calls = 0;
    engine().on("ORDER", [&](const Event& event) {
        ++calls;
        const auto done = engine().transact([&](Transaction& tx) -> Result<Done> {
            if (const auto added = add(tx, calls, "tea"); !added) return added.error();
            const auto completed = tx.complete(event);
            if (!completed) return completed.error();
            EXPECT_EQ(completed->status, "COMPLETED");
            // The first try fails after it has written everything.
            if (calls == 1) return Error{"NOT_NOW", "not now"};
            return Done{};
        });
        return done ? Handled::done() : Handled::retry(done.error().detail);
    });
    const auto event = engine().schedule({.type = "ORDER", .at = *engine().now()});
    ASSERT_TRUE(event);
    EXPECT_EQ(*engine().advance(1min), 1U);
    EXPECT_EQ(calls, 2);
    EXPECT_THAT(items(), ElementsAre("tea"));
    const auto after = engine().find_event(event->id);
    EXPECT_EQ(after->status, "COMPLETED");
    EXPECT_EQ(after->attempt, 2U);
}

TEST_P(TransactionsOnEach, CompletesAWorkersEventTogetherWithItsRow) {
    ASSERT_TRUE(engine().create_queue("printers"));
    const auto now = engine().now();
    ASSERT_TRUE(engine().schedule({.type = "PRINT", .at = *now, .queue = "printers"}));
    auto worker = engine().worker("printers", "printer-1");
    const auto claimed = worker.claim();
    ASSERT_TRUE(claimed);
    ASSERT_THAT(*claimed, SizeIs(1));
    const auto complete = [&](bool keep) {
        return engine().transact([&](Transaction& tx) -> Result<Done> {
            if (const auto added = add(tx, 1, "page"); !added) return added.error();
            const auto completed = tx.complete(claimed->front());
            if (!completed) return completed.error();
            if (!keep) return Error{"JAM", "paper jam"};
            return Done{};
        });
    };
    EXPECT_EQ(code_of(complete(false)), "JAM");
    EXPECT_EQ(engine().find_event(claimed->front().id)->status, "PROCESSING");
    ASSERT_TRUE(complete(true));
    EXPECT_EQ(engine().find_event(claimed->front().id)->status, "COMPLETED");
    EXPECT_THAT(items(), ElementsAre("page"));
}

TEST_P(TransactionsOnEach, RefusesToCompleteAnEventThatAnotherClaimHolds) {
    std::optional<Event> first;
    engine().on("ORDER", [&](const Event& event) {
        if (!first) {
            first = event;
            return Handled::retry("not now");
        }
        const auto done = engine().transact([&](Transaction& tx) {
            (void)add(tx, 1, "tea");
            (void)tx.complete(*first);
        });
        EXPECT_EQ(code_of(done), "LEASE_LOST");
        return Handled::done();
    });
    ASSERT_TRUE(engine().schedule({.type = "ORDER", .at = *engine().now()}));
    EXPECT_EQ(*engine().advance(1min), 1U);
    EXPECT_THAT(items(), IsEmpty());
}

/// A request that is repeated, also at once by several threads, has its effect once.
TEST_P(TransactionsOnEach, DoTheWorkOfARequestOnce) {
    std::atomic<int> runs = 0;
    const auto request = [&](const std::string& fingerprint, bool fails = false) {
        return transact_patiently([&](Transaction& tx) {
            return tx.once("pay-17", fingerprint, [&](Transaction& part) -> Result<std::string> {
                const auto added = add(part, ++runs, "tea");
                if (!added) return added.error();
                if (fails) return Error{"SOLD_OUT", "no tea"};
                return std::string{"paid"};
            });
        });
    };
    EXPECT_EQ(code_of(request("17", true)), "SOLD_OUT");
    EXPECT_THAT(items(), IsEmpty());
    constexpr int threads = 8;
    std::atomic<int> first = 0, replayed = 0, busy = 0;
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < threads; ++i) {
            all.emplace_back([&] {
                const auto answer = request("17");
                if (!answer) {
                    busy += code_of(answer) == "IDEMPOTENCY_IN_PROGRESS" ? 1 : 100;
                    return;
                }
                EXPECT_EQ(answer->answer, "paid");
                ++(answer->replayed ? replayed : first);
            });
        }
    }
    EXPECT_EQ(first, 1);
    EXPECT_EQ(first + replayed + busy, threads);
    EXPECT_THAT(items(), ElementsAre("tea"));
    EXPECT_TRUE(request("17")->replayed);
    EXPECT_EQ(code_of(request("18")), "IDEMPOTENCY_KEY_REUSED");
    const auto bad = engine().transact([](Transaction& tx) {
        return tx.once("two words", "", [](Transaction&) { return Result<std::string>{"x"}; });
    });
    EXPECT_EQ(code_of(bad), "VALIDATION_FAILED");
    ASSERT_TRUE(engine().advance(25h));
    EXPECT_FALSE(request("18")->replayed);
    EXPECT_THAT(items(), SizeIs(2));
}

/// A holder that was frozen writes nothing once another one has the lock.
TEST_P(TransactionsOnEach, GuardsDataWithALock) {
    const auto write = [&](const sundial::Lock& lock, int id) {
        return engine().transact([&](Transaction& tx) {
            (void)tx.guard(lock);
            (void)add(tx, id, "tea");
        });
    };
    auto held = engine().acquire_lock("stock", {.ttl = 1s});
    ASSERT_TRUE(held) << detail_of(held);
    const auto written = write(*held, 1);
    EXPECT_TRUE(written) << detail_of(written);
    const auto refused = engine().acquire_lock("stock");
    ASSERT_EQ(code_of(refused), "LOCK_HELD");
    const auto* holder = std::get_if<sundial::HeldLock>(&refused.error().data);
    ASSERT_NE(holder, nullptr);
    EXPECT_EQ(holder->name, "stock");
    EXPECT_FALSE(holder->holder.empty());
    EXPECT_GT(holder->expires_at, *engine().now());
    EXPECT_EQ(refused.error().repeat(), sundial::Repeat::later);
    ASSERT_TRUE(engine().advance(1h));  // of the storage's clock: its lease has expired
    auto next = engine().acquire_lock("stock");
    ASSERT_TRUE(next) << detail_of(next);
    const auto late = write(*held, 2);
    EXPECT_EQ(code_of(late), "LEASE_LOST");
    EXPECT_EQ(std::get<sundial::LostLease>(late.error().data).id, "stock");
    EXPECT_TRUE(write(*next, 3));
    EXPECT_THAT(items(), SizeIs(2));
}

TEST_P(TransactionsOnEach, AcquireSeveralLocksOrNone) {
    {
        const auto both = engine().acquire_locks({"b", "a"});
        ASSERT_TRUE(both) << detail_of(both);
        EXPECT_THAT(*both, SizeIs(2));
        EXPECT_EQ(code_of(engine().acquire_locks({"c", "a"})), "LOCK_HELD");
        EXPECT_TRUE(engine().acquire_lock("c"));
    }
    EXPECT_TRUE(engine().acquire_locks({"a", "b", "c"}));
    EXPECT_EQ(code_of(engine().acquire_locks({"a", "a"})), "VALIDATION_FAILED");
    EXPECT_THAT(*engine().acquire_locks({}), IsEmpty());
}

TEST_P(TransactionsOnEach, MakesATransactionInsideAnotherAPartOfIt) {
    const auto done = engine().transact([&](Transaction& tx) -> Result<Done> {
        EXPECT_TRUE(add(tx, 1, "tea"));
        const auto inner =
            engine().transact([](Transaction& part) { return add(part, 2, "milk"); });
        EXPECT_TRUE(inner) << detail_of(inner);
        return Error{"SOLD_OUT", "there is no tea"};
    });
    EXPECT_EQ(code_of(done), "SOLD_OUT");
    EXPECT_THAT(items(), IsEmpty());
}

TEST_P(TransactionsOnEach, LetsARunningEngineHandleTheEventAfterTheCommit) {
    const sundial::TemporaryFolder folder;
    auto running = Engine::open({.storage = on_sqlite() ? "sqlite:" + folder.file().string()
                                                        : sundial::migrated_database()});
    ASSERT_TRUE(running) << detail_of(running);
    std::latch handled{1};
    running->on("REMINDER", [&](const Event&) {
        handled.count_down();
        return Handled::done();
    });
    running->start();
    const auto event = running->transact(
        [&](Transaction& tx) { return tx.schedule({.type = "REMINDER", .at = *tx.now()}); });
    ASSERT_TRUE(event) << detail_of(event);
    handled.wait();
}

INSTANTIATE_TEST_SUITE_P(Embedded, TransactionsOnEach, testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

TEST(Transactions, HaveNoSqlInMemory) {
    auto engine = Engine::open({.storage = "memory:", .test_clock = true});
    const auto done = engine->transact([](Transaction& tx) { return tx.sql("SELECT 1"); });
    EXPECT_EQ(code_of(done), "SQL_FAILED");
    const auto event = engine->transact(
        [](Transaction& tx) { return tx.schedule({.type = "REMINDER", .at = *tx.now()}); });
    EXPECT_TRUE(event) << detail_of(event);
}

}  // namespace
