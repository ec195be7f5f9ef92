#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sundial/engine.hpp"
#include "support/transactions_on_each.hpp"

/// Tests statements of the program's own in its transactions.
namespace {

using namespace std::chrono_literals;
using sundial::code_of;
using sundial::detail_of;
using sundial::Result;
using sundial::SqlFailure;
using sundial::Transaction;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StatementsOnEach : public sundial::TransactionsOnEach {};

TEST_P(StatementsOnEach, PassesValuesOfEveryType) {
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

TEST_P(StatementsOnEach, RefusesStatementsThatWouldEndItOrChangeItsConnection) {
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

TEST_P(StatementsOnEach, RefusesTextsWithANulByte) {
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

TEST_P(StatementsOnEach, RefusesMoreParametersThanTheDatabaseTakes) {
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

TEST_P(StatementsOnEach, RefusesSeveralStatementsWithParameters) {
    const auto done = engine().transact([](Transaction& tx) {
        return tx.sql(
            "INSERT INTO shop_orders (id, item) VALUES (1, $1); INSERT INTO shop_orders (id, item) "
            "VALUES (2, $2)",
            "tea", "milk");
    });
    EXPECT_EQ(code_of(done), "SQL_FAILED");
    EXPECT_THAT(items(), IsEmpty());
}

TEST_P(StatementsOnEach, RefusesToCopyOverItsConnection) {
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
TEST_P(StatementsOnEach, RefusesATriggerThatWouldChangeSundialsTables) {
    if (!on_sqlite()) GTEST_SKIP() << "on PostgreSQL the rights of the role decide";
    const auto made = engine().transact([](Transaction& tx) {
        return tx.sql(
            "CREATE TRIGGER mine AFTER INSERT ON shop_orders BEGIN DELETE FROM events; END");
    });
    ASSERT_TRUE(made) << detail_of(made);
    const auto added = engine().transact([](Transaction& tx) { return add(tx, 1, "tea"); });
    EXPECT_EQ(code_of(added), "SQL_FAILED");
    EXPECT_THAT(detail_of(added), HasSubstr("belongs to Sundial"));
}

INSTANTIATE_TEST_SUITE_P(Embedded, StatementsOnEach, testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
