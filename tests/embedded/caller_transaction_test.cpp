#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <chrono>
#include <cstdio>
#include <latch>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sundial/engine.hpp"
#include "sundial/streams.hpp"
#include "support/migrated_database.hpp"
#include "support/transactions_on_each.hpp"

/// Tests what an engine does in transactions on the program's own connections.
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
using testing::ElementsAre;
using testing::SizeIs;

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
    /// The engine's messages on the program's connection during `work`.
    struct Sent {
        int round_trips = 0;
        std::vector<std::string> statements{};  // their first words
    };
    template <class Work>
    Sent sent_during(Work work) {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> trace{std::tmpfile(), &std::fclose};
        if (!trace) throw std::runtime_error("no temporary file");
        PQtrace(own_.get(), trace.get());
        PQsetTraceFlags(own_.get(), PQTRACE_SUPPRESS_TIMESTAMPS);
        work();
        PQuntrace(own_.get());
        if (std::fseek(trace.get(), 0, SEEK_SET) != 0) throw std::runtime_error("cannot seek");
        std::string text;
        for (int c = std::fgetc(trace.get()); c != EOF; c = std::fgetc(trace.get())) {
            text += static_cast<char>(c);
        }
        return read_trace(text);
    }
    /// A message is F (to the server) or B, its length, its name and its parts; texts in quotes may
    /// have several lines.
    static Sent read_trace(const std::string& text) {
        Sent sent;
        constexpr std::string_view to_server = "F\t", unnamed = "Parse\t \"\" \"";
        std::istringstream lines{text};
        std::size_t begin = 0;
        for (std::string line; std::getline(lines, line); begin += line.size() + 1) {
            if (!line.starts_with(to_server)) continue;
            if (line.ends_with("\tSync")) ++sent.round_trips;
            const auto parse = line.find(unnamed);
            if (parse == std::string::npos) continue;
            std::istringstream statement{text.substr(begin + parse + unnamed.size())};
            statement >> sent.statements.emplace_back();
        }
        return sent;
    }
    Engine& engine() { return *engine_; }

    const std::string url_ = sundial::migrated_database();
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

/// Statements without parameters of many rows, in as few round trips as their answers allow: the
/// first one must be known before the transaction is left.
TEST_F(CallersConnections, ScheduleInTwoRoundTrips) {
    auto tx = engine().in(own_.get());
    run("BEGIN");
    ASSERT_TRUE(tx.now());  // the engine asks its own database for its name once
    const auto due = *engine().now() + 1h;
    const auto plain = sent_during([&] {
        const auto event = tx.schedule({.type = "REMINDER", .at = due, .idempotency_key = "a"});
        EXPECT_TRUE(event) << detail_of(event);
    });
    EXPECT_EQ(plain.round_trips, 2);
    // Savepoint and limits; key, event and transaction id; limits and release.
    EXPECT_THAT(plain.statements, ElementsAre("SAVEPOINT", "WITH", "INSERT", "INSERT", "SELECT",
                                              "SELECT", "RELEASE"));

    const auto local = sent_during([&] {
        EXPECT_TRUE(tx.schedule({.type = "REMINDER",
                                 .local_time = "2040-07-01T09:00:00",
                                 .timezone = "America/New_York"}));
    });
    EXPECT_EQ(local.round_trips, 2);

    // A part is undone alone.
    const auto refused = sent_during([&] {
        EXPECT_EQ(code_of(tx.schedule({.type = "REMINDER", .at = due, .idempotency_key = "a"})),
                  "DUPLICATE_IDEMPOTENCY_KEY");
    });
    EXPECT_EQ(refused.round_trips, 3);
    run("COMMIT");
    EXPECT_EQ(run("SELECT count(*) FROM sundial.events"), "2");
}

TEST_F(CallersConnections, SendNothingForACallThatIsRefusedBefore) {
    auto tx = engine().in(own_.get());
    run("BEGIN");
    ASSERT_TRUE(tx.now());
    const auto sent = sent_during([&] {
        EXPECT_EQ(code_of(tx.schedule({.type = "REMINDER",
                                       .at = *engine().now(),
                                       .queue = "printers",
                                       .endpoint = "crm"})),
                  "VALIDATION_FAILED");
    });
    EXPECT_EQ(sent.round_trips, 0);
    run("COMMIT");
}

TEST_F(CallersConnections, SendPartsWithTheirStatements) {
    auto tx = engine().in(own_.get());
    run("BEGIN");
    ASSERT_TRUE(engine().create_queue("printers"));
    ASSERT_TRUE(tx.now());
    const auto to_queue = sent_during([&] {
        EXPECT_TRUE(tx.schedule({.type = "PRINT", .at = *engine().now(), .queue = "printers"}));
    });
    EXPECT_EQ(to_queue.round_trips, 4);  // the queue's id, its lock, the event, the end
    const auto nested = sent_during([&] {
        const auto done = tx.nested([](Transaction& inner) -> Result<Done> {
            EXPECT_TRUE(inner.schedule({.type = "A", .at = sundial::Instant{}}));
            EXPECT_TRUE(inner.schedule({.type = "B", .at = sundial::Instant{}}));
            return Done{};
        });
        EXPECT_TRUE(done) << detail_of(done);
    });
    EXPECT_EQ(nested.round_trips, 3);
    run("COMMIT");
    EXPECT_EQ(run("SELECT count(*) FROM sundial.events"), "3");
}

/// Also if the transaction was joined by the statement that failed.
TEST_F(CallersConnections, UndoAPartOfACallAlone) {
    auto tx = engine().in(own_.get());
    run("BEGIN");
    run("SET LOCAL lock_timeout = '88s'");
    const auto part = [](const char* kept, const char* undone) {
        return [=](Transaction& inner) -> Result<Done> {
            const auto failed = inner.nested([&](Transaction& innermost) -> Result<Done> {
                EXPECT_TRUE(innermost.schedule(
                    {.type = "GONE", .at = sundial::Instant{}, .idempotency_key = undone}));
                EXPECT_TRUE(innermost.sql("INSERT INTO shop_orders VALUES (7, 'gone')"));
                return Error{"SOLD_OUT", "no milk"};
            });
            EXPECT_EQ(code_of(failed), "SOLD_OUT");
            EXPECT_TRUE(inner.schedule(
                {.type = "KEPT", .at = sundial::Instant{}, .idempotency_key = kept}));
            return Done{};
        };
    };
    EXPECT_TRUE(tx.nested(part("a", "b")));
    EXPECT_TRUE(tx.nested(part("b", "c")));
    EXPECT_EQ(run("SELECT current_setting('lock_timeout')"), "88s");
    const auto failed = tx.nested([&](Transaction& inner) -> Result<Done> {
        EXPECT_TRUE(part("c", "d")(inner));
        return Error{"SOLD_OUT", "no milk"};
    });
    EXPECT_EQ(code_of(failed), "SOLD_OUT");
    EXPECT_EQ(run("SELECT current_setting('lock_timeout')"), "88s");
    run("COMMIT");
    EXPECT_EQ(run("SELECT string_agg(idempotency_key, ' ' ORDER BY idempotency_key) "
                  "FROM sundial.events WHERE event_type = 'KEPT'"),
              "a b");
    EXPECT_EQ(run("SELECT count(*) FROM sundial.events"), "2");
    EXPECT_EQ(run("SELECT count(*) FROM shop_orders"), "0");
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

    const std::string other = sundial::migrated_database();
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
    const std::string url = sundial::migrated_database();
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
