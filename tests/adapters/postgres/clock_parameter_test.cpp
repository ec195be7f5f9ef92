#include "adapters/postgres/clock_parameter.hpp"

#include <gmock/gmock.h>

#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/transaction_sql.hpp"

namespace sundial::postgres {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ClockParameter, TakesThePlaceOfTheFunctionInAReadOfEvents) {
    EXPECT_EQ(with_clock_parameter("SELECT sundial.clock() - due FROM sundial.events WHERE due <= "
                                   "sundial.clock() AND shard = $1",
                                   2),
              "SELECT $2 - due FROM sundial.events WHERE due <= $2 AND shard = $1");
    EXPECT_EQ(
        with_clock_parameter("SELECT 1 FROM sundial.v_events WHERE due < sundial.clock()", 10),
        "SELECT 1 FROM sundial.v_events WHERE due < $10");
    EXPECT_EQ(with_clock_parameter("SELECT 1 FROM sundial.events WHERE due < sundial.clock() FOR "
                                   "UPDATE",
                                   1),
              "SELECT 1 FROM sundial.events WHERE due < $1 FOR UPDATE");
}

/// The coordinator reads its own clock for them.
TEST(ClockParameter, LeavesChangesAndOtherTablesAlone) {
    for (const char* sql :
         {"SELECT due FROM sundial.events", "SELECT sundial.clock()",
          "SELECT token FROM sundial.locks WHERE expires_at > sundial.clock()",
          "UPDATE sundial.events SET updated_at = sundial.clock()",
          "DELETE FROM sundial.attempts WHERE recorded_at < sundial.clock()",
          "INSERT INTO sundial.event_keys SELECT key FROM sundial.events WHERE due < "
          "sundial.clock()"}) {
        EXPECT_EQ(with_clock_parameter(sql, 1), std::nullopt) << sql;
    }
}

TEST(ClockParameter, IsGivenToReadsOnly) {
    ClockParameter clock;
    const std::vector<Call> calls{Call{sql::savepoint}, Call{sql::depth},
                                  Call{sql::retire_instance, base::Uuid{}}};
    const Instant now{std::chrono::seconds{1'800'000'000}};
    EXPECT_TRUE(clock.is_needed(calls));
    EXPECT_FALSE(clock.is_needed({calls.data(), 1}));
    const auto given = clock.given(calls, now);
    ASSERT_EQ(given.size(), calls.size());
    EXPECT_EQ(given[0].statement, &sql::savepoint);
    EXPECT_EQ(given[2].statement, &sql::retire_instance);
    EXPECT_THAT(given[1].statement->sql, Not(HasSubstr("sundial.clock()")));
    EXPECT_THAT(given[1].statement->sql, HasSubstr("claimable_at <= $1"));
    EXPECT_STRNE(given[1].statement->name, sql::depth.name);
    ASSERT_EQ(given[1].parameters.slots().size(), 1U);
    EXPECT_EQ(given[1].parameters.slots()[0].type, Wire<Instant>::oid);
    EXPECT_EQ(Wire<Instant>::get({given[1].parameters.bytes(), 8}), now);
}

/// A connection prepares a statement once.
TEST(ClockParameter, HasOneStatementForEachRead) {
    ClockParameter clock;
    const std::vector<Call> calls{Call{sql::depth}};
    EXPECT_EQ(clock.given(calls, Instant{})[0].statement,
              clock.given(calls, Instant{})[0].statement);
}

TEST(ClockParameter, IsNotNeededByClaimsAndSettlements) {
    for (const Statement* statement :
         {&sql::claim_ready, &sql::claim_to_handle, &sql::claim_to_pull, &sql::claim_from_line,
          &sql::record_lost, &sql::take_over, &sql::extend}) {
        EXPECT_EQ(with_clock_parameter(statement->sql, 9), std::nullopt) << statement->name;
    }
}

}  // namespace
}  // namespace sundial::postgres
