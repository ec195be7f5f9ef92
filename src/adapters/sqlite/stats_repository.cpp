#include "application/ports/stats_repository.hpp"

#include <algorithm>
#include <memory>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"

/// SQL statements for counters.
namespace sundial::sqlite::sql {

inline constexpr Statement write_counter{R"sql(
    INSERT INTO counters (step, grouped_by, measure, slot, label, instance_id, count, durations)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT DO UPDATE SET count = ?7, durations = ?8)sql"};
/// ?1 step, ?2 grouping, ?3 measures (JSON array), ?4 and ?5 slot from and to, ?6 limit, ?7 labels
/// (JSON array; empty: all).
inline constexpr Statement counters{R"sql(
    SELECT measure, slot, label, instance_id, count, durations
      FROM counters
     WHERE step = ?1 AND grouped_by = ?2 AND measure IN (SELECT value FROM json_each(?3))
       AND slot >= ?4 AND slot < ?5
       AND (?7 = '[]' OR label IN (SELECT value FROM json_each(?7)))
     LIMIT ?6)sql"};
/// ?1 step, ?2 before this slot, ?3 limit.
inline constexpr Statement forget_counters{R"sql(
    DELETE FROM counters
     WHERE (step, grouped_by, measure, slot, label, instance_id) IN
           (SELECT step, grouped_by, measure, slot, label, instance_id FROM counters
             WHERE step = ?1 AND grouped_by IN ('ALL', 'TYPE', 'ENDPOINT', 'ZONE')
               AND measure IN ('STARTED', 'COMPLETED', 'FAILED', 'RETRIED', 'CLAIMED', 'DUE')
               AND slot < ?2 LIMIT ?3))sql"};

/// ?1 now, ?2 most rows of a priority.
inline constexpr Statement count_due{R"sql(
    SELECT coalesce(sum(rows), 0), min(first) FROM (
        SELECT (SELECT count(*) FROM (
                    SELECT 1 FROM events INDEXED BY events_to_claim
                     WHERE shard = 0 AND priority = one.value AND claimable_at <= ?1 AND NOT pull
                       AND obstacle IS NOT 'LIMIT' AND endpoint_id IS NOT NULL LIMIT ?2)) AS rows,
               (SELECT min(claimable_at) FROM events INDEXED BY events_to_claim
                 WHERE shard = 0 AND priority = one.value AND claimable_at <= ?1 AND NOT pull
                   AND obstacle IS NOT 'LIMIT' AND endpoint_id IS NOT NULL) AS first
          FROM json_each('[0,1,2,3]') AS one))sql"};
inline constexpr Statement count_dead_letters_to{R"sql(
    SELECT count(*) FROM (SELECT 1 FROM event_history INDEXED BY dead_letters
                           WHERE status = 'FAILED' AND dismissed_at IS NULL LIMIT ?1))sql"};
inline constexpr Statement open_circuits{
    "SELECT count(*) FROM endpoint_circuits WHERE state <> 'CLOSED'"};
inline constexpr Statement live_rows{R"sql(
    SELECT coalesce(sum(rows) FILTER (WHERE standing IN ('PENDING', 'PENDING_PARKED')), 0),
           coalesce(sum(rows) FILTER (WHERE standing IN ('CLAIMED', 'WAITING', 'WAITING_PARKED')), 0)
      FROM event_counts)sql"};

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

std::int64_t seconds_of(StatsStep step) { return length_of(step).count(); }

StatsMeasure read_measure(const std::string& text) {
    const auto measure = parse_stats_measure(text);
    if (!measure) throw Corrupt{"the database has the unknown counter '" + text + "'"};
    return *measure;
}

Histogram read_histogram(const std::string& text) {
    auto histogram = Histogram::read(text);
    if (!histogram) throw Corrupt{"the database has an unreadable histogram"};
    return *std::move(histogram);
}

BoundedCount bounded(std::uint64_t count, std::size_t most) {
    return {std::min<std::uint64_t>(count, most), count <= most};
}

class SqliteStatsRepository final : public StatsRepository {
public:
    explicit SqliteStatsRepository(Session& session) : session_{session} {}

    void write(std::span<const StatsRow> rows) override {
        for (const StatsRow& row : rows) {
            session_.connection.execute(sql::write_counter, seconds_of(row.key.step),
                                        to_string(row.key.by), to_string(row.key.measure),
                                        row.key.slot, row.key.label, row.key.instance, row.count,
                                        row.durations.text());
        }
    }

    std::vector<StatsRow> read(const StatsQuery& query) override {
        std::vector<std::string> measures;
        for (const StatsMeasure one : query.measures) measures.emplace_back(to_string(one));
        return all_of(session_.connection.query(sql::counters, seconds_of(query.step),
                                                to_string(query.by), array_of(measures), query.from,
                                                query.to, query.limit, array_of(query.labels)),
                      [&](Cursor& row) {
                          StatsRow found{.key = {.step = query.step, .by = query.by}};
                          found.key.measure = read_measure(row.take<std::string>());
                          found.key.slot = row.take<Instant>();
                          found.key.label = row.take<std::string>();
                          found.key.instance = row.take<InstanceId>();
                          found.count = row.take<std::uint64_t>();
                          found.durations = read_histogram(row.take<std::string>());
                          return found;
                      });
    }

    bool forget(StatsStep step, Instant before, std::size_t limit) override {
        const auto rows =
            session_.connection.execute(sql::forget_counters, seconds_of(step), before, limit);
        return std::cmp_equal(rows, limit);
    }

    LiveCounts live_counts(std::size_t most) override {
        Connection& connection = session_.connection;
        LiveCounts counts;
        auto live = connection.query(sql::live_rows);
        if (live.next()) {
            counts.pending = bounded(live.get<std::uint64_t>(0), most);
            counts.processing = bounded(live.get<std::uint64_t>(1), most);
        }
        auto due = connection.query(sql::count_due, session_.now, most + 1);
        if (due.next()) {
            counts.due = bounded(due.get<std::uint64_t>(0), most);
            if (const auto first = due.get<std::optional<Instant>>(1)) {
                counts.oldest_due_age = session_.now - *first;
            }
        }
        counts.dead_letters =
            bounded(count_in(connection.query(sql::count_dead_letters_to, most + 1)), most);
        counts.open_circuits = count_in(connection.query(sql::open_circuits));
        return counts;
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<StatsRepository> make_stats_repository(Session& session) {
    return std::make_unique<SqliteStatsRepository>(session);
}

}  // namespace sundial::sqlite
