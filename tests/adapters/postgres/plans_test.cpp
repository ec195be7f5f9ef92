#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/event_batches_sql.hpp"
#include "adapters/postgres/event_sql.hpp"
#include "adapters/postgres/idempotency_sql.hpp"
#include "adapters/postgres/queue_peeks.hpp"
#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/event_queue.hpp"
#include "patient.hpp"
#include "plans_fixture.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Statements of the queue, and those that change events of one owner or one shard.
class Plans : public PlansFixture {
protected:
    static auto claims_by(const std::string& index) {
        return AllOf(HasSubstr("Index Scan using " + index + " on events"), by_key(),
                     Not(HasSubstr("Seq Scan")), Not(HasSubstr("Sort")), Not(HasSubstr("Hash")));
    }
    void expect_good_claims() {
        EXPECT_THAT(
            plan_of(
                sql::claim_ready,
                "smallint, smallint[], integer[], uuid, interval, bigint, timestamptz[], uuid[], "
                "uuid[], timestamptz",
                "3, '{0,1,2,3}', '{25,25,25,25}', '01990000-0000-7000-8000-00000000000a', '30 s', "
                "1800000000000000, array_fill(now() - interval '1 h', ARRAY[4]), '{}', "
                "'{01990000-0000-7000-8000-0000000000de}', now()"),
            claims_by("events_to_claim"));
        EXPECT_THAT(
            plan_of(sql::claim_to_handle,
                    "smallint, smallint[], integer[], uuid, interval, bigint, timestamptz[], text, "
                    "uuid[], timestamptz",
                    "3, '{0,1,2,3}', '{25,25,25,25}', '01990000-0000-7000-8000-00000000000a', "
                    "'30 s', 1800000000000000, array_fill(now() - interval '1 h', ARRAY[4]), "
                    "'REMINDER', '{01990000-0000-7000-8000-0000000000de}', now()"),
            claims_by("events_to_handle"));
    }
    void expect_good_pulls() {
        EXPECT_THAT(
            plan_of(sql::claim_to_pull,
                    "smallint, smallint[], integer[], uuid, interval, uuid, text, bigint",
                    "3, '{0,1,2,3}', '{25,25,25,25}', '01990000-0000-7000-8000-00000000000a', "
                    "'30 s', '01990000-0000-7000-8000-0000000000e1', 'w-1', 0"),
            claims_by("events_to_pull"));
    }
    void expect_good_lines() {
        EXPECT_THAT(
            plan_of(sql::claim_from_line, "smallint, smallint[], integer[], uuid, interval, uuid",
                    "3, '{0,1,2,3}', '{5,5,5,5}', '01990000-0000-7000-8000-00000000000a', "
                    "'30 s', '01990000-0000-7000-8000-0000000000e1'"),
            claims_by("events_in_line"));
        EXPECT_THAT(plan_of(sql::peek_at_lines, "integer", "16"),
                    AllOf(HasSubstr("using events_in_line on events"), Not(HasSubstr("Seq Scan")),
                          Not(HasSubstr("Sort")), Not(HasSubstr("Index Scan using events_pkey"))));
        EXPECT_THAT(plan_of(sql::peek_at_lines_in_shard, "smallint", "3"),
                    AllOf(HasSubstr("using events_in_line on events"), Not(HasSubstr("Seq Scan")),
                          Not(HasSubstr("Index Scan using events_pkey"))));
    }
    /// As a distributed database gets them, one for each shard.
    void expect_good_peeks_in_a_shard() {
        const std::string times =
            "array_fill(now() - interval '1 h', ARRAY[4]), "
            "array_fill('infinity'::timestamptz, ARRAY[4]), ";
        const std::string dead = "'{01990000-0000-7000-8000-0000000000de}', now()";
        EXPECT_THAT(plan_of(sql::peek_in_shard,
                            "smallint, timestamptz[], timestamptz[], uuid[], timestamptz",
                            "3, " + times + dead),
                    AllOf(HasSubstr("using events_to_claim on events  ("),
                          HasSubstr("using events_to_claim on events events_1"),
                          Not(HasSubstr("events_pkey")), Not(HasSubstr("Seq Scan"))));
        EXPECT_THAT(plan_of(sql::peek_in_shard_to_handle,
                            "smallint, timestamptz[], timestamptz[], text, uuid[], timestamptz",
                            "3, " + times + "'REMINDER', " + dead),
                    AllOf(HasSubstr("using events_to_handle on events  ("),
                          HasSubstr("using events_to_handle on events events_1"),
                          Not(HasSubstr("events_pkey")), Not(HasSubstr("Seq Scan"))));
    }
    void expect_good_peeks() {
        EXPECT_THAT(
            plan_of(sql::peek,
                    "smallint[], timestamptz[], timestamptz[], uuid[], timestamptz, boolean",
                    "array_fill(3::smallint, ARRAY[64]), "
                    "array_fill(now() - interval '1 h', ARRAY[64]), "
                    "array_fill('infinity'::timestamptz, ARRAY[64]), "
                    "'{01990000-0000-7000-8000-0000000000de}', now(), true"),
            AllOf(HasSubstr("using events_to_claim on events  ("),
                  HasSubstr("using events_to_claim on events events_1"),
                  HasSubstr("claimable_at >= part.floor"), HasSubstr("claimable_at < part.ceiling"),
                  Not(HasSubstr("events_pkey")), Not(HasSubstr("Sort")),
                  Not(HasSubstr("Seq Scan"))));
    }
    void expect_good_peeks_for_handlers() {
        EXPECT_THAT(
            plan_of(
                sql::peek_to_handle,
                "smallint[], timestamptz[], timestamptz[], text[], uuid[], timestamptz, boolean",
                "array_fill(3::smallint, ARRAY[64]), "
                "array_fill(now() - interval '1 h', ARRAY[64]), "
                "array_fill('infinity'::timestamptz, ARRAY[64]), "
                "array_fill('REMINDER'::text, ARRAY[64]), "
                "'{01990000-0000-7000-8000-0000000000de}', now(), true"),
            AllOf(HasSubstr("using events_to_handle on events  ("),
                  HasSubstr("using events_to_handle on events events_1"),
                  HasSubstr("event_type = part.type"), HasSubstr("claimable_at >= part.floor"),
                  HasSubstr("claimable_at < part.ceiling"), Not(HasSubstr("events_pkey")),
                  Not(HasSubstr("Sort")), Not(HasSubstr("Seq Scan"))));
    }
    void expect_good_settlements() {
        const auto with_arrays = [](int arrays) {
            std::string values = "3";
            for (int i = 0; i < arrays; ++i) values += ", '{}'";
            return values;
        };
        for (const auto& statement : {sql::settle_accepted, sql::keep_accepted}) {
            EXPECT_THAT(plan_of(statement,
                                "smallint, uuid[], bigint[], timestamptz[], interval[], integer[]",
                                with_arrays(5)),
                        by_key());
        }
        for (const auto& statement : {sql::settle_failed, sql::keep_failed}) {
            EXPECT_THAT(plan_of(statement,
                                "smallint, uuid[], bigint[], timestamptz[], interval[], integer[], "
                                "uuid[], text[], text[], boolean[]",
                                with_arrays(9)),
                        by_key());
        }
        EXPECT_THAT(plan_of(sql::remove_settled, "smallint, uuid[], bigint[]", with_arrays(2)),
                    by_key());
        EXPECT_THAT(
            plan_of(sql::await_retry, "smallint, uuid[], bigint[], interval[], timestamptz[]",
                    with_arrays(4)),
            by_key());
        EXPECT_THAT(plan_of(sql::record_attempts,
                            "smallint, uuid[], bigint[], integer[], uuid[], text[], uuid[], "
                            "timestamptz[], interval[], integer[], text[], text[], bytea[], text[]",
                            with_arrays(13)),
                    by_key());
        EXPECT_THAT(plan_of(sql::record_released,
                            "smallint, uuid[], bigint[], integer[], uuid[], text[], text[]",
                            with_arrays(6)),
                    by_key());
        EXPECT_THAT(plan_of(sql::release_claims, "smallint, uuid[], bigint[], interval[], text[]",
                            with_arrays(4)),
                    by_key());
        EXPECT_THAT(
            plan_of(sql::extend, "smallint, uuid[], bigint[], interval", "3, '{}', '{}', '30 s'"),
            by_key());
        const std::string lost =
            "smallint, uuid[], bigint[], bigint, timestamptz, uuid[], timestamptz";
        const std::string none_lost = "3, '{}', '{}', 0, now(), '{}', now()";
        EXPECT_THAT(plan_of(sql::record_lost, lost, none_lost), by_key());
        EXPECT_THAT(plan_of(sql::take_over, lost + ", uuid, interval, text",
                            none_lost + ", '01990000-0000-7000-8000-00000000000a', '30 s', NULL"),
                    by_key());
    }

    void expect_good_releases() {
        const std::string endpoint = "'01990000-0000-7000-8000-0000000000e1'";
        EXPECT_THAT(plan_of(sql::find_parked, "uuid, bigint", endpoint + ", 100"),
                    HasSubstr("using events_of_endpoint on events"));
        EXPECT_THAT(plan_of(sql::find_waiting, "uuid, text, timestamptz, bigint",
                            endpoint + ", 'CIRCUIT', now(), 100"),
                    HasSubstr("using events_of_endpoint on events"));
        EXPECT_THAT(plan_of(sql::find_parked_of_none, "smallint, bigint", "3, 100"),
                    AllOf(HasSubstr("using events_to_handle on events"), Not(HasSubstr("Sort")),
                          Not(HasSubstr("Seq Scan")), Not(HasSubstr("events_pkey"))));
        EXPECT_THAT(plan_of_batch(sql::unpark_events, "smallint, uuid[], uuid, timestamptz",
                                  "3, '{}', " + endpoint + ", now()"),
                    by_key());
        EXPECT_THAT(plan_of_batch(sql::expedite_events, "smallint, uuid[], uuid, text, timestamptz",
                                  "3, '{}', " + endpoint + ", 'CIRCUIT', now()"),
                    by_key());
    }
    void expect_good_batches() {
        const std::string owner = "'01990000-0000-7000-8000-000000000001'";
        EXPECT_THAT(
            plan_of_batch(sql::lock_events_of_user, "smallint, uuid[], uuid", "3, '{}', " + owner),
            by_key());
        EXPECT_THAT(plan_of_batch(sql::lock_events_behind, "smallint, uuid[], uuid, bigint",
                                  "3, '{}', " + owner + ", 2"),
                    by_key());
        EXPECT_THAT(plan_of_batch(sql::lock_computed_with, "smallint, uuid[], text, text",
                                  "3, '{}', 'UTC', '2025b'"),
                    by_key());
        EXPECT_THAT(
            plan_of_batch(sql::erase_events_of_user, "smallint, uuid[], uuid", "3, '{}', " + owner),
            by_key());
        EXPECT_THAT(plan_of_batch(sql::forget_user_of_events, "smallint, uuid[], uuid",
                                  "3, '{}', " + owner),
                    by_key());
    }
};

TEST_F(Plans, AClaimWalksTheClaimIndexAndFindsItsRowsByTheirKey) { expect_good_claims(); }

TEST_F(Plans, AClaimFromALineReadsThatLineAlone) { expect_good_lines(); }

/// PostgreSQL's own count of HOT updates: no indexed column has changed (ADR 0027).
TEST_F(Plans, AClaimAndAnExtensionWriteNoEntryToAnyIndex) {
    const auto updated = [this](const Statement& statement, const std::string& types,
                                const std::string& values) {
        const auto row =
            query(url(), "PREPARE it(" + types + ") AS " + statement.sql + "; EXECUTE it(" +
                             values +
                             "); SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables "
                             "WHERE schemaname = 'sundial' AND relname = 'events'")
                .front();
        EXPECT_EQ(row[0], row[1]);
        return std::stoi(row[0]);
    };
    EXPECT_EQ(updated(sql::claim_ready,
                      "smallint, smallint[], integer[], uuid, interval, bigint, timestamptz[], "
                      "uuid[], uuid[], timestamptz",
                      "3, '{0,1,2,3}', '{25,25,25,25}', '01990000-0000-7000-8000-00000000000a', "
                      "'30 s', 0, array_fill(now() - interval '1 day', ARRAY[4]), '{}', '{}', "
                      "now()"),
              25);
    EXPECT_EQ(
        updated(sql::claim_to_handle,
                "smallint, smallint[], integer[], uuid, interval, bigint, timestamptz[], text, "
                "uuid[], timestamptz",
                "3, '{0,1,2,3}', '{25,25,25,25}', '01990000-0000-7000-8000-00000000000b', "
                "'30 s', 0, array_fill(now() - interval '1 day', ARRAY[4]), 'REMINDER', '{}', "
                "now()"),
        25);
    const std::string claimed = query(url(),
                                      "SELECT array_agg(id) FROM sundial.events WHERE endpoint_id "
                                      "IS NOT NULL AND claimed_by IS NOT NULL")[0][0];
    EXPECT_EQ(updated(sql::extend, "smallint, uuid[], bigint[], interval",
                      "3, '" + claimed + "', array_fill(2::bigint, ARRAY[25]), '30 s'"),
              25);
}

TEST_F(Plans, APeekReadsTheHeadOfEachPriority) {
    expect_good_peeks();
    expect_good_peeks_in_a_shard();
}

/// A claim that reports the next instant does not need the claimed entries before a due event. At a
/// peak the whole shard is due at one instant, and each such claim would read all of it.
TEST_F(Plans, ALookAfterAClaimEndsAtTheFirstEventThatIsDue) {
    query(url(), "UPDATE sundial.events SET claimable_at = now() - interval '1 h'");
    query(url(), "VACUUM sundial.events");  // the entries before the update
    RecordedLog log;
    Database database{patient(url()), 16, /*distributed=*/false, log};
    const auto pages_read = [&](const Call& call) {
        const auto ran = database.run("look", Database::Effect::none, {&call, 1});
        const auto totals = column_of<std::int64_t>(ran.answers.front(), 3);
        return *std::ranges::max_element(totals);
    };
    const QueuePeeks peeks{database, /*many=*/1'000'000};
    const ClaimRequest request{.by = InstanceId{base::Uuid{}}, .shard = 4, .with_next = true};
    EXPECT_LT(pages_read(peeks.next_reads({&request, 1}).calls.at(0)), 50);
    // Peeks read them, for the floors.
    const std::vector<std::int16_t> shards(4, 4);
    const std::vector<Instant> from(4, Instant{}), until(4, never);
    EXPECT_GT(pages_read(Call{sql::peek, shards, from, until, std::vector<InstanceId>{}, Instant{},
                              /*whole=*/true}),
              500);
}

TEST_F(Plans, AWorkersClaimWalksTheIndexOfItsEndpoint) {
    query(url(),
          "UPDATE sundial.events SET pull = true, endpoint_id = "
          "'01990000-0000-7000-8000-0000000000e1' WHERE abs(hashtext(id::text)) % 2 = 0");
    expect_good_pulls();
    EXPECT_THAT(plan_of(sql::peek_to_pull, "uuid[], integer",
                        "'{01990000-0000-7000-8000-0000000000e1}', 16"),
                AllOf(HasSubstr("using events_to_pull on events"), Not(HasSubstr("Seq Scan"))));
}

TEST_F(Plans, ASettlementFindsItsRowsByTheirKey) { expect_good_settlements(); }

TEST_F(Plans, ParkedAndWaitingEventsAreFoundByTheirKey) { expect_good_releases(); }

TEST_F(Plans, TheEventsOfAnOwnerAreLockedByTheirKey) { expect_good_batches(); }

/// A queue is often empty, and its statistics say so. Then all indexes cost the same to the
/// planner.
TEST_F(Plans, AreTheSameOnceTheTableIsFoundEmpty) {
    query(url(), "DELETE FROM sundial.events");
    query(url(), "VACUUM (ANALYZE, TRUNCATE false) sundial.events");
    const auto found = query(
        url(),
        "SELECT relpages > 0, reltuples FROM pg_class WHERE oid = 'sundial.events'::regclass");
    ASSERT_THAT(found, testing::ElementsAre(testing::ElementsAre("t", "0")));
    expect_good_claims();
    expect_good_pulls();
    expect_good_peeks();
    expect_good_peeks_for_handlers();
    expect_good_settlements();
    expect_good_releases();
    expect_good_batches();
}

/// Estimates can make look-ups seem as dear: those of a table that autovacuum has seen between two
/// steps of a test did.
TEST_F(Plans, AreTheSameWhereLookUpsSeemDear) {
    let_look_ups_seem_dear();
    expect_good_claims();
    expect_good_pulls();
    expect_good_settlements();
    expect_good_releases();
    expect_good_batches();
}

TEST_F(Plans, AnEditOfAScheduleReadsItsEventsInOrder) {
    EXPECT_THAT(plan_of(sql::find_events_behind, "uuid, bigint, uuid, bigint",
                        "'01990000-0000-7000-8000-000000000001', 2, NULL, 100"),
                AllOf(HasSubstr("Index Scan using events_of_schedule"), Not(HasSubstr("Sort"))));
}

TEST_F(Plans, ThePlannedEventsOfManySchedulesAreFoundByTheirIndex) {
    EXPECT_THAT(
        plan_of(sql::planned_by_rule, "uuid[]",
                "'{01990000-0000-7000-8000-000000000001,01990000-0000-7000-8000-000000000002}'"),
        AllOf(HasSubstr("events_of_schedule"), Not(HasSubstr("Seq Scan"))));
}

TEST_F(Plans, EventsAreFoundByTheTzDatabaseThatTheyWereComputedWith) {
    EXPECT_THAT(
        plan_of(sql::find_computed_with, "text, text, uuid, bigint", "'UTC', '2025b', NULL, 200"),
        AllOf(HasSubstr("Index Scan using events_computed_with"), Not(HasSubstr("Sort"))));
}

/// The plan then repeats the subquery for the oldest keys for each row of the table.
TEST_F(Plans, ASweepTakesNoMoreThanAskedThoughTheTableWasAnalysedWhenItHadOneRow) {
    const std::string add = R"(
        INSERT INTO sundial.idempotency_keys (tenant, principal, key, fingerprint, sealed, steps_done,
                                              progress, attempt, expires_at)
        SELECT '', 'p', 'k' || i, '', false, 0, '', 0, now() + (i - 6) * interval '1 h'
          FROM generate_series)";
    const auto left = query(url(), add + "(7, 7) AS i; ANALYZE sundial.idempotency_keys; " + add +
                                       "(1, 5) AS i; PREPARE sweep(bigint) AS " +
                                       sql::remove_expired_idempotency_records.sql +
                                       "; EXECUTE sweep(3);"
                                       " SELECT key FROM sundial.idempotency_keys ORDER BY key");
    EXPECT_EQ(left, (std::vector<std::vector<std::string>>{{"k4"}, {"k5"}, {"k7"}}));
}

/// Claims had the same defect: the plan ran the subquery that finds due events again for each row
/// of the table, and claimed as many events as the limit each time.
TEST_F(Plans, AClaimTakesNoMoreThanAskedThoughTheTableWasAnalysedWhenItHadOneRow) {
    const std::string add = R"(
        INSERT INTO sundial.events
            (shard, id, status, priority, claimable_at, version, attempt, retry_count, due,
             idempotency_key, event_type, endpoint_id, zone, gap, overlap, tz_release, payload,
             created_at, updated_at, pull, obstacle)
        SELECT 3, ('01990000-0000-7000-8000-00000000000' || i)::uuid, 'PENDING', 2,
               now() + (i - 9) * interval '1 s', 1, 0, 0, now(), 'k' || i, 'REMINDER',
               )";
    const std::string rest = " 'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now(), ";
    const std::string its = "'01990000-0000-7000-8000-0000000000e1'::uuid";
    const std::string by =
        "3, '{0,1,2,3}', '{2,2,2,2}', '01990000-0000-7000-8000-00000000000a', "
        "'30 s', ";
    const std::string since_ever = "0, array_fill('-infinity'::timestamptz, ARRAY[4]), ";
    const std::string types = "smallint, smallint[], integer[], uuid, interval, ";
    const auto claimed = [&](const Statement& statement, const std::string& endpoint,
                             const std::string& pull_and_obstacle, const std::string& more_types,
                             const std::string& more) {
        const std::string insert = add + endpoint + "," + rest + pull_and_obstacle;
        const std::string configure = sql::configure_queue.sql;
        query(url(), "TRUNCATE sundial.events");
        return query(url(), insert + " FROM generate_series(1, 1) AS i; ANALYZE sundial.events; " +
                                insert + " FROM generate_series(2, 8) AS i; " +
                                "PREPARE configure(text, text, text, bigint, bigint, bigint) AS " +
                                configure +
                                "; EXECUTE configure('5000', '1000', '10000', 0, 0, 0); " +
                                "PREPARE it(" + types + more_types + ") AS " + statement.sql +
                                "; EXECUTE it(" + by + more + ")")
            .size();
    };
    EXPECT_EQ(claimed(sql::claim_ready, its, "false, NULL",
                      "bigint, timestamptz[], uuid[], uuid[], timestamptz",
                      since_ever + "'{}', '{}', now()"),
              2U);
    EXPECT_EQ(claimed(sql::claim_to_handle, "NULL", "false, NULL",
                      "bigint, timestamptz[], text, uuid[], timestamptz",
                      since_ever + "'REMINDER', '{}', now()"),
              2U);
    EXPECT_EQ(claimed(sql::claim_from_line, its, "false, 'LIMIT'", "uuid", its), 2U);
    EXPECT_EQ(
        claimed(sql::claim_to_pull, its, "true, NULL", "uuid, text, bigint", its + ", 'w-1', 0"),
        2U);
}

}  // namespace
}  // namespace sundial::postgres
