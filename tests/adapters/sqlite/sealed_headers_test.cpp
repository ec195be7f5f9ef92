#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "adapters/sqlite/open.hpp"
#include "files.hpp"
#include "sqlite_migrations.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

/// An id as SQL writes it.
std::string blob(std::uint64_t number) {
    std::string text = base::to_string(uuid_of(number));
    std::erase(text, '-');
    return "x'" + text + "'";
}

/// A database as the program before `0017_sealed_headers` left it, killed in the middle of things.
class SealedHeaders : public testing::Test {
protected:
    SealedHeaders() {
        std::string sql = R"sql(
            PRAGMA journal_mode = WAL;
            CREATE TEMP TABLE given (name TEXT, value ANY);
            INSERT INTO given VALUES ('clock', 'system'), ('now', 0), ('birthday_time', '09:00');)sql";
        for (const auto& each : migrations::embedded_files) {
            if (each.name < "0017") sql += each.content;
        }
        sql += R"sql(
            CREATE TABLE schema_migrations (
                version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL,
                checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;)sql";
        for (const Migration& each : migration_status(on(folder_.file("none.db"))).pending) {
            if (each.version >= 17) continue;
            sql += "INSERT INTO schema_migrations VALUES (" + std::to_string(each.version) + ",'" +
                   each.name + "','" + each.checksum + "',0);";
        }
        ask(file(), sql);
    }
    [[nodiscard]] static Settings on(const fs::path& file) {
        return {.file = file, .real_time = [] { return noon; }};
    }
    [[nodiscard]] fs::path file() const { return folder_.file(); }
    std::unique_ptr<SqliteDatabase> open() {
        return SqliteDatabase::open(on(file()), log_, [](const std::string&) {});
    }
    /// Of endpoint number `id`.
    void add_endpoint(int id, const std::string& headers) {
        ask(file(),
            "INSERT INTO endpoints (id, name, type, url, headers, timeout, retry_policy,"
            " retry_delays, retry_client_errors, enabled, secret_hint, version, created_at,"
            " updated_at) VALUES (" +
                blob(static_cast<std::uint64_t>(id)) +
                ", 'CRM', 'WEBHOOK', 'https://crm.example/', '" + headers +
                "', 10, 'standard', '[]', 0, 1, 'whsec_…Q9f', 1, 0, 0)");
    }
    void add_answer(const std::string& key, const std::string& sealed, const std::string& answer) {
        ask(file(), "INSERT INTO idempotency_keys VALUES ('', '', '" + key + "', x'00', CAST('" +
                        answer + "' AS BLOB), " + sealed +
                        ", 0, x'', 1, NULL, 9223372036854775807)");
    }
    std::vector<EndpointHeader> headers_of(SqliteDatabase& database, int id) {
        return in_read(database.store(), [&](Transaction& tx) {
            return tx.endpoints()
                .find(EndpointId{uuid_of(static_cast<std::uint64_t>(id))})
                ->headers;
        });
    }
    [[nodiscard]] std::string bytes(const char* ending) const {
        std::ostringstream all;
        all << std::ifstream{file().string() + ending, std::ios::binary}.rdbuf();
        return all.str();
    }
    /// All that the files of the database hold.
    [[nodiscard]] std::string bytes() const { return bytes("") + bytes("-wal"); }

    TemporaryFolder folder_;
    RecordedLog log_;
};

TEST_F(SealedHeaders, KeepTheValuesOfVersionsBeforeUntilTheyAreSealed) {
    add_endpoint(1, R"([["Authorization","Bearer 0123 \"é\""],["X-Tab","a\tb"],["X-Empty",""]])");
    add_endpoint(2, "[]");
    const auto database = open();
    EXPECT_THAT(
        headers_of(*database, 1),
        ElementsAre(EndpointHeader{"Authorization", "Bearer 0123 \"é\"", ""},
                    EndpointHeader{"X-Tab", "a\tb", ""}, EndpointHeader{"X-Empty", "", ""}));
    EXPECT_THAT(headers_of(*database, 2), IsEmpty());
}

TEST_F(SealedHeaders, LeaveNoTraceOfTheValuesOnceTheyAreSealed) {
    // Long enough to need a page of its own, which is freed when the value is sealed.
    std::string value;
    for (int i = 0; i < 400; ++i) value += "credential";
    add_endpoint(1, R"([["Authorization",")" + value + R"("],["X-Long",")" + value + R"("]])");
    ASSERT_THAT(bytes(), HasSubstr("credential"));
    {
        const auto database = open();
        database->store().transact([&](Transaction& tx) {
            auto endpoint = *tx.endpoints().lock(EndpointId{uuid_of(1)});
            endpoint.headers = {{"Authorization", "key-1.sealed", "…end"}};
            return tx.endpoints().update(endpoint).has_value();
        });
        EXPECT_THAT(bytes("-wal"), Not(HasSubstr("credential")));
    }
    EXPECT_THAT(bytes(), HasSubstr("key-1.sealed"));
    EXPECT_THAT(bytes(), Not(HasSubstr("credential")));
}

TEST_F(SealedHeaders, AreRemovedFromReceivedRequestsOfInboxes) {
    ask(file(), "INSERT INTO inbox_requests VALUES (" + blob(1) + ", " + blob(9) +
                    ", 0,"
                    R"( '[["Content-Type","application/json"],["X-Key","0123"],["Webhook-Id","k"],)"
                    R"(["ce-id","k"],["SUNDIAL-ATTEMPT","1"],["traceparent","00"]]', x'7b7d'))");
    const auto database = open();
    const auto received = in_read(database->store(), [](Transaction& tx) {
        return tx.inbox().list(EndpointId{uuid_of(1)}, {.after = std::nullopt}).items;
    });
    ASSERT_EQ(received.size(), 1U);
    EXPECT_THAT(
        received[0].headers,
        ElementsAre(Pair("Content-Type", "application/json"), Pair("Webhook-Id", "k"),
                    Pair("ce-id", "k"), Pair("SUNDIAL-ATTEMPT", "1"), Pair("traceparent", "00")));
    EXPECT_EQ(received[0].body, "{}");
}

TEST_F(SealedHeaders, AreForgottenWithTheAnswersThatShowThem) {
    const std::string endpoint =
        R"({"id":"1","headers":{"X-Key":"0123"},"retryClientErrors":0,"secretHint":null})";
    add_answer("shows", "0", "200\n\n" + endpoint);
    add_answer("sealed", "1", "200\n\n" + endpoint);
    add_answer("none", "0", R"({"headers":{},"retryClientErrors":0,"secretHint":null})");
    add_answer("event", "0", R"({"deliveryPayload":{"headers":{"X-Key":"0123"}}})");
    ask(file(),
        "INSERT INTO idempotency_keys VALUES ('', '', 'begun', x'00', NULL, 0, 1, x'', 1, 1, 1)");
    const auto database = open();
    EXPECT_THAT(ask(file(), "SELECT key FROM idempotency_keys ORDER BY key"),
                ElementsAre(ElementsAre("begun"), ElementsAre("event"), ElementsAre("none"),
                            ElementsAre("sealed")));
}

}  // namespace
}  // namespace sundial::sqlite
