#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/postgres/open.hpp"
#include "postgres_migrations.hpp"
#include "support/builders.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// A database as the program before `0021_sealed_headers` left it.
class SealedHeaders : public testing::Test {
protected:
    SealedHeaders() {
        static const std::string known = [] {
            RecordedLog quiet;
            const Settings fresh{.url = PostgresCluster::shared().create_database()};
            std::string values;
            for (const Migration& each : migrate(fresh, quiet)) {
                if (each.version >= 21) continue;
                values += (values.empty() ? "(" : ", (") + std::to_string(each.version) + ", '" +
                          each.name + "', '" + each.checksum + "')";
            }
            return values;
        }();
        run("CREATE SCHEMA sundial");
        for (const auto& file : migrations::embedded_files) {
            if (file.name >= "0021") break;
            run("SET sundial.shards = 16; SET sundial.birthday_time = '09:00'; " +
                std::string{file.content});
        }
        run(R"(CREATE TABLE sundial.schema_migrations (
                   version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                   applied_at timestamptz NOT NULL DEFAULT now());
               INSERT INTO sundial.schema_migrations (version, name, checksum) VALUES )" +
            known);
    }
    std::vector<std::vector<std::string>> run(const std::string& sql) {
        return query(settings.url, sql);
    }
    void add_endpoint(int id, const std::string& names, const std::string& values) {
        run("INSERT INTO sundial.endpoints (id, name, type, url, header_names, header_values, "
            "timeout,"
            " retry_policy, retry_delays, retry_client_errors, enabled, secret_hint, version,"
            " created_at, updated_at) VALUES ('" +
            base::to_string(uuid_of(static_cast<std::uint64_t>(id))) +
            "', 'CRM', 'WEBHOOK', 'https://crm.example/', '" + names + "', '" + values +
            "', '10 s', 'standard', '{}', 0, true, 'whsec_…Q9f', 1, now(), now())");
    }
    void add_answer(const std::string& key, const std::string& sealed, const std::string& answer) {
        run("INSERT INTO sundial.idempotency_keys VALUES ('', '', '" + key + "', '', convert_to('" +
            answer + "', 'UTF8'), " + sealed + ", 0, '', 1, NULL, 'infinity')");
    }
    std::vector<EndpointHeader> headers_of(PostgresDatabase& database, int id) {
        return in_read(database.store(), [&](Transaction& tx) {
            return tx.endpoints()
                .find(EndpointId{uuid_of(static_cast<std::uint64_t>(id))})
                ->headers;
        });
    }

    RecordedLog log;
    Settings settings{.url = PostgresCluster::shared().create_database()};
};

TEST_F(SealedHeaders, KeepTheValuesOfVersionsBeforeUntilTheyAreSealed) {
    add_endpoint(1, R"({Authorization,X-Tab,X-Empty})", "{\"Bearer 0123 é\",\"a\tb\",\"\"}");
    add_endpoint(2, "{}", "{}");
    const auto database = PostgresDatabase::open(settings, log);
    EXPECT_THAT(
        headers_of(*database, 1),
        ElementsAre(EndpointHeader{"Authorization", "Bearer 0123 é", ""},
                    EndpointHeader{"X-Tab", "a\tb", ""}, EndpointHeader{"X-Empty", "", ""}));
    EXPECT_THAT(headers_of(*database, 2), IsEmpty());
}

TEST_F(SealedHeaders, AreNotReadAsValuesByProgramsBefore) {
    add_endpoint(1, "{X-Key}", "{0123}");
    static_cast<void>(PostgresDatabase::open(settings, log));
    EXPECT_THROW(run("SELECT header_names, header_values FROM sundial.endpoints"),
                 std::runtime_error);
}

TEST_F(SealedHeaders, AreRemovedFromReceivedRequestsOfInboxes) {
    const auto add = [&](int id, const std::string& names, const std::string& values) {
        run("INSERT INTO sundial.inbox_requests VALUES ('" + base::to_string(uuid_of(1)) + "', '" +
            base::to_string(uuid_of(static_cast<std::uint64_t>(id))) + "', now(), '" + names +
            "', '" + values + "', '{}')");
    };
    add(9, "{Content-Type,X-Key,Webhook-Id,ce-id,SUNDIAL-ATTEMPT,traceparent}",
        "{application/json,0123,k,k,1,00}");
    add(8, "{X-Key}", "{0123}");
    add(7, "{webhook-id}", "{k}");
    const auto database = PostgresDatabase::open(settings, log);
    const auto received = in_read(database->store(), [](Transaction& tx) {
        return tx.inbox().list(EndpointId{uuid_of(1)}, {.after = std::nullopt}).items;
    });
    ASSERT_EQ(received.size(), 3U);
    EXPECT_THAT(
        received[0].headers,
        ElementsAre(Pair("Content-Type", "application/json"), Pair("Webhook-Id", "k"),
                    Pair("ce-id", "k"), Pair("SUNDIAL-ATTEMPT", "1"), Pair("traceparent", "00")));
    EXPECT_EQ(received[0].body, "{}");
    EXPECT_THAT(received[1].headers, IsEmpty());
    EXPECT_THAT(received[2].headers, ElementsAre(Pair("webhook-id", "k")));
}

TEST_F(SealedHeaders, AreForgottenWithTheAnswersThatShowThem) {
    const std::string endpoint =
        R"({"id":"1","headers":{"X-Key":"0123"},"retryClientErrors":0,"secretHint":null})";
    add_answer("shows", "false", "200\n\n" + endpoint);
    add_answer("sealed", "true", "200\n\n" + endpoint);
    add_answer("none", "false", R"({"headers":{},"retryClientErrors":0,"secretHint":null})");
    add_answer("event", "false", R"({"deliveryPayload":{"headers":{"X-Key":"0123"}}})");
    run("INSERT INTO sundial.idempotency_keys VALUES ('', '', 'begun', '', NULL, false, 1, '', 1, "
        "now(), now())");
    static_cast<void>(PostgresDatabase::open(settings, log));
    EXPECT_THAT(run("SELECT key FROM sundial.idempotency_keys ORDER BY key"),
                ElementsAre(ElementsAre("begun"), ElementsAre("event"), ElementsAre("none"),
                            ElementsAre("sealed")));
}

}  // namespace
}  // namespace sundial::postgres
