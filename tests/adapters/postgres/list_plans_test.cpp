#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/postgres/event_list_sql.hpp"
#include "adapters/postgres/stream_sql.hpp"
#include "plans_fixture.hpp"

namespace sundial::postgres {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// A page ordered by target, filtered by statuses, as lists run it.
class PlansOfLists : public PlansFixture {
protected:
    std::string page_of(const std::string& statuses) {
        const auto rows = query(
            url(),
            std::string{sql::walk_indexes.sql} +
                "; PREPARE it(text[], smallint[], text[], text[], uuid, uuid, uuid, timestamptz, "
                "timestamptz, timestamptz, timestamptz, boolean, boolean, text, text, text, "
                "text[], uuid, timestamptz, bigint, integer, bigint, uuid, timestamptz) AS " +
                sql::events_by_target_down.sql + "; EXPLAIN EXECUTE it('" + statuses +
                "', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
                "NULL, NULL, NULL, NULL, NULL, 51, 16, 2097152, NULL, NULL)");
        std::string plan;
        for (const auto& row : rows) plan += row[0] + '\n';
        return plan;
    }
};

TEST_F(PlansOfLists, APageByTargetWalksItsIndexThoughTheTableWasAnalysedWhenItWasEmpty) {
    EXPECT_THAT(page_of("{PENDING}"),
                AllOf(HasSubstr("Index Scan Backward using events_untried_by_due on events"),
                      Not(HasSubstr("Seq Scan"))));
}

TEST_F(PlansOfLists, APageOfPendingEventsSkipsEventsThatWaitForARetry) {
    EXPECT_THAT(page_of("{PENDING}"), Not(HasSubstr("events_retried_by_due")));
}

TEST_F(PlansOfLists, APageOfEventsUnderWaySkipsFutureEvents) {
    EXPECT_THAT(page_of("{PROCESSING}"), AllOf(HasSubstr("events_retried_by_due"),
                                               HasSubstr("Index Cond: (due <= clock())")));
}

TEST_F(PlansOfLists, ACountOfPlannedEventsWalksTheIndexByTarget) {
    const std::string walk = std::string{sql::walk_indexes.sql} + "; ";
    const auto by_target =
        AllOf(HasSubstr("Index Scan using events_untried_by_due on events"),
              ContainsRegex("Index Cond: \\(\\(due >= .*\\) AND \\(due < .*\\)\\)"),
              Not(HasSubstr("Seq Scan")), Not(HasSubstr("event_history")));
    EXPECT_THAT(
        plan_after(walk, sql::planned,
                   "timestamptz, timestamptz, bigint, timestamptz, interval, boolean, boolean",
                   "now(), now() + interval '2 days', 5000, now(), '1 h', true, false"),
        by_target);
    EXPECT_THAT(plan_after(walk, sql::more_planned, "timestamptz, timestamptz, bigint",
                           "now(), now() + interval '2 days', 5000"),
                by_target);
}

/// Reads the ended events of a time, as lists by execution do. A scan of the whole table would be
/// chosen otherwise, because the table was never analysed.
class PlansByEnd : public PlansFixture {
protected:
    PlansByEnd() { given_finished_events(); }

    std::string plan_by_end(const Statement& statement, const std::string& types,
                            const std::string& values) {
        return plan_after(std::string{sql::find_by_end.sql} + "; ", statement, types, values);
    }
    static auto by_end() {
        return AllOf(ContainsRegex("on event_history_done_[a-z0-9_]*_finished_at_idx"),
                     HasSubstr("Index Cond: ((finished_at >= "), Not(HasSubstr("Seq Scan")));
    }
    static auto of_failed_too() {
        return AllOf(by_end(), ContainsRegex("on event_history_failed_[a-z0-9_]*_finished_at_idx"));
    }
};

TEST_F(PlansByEnd, CountTheEventsOfATime) {
    const std::string types = "timestamptz, timestamptz, bigint";
    for (const char* until : {"NULL", "now() - interval '50 min'"}) {
        const std::string values = std::string{"now() - interval '1 h', "} + until + ", 10001";
        for (const auto& statement : {sql::count_ended, sql::count_executed}) {
            EXPECT_THAT(plan_by_end(statement, types, values), of_failed_too());
            EXPECT_THAT(plan_after("", statement, types, values), HasSubstr("Seq Scan"))
                << "the settings are needed";
        }
    }
}

TEST_F(PlansByEnd, ListTheEventsOfATimeInAnyOrder) {
    const std::string types =
        "text[], smallint[], text[], text[], uuid, uuid, uuid, timestamptz, timestamptz, "
        "timestamptz, timestamptz, boolean, boolean, text, text, text, text[], uuid, ";
    const std::string values =
        "NULL, NULL, '{RARE}', NULL, NULL, NULL, NULL, NULL, NULL, now() - interval '1 h', now(), "
        "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 51, 16, 2097152, NULL, NULL";
    const std::string rest = ", bigint, integer, bigint, uuid, timestamptz";
    for (const auto& statement :
         {sql::events_by_execution, sql::events_by_execution_down, sql::events_by_target,
          sql::events_by_target_down, sql::events_by_creation_of_user,
          sql::events_by_creation_of_user_down}) {
        EXPECT_THAT(plan_by_end(statement, types + "timestamptz" + rest, values),
                    AllOf(of_failed_too(), Not(HasSubstr("on events"))));
    }
    for (const auto& statement : {sql::events_by_lateness, sql::events_by_lateness_down}) {
        EXPECT_THAT(plan_by_end(statement, types + "interval" + rest, values),
                    AllOf(of_failed_too(), Not(HasSubstr("on events"))));
    }
}

TEST_F(PlansByEnd, ListTheAttemptsOfATime) {
    EXPECT_THAT(plan_by_end(sql::latest_attempts,
                            "timestamptz, timestamptz, bigint, bigint, text[], integer[], uuid, "
                            "timestamptz, uuid",
                            "now() - interval '1 h', now(), 4001, 51, NULL, NULL, NULL, NULL, "
                            "NULL"),
                AllOf(by_end(), HasSubstr("attempts_recorded")));
}

using PlansOfWalks = PlansFixture;

TEST_F(PlansOfWalks, AWalkThroughDeadLettersGoesByTheirIndexFromWhereItWas) {
    given_finished_events();
    const std::string filters =
        "'{FAILED}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
        "NULL, NULL, false, NULL, NULL, NULL, NULL, now()";
    const std::string types =
        "text[], smallint[], text[], text[], uuid, uuid, uuid, timestamptz, timestamptz, "
        "timestamptz, timestamptz, boolean, boolean, text, text, text, text[], timestamptz";
    EXPECT_THAT(plan_of(sql::walk_dead_letters, types + ", uuid, bigint, timestamptz",
                        filters + ", '01990000-0000-7000-8000-000000000001', 100, "
                                  "now() - interval '1 h'"),
                AllOf(HasSubstr("finished_at_idx"), HasSubstr("finished_at >="),
                      Not(HasSubstr("event_history_done")), Not(HasSubstr("on events"))));
}

TEST_F(PlansOfWalks, StreamsAreReadByTheirKeyFromWhereAPageEnded) {
    query(url(), R"(
        INSERT INTO sundial.streams (aggregate_type, aggregate_id, version)
        SELECT 'Order', 'o-' || i, 1 FROM generate_series(1, 20000) AS i)");
    const std::string walk = std::string{sql::walk_indexes.sql} + "; ";
    const auto by_key =
        AllOf(HasSubstr("using streams_pkey on streams"),
              HasSubstr("(ROW(aggregate_type, aggregate_id) > ROW('Order'::text, 'o-5'::text))"),
              Not(HasSubstr("Seq Scan")), Not(HasSubstr("Sort")));
    for (const char* type : {"NULL", "'Order'"}) {
        EXPECT_THAT(plan_after(walk, sql::passed_stream, "text, text, text, bigint",
                               std::string{type} + ", 'Order', 'o-5', 9999"),
                    AllOf(HasSubstr("Index Only Scan"), by_key));
    }
    const std::string types = "text, text, text, text, bigint, text, text";
    EXPECT_THAT(
        plan_after(walk, sql::list_streams, types, "NULL, '7', 'Order', 'o-5', 51, 'Order', 'o-6'"),
        AllOf(by_key, HasSubstr("(ROW(aggregate_type, aggregate_id) <= "
                                "ROW('Order'::text, 'o-6'::text))")));
    EXPECT_THAT(
        plan_after("", sql::list_streams, types, "NULL, NULL, 'Order', 'o-5', 51, NULL, NULL"),
        by_key);
}

TEST_F(PlansOfWalks, AWalkThroughLiveEventsGoesByTheirKeyFromWhereItWas) {
    EXPECT_THAT(
        plan_of(
            sql::walk_live,
            "text[], smallint[], text[], text[], uuid, uuid, uuid, timestamptz, timestamptz, "
            "timestamptz, timestamptz, boolean, boolean, text, text, text, text[], timestamptz, "
            "uuid, "
            "bigint, smallint",
            "'{PENDING}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
            "NULL, NULL, NULL, NULL, NULL, now(), '01990000-0000-7000-8000-000000000001', 100, 3"),
        AllOf(HasSubstr("Index Scan using events_pkey"), HasSubstr("Index Cond: (ROW(shard, id)"),
              Not(HasSubstr("event_history"))));
}

}  // namespace
}  // namespace sundial::postgres
