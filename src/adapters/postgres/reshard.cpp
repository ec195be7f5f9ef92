#include "adapters/postgres/reshard.hpp"

#include <array>
#include <exception>

#include "adapters/postgres/plain_connection.hpp"
#include "application/ports/failures.hpp"
#include "base/crash_point.hpp"

namespace sundial::postgres {
namespace {

/// A table and the byte that its rows' shards are computed from.
struct ShardedTable {
    const char* name;
    const char* byte;
};
constexpr std::array<ShardedTable, 5> sharded_tables{{
    {"events", "get_byte(uuid_send(id), 15)"},
    {"event_history", "get_byte(uuid_send(id), 15)"},
    {"event_keys", "get_byte(sha256(convert_to(key, 'UTF8')), 31)"},
    {"attempts", "get_byte(uuid_send(event_id), 15)"},
    {"event_moves", "get_byte(uuid_send(event_id), 15)"},
}};

/// Its shard for `shards` shards.
std::string shard_in(const ShardedTable& table, std::int64_t shards) {
    return "(" + std::string{table.byte} + " % " + std::to_string(shards) + ")::smallint";
}

std::int64_t in_wrong_shard(PlainConnection& connection, const ShardedTable& table,
                            std::int64_t shards) {
    return connection
        .run("SELECT count(*) FROM sundial." + std::string{table.name} + " WHERE shard <> " +
             shard_in(table, shards))
        .number(0, 0);
}

/// A later migration may add a table that this list does not know.
void refuse_unknown_tables(PlainConnection& connection) {
    std::string known;
    for (const ShardedTable& each : sharded_tables) {
        known += (known.empty() ? "'" : ", '") + std::string{each.name} + "'";
    }
    const PlainAnswer others = connection.run(
        "SELECT class.relname FROM pg_class AS class JOIN pg_attribute ON attrelid = class.oid"
        " WHERE relnamespace = 'sundial'::regnamespace AND relkind IN ('r', 'p')"
        " AND NOT relispartition AND attname = 'shard' AND NOT attisdropped"
        " AND class.relname NOT IN (" +
        known + ")");
    if (others.rows() > 0) {
        throw CannotStart{"the table " + others.text(0, 0) +
                          " has a column shard that this program does not know"};
    }
}

void refuse_unfit(PlainConnection& connection) {
    refuse_running_instances(connection, "the number of its shards can be changed");
    refuse_unknown_tables(connection);
    // A bulk operation continues from the shard and the id of its last event.
    const std::int64_t operations =
        connection.run("SELECT count(*) FROM sundial.operations WHERE status = 'RUNNING'")
            .number(0, 0);
    if (operations > 0) {
        throw CannotStart{std::to_string(operations) +
                          " operation(s) are under way. Start a server until they are done, or "
                          "stop them with `sundial op stop`"};
    }
    if (connection.run("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL")
                .text(0, 0) == "t" &&
        connection
                .run("SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid ="
                     " 'sundial.events'::regclass)")
                .text(0, 0) == "t") {
        throw CannotStart{
            "the tables are distributed by their shard, and Citus does not change the shard of a "
            "row. Bring them back with undistribute_table first"};
    }
}

void move_rows(PlainConnection& connection, Resharded& result) {
    connection.run(shards_are_unchecked);
    for (const ShardedTable& table : sharded_tables) {
        const std::string shard = shard_in(table, result.after);
        const std::int64_t moved = connection
                                       .run("UPDATE sundial." + std::string{table.name} +
                                            " SET shard = " + shard + " WHERE shard <> " + shard)
                                       .changed();
        result.moved.emplace_back(table.name, moved);
        CRASH_POINT("reshard: after a table");
    }
    connection.run("UPDATE sundial.settings SET value = '" + std::to_string(result.after) +
                   "' WHERE name = 'shards'");
    declare_shards(connection);
    // An instance that was frozen meanwhile knows the old number. It must not store an event where
    // nothing finds it.
    connection.run(
        "ALTER TABLE sundial.events ADD CONSTRAINT events_are_in_their_shard CHECK (shard = " +
        shard_in(sharded_tables.front(), result.after) + ")");
    for (const ShardedTable& table : sharded_tables) {
        const std::int64_t wrong = in_wrong_shard(connection, table, result.after);
        if (wrong > 0) {
            throw Corrupt{"nothing has changed: " + std::to_string(wrong) + " rows of " +
                          table.name + " would be in a wrong shard"};
        }
    }
}

}  // namespace

void declare_shards(PlainConnection& connection) {
    const std::int64_t shards =
        connection.run("SELECT value::bigint FROM sundial.settings WHERE name = 'shards'")
            .number(0, 0);
    connection.run(
        "CREATE OR REPLACE FUNCTION sundial.shards() RETURNS integer LANGUAGE sql IMMUTABLE "
        "PARALLEL SAFE AS $f$ SELECT " +
        std::to_string(shards) + " $f$");
}

Resharded reshard(const std::string& url, std::int64_t shards, bool dry_run) {
    PlainConnection connection{url, true};
    connection.run("BEGIN");
    std::string all;
    for (const ShardedTable& each : sharded_tables)
        all += "sundial." + std::string{each.name} + ", ";
    connection.run("LOCK TABLE " + all +
                   "sundial.settings, sundial.operations, sundial.instances, "
                   "sundial.instance_reports IN " +
                   (dry_run ? "ACCESS SHARE" : "ACCESS EXCLUSIVE") + " MODE");
    refuse_unfit(connection);
    Resharded result{
        connection.run("SELECT value::bigint FROM sundial.settings WHERE name = 'shards'")
            .number(0, 0),
        shards};
    if (dry_run) {
        for (const ShardedTable& table : sharded_tables) {
            result.moved.emplace_back(table.name, in_wrong_shard(connection, table, shards));
        }
        return result;
    }
    if (result.before == shards) return result;
    move_rows(connection, result);
    CRASH_POINT("reshard: before commit");
    connection.run("COMMIT");
    for (const ShardedTable& table : sharded_tables) {
        try {
            // The old rows are as many as the new ones.
            connection.run("VACUUM (ANALYZE) sundial." + std::string{table.name});
        } catch (const std::exception&) {
            break;  // Autovacuum does it a little later.
        }
    }
    return result;
}

}  // namespace sundial::postgres
