// The hot statements and the API's lists touch as many pages beside ten million finished rows as
// beside ten thousand. The measure is pages, not time, because it is the same on every machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "adapters/postgres/event_list_sql.hpp"
#include "adapters/postgres/event_sql.hpp"
#include "adapters/postgres/open.hpp"
#include "carried_out.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

/// SUNDIAL_FINISHED_ROWS sets another number, for experiments.
long many() {
    const char* rows = std::getenv("SUNDIAL_FINISHED_ROWS");
    return rows ? std::stol(rows) : 10'000'000;
}
constexpr long few = 10'000;

/// UUIDv7 of the instant `at`; the last byte selects the shard.
std::string id_of(const std::string& at) {
    return "(lpad(to_hex((extract(epoch FROM " + at +
           ") * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' || "
           "substr(md5(i::text), 5, 15))::uuid";
}

/// 100,000 live rows, half of them due and a few claimed, and `finished` finished ones. One in a
/// thousand of those is FAILED and one in a thousand CANCELLED.
std::string database_with(long finished) {
    RecordedLog log;
    const std::string url = PostgresCluster::shared().create_database();
    migrate({.url = url}, log);
    query(url, R"(
        INSERT INTO sundial.events
            (shard, id, status, priority, claimable_at, version, attempt, retry_count, due,
             idempotency_key, event_type, endpoint_id, zone, gap, overlap, tz_release, payload, created_at,
             updated_at)
        SELECT get_byte(uuid_send(id), 15) % 16, id, CASE WHEN i % 1000 = 0 THEN 'PROCESSING' ELSE 'PENDING' END,
               2, at, 1, 0, 0, at, 'k' || i, 'T', '01990000-0000-7000-8000-0000000000e1', 'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now()
          FROM (SELECT i, now() - (50000 - i) * interval '1 s' AS at, )" +
                   id_of("now()") + R"( AS id FROM generate_series(1, 100000) AS i) AS live)");
    query(url, R"(
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, reason, version, attempt, retry_count, due,
             idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at,
             updated_at)
        SELECT get_byte(uuid_send(id), 15) % 16, id,
               CASE i % 1000 WHEN 0 THEN 'FAILED' WHEN 1 THEN 'CANCELLED' ELSE 'COMPLETED' END, 2, at,
               CASE WHEN i % 1000 < 2 THEN 'HTTP_STATUS 400' END, 2, 1, 0, at - interval '3 ms', 'h' || i, 'T',
               'UTC', 'compatible', 'compatible', '2025b', '{}', at - interval '1 h', at
          FROM (SELECT i, at, )" +
                   id_of("(at - interval '1 h')") + " AS id FROM (SELECT i, now() - (" +
                   std::to_string(finished) +
                   " - i) * interval '10 ms' AS at FROM generate_series(1, " +
                   std::to_string(finished) + ") AS i) AS moments) AS done");
    query(url, "VACUUM (ANALYZE) sundial.events");
    query(url, "VACUUM (ANALYZE) sundial.event_history");
    return url;
}

class Growth : public testing::Test {
protected:
    static const std::string& young() {
        static const std::string url = database_with(few);
        return url;
    }
    static const std::string& grown() {
        static const std::string url = database_with(many());
        return url;
    }
    /// Allows for a B-tree that is a level or two deeper with a thousand times as many rows, and
    /// for a list's page that had only ten rows before and is full now.
    static void expect_as_few_pages(const std::string& among_few, const std::string& among_many,
                                    double times) {
        EXPECT_THAT(pages_touched(among_few), Gt(0)) << among_few;
        EXPECT_THAT(pages_touched(among_many), Le(pages_touched(among_few) * times + 60))
            << among_few << among_many;
    }
};

TEST_F(Growth, AClaimAndItsSettlementCostTheSame) {
    const auto claimed = [](const std::string& url) { return claim_a_batch(url, 100); };
    expect_as_few_pages(claimed(young()), claimed(grown()), 1.1);
    const auto plan = settle_the_batch(grown());
    EXPECT_THAT(plan, Not(HasSubstr("Seq Scan on events")));
    EXPECT_THAT(pages_touched(plan), Le(pages_touched(settle_the_batch(young())) * 1.3)) << plan;
}

TEST_F(Growth, AnEventIsFoundInTheSameFewPages) {
    const auto found = [](const std::string& url) {
        const auto row =
            query(url, "SELECT shard, id FROM sundial.event_history LIMIT 1 OFFSET 5000").front();
        return carried_out(url, sql::find_event, "smallint, uuid", row[0] + ", '" + row[1] + "'",
                           Setup::plain);
    };
    expect_as_few_pages(found(young()), found(grown()), 1.5);
}

/// A page of 50 from the middle of the list.
struct List {
    const char* name;
    const Statement* statement;
    const char* statuses;
    const char* value;
};
constexpr std::string_view filter_types =
    "text[], smallint[], text[], text[], uuid, uuid, uuid, timestamptz, timestamptz, timestamptz, "
    "timestamptz, boolean, boolean, text, text, text, text[], ";

/// The place from which a list continues if its previous page ended before it was full.
struct EndOfPassed {
    const char* types;
    const char* values;
};
constexpr EndOfPassed end_by_target{", uuid, timestamptz", ", NULL, NULL"};
constexpr EndOfPassed end_by_creation{", uuid", ", NULL"};

class GrowthOfLists : public Growth, public testing::WithParamInterface<List> {
protected:
    static std::string page(const std::string& url) {
        const List& list = GetParam();
        const std::string id =
            query(url, "SELECT id FROM sundial.events ORDER BY due LIMIT 1")[0][0];
        const bool by_creation = list.statement == &sql::events_by_creation ||
                                 list.statement == &sql::events_by_creation_down;
        const EndOfPassed end = by_creation ? end_by_creation : end_by_target;
        return carried_out(
            url, *list.statement,
            std::string{filter_types} + "uuid, timestamptz, bigint, integer, bigint" + end.types,
            std::string{list.statuses} +
                ", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
                "NULL, NULL, NULL, '" +
                id + "', " + list.value + ", 51, 16, 2097152" + end.values,
            Setup::plain);
    }
};

TEST_P(GrowthOfLists, APageCostsTheSame) { expect_as_few_pages(page(young()), page(grown()), 2.5); }

INSTANTIATE_TEST_SUITE_P(
    Orders, GrowthOfLists,
    testing::Values(List{"by_target", &sql::events_by_target, "NULL", "now() - interval '20 s'"},
                    List{"by_target_down", &sql::events_by_target_down, "NULL", "now()"},
                    List{"pending", &sql::events_by_target, "'{PENDING}'", "now()"},
                    List{"under_way", &sql::events_by_target_down, "'{PROCESSING}'", "now()"},
                    List{"completed", &sql::events_by_target_down, "'{COMPLETED}'", "now()"},
                    List{"failed", &sql::events_by_target_down, "'{FAILED}'", "now()"},
                    List{"cancelled", &sql::events_by_target_down, "'{CANCELLED}'", "now()"},
                    List{"by_creation", &sql::events_by_creation, "NULL", "NULL"},
                    List{"by_creation_down", &sql::events_by_creation_down, "NULL", "NULL"},
                    List{"completed_by_creation", &sql::events_by_creation_down, "'{COMPLETED}'",
                         "NULL"}),
    [](const auto& one) { return one.param.name; });

/// 100,000 events due at one instant, which ended within 10 s in no order, and 50,000 due
/// within 5.5 hours, which ended together in no order. Only an index by target finds their pages: a
/// search by ranges of the table reads all of them (ADR 0023).
TEST(ListsByTarget, ReadFewPagesWhenManyEventsShareAnInstantOrEndedLate) {
    RecordedLog log;
    const std::string url = PostgresCluster::shared().create_database();
    migrate({.url = url}, log);
    query(url, R"(
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, version, attempt, retry_count, due, idempotency_key,
             event_type, zone, gap, overlap, tz_release, payload, created_at, updated_at)
        SELECT get_byte(uuid_send(id), 15) % 16, id, 'COMPLETED', 2, at, 2, 1, 0, due, 'h' || i, 'T', 'UTC',
               'compatible', 'compatible', '2025b', '{}', due - interval '1 h', at
          FROM (SELECT i, due, CASE WHEN i <= 100000 THEN due ELSE now() END
                               + abs(hashtext(i::text)) % 10000 * interval '1 ms' AS at,
                       md5(i::text)::uuid AS id
                  FROM (SELECT i, now() - CASE WHEN i <= 100000 THEN interval '8 h'
                                               ELSE (i - 100000) * interval '400 ms' END AS due
                          FROM generate_series(1, 150000) AS i) AS moments) AS done
         ORDER BY at)");
    query(url, "VACUUM (ANALYZE) sundial.event_history");
    const std::string instant = query(url, "SELECT min(due) FROM sundial.event_history")[0][0];
    const std::string of_late =
        query(url, "SELECT timestamptz '" + instant + "' + interval '4 h'")[0][0];
    for (const auto& statement : {sql::events_by_target, sql::events_by_target_down}) {
        for (const auto& due : {instant, of_late}) {
            const auto rows = query(
                url, std::string{sql::walk_indexes.sql} + "; PREPARE it(" +
                         std::string{filter_types} +
                         "uuid, timestamptz, bigint, integer, bigint, uuid, timestamptz) AS " +
                         statement.sql +
                         "; EXPLAIN (ANALYZE, BUFFERS) EXECUTE it(NULL, NULL, NULL, NULL, NULL, "
                         "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
                         "'80000000-0000-7000-8000-000000000000', '" +
                         due + "', 51, 16, 2097152, NULL, NULL)");
            std::string plan;
            for (const auto& row : rows) plan += row[0] + '\n';
            EXPECT_THAT(pages_touched(plan), AllOf(Gt(50), Le(200))) << plan;
        }
    }
}

TEST_F(Growth, AStretchOfTheLatestExecutionsCostsTheSame) {
    const auto latest = [](const std::string& url) {
        const std::string from =
            query(url, "SELECT max(finished_at) - interval '1 s' FROM sundial.event_history")[0][0];
        return carried_out(
            url, sql::events_by_execution_down,
            std::string{filter_types} + "uuid, timestamptz, bigint, integer, bigint",
            "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '" + from +
                "', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 51, 16, 2097152",
            Setup::plain);
    };
    expect_as_few_pages(latest(young()), latest(grown()), 2.5);
}

}  // namespace
}  // namespace sundial::postgres
