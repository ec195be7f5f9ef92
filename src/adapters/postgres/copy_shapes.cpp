#include "adapters/postgres/copy_shapes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

namespace sundial::postgres {
namespace {

using ShapeKind = CopyColumn::Kind;

/// Not carried: the shards and the clock belong to the database, and requests by SQL exist only in
/// PostgreSQL.
constexpr std::array<std::string_view, 2> tables_not_copied{"intake", "settings"};

/// Microseconds since 1970 as SQLite stores them. The days and the rest of the last one are numbers
/// that a double holds exactly, which the product of a bigint and an interval needs.
std::string instant_from(const std::string& micros, const char* type) {
    return "CASE WHEN " + micros + " = 9223372036854775807 THEN 'infinity'::" + type + " ELSE '" +
           "1970-01-01 00:00:00'::" + type + " + " + micros +
           " / 86400000000 * interval '1 day' + " + micros +
           " % 86400000000 * interval '1 microsecond' END";
}
std::string micros_of(const std::string& instant) {
    return "CASE WHEN isfinite(" + instant + ") THEN (extract(epoch FROM " + instant +
           ") * 1000000)::bigint WHEN " + instant + " IS NOT NULL THEN 9223372036854775807 END";
}
std::string uuid_from(const std::string& bytes) {
    return "encode(substr(" + bytes + ", 1, 16), 'hex')::uuid";
}
/// The elements of a JSON array, each by `element`, as an array.
std::string array_from(const std::string& json, const std::string& element) {
    return "ARRAY(SELECT " + element + " FROM json_array_elements(" + json +
           "::json) WITH ORDINALITY AS each(value, number) ORDER BY number)";
}
/// The arrays' elements of the same number as one JSON array.
std::string tuples_of(const std::string& arrays, const std::string& names,
                      const std::string& values) {
    return "(SELECT coalesce(json_agg(json_build_array(" + values +
           ") ORDER BY number), '[]')::text FROM unnest(" + arrays + ") WITH ORDINALITY AS each(" +
           names + ", number))";
}

/// The units of the integers that SQLite has where PostgreSQL has an interval.
struct IntervalUnit {
    std::string_view table, column;
    const char* unit;
    const char* per_second;
};
constexpr std::array<IntervalUnit, 12> interval_units{{
    {"attempts", "duration", "microsecond", "1000000"},
    {"endpoint_circuits", "open_for", "second", "1"},
    {"endpoints", "timeout", "second", "1"},
    {"event_history", "duration", "microsecond", "1000000"},
    {"event_history", "jitter", "microsecond", "1000000"},
    {"event_history", "nominal_time", "microsecond", "1000000"},
    {"events", "jitter", "microsecond", "1000000"},
    {"events", "nominal_time", "microsecond", "1000000"},
    {"schedules", "every", "second", "1"},
    {"schedules", "jitter", "second", "1"},
    {"schedules", "misfire_grace", "second", "1"},
    {"schedules", "misfire_window", "second", "1"},
}};

const IntervalUnit* unit_of(const std::string& table, const std::string& column) {
    const auto* const found = std::find_if(
        interval_units.begin(), interval_units.end(),
        [&](const auto& each) { return each.table == table && each.column == column; });
    return found == interval_units.end() ? nullptr : found;
}

/// A column of SQLite that PostgreSQL stores otherwise.
struct OwnShape {
    ShapeKind kind;
    std::string read;  // empty: SQLite has no such column
};
using OwnShapes = std::map<std::string, OwnShape>;
/// Columns of PostgreSQL that are not made from the column of the same name.
using OwnWrites = std::map<std::string, std::string>;

/// SQLite keeps an instance and the name of its pull worker in one value.
std::string claimant_of(const std::string& instance) {
    return "uuid_send(" + instance + ") || convert_to(coalesce(worker, ''), 'UTF8')";
}
std::string worker_from(const std::string& claimant) {
    return "nullif(convert_from(substr(" + claimant + ", 17), 'UTF8'), '')";
}

OwnShapes own_shapes(const std::string& table) {
    const OwnShape absent{ShapeKind::text, {}};
    if (table == "events") {
        return {
            {"shard", {ShapeKind::integer, "0"}},
            {"claimed_by", {ShapeKind::bytes, claimant_of("claimed_by")}},
            {"claimable_at",
             {ShapeKind::integer,
              micros_of("(CASE WHEN claimed_by IS NULL THEN claimable_at ELSE lease_ends END)")}},
            {"worker", absent},
            {"lease_ends", absent}};
    }
    if (table == "event_history") {
        return {{"shard", {ShapeKind::integer, "0"}},
                {"settled_by", {ShapeKind::bytes, claimant_of("settled_by")}},
                {"worker", absent}};
    }
    if (table == "attempts") {
        return {{"shard", {ShapeKind::integer, "0"}},
                {"instance_id", {ShapeKind::bytes, claimant_of("instance_id")}},
                {"worker", absent}};
    }
    if (table == "event_keys") return {{"shard", {ShapeKind::integer, "0"}}};
    if (table == "event_moves") return {{"shard", absent}};
    if (table == "endpoints") {
        return {{"headers",
                 {ShapeKind::json, tuples_of("header_names, sealed_headers, header_hints",
                                             "name, sealed, hint", "name, sealed, hint")}},
                {"signing_keys",
                 {ShapeKind::json,
                  tuples_of("signing_schemes, sealed_keys, keys_sign_until", "scheme, sealed, ends",
                            "scheme, sealed, (" + micros_of("ends") + ")::text")}},
                {"options",
                 {ShapeKind::json,
                  "(SELECT coalesce(json_object_agg(name, value), '{}')::text"
                  " FROM unnest(option_names, option_values) AS each(name, value))"}},
                {"header_names", absent},
                {"sealed_headers", absent},
                {"header_hints", absent},
                {"signing_schemes", absent},
                {"sealed_keys", absent},
                {"keys_sign_until", absent},
                {"option_names", absent},
                {"option_values", absent}};
    }
    if (table == "inbox_requests") {
        return {{"headers",
                 {ShapeKind::json,
                  tuples_of("header_names, header_values", "name, content", "name, content")}},
                {"header_names", absent},
                {"header_values", absent}};
    }
    return {};
}

OwnWrites own_writes(const std::string& table) {
    if (table == "events") {
        return {{"shard", "sundial.shard_of(" + uuid_from("id") + ")"},
                {"claimed_by", uuid_from("claimed_by")},
                {"worker", worker_from("claimed_by")},
                {"lease_ends", "CASE WHEN claimed_by IS NOT NULL THEN " +
                                   instant_from("claimable_at", "timestamptz") + " END"},
                // On PostgreSQL an instance's claim does not change it; SQLite stores the end of
                // the lease there.
                {"claimable_at",
                 instant_from("(CASE WHEN claimed_by IS NULL OR pull <> 0 THEN claimable_at"
                              " ELSE least(claimable_at, updated_at) END)",
                              "timestamptz")}};
    }
    if (table == "event_history") {
        return {{"shard", "sundial.shard_of(" + uuid_from("id") + ")"},
                {"settled_by", uuid_from("settled_by")},
                {"worker", worker_from("settled_by")}};
    }
    if (table == "attempts") {
        return {{"shard", "sundial.shard_of(" + uuid_from("event_id") + ")"},
                {"instance_id", uuid_from("instance_id")},
                {"worker", worker_from("instance_id")}};
    }
    if (table == "event_keys") return {{"shard", "sundial.shard_of_key(key, sundial.shards())"}};
    if (table == "event_moves") {
        return {{"shard", "sundial.shard_of(" + uuid_from("event_id") + ")"}};
    }
    if (table == "endpoints") {
        return {{"header_names", array_from("headers", "value ->> 0")},
                {"sealed_headers", array_from("headers", "value ->> 1")},
                {"header_hints", array_from("headers", "value ->> 2")},
                {"signing_schemes", array_from("signing_keys", "value ->> 0")},
                {"sealed_keys", array_from("signing_keys", "value ->> 1")},
                {"keys_sign_until",
                 array_from("signing_keys", instant_from("(value ->> 2)::bigint", "timestamptz"))},
                {"option_names",
                 "ARRAY(SELECT key FROM json_each_text(options::json) ORDER BY key COLLATE \"C\")"},
                {"option_values",
                 "ARRAY(SELECT value FROM json_each_text(options::json)"
                 " ORDER BY key COLLATE \"C\")"}};
    }
    if (table == "inbox_requests") {
        return {{"header_names", array_from("headers", "value ->> 0")},
                {"header_values", array_from("headers", "value ->> 1")}};
    }
    return {};
}

struct ConvertedColumn {
    ShapeKind kind;
    std::string read, write;
};

/// By the type of PostgreSQL. Empty: unknown.
std::optional<ConvertedColumn> converted(const std::string& table, const std::string& plain_name,
                                         const std::string& name, const std::string& type) {
    if (type == "uuid")
        return ConvertedColumn{ShapeKind::bytes, "uuid_send(" + name + ")", uuid_from(name)};
    if (type == "bytea") return ConvertedColumn{ShapeKind::bytes, name, name};
    if (type == "text") return ConvertedColumn{ShapeKind::text, name, name};
    if (type == "bigint" || type == "integer" || type == "smallint") {
        return ConvertedColumn{ShapeKind::integer, name, name + "::" + type};
    }
    if (type == "boolean") {
        return ConvertedColumn{ShapeKind::integer, name + "::integer", name + " <> 0"};
    }
    if (type == "timestamp with time zone") {
        return ConvertedColumn{ShapeKind::integer, micros_of(name),
                               instant_from(name, "timestamptz")};
    }
    if (type == "timestamp without time zone") {
        return ConvertedColumn{ShapeKind::integer, micros_of(name),
                               instant_from(name, "timestamp")};
    }
    if (type == "date") return ConvertedColumn{ShapeKind::text, name + "::text", name + "::date"};
    if (type == "time without time zone") {
        // Without seconds if they are zero.
        return ConvertedColumn{ShapeKind::text, "regexp_replace(" + name + "::text, ':00$', '')",
                               name + "::time"};
    }
    if (type == "interval") {
        const IntervalUnit* const unit = unit_of(table, plain_name);
        if (!unit) return std::nullopt;
        return ConvertedColumn{
            ShapeKind::integer,
            "(extract(epoch FROM " + name + ") * " + unit->per_second + ")::bigint",
            name + " * interval '1 " + unit->unit + "'"};
    }
    if (type == "jsonb") return ConvertedColumn{ShapeKind::json, name + "::text", name + "::jsonb"};
    if (type == "text[]") {
        return ConvertedColumn{ShapeKind::json, "array_to_json(" + name + ")::text",
                               array_from(name, "value #>> '{}'")};
    }
    if (type == "integer[]") {
        return ConvertedColumn{ShapeKind::json, "array_to_json(" + name + ")::text",
                               array_from(name, "(value #>> '{}')::integer")};
    }
    return std::nullopt;
}

CopyShape shape_of(PlainConnection& connection, const std::string& table) {
    CopyShape shape;
    shape.table.name = table;
    OwnShapes shapes = own_shapes(table);
    OwnWrites writes = own_writes(table);
    const std::string place = connection.literal("sundial." + connection.identifier(table));
    const PlainAnswer columns = connection.run(
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = " + place +
        "::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum");
    for (int row = 0; row < columns.rows(); ++row) {
        const std::string column = columns.text(row, 0), type = columns.text(row, 1);
        const std::string name = connection.identifier(column);
        const auto own = shapes.extract(column);
        const auto write = writes.extract(column);
        const auto usual = converted(table, column, name, type);
        if ((own.empty() || write.empty()) && !usual) {
            throw CannotStart{"this version cannot copy column " + column + " of table " + table +
                              " (" + type + "). Nothing has changed"};
        }
        shape.writes.push_back({column, write.empty() ? usual->write : write.mapped()});
        if (own.empty()) {
            shape.table.columns.push_back({column, usual->kind});
            shape.reads.push_back(usual->read);
        } else if (!own.mapped().read.empty()) {
            shape.table.columns.push_back({column, own.mapped().kind});
            shape.reads.push_back(own.mapped().read);
        }
    }
    // Columns that only SQLite has.
    for (const auto& [column, own] : shapes) {
        shape.table.columns.push_back({column, own.kind});
        shape.reads.push_back(own.read);
    }
    const PlainAnswer key = connection.run(
        "SELECT attname FROM pg_index, unnest(indkey) WITH ORDINALITY AS part(number, ordinal)"
        " JOIN pg_attribute ON attnum = number WHERE attrelid = indrelid AND indisprimary"
        " AND indrelid = " +
        place + "::regclass ORDER BY ordinal");
    for (int row = 0; row < key.rows(); ++row) shape.key.push_back(key.text(row, 0));
    if (shape.key.empty()) throw CannotStart{"table " + table + " has no primary key"};
    return shape;
}

}  // namespace

std::vector<CopyShape> copy_shapes(PlainConnection& connection) {
    std::vector<CopyShape> shapes;
    for (const SavedTable& table : tables_of(connection)) {
        if (std::find(tables_not_copied.begin(), tables_not_copied.end(), table.name) ==
            tables_not_copied.end()) {
            shapes.push_back(shape_of(connection, table.name));
        }
    }
    return shapes;
}

}  // namespace sundial::postgres
