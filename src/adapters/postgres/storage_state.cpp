#include "adapters/postgres/storage_state.hpp"

#include <map>

#include "adapters/postgres/plain_connection.hpp"

namespace sundial::postgres {
namespace {

/// The tables of events by name, then all others together. Rows are the planner's estimate.
constexpr const char* table_sizes = R"sql(
    WITH own AS (
        SELECT class.oid, class.relname::text AS name,
               class.relname IN ('events', 'event_keys', 'attempts', 'event_moves', 'event_history') AS of_events
          FROM pg_class AS class
         WHERE class.relnamespace = to_regnamespace('sundial') AND class.relkind IN ('r', 'p')
           AND NOT class.relispartition)
    SELECT CASE WHEN of_events THEN name ELSE 'all others' END,
           sum(leaf.reltuples) FILTER (WHERE leaf.reltuples >= 0)::bigint,
           sum(pg_total_relation_size(leaf.oid))::bigint
      FROM own CROSS JOIN LATERAL (
        SELECT class.oid, class.reltuples FROM pg_class AS class WHERE class.oid = own.oid AND class.relkind = 'r'
         UNION ALL
        SELECT class.oid, class.reltuples FROM pg_partition_tree(own.oid) AS part JOIN pg_class AS class ON class.oid = part.relid
         WHERE part.isleaf AND class.oid <> own.oid) AS leaf
     GROUP BY 1 ORDER BY bool_or(of_events) DESC, 3 DESC)sql";

/// Which shards of Sundial are in which part of `events`, and where the part is.
constexpr const char* placements_of_events = R"sql(
    SELECT part.shardid, placement.nodename || ':' || placement.nodeport,
           coalesce(string_agg(shard.number::text, ' ' ORDER BY shard.number), '')
      FROM pg_dist_shard AS part
      JOIN pg_dist_shard_placement AS placement ON placement.shardid = part.shardid
      LEFT JOIN generate_series(0, (SELECT value::integer - 1 FROM sundial.settings WHERE name = 'shards')) AS shard(number)
             ON get_shard_id_for_distribution_column('sundial.events', shard.number::smallint) = part.shardid
     WHERE part.logicalrelid = 'sundial.events'::regclass
     GROUP BY 1, 2 ORDER BY 1, 2)sql";

/// Bytes of a part of `events` together with the same parts of the other tables. Citus asks the
/// nodes; it leaves out those that do not answer.
constexpr const char* placement_sizes = R"sql(
    SELECT part.shardid, size.nodename || ':' || size.nodeport, sum(size.shard_size)::bigint
      FROM citus_shards AS size
      JOIN pg_dist_shard AS sized ON sized.shardid = size.shardid
      JOIN pg_dist_shard AS part ON part.logicalrelid = 'sundial.events'::regclass
                                AND part.shardminvalue = sized.shardminvalue
     WHERE size.colocation_id = (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'sundial.events'::regclass)
     GROUP BY 1, 2)sql";

constexpr const char* cluster_nodes = R"sql(
    SELECT nodename || ':' || nodeport, groupid = 0, isactive FROM pg_dist_node
     WHERE noderole = 'primary' ORDER BY groupid, 1)sql";

std::vector<std::int64_t> numbers_in(const std::string& text) {
    std::vector<std::int64_t> numbers;
    for (const char* at = text.c_str(); *at != '\0';) {
        char* end = nullptr;
        numbers.push_back(std::strtoll(at, &end, 10));
        at = *end == ' ' ? end + 1 : end;
    }
    return numbers;
}

void read_placements(PlainConnection& connection, StorageState& state) {
    std::map<std::pair<std::string, std::string>, std::int64_t> bytes;
    const PlainAnswer sizes = connection.run(placement_sizes);
    for (int row = 0; row < sizes.rows(); ++row) {
        if (!sizes.is_null(row, 2)) {
            bytes[{sizes.text(row, 0), sizes.text(row, 1)}] = sizes.number(row, 2);
        }
    }
    const PlainAnswer parts = connection.run(placements_of_events);
    for (int row = 0; row < parts.rows(); ++row) {
        StorageState::Placement part{
            parts.number(row, 0), parts.text(row, 1), numbers_in(parts.text(row, 2)), {}};
        const auto found = bytes.find({parts.text(row, 0), parts.text(row, 1)});
        if (found != bytes.end()) part.bytes = found->second;
        state.placements.push_back(std::move(part));
    }
}

void read_nodes(PlainConnection& connection, StorageState& state) {
    const PlainAnswer rows = connection.run(cluster_nodes);
    for (int row = 0; row < rows.rows(); ++row) {
        StorageState::Node node{.address = rows.text(row, 0),
                                .coordinator = rows.text(row, 1) == "t",
                                .active = rows.text(row, 2) == "t"};
        bool unknown = false;
        std::int64_t bytes = 0;
        for (const StorageState::Placement& part : state.placements) {
            if (part.node != node.address) continue;
            ++node.placements;
            node.shards += static_cast<std::int64_t>(part.shards.size());
            bytes += part.bytes.value_or(0);
            unknown = unknown || !part.bytes;
        }
        if (!unknown) node.bytes = bytes;
        state.nodes.push_back(std::move(node));
    }
}

void read_tables(PlainConnection& connection, StorageState& state) {
    const PlainAnswer rows = connection.run(table_sizes);
    for (int row = 0; row < rows.rows(); ++row) {
        StorageState::Table table{rows.text(row, 0), {}, rows.number(row, 2)};
        if (!rows.is_null(row, 1)) table.rows = rows.number(row, 1);
        state.tables.push_back(std::move(table));
    }
}

/// The coordinator's own files say nothing about a distributed table.
void take_distributed_sizes(PlainConnection& connection, StorageState& state) {
    const PlainAnswer rows = connection.run(R"sql(
        SELECT name, sum(citus_total_relation_size(leaf.relid))::bigint
          FROM unnest(ARRAY['events', 'event_keys', 'attempts', 'event_moves', 'event_history']) AS name
         CROSS JOIN LATERAL (
            SELECT to_regclass('sundial.' || name) AS relid
             UNION SELECT relid FROM pg_partition_tree(to_regclass('sundial.' || name))) AS leaf
         WHERE EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = leaf.relid)
         GROUP BY 1)sql");
    for (int row = 0; row < rows.rows(); ++row) {
        for (StorageState::Table& table : state.tables) {
            if (table.name != rows.text(row, 0)) continue;
            table.rows.reset();
            table.bytes = rows.number(row, 1);
        }
    }
}

}  // namespace

StorageState storage_state(const std::string& url) {
    PlainConnection connection{url, false};
    StorageState state;
    const PlainAnswer facts = connection.run(R"sql(
        SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1),
               current_database() || ' at ' || coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a local socket'),
               pg_database_size(current_database()),
               coalesce((SELECT extversion FROM pg_extension WHERE extname = 'citus'), ''))sql");
    state.software = facts.text(0, 0);
    state.place = facts.text(0, 1);
    state.bytes = facts.number(0, 2);
    state.citus = facts.text(0, 3);
    if (!is_a_database_of_ours(connection)) return state;
    state.shards =
        connection.run("SELECT value::bigint FROM sundial.settings WHERE name = 'shards'")
            .number(0, 0);
    read_tables(connection, state);
    if (state.citus.empty()) return state;
    state.distributed = connection
                            .run(
                                "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid "
                                "= 'sundial.events'::regclass)")
                            .text(0, 0) == "t";
    if (state.distributed) {
        read_placements(connection, state);
        take_distributed_sizes(connection, state);
    }
    read_nodes(connection, state);
    return state;
}

}  // namespace sundial::postgres
