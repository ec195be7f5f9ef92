#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <latch>
#include <memory>
#include <mutex>
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
#include "support/postgres_cluster.hpp"
#include "support/temporary_folder.hpp"

/// Tests transactions as an embedding program uses them: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::Done;
using sundial::Engine;
using sundial::Error;
using sundial::Event;
using sundial::Expected;
using sundial::Handled;
using sundial::RecordedEvent;
using sundial::Result;
using sundial::SqlFailure;
using sundial::Transaction;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const sundial::NewUser ada{"Ada", "Li", "1992-06-15", "America/New_York", "ada"};
const sundial::StreamId order_17{"Order", "17"};

std::string detail_of(const auto& answer) { return answer ? "" : answer.error().detail; }
std::string code_of(const auto& answer) { return answer ? "" : answer.error().code; }

/// An engine with a table of the program's own, in the same database.
class TransactionsOnEach : public testing::TestWithParam<std::string> {
protected:
    TransactionsOnEach() {
        if (GetParam() == "sqlite") {
            storage_ = "sqlite:" + folder_.file().string();
        } else {
            storage_ = sundial::PostgresCluster::shared().create_database();
        }
        reopen();
        const auto made = engine().transact([](Transaction& tx) {
            return tx.sql(
                "CREATE TABLE shop_orders (id BIGINT PRIMARY KEY, item TEXT NOT NULL, paid DOUBLE "
                "PRECISION, note TEXT)");
        });
        if (!made) throw std::runtime_error(made.error().detail);
    }
    [[nodiscard]] bool on_sqlite() const { return GetParam() == "sqlite"; }
    Engine& engine() { return *engine_; }
    void reopen() {
        engine_.reset();
        auto opened = Engine::open({.storage = storage_, .test_clock = true});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
    }
    /// The items of all orders.
    std::vector<std::string> items() {
        std::vector<std::string> all;
        const auto found = engine().transact(
            [](Transaction& tx) { return tx.sql("SELECT item FROM shop_orders ORDER BY id"); });
        EXPECT_TRUE(found) << detail_of(found);
        if (!found) return all;
        for (const auto& row : found->rows) all.push_back(row.at(0).value());
        return all;
    }
    static Result<sundial::SqlRows> add(Transaction& tx, int id, const std::string& item) {
        return tx.sql("INSERT INTO shop_orders (id, item) VALUES ($1, $2)", id, item);
    }
    std::uint64_t version_of(const sundial::StreamId& stream) {
        const auto part = engine().streams().read(stream);
        EXPECT_TRUE(part) << detail_of(part);
        return part ? part->version : 0;
    }

    std::string storage_;

private:
    sundial::TemporaryFolder folder_;
    std::optional<Engine> engine_;
};

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

TEST_P(TransactionsOnEach, PassesValuesOfEveryType) {
    using Bytes = sundial::SqlValue::Bytes;
    const std::string text = "O'Neill – \xF0\x9F\x8D\xB5";
    const auto read = engine().transact([&](Transaction& tx) -> Result<sundial::SqlRows> {
        const auto added =
            tx.sql("INSERT INTO shop_orders (id, paid, item, note) VALUES ($1, $3, $2, $4)",
                   std::int64_t{1} << 60, text, 0.1, nullptr);
        if (!added) return added.error();
        EXPECT_EQ(added->changed, 1U);
        EXPECT_THAT(added->rows, IsEmpty());
        const auto made = tx.sql(on_sqlite() ? "CREATE TABLE shop_blobs (it BLOB, flag BOOLEAN)"
                                             : "CREATE TABLE shop_blobs (it BYTEA, flag BOOLEAN)");
        if (!made) return made.error();
        const auto blob = tx.sql("INSERT INTO shop_blobs VALUES ($1, $2)",
                                 Bytes{std::byte{0}, std::byte{255}}, true);
        if (!blob) return blob.error();
        return tx.sql(on_sqlite()
                          ? "SELECT id, item, paid, note, hex(it) AS bytes, flag FROM shop_orders, "
                            "shop_blobs WHERE $1 = 7"
                          : "SELECT id, item, paid, note, encode(it, 'hex') AS bytes, flag FROM "
                            "shop_orders, shop_blobs WHERE $1 = 7",
                      std::optional<int>{7});
    });
    ASSERT_TRUE(read) << detail_of(read);
    EXPECT_THAT(read->columns, ElementsAre("id", "item", "paid", "note", "bytes", "flag"));
    ASSERT_THAT(read->rows, SizeIs(1));
    EXPECT_EQ(read->integer(0, 0), std::int64_t{1} << 60);
    EXPECT_EQ(read->text(0, 1), text);
    EXPECT_EQ(read->text(0, 2), "0.1");
    EXPECT_EQ(read->text(0, 3), std::nullopt);
    EXPECT_EQ(read->text(0, 4), on_sqlite() ? "00FF" : "00ff");
    EXPECT_EQ(read->text(0, 5), on_sqlite() ? "1" : "t");
    EXPECT_EQ(read->text(1, 0), std::nullopt);
    EXPECT_EQ(read->integer(0, 1), std::nullopt);
}

TEST_P(TransactionsOnEach, RefusesStatementsThatWouldEndItOrChangeItsConnection) {
    for (const std::string statement :
         {"COMMIT", " /* a /* b */ */ rollback", "-- soon\nBEGIN", "SAVEPOINT mine", "RELEASE mine",
          "SELECT 1; SELECT 2", "", "SELEC 1"}) {
        const auto done = engine().transact([&](Transaction& tx) { return tx.sql(statement); });
        EXPECT_EQ(code_of(done), "SQL_FAILED") << statement;
    }
    const std::vector<std::string> own =
        on_sqlite() ? std::vector<std::string>{"ATTACH ':memory:' AS other",
                                               "PRAGMA journal_mode = DELETE",
                                               "DELETE FROM events",
                                               "UPDATE settings SET value = 1",
                                               "DROP TABLE users",
                                               "ALTER TABLE events RENAME TO mine",
                                               "CREATE INDEX mine ON events (id)",
                                               "CREATE TRIGGER mine AFTER INSERT ON events BEGIN "
                                               "SELECT 1; END",
                                               "CREATE TRIGGER mine AFTER INSERT ON shop_orders "
                                               "BEGIN DELETE FROM events; END; INSERT INTO "
                                               "shop_orders (id, item) VALUES (1, 'tea')"}
                    : std::vector<std::string>{"SET search_path = mine", "LISTEN mine",
                                               "PREPARE TRANSACTION 'mine'", "RESET ALL",
                                               "SET SESSION x.y = '1'"};
    for (const std::string& statement : own) {
        const auto done = engine().transact([&](Transaction& tx) { return tx.sql(statement); });
        EXPECT_EQ(code_of(done), "SQL_FAILED") << statement;
    }
    EXPECT_THAT(items(), IsEmpty());
    ASSERT_TRUE(engine().schedule({.type = "REMINDER", .at = *engine().now()}));
    if (on_sqlite()) {
        const auto read = engine().transact([](Transaction& tx) {
            return tx.sql("SELECT count(*) FROM v_events, pragma_table_info('shop_orders')");
        });
        ASSERT_TRUE(read) << detail_of(read);
        EXPECT_EQ(read->integer(0, 0), 4);
    }
}

TEST_P(TransactionsOnEach, RefusesTextsWithANulByte) {
    using namespace std::string_literals;
    const auto cut = engine().transact([](Transaction& tx) {
        return tx.sql("INSERT INTO shop_orders (id, item) VALUES (1, 'tea')\0 nonsense"s);
    });
    EXPECT_EQ(code_of(cut), "SQL_FAILED");
    EXPECT_THAT(detail_of(cut), HasSubstr("the statement contains a NUL byte"));
    const auto value = engine().transact([](Transaction& tx) { return add(tx, 1, "tea\0milk"s); });
    ASSERT_EQ(code_of(value), "SQL_FAILED");
    EXPECT_THAT(detail_of(value), HasSubstr("$2 contains a NUL byte"));
    const auto* failure = std::get_if<SqlFailure>(&value.error().data);
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failure->sqlstate, on_sqlite() ? "" : "22021");
    EXPECT_EQ(failure->sqlite, on_sqlite() ? 21 : 0);  // SQLITE_MISUSE
    EXPECT_THAT(items(), IsEmpty());
}

TEST_P(TransactionsOnEach, RefusesMoreParametersThanTheDatabaseTakes) {
    const std::size_t too_many = on_sqlite() ? 300'000 : 65'536;  // Debian's SQLite takes 250,000
    const std::vector<sundial::SqlValue> values(too_many, sundial::SqlValue{1});
    const auto done = engine().transact([&](Transaction& tx) {
        (void)add(tx, 1, "tea");
        return tx.run_sql("SELECT 1", values);
    });
    EXPECT_EQ(code_of(done), "SQL_FAILED");
    EXPECT_THAT(detail_of(done), HasSubstr("gives " + std::to_string(too_many) + " parameters"));
    EXPECT_THAT(items(), IsEmpty());
}

TEST_P(TransactionsOnEach, RefusesSeveralStatementsWithParameters) {
    const auto done = engine().transact([](Transaction& tx) {
        return tx.sql(
            "INSERT INTO shop_orders (id, item) VALUES (1, $1); INSERT INTO shop_orders (id, item) "
            "VALUES (2, $2)",
            "tea", "milk");
    });
    EXPECT_EQ(code_of(done), "SQL_FAILED");
    EXPECT_THAT(items(), IsEmpty());
}

TEST_P(TransactionsOnEach, RefusesToCopyOverItsConnection) {
    if (on_sqlite()) GTEST_SKIP() << "SQLite has no COPY";
    for (const std::string statement :
         {"COPY shop_orders FROM STDIN", "copy /* all */ shop_orders (id, item) to\nstdout",
          "COPY (SELECT item FROM shop_orders WHERE item <> 'to') TO STDOUT WITH (FORMAT csv)",
          "COPY shop_orders FROM STDIN WHERE id > 3"}) {
        const auto done = engine().transact([&](Transaction& tx) {
            (void)add(tx, 1, "tea");
            return tx.sql(statement);
        });
        ASSERT_EQ(code_of(done), "SQL_FAILED") << statement;
        const auto* failure = std::get_if<SqlFailure>(&done.error().data);
        ASSERT_NE(failure, nullptr) << statement;
        EXPECT_EQ(failure->sqlstate, "0A000") << statement;
        EXPECT_THAT(detail_of(done), HasSubstr("COPY FROM STDIN")) << statement;
        EXPECT_THAT(items(), IsEmpty()) << statement;
    }
    // A copy to a file of the server is a statement like others.
    const auto of_server = engine().transact([](Transaction& tx) {
        return tx.sql("COPY (SELECT 'to stdout' AS stdout, E'it\\'s' AS stdin) TO '/dev/null'");
    });
    EXPECT_TRUE(of_server) << detail_of(of_server);
}

/// A trigger of the program's own table may not write Sundial's tables either.
TEST_P(TransactionsOnEach, RefusesATriggerThatWouldChangeSundialsTables) {
    if (!on_sqlite()) GTEST_SKIP() << "PostgreSQL checks the rights of the role";
    const auto made = engine().transact([](Transaction& tx) {
        return tx.sql(
            "CREATE TRIGGER mine AFTER INSERT ON shop_orders BEGIN DELETE FROM events; END");
    });
    ASSERT_TRUE(made) << detail_of(made);
    const auto added = engine().transact([](Transaction& tx) { return add(tx, 1, "tea"); });
    EXPECT_EQ(code_of(added), "SQL_FAILED");
    EXPECT_THAT(detail_of(added), HasSubstr("belongs to Sundial"));
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
                const auto done = engine().transact([&](Transaction& tx) -> Result<Done> {
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

/// The program's table has each recorded event once, although the projection was interrupted.
TEST_P(TransactionsOnEach, ProjectsIntoTheProgramsTableTogetherWithTheCheckpoint) {
    auto streams = engine().streams();
    for (int i = 1; i <= 20; ++i) {
        ASSERT_TRUE(streams.append({"Order", std::to_string(i % 3)}, Expected::any(),
                                   {{.type = "Placed", .data = std::to_string(i)}}));
    }
    int failures = 0;
    const auto project = [&](Transaction& tx, const RecordedEvent& event) -> Result<Done> {
        const auto added = tx.sql("INSERT INTO shop_orders (id, item) VALUES ($1, $2)",
                                  static_cast<std::int64_t>(event.position), event.data);
        if (!added) return added.error();
        const auto reminder = tx.schedule({.type = "REMINDER", .at = *tx.now() + 1h});
        if (!reminder) return reminder.error();
        if (event.data == "7" && failures++ < 2) return Error{"NOT_NOW", "not now"};
        return Done{};
    };
    auto orders = streams.project({.name = "orders",
                                   .filter = {.stream_types = {"Order"}},
                                   .page = 6,
                                   .retry = {.max_attempts = 5, .base = 1us, .cap = 1us}},
                                  project);
    const auto caught_up = orders.catch_up();
    ASSERT_TRUE(caught_up) << detail_of(caught_up);
    EXPECT_EQ(failures, 3);
    std::vector<std::string> expected;
    for (int i = 1; i <= 20; ++i) expected.push_back(std::to_string(i));
    EXPECT_EQ(items(), expected);
    const auto again = streams.project({.name = "orders"}, project).catch_up();
    EXPECT_TRUE(again) << detail_of(again);
    EXPECT_EQ(items(), expected);
    std::atomic<int> reminders = 0;
    engine().on("REMINDER", [&](const Event&) {
        ++reminders;
        return Handled::done();
    });
    ASSERT_TRUE(engine().advance(2h));
    EXPECT_EQ(reminders, 20);
}

/// A request that is repeated, also at once by several threads, has its effect once.
TEST_P(TransactionsOnEach, DoTheWorkOfARequestOnce) {
    std::atomic<int> runs = 0;
    const auto request = [&](const std::string& fingerprint, bool fails = false) {
        return engine().transact([&](Transaction& tx) {
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

TEST_P(TransactionsOnEach, RebuildsAProjectionFromTheBeginning) {
    auto streams = engine().streams();
    for (int i = 1; i <= 5; ++i) {
        ASSERT_TRUE(streams.append({"Order", "1"}, Expected::any(),
                                   {{.type = "Placed", .data = std::to_string(i)}}));
    }
    std::string prefix = "old-";
    auto orders =
        streams.project({.name = "orders", .filter = {.stream_types = {"Order"}}},
                        [&](Transaction& tx, const RecordedEvent& event) -> Result<Done> {
                            const auto added = tx.sql(
                                "INSERT INTO shop_orders (id, item) VALUES ($1, $2)",
                                static_cast<std::int64_t>(event.version), prefix + event.data);
                            if (!added) return added.error();
                            return Done{};
                        });
    EXPECT_GT(*streams.lag("orders"), 0U);
    ASSERT_TRUE(orders.catch_up());
    EXPECT_EQ(*streams.lag("orders"), 0U);
    prefix = "new-";
    const auto clear = [](Transaction& tx) -> Result<Done> {
        const auto deleted = tx.sql("DELETE FROM shop_orders");
        if (!deleted) return deleted.error();
        EXPECT_EQ(deleted->changed, 5U);
        return Done{};
    };
    const auto failed = streams.rebuild("orders", [&](Transaction& tx) -> Result<Done> {
        EXPECT_TRUE(clear(tx));
        return Error{"NOT_NOW", "not now"};
    });
    EXPECT_EQ(code_of(failed), "NOT_NOW");
    EXPECT_EQ(*streams.lag("orders"), 0U);
    const auto done = streams.rebuild("orders", clear);
    ASSERT_TRUE(done) << detail_of(done);
    EXPECT_GT(*streams.lag("orders"), 0U);
    ASSERT_TRUE(orders.catch_up());
    EXPECT_THAT(items(), ElementsAre("new-1", "new-2", "new-3", "new-4", "new-5"));
    EXPECT_EQ(code_of(streams.rebuild("two words", clear)), "VALIDATION_FAILED");
}

TEST_P(TransactionsOnEach, ListsStreamsPageByPage) {
    auto streams = engine().streams();
    for (const char* id : {"3", "1", "2"}) {
        ASSERT_TRUE(streams.append({"Order", id}, Expected::any(), {{.type = "Placed"}}));
    }
    ASSERT_TRUE(streams.append({"Stock", "tea"}, Expected::any(), {{.type = "A"}, {.type = "B"}}));
    ASSERT_TRUE(streams.archive({"Order", "2"}));
    const auto first = streams.list("Order", std::nullopt, 2);
    ASSERT_TRUE(first) << detail_of(first);
    ASSERT_THAT(first->streams, SizeIs(2));
    EXPECT_EQ(first->streams[0].stream.id, "1");
    EXPECT_TRUE(first->streams[1].archived);
    ASSERT_TRUE(first->next);
    const auto rest = streams.list("Order", first->next, 2);
    ASSERT_THAT(rest->streams, SizeIs(1));
    EXPECT_EQ(rest->streams[0].stream.id, "3");
    EXPECT_EQ(rest->next, std::nullopt);
    EXPECT_EQ(streams.list("Stock")->streams.at(0).version, 2U);
    EXPECT_EQ(code_of(streams.list("Order", std::nullopt, 0)), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(streams.list("Order", std::nullopt, 501)), "VALIDATION_FAILED");
}

TEST_P(TransactionsOnEach, StopsASubscriptionAndStartsItAgain) {
    auto streams = engine().streams();
    std::mutex mutex;
    std::condition_variable changed;
    int seen = 0;
    auto orders = streams.follow({.name = "orders", .filter = {.stream_types = {"Order"}}},
                                 [&](const RecordedEvent&) -> Result<Done> {
                                     const std::lock_guard lock(mutex);
                                     ++seen;
                                     changed.notify_all();
                                     return Done{};
                                 });
    const auto wait_for = [&](int count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return seen == count; });
    };
    const auto append = [&] {
        ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}}));
    };
    orders.start();
    append();
    wait_for(1);
    orders.stop();
    append();
    EXPECT_EQ(seen, 1);
    orders.start();
    wait_for(2);
    orders.stop();
    orders.stop();
}

TEST_P(TransactionsOnEach, StartsASubscriptionAgainInItsHandler) {
    auto streams = engine().streams();
    ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}, {.type = "Paid"}}));
    for (const std::size_t lanes : {1U, 3U}) {
        const std::string name = "orders-" + std::to_string(lanes);
        std::mutex mutex;
        std::condition_variable changed;
        std::vector<std::uint64_t> seen;
        std::optional<sundial::Subscription> orders;
        const auto handle = [&](const RecordedEvent& event) -> Result<Done> {
            orders->stop();
            if (event.version != 2) orders->start();
            const std::lock_guard lock(mutex);
            seen.push_back(event.version);
            changed.notify_all();
            return Done{};
        };
        orders.emplace(streams.follow(
            {.name = name, .filter = {.stream_types = {"Order"}}, .lanes = lanes}, handle));
        orders->start();
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return seen.size() == 2; });
        }
        orders->stop();  // the handler of the second event has requested it
        EXPECT_THAT(seen, ElementsAre(1U, 2U));
        EXPECT_EQ(streams.lag(name).value(), 0U);
    }
}

TEST_P(TransactionsOnEach, StartsASubscriptionThatItsHandlerStopped) {
    auto streams = engine().streams();
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t seen = 0;
    std::optional<sundial::Subscription> orders;
    orders.emplace(streams.follow({.name = "orders", .filter = {.stream_types = {"Order"}}},
                                  [&](const RecordedEvent&) -> Result<Done> {
                                      orders->stop();
                                      const std::lock_guard lock(mutex);
                                      ++seen;
                                      changed.notify_all();
                                      return Done{};
                                  }));
    for (const std::size_t count : {1U, 2U}) {
        ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}}));
        orders->start();
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return seen == count; });
    }
    orders->stop();
    EXPECT_EQ(seen, 2U);
}

TEST_P(TransactionsOnEach, StartsASubscriptionInTheHandlerOfACatchUp) {
    auto streams = engine().streams();
    ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}}));
    std::latch both{2};
    std::optional<sundial::Subscription> orders;
    orders.emplace(streams.follow({.name = "orders", .filter = {.stream_types = {"Order"}}},
                                  [&](const RecordedEvent& event) -> Result<Done> {
                                      if (event.version == 1) orders->start();
                                      both.count_down();
                                      return Done{};
                                  }));
    const auto done = orders->catch_up();
    EXPECT_TRUE(done) << detail_of(done);
    ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Paid"}}));
    both.wait();
    orders->stop();
    EXPECT_EQ(streams.lag("orders").value(), 0U);
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
    auto running = Engine::open(
        {.storage = on_sqlite() ? "sqlite:" + folder.file().string()
                                : sundial::PostgresCluster::shared().create_database()});
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

/// A connection of the program's to the engine's database.
class CallersConnections : public testing::Test {
protected:
    CallersConnections() {
        auto opened = Engine::open({.storage = url_, .test_clock = true});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
        own_ = connect();
        run("CREATE TABLE shop_orders (id BIGINT PRIMARY KEY, item TEXT NOT NULL)");
    }
    struct Close {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    using Connection = std::unique_ptr<PGconn, Close>;
    [[nodiscard]] Connection connect() const {
        Connection connection{PQconnectdb(url_.c_str())};
        if (PQstatus(connection.get()) != CONNECTION_OK) {
            throw std::runtime_error(PQerrorMessage(connection.get()));
        }
        return connection;
    }
    /// The first value, or the SQLSTATE of an error.
    std::string run(const char* sql, PGconn* on = nullptr) {
        PGresult* const result = PQexec(on ? on : own_.get(), sql);
        std::string answer;
        if (const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE)) {
            answer = state;
        } else if (PQntuples(result) > 0 && PQnfields(result) > 0) {
            answer = PQgetvalue(result, 0, 0);
        }
        PQclear(result);
        return answer;
    }
    Engine& engine() { return *engine_; }

    const std::string url_ = sundial::PostgresCluster::shared().create_database();
    std::optional<Engine> engine_;
    Connection own_;
};

TEST_F(CallersConnections, CommitWhatTheEngineWroteOnThem) {
    auto tx = engine().in(own_.get());
    run("BEGIN");
    run("INSERT INTO shop_orders VALUES (1, 'tea')");
    const auto event = tx.schedule(
        {.type = "REMINDER", .local_time = "2040-07-01T09:00:00", .timezone = "America/New_York"});
    ASSERT_TRUE(event) << detail_of(event);
    const auto appended = tx.append(order_17, Expected::no_stream(), {{.type = "Placed"}});
    ASSERT_TRUE(appended) << detail_of(appended);
    const auto user = tx.create_user(ada);
    ASSERT_TRUE(user) << detail_of(user);
    const auto rows = tx.sql("SELECT item FROM shop_orders");
    ASSERT_TRUE(rows) << detail_of(rows);
    EXPECT_EQ(rows->text(0, 0), "tea");
    EXPECT_EQ(code_of(engine().find_event(event->id)), "EVENT_NOT_FOUND");
    run("COMMIT");
    EXPECT_EQ(engine().find_event(event->id)->status, "PENDING");
    EXPECT_EQ(engine().streams().read(order_17)->version, 1U);
    EXPECT_TRUE(engine().delete_user(user->id));
}

TEST_F(CallersConnections, LeaveRequestsBySqlToAnEngineThatMaintainsTheDatabase) {
    const auto waiting = [&] { return run("SELECT count(*) FROM sundial.intake"); };
    run("SELECT sundial.upsert_user('ada', 'Ada', 'Li', '1992-02-29', 'Europe/Paris')");
    ASSERT_EQ(waiting(), "1");
    {
        auto without = Engine::open({.storage = url_, .test_clock = true, .maintenance = false});
        ASSERT_TRUE(without) << detail_of(without);
        EXPECT_TRUE(without->advance(1s));
        EXPECT_EQ(waiting(), "1");
    }
    EXPECT_TRUE(engine().advance(1s));
    EXPECT_EQ(waiting(), "0");
}

TEST_F(CallersConnections, RollBackWhatTheEngineWroteOnThem) {
    auto tx = engine().in(own_.get());
    run("BEGIN");
    run("INSERT INTO shop_orders VALUES (1, 'tea')");
    const auto event = tx.schedule({.type = "REMINDER", .at = *engine().now()});
    ASSERT_TRUE(event) << detail_of(event);
    ASSERT_TRUE(tx.append(order_17, Expected::no_stream(), {{.type = "Placed"}}));
    run("ROLLBACK");
    EXPECT_EQ(code_of(engine().find_event(event->id)), "EVENT_NOT_FOUND");
    EXPECT_EQ(engine().streams().read(order_17)->version, 0U);
    EXPECT_EQ(run("SELECT count(*) FROM shop_orders"), "0");
}

TEST_F(CallersConnections, GoOnAfterAFailedCall) {
    auto tx = engine().in(own_.get());
    run("BEGIN");
    run("INSERT INTO shop_orders VALUES (1, 'tea')");
    EXPECT_EQ(code_of(tx.append(order_17, Expected::exactly(3), {{.type = "Placed"}})),
              "OPTIMISTIC_LOCK");
    const auto twice = tx.sql("INSERT INTO shop_orders VALUES (1, 'tea')");
    ASSERT_EQ(code_of(twice), "SQL_FAILED");
    EXPECT_EQ(std::get<SqlFailure>(twice.error().data).sqlstate, "23505");
    const auto part = tx.nested([](Transaction& inner) -> Result<Done> {
        EXPECT_TRUE(inner.sql("INSERT INTO shop_orders VALUES (2, 'milk')"));
        return Error{"SOLD_OUT", "no milk"};
    });
    EXPECT_EQ(code_of(part), "SOLD_OUT");
    EXPECT_TRUE(tx.sql("INSERT INTO shop_orders VALUES (3, 'rice')"));
    EXPECT_EQ(run("COMMIT"), "");
    EXPECT_EQ(run("SELECT string_agg(item, ' ' ORDER BY id) FROM shop_orders"), "tea rice");
}

TEST_F(CallersConnections, KeepTheirSettingsAndModes) {
    auto tx = engine().in(own_.get());
    run("BEGIN");
    run("SET LOCAL statement_timeout = '77s'");
    ASSERT_TRUE(engine().create_queue("printers"));
    ASSERT_TRUE(tx.schedule({.type = "PRINT", .at = *engine().now(), .queue = "printers"}));
    EXPECT_EQ(run("SELECT current_setting('statement_timeout')"), "77s");
    EXPECT_EQ(run("SELECT current_setting('lock_timeout')"), "0");
    EXPECT_EQ(PQisnonblocking(own_.get()), 0);
    EXPECT_EQ(PQpipelineStatus(own_.get()), PQ_PIPELINE_OFF);
    run("COMMIT");
    auto worker = engine().worker("printers", "printer-1");
    const auto claimed = worker.claim();
    ASSERT_THAT(*claimed, SizeIs(1));
    run("BEGIN");
    const auto completed = tx.complete(claimed->front());
    ASSERT_TRUE(completed) << detail_of(completed);
    for (const char* setting : {"enable_seqscan", "enable_sort", "enable_hashjoin", "jit"}) {
        EXPECT_EQ(run(("SELECT current_setting('" + std::string{setting} + "')").c_str()), "on");
    }
    EXPECT_EQ(run("SELECT current_setting('idle_in_transaction_session_timeout')"), "0");
    EXPECT_EQ(engine().find_event(claimed->front().id)->status, "PROCESSING");
    run("COMMIT");
    EXPECT_EQ(engine().find_event(claimed->front().id)->status, "COMPLETED");
    EXPECT_EQ(run("SELECT current_setting('statement_timeout')"), "0");
}

TEST_F(CallersConnections, AreRefusedUnlessATransactionIsOpen) {
    auto tx = engine().in(own_.get());
    const auto state_of = [](const auto& answer) {
        return answer ? "" : std::get<SqlFailure>(answer.error().data).sqlstate;
    };
    EXPECT_EQ(state_of(tx.now()), "25P01");
    run("BEGIN");
    EXPECT_TRUE(tx.now());
    EXPECT_EQ(run("SELECT 1 / 0"), "22012");
    EXPECT_EQ(state_of(tx.now()), "25P02");
    run("ROLLBACK");
    EXPECT_EQ(state_of(engine().in(nullptr).now()), "08003");

    const std::string other = sundial::PostgresCluster::shared().create_database();
    ASSERT_TRUE(Engine::open({.storage = other, .test_clock = true}));
    const Connection elsewhere{PQconnectdb(other.c_str())};
    run("BEGIN", elsewhere.get());
    EXPECT_EQ(state_of(engine().in(elsewhere.get()).now()), "3D000");
    run("ROLLBACK", elsewhere.get());
    const auto in_memory = Engine::open({.storage = "memory:"});
    run("BEGIN");
    EXPECT_EQ(code_of(Engine::open({.storage = "memory:"})->in(own_.get()).now()), "SQL_FAILED");
}

/// The program repeats a transaction that lost a race, as with its own statements.
TEST_F(CallersConnections, ReportAConflictWithAnotherTransaction) {
    run("INSERT INTO shop_orders VALUES (1, 'tea')");
    const Connection other = connect();
    run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    EXPECT_EQ(run("SELECT count(*) FROM shop_orders"), "1");
    run("UPDATE shop_orders SET item = 'milk'", other.get());
    auto tx = engine().in(own_.get());
    const auto late = tx.sql("UPDATE shop_orders SET item = 'rice'");
    ASSERT_EQ(code_of(late), "SQL_FAILED");
    EXPECT_EQ(std::get<SqlFailure>(late.error().data).sqlstate, "40001");
    run("ROLLBACK");
}

TEST_F(CallersConnections, LetARunningEngineHandleTheEventAfterTheCommit) {
    const std::string url = sundial::PostgresCluster::shared().create_database();
    auto running = Engine::open({.storage = url});
    ASSERT_TRUE(running) << detail_of(running);
    std::latch handled{1};
    running->on("REMINDER", [&](const Event&) {
        handled.count_down();
        return Handled::done();
    });
    running->start();
    const Connection own{PQconnectdb(url.c_str())};
    run("BEGIN", own.get());
    auto tx = running->in(own.get());
    const auto event = tx.schedule({.type = "REMINDER", .at = *tx.now()});
    ASSERT_TRUE(event) << detail_of(event);
    EXPECT_FALSE(handled.try_wait());
    run("COMMIT", own.get());
    auto moved = std::move(tx);
    moved.committed();
    handled.wait();
}

}  // namespace
