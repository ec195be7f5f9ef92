#include "application/ports/stats_repository.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"

/// SQL statements for counters.
namespace sundial::postgres::sql {

/// $1 to $8: the columns of all rows.
inline constexpr Statement write_counters{"write_counters", R"sql(
    INSERT INTO sundial.counters
        (step, grouped_by, measure, slot, label, instance_id, count, durations)
    SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::timestamptz[], $5::text[],
                         $6::uuid[], $7::bigint[], $8::text[])
    ON CONFLICT (step, grouped_by, measure, slot, label, instance_id)
    DO UPDATE SET count = excluded.count, durations = excluded.durations)sql"};
/// $1 step, $2 grouping, $3 measures, $4 and $5 slot from and to, $6 limit, $7 labels (none: all).
inline constexpr Statement read_counters{"read_counters", R"sql(
    SELECT measure, slot, label, instance_id, count, durations
      FROM sundial.counters
     WHERE step = $1 AND grouped_by = $2 AND measure = ANY ($3) AND slot >= $4 AND slot < $5
       AND (cardinality($7::text[]) = 0 OR label = ANY ($7))
     ORDER BY measure, slot LIMIT $6)sql",
                                         Statement::Plan::fresh};
/// $1 step, $2 before this slot, $3 limit. Names every group and measure, so that the index finds
/// the old rows of each.
inline constexpr Statement forget_counters{"forget_counters", R"sql(
    DELETE FROM sundial.counters
     WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM sundial.counters
         WHERE step = $1 AND grouped_by = ANY ('{ALL,TYPE,ENDPOINT,ZONE}')
           AND measure = ANY ('{STARTED,COMPLETED,FAILED,RETRIED,CLAIMED,DUE}') AND slot < $2
         LIMIT $3)))sql",
                                           Statement::Plan::fresh};

// Counts live events: all, or those of one shard. `parts` are the shards, and `in_part` is one.
#define SUNDIAL_COUNT_LIVE(in_shard, parts, in_part, of_part)                               \
    "WITH untried AS MATERIALIZED ("                                                        \
    " SELECT status FROM sundial.events WHERE " in_shard                                    \
    "retry_count = 0 AND due <= sundial.clock()"                                            \
    "  ORDER BY due LIMIT $1),"                                                             \
    " retried AS ("                                                                         \
    "  SELECT count(*) AS rows"                                                             \
    "    FROM (SELECT 1 FROM sundial.events WHERE " in_shard                                \
    "retry_count > 0 LIMIT $1) AS counted),"                                                \
    " pending AS ("                                                                         \
    "  SELECT count(*) AS rows"                                                             \
    "    FROM (SELECT 1 FROM sundial.events WHERE " in_shard                                \
    "retry_count = 0 AND status = 'PENDING'"                                                \
    "           LIMIT $1) AS counted),"                                                     \
    " due AS ("                                                                             \
    "  SELECT count(*) AS rows, min(claimable_at) AS first"                                 \
    "    FROM " parts                                                                       \
    "generate_series(0, 3) AS rank(number)"                                                 \
    "   CROSS JOIN LATERAL ("                                                               \
    "    SELECT claimable_at FROM sundial.events"                                           \
    "     WHERE " in_part                                                                   \
    " AND priority = rank.number::smallint"                                                 \
    "       AND NOT pull AND obstacle IS DISTINCT FROM 'LIMIT' AND endpoint_id IS NOT NULL" \
    "       AND claimable_at <= sundial.clock()"                                            \
    "       AND (claimed_by IS NULL OR lease_ends <= sundial.clock())"                      \
    "     ORDER BY claimable_at LIMIT " of_part                                             \
    ") AS event)"                                                                           \
    " SELECT pending.rows,"                                                                 \
    "  retried.rows + (SELECT count(*) FROM untried WHERE status = 'PROCESSING'),"          \
    "  (SELECT count(*) FROM untried) = $1, due.rows, due.first"                            \
    "  FROM pending, retried, due"

/// Counts live events, each kind up to about $1. Where many events wait, an index is read from its
/// start only so far, so nothing is read as a whole. $2 number of shards. The columns: pending;
/// under way; whether that count stopped early; due; their first claimable_at.
inline constexpr Statement count_live_to{
    "count_live_to",
    SUNDIAL_COUNT_LIVE("", "generate_series(0, $2::integer - 1) AS part(number) CROSS JOIN ",
                       "shard = part.number::smallint", "$1 / $2 + 1"),
    Statement::Plan::fresh};
/// The same for one shard $2, on a distributed database.
inline constexpr Statement count_live_in_shard_to{
    "count_live_in_shard_to", SUNDIAL_COUNT_LIVE("shard = $2 AND ", "", "shard = $2", "$1"),
    Statement::Plan::fresh};
#undef SUNDIAL_COUNT_LIVE
/// $1 most.
inline constexpr Statement count_dead_letters_to{"count_dead_letters_to", R"sql(
    SELECT count(*) FROM (
        SELECT 1 FROM sundial.event_history
         WHERE status = 'FAILED' AND dismissed_at IS NULL LIMIT $1) AS counted)sql"};
inline constexpr Statement open_circuits{
    "open_circuits", "SELECT count(*) FROM sundial.endpoint_circuits WHERE state <> 'CLOSED'"};

}  // namespace sundial::postgres::sql

namespace sundial::postgres {
namespace {

std::int32_t seconds_of(StatsStep step) {
    return static_cast<std::int32_t>(length_of(step).count());
}

Histogram histogram_of(const std::string& text) {
    auto histogram = Histogram::read(text);
    if (!histogram) throw Corrupt{"PostgreSQL holds an unreadable histogram"};
    return *std::move(histogram);
}

BoundedCount bounded(std::uint64_t count, std::uint64_t most) {
    return {std::min(count, most), count <= most};
}

class PostgresStatsRepository final : public StatsRepository {
public:
    explicit PostgresStatsRepository(Session& session) : session_{session} {}

    void write(std::span<const StatsRow> rows) override {
        std::vector<std::int32_t> steps;
        std::vector<std::string> groups, measures, labels, durations;
        std::vector<Instant> slots;
        std::vector<InstanceId> instances;
        std::vector<std::uint64_t> counts;
        for (const StatsRow& row : rows) {
            steps.push_back(seconds_of(row.key.step));
            groups.emplace_back(to_string(row.key.by));
            measures.emplace_back(to_string(row.key.measure));
            slots.push_back(row.key.slot);
            labels.push_back(row.key.label);
            instances.push_back(row.key.instance);
            counts.push_back(row.count);
            durations.push_back(row.durations.text());
        }
        session_.run(sql::write_counters, steps, groups, measures, slots, labels, instances, counts,
                     durations);
    }

    std::vector<StatsRow> read(const StatsQuery& query) override {
        std::vector<std::string> measures;
        for (const StatsMeasure one : query.measures) measures.emplace_back(to_string(one));
        const Answer rows = session_.run(sql::read_counters, seconds_of(query.step),
                                         to_string(query.by), measures, query.from, query.to,
                                         static_cast<std::int64_t>(query.limit), query.labels);
        return each_row(rows, [&](const Row& row) {
            return StatsRow{
                .key = {.step = query.step,
                        .by = query.by,
                        .measure = read_name(parse_stats_measure, row.get<std::string>("measure")),
                        .slot = row.get<Instant>("slot"),
                        .label = row.get<std::string>("label"),
                        .instance = row.get<InstanceId>("instance_id")},
                .count = row.get<std::uint64_t>("count"),
                .durations = histogram_of(row.get<std::string>("durations"))};
        });
    }

    bool forget(StatsStep step, Instant before, std::size_t limit) override {
        return session_
                   .run(sql::forget_counters, seconds_of(step), before,
                        static_cast<std::int64_t>(limit))
                   .changed() == limit;
    }

    LiveCounts live_counts(std::size_t most) override {
        const auto to = static_cast<std::int64_t>(most) + 1;
        std::uint64_t pending = 0;
        std::uint64_t processing = 0;
        std::uint64_t due = 0;
        bool complete = true;
        Instant first = never;
        for (const Answer& live : session_.run(counting_live(to))) {
            pending += live.get<std::uint64_t>(0, 0);
            processing += live.get<std::uint64_t>(0, 1);
            if (live.get<bool>(0, 2)) complete = false;
            due += live.get<std::uint64_t>(0, 3);
            first = std::min(first, live.get<std::optional<Instant>>(0, 4).value_or(never));
        }
        LiveCounts counts;
        counts.pending = bounded(pending, most);
        counts.processing = bounded(processing, most);
        if (!complete) counts.processing.complete = false;
        counts.due = bounded(due, most);
        if (due > 0) counts.oldest_due_age = session_.now() - first;
        counts.dead_letters =
            bounded(session_.run(sql::count_dead_letters_to, to).get<std::uint64_t>(0, 0), most);
        counts.open_circuits = session_.run(sql::open_circuits).get<std::uint64_t>(0, 0);
        return counts;
    }

private:
    [[nodiscard]] std::vector<Call> counting_live(std::int64_t to) const {
        std::vector<Call> calls;
        if (session_.distributed()) {
            for (std::uint32_t shard = 0; shard < session_.shards(); ++shard) {
                calls.emplace_back(sql::count_live_in_shard_to, to,
                                   static_cast<std::int16_t>(shard));
            }
        } else {
            calls.emplace_back(sql::count_live_to, to,
                               static_cast<std::int32_t>(session_.shards()));
        }
        return calls;
    }

    Session& session_;
};

}  // namespace

std::unique_ptr<StatsRepository> make_stats_repository(Session& session) {
    return std::make_unique<PostgresStatsRepository>(session);
}

}  // namespace sundial::postgres
