#include "adapters/postgres/plain_connection.hpp"

namespace sundial::postgres {
namespace {

/// Every table but the migrations, which are compared, and the state of running instances.
constexpr const char* saved_tables = R"sql(
    SELECT class.relname, string_agg(attribute.attname, ',' ORDER BY attnum),
           greatest(0, CASE WHEN class.relkind = 'p'
               THEN (SELECT sum(greatest(leaf.reltuples, 0)) FROM pg_partition_tree(class.oid) AS part
                       JOIN pg_class AS leaf ON leaf.oid = part.relid WHERE part.isleaf)
               ELSE class.reltuples END)::bigint
      FROM pg_class AS class
      JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum > 0
           AND NOT attribute.attisdropped AND attribute.attgenerated = ''
     WHERE class.relnamespace = 'sundial'::regnamespace AND class.relkind IN ('r', 'p')
       AND NOT class.relispartition
       AND class.relname NOT IN ('schema_migrations', 'test_clock', 'instances', 'instance_reports')
     GROUP BY class.oid, class.relname, class.relkind, class.reltuples ORDER BY class.relname)sql";

}  // namespace

std::vector<SavedTable> tables_of(PlainConnection& connection) {
    const PlainAnswer rows = connection.run(saved_tables);
    std::vector<SavedTable> tables;
    for (int row = 0; row < rows.rows(); ++row) {
        SavedTable table{rows.text(row, 0), {}, rows.number(row, 2)};
        std::string columns = rows.text(row, 1);
        for (std::size_t at; (at = columns.find(',')) != std::string::npos;) {
            table.columns.push_back(columns.substr(0, at));
            columns.erase(0, at + 1);
        }
        table.columns.push_back(columns);
        tables.push_back(std::move(table));
    }
    return tables;
}

bool is_a_database_of_ours(PlainConnection& connection) {
    return connection.run("SELECT to_regclass('sundial.schema_migrations') IS NOT NULL")
               .text(0, 0) == "t";
}

void refuse_running_instances(PlainConnection& connection, const std::string& what_is_possible) {
    // Longer than any instance lives without renewing its row (ADR 0040). A process without the
    // role `worker` has no heartbeat, but reports what it does every five seconds.
    const PlainAnswer instances = connection.run(R"sql(
        SELECT count(*) FROM (
            SELECT id FROM sundial.instances
             WHERE renewed_at > clock_timestamp() - interval '10 seconds'
             UNION
            SELECT id FROM sundial.instance_reports
             WHERE reported_at > clock_timestamp() - interval '10 seconds') AS running)sql");
    if (instances.number(0, 0) > 0) {
        throw CannotStart{instances.text(0, 0) +
                          " instance(s) of sundial use the database. Stop them; ten seconds "
                          "later " +
                          what_is_possible};
    }
}

bool has_data(PlainConnection& connection) {
    return connection
               .run(R"sql(
        SELECT EXISTS (SELECT FROM sundial.events)
            OR EXISTS (SELECT FROM sundial.event_history)
            OR EXISTS (SELECT FROM sundial.users)
            OR EXISTS (SELECT FROM sundial.schedules  -- the first migration stores one
                        WHERE version > 1 OR external_id IS DISTINCT FROM 'birthday')
            OR EXISTS (SELECT FROM sundial.endpoints)
            OR EXISTS (SELECT FROM sundial.api_keys)
            OR EXISTS (SELECT FROM sundial.intake)
            OR EXISTS (SELECT FROM sundial.outboxes)
            OR EXISTS (SELECT FROM sundial.streams)
            OR EXISTS (SELECT FROM sundial.checkpoints)
            OR EXISTS (SELECT FROM sundial.outcome_followers)
            OR EXISTS (SELECT FROM sundial.recorded_events))sql")
               .text(0, 0) == "t";
}

RestoredWork work_left(PlainConnection& connection) {
    RestoredWork work;
    work.live = connection.run("SELECT count(*) FROM sundial.events").number(0, 0);
    const PlainAnswer due = connection.run(R"sql(
        SELECT coalesce(endpoint.external_id, endpoint.name, 'no endpoint'), count(*)
          FROM sundial.events AS event
          LEFT JOIN sundial.endpoints AS endpoint ON endpoint.id = event.endpoint_id
         WHERE event.claimable_at <= now() GROUP BY 1 ORDER BY 2 DESC, 1)sql");
    for (int row = 0; row < due.rows(); ++row) {
        work.due.push_back({due.text(row, 0), due.number(row, 1)});
    }
    const PlainAnswer oldest = connection.run(
        "SELECT to_char(min(due), 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM sundial.events"
        " WHERE claimable_at <= now() HAVING count(*) > 0");
    if (oldest.rows() > 0) work.oldest_due = oldest.text(0, 0);
    return work;
}

std::int64_t copy_out(PlainConnection& connection, const std::string& sql,
                      const std::function<void(std::string_view)>& sink) {
    (void)connection.run(sql);
    for (;;) {
        char* row = nullptr;
        const int size = PQgetCopyData(connection.raw(), &row, 0);
        const std::unique_ptr<char, decltype(&PQfreemem)> owned{row, &PQfreemem};
        if (size == -1) break;
        if (size < 0) connection.fail();
        sink({row, static_cast<std::size_t>(size)});
    }
    std::int64_t rows = 0;
    while (PGresult* result = PQgetResult(connection.raw())) {
        const PlainAnswer end{result};
        if (end.status() != PGRES_COMMAND_OK) connection.fail();
        rows = end.changed();
    }
    return rows;
}

std::int64_t end_copy_in(PlainConnection& connection) {
    if (PQputCopyEnd(connection.raw(), nullptr) != 1) connection.fail();
    std::int64_t rows = 0;
    while (PGresult* result = PQgetResult(connection.raw())) {
        const PlainAnswer end{result};
        if (end.status() != PGRES_COMMAND_OK) connection.fail();
        rows = end.changed();
    }
    return rows;
}

}  // namespace sundial::postgres
