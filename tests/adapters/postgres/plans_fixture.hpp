#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/postgres/event_batches_sql.hpp"
#include "adapters/postgres/queue_sql.hpp"
#include "adapters/postgres/statement.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "postgres_storage.hpp"
#include "support/postgres_cluster.hpp"

namespace sundial::postgres {

/// 20,000 rows in a table that was analysed while empty, or never. Both have led to bad plans.
class PlansFixture : public testing::Test {
protected:
    PlansFixture() {
        query(storage_.url(), R"(
            INSERT INTO sundial.events
                (shard, id, status, priority, claimable_at, version, attempt, retry_count, due,
                 idempotency_key, event_type, endpoint_id, schedule_id, schedule_version, nominal,
                 zone, gap, overlap, tz_release, payload, created_at, updated_at)
            SELECT i % 16, md5(i::text)::uuid, 'PENDING', i % 4, now() - i * interval '1 s', 1, 0, 0, now(),
                   'k' || i, 'REMINDER',
                   CASE WHEN i % 32 < 16 THEN '01990000-0000-7000-8000-0000000000e1'::uuid END, '01990000-0000-7000-8000-000000000001', 1, '2027-01-05',
                   'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now()
              FROM generate_series(1, 20000) AS i)");
    }
    /// The plan of a queue statement with parameters of these types and values, as the queue runs
    /// it.
    std::string plan_of(const Statement& statement, const std::string& types,
                        const std::string& values) {
        return plan_after(
            std::string{"PREPARE configure(text, text, text, bigint, bigint, bigint) AS "} +
                sql::configure_queue.sql +
                "; EXECUTE configure('5000', '1000', '10000', 0, 0, 0); ",
            statement, types, values);
    }
    /// The same for a statement that changes found events of one shard.
    std::string plan_of_batch(const Statement& statement, const std::string& types,
                              const std::string& values) {
        return plan_after(std::string{sql::look_up_rows.sql} + "; ", statement, types, values);
    }
    std::string plan_after(const std::string& settings, const Statement& statement,
                           const std::string& types, const std::string& values) {
        const auto rows =
            query(storage_.url(), costs_ + settings +
                                      (statement.plan == Statement::Plan::fresh
                                           ? "SET LOCAL plan_cache_mode = force_custom_plan; "
                                           : "") +
                                      "PREPARE it(" + types + ") AS " + statement.sql +
                                      "; EXPLAIN EXECUTE it(" + values + ")");
        std::string plan;
        for (const auto& row : rows) plan += row[0] + '\n';
        return plan;
    }

    void let_look_ups_seem_dear() { costs_ = "SET LOCAL random_page_cost = 1000; "; }

    /// Looks each row up by its whole key. A scan of the index without a condition on the key would
    /// read all rows of the table.
    static auto by_key() {
        using testing::AllOf;
        using testing::HasSubstr;
        using testing::Not;
        return AllOf(HasSubstr("Index Scan using events_pkey on events event"),
                     testing::ContainsRegex(
                         "Index Cond: \\(\\(shard = ANY \\(ARRAY\\[[a-z]*\\.shard\\]\\)\\) AND "
                         "\\(id = [a-z]*\\.id\\)\\)"),
                     Not(HasSubstr("Index Cond: (shard = ")), Not(HasSubstr("Seq Scan on events")));
    }
    /// 20,000 events that ended in the last hours, never analysed.
    void given_finished_events() {
        query(url(), R"(
            INSERT INTO sundial.event_history
                (shard, id, status, priority, finished_at, reason, version, attempt, retry_count, due,
                 idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at,
                 updated_at, dismissed_at)
            SELECT i % 16, md5(i::text)::uuid, CASE WHEN i % 10 = 0 THEN 'FAILED' ELSE 'COMPLETED' END,
                   2, now() - i * interval '1 s', 'HTTP_STATUS 400', 2, 1, 0, now(), 'h' || i, 'T',
                   'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now(),
                   CASE WHEN i % 20 = 0 THEN now() END
              FROM generate_series(1, 20000) AS i)");
    }

    [[nodiscard]] const std::string& url() const { return storage_.url(); }

private:
    PostgresStorage storage_{16};
    std::string costs_;
};

}  // namespace sundial::postgres
