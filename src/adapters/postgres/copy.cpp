#include "adapters/postgres/copy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "adapters/postgres/backup.hpp"
#include "adapters/postgres/copy_shapes.hpp"
#include "adapters/postgres/plain_connection.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"
#include "base/crash_point.hpp"

namespace sundial::postgres {
namespace {

/// Arbitrary, but fixed: held by a copy into this database.
constexpr const char* copy_lock = "5138008126424532";

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

/// A field of COPY's text format, without its escapes.
std::string unescaped(std::string_view field) {
    constexpr std::string_view names = "bfnrtv", meant = "\b\f\n\r\t\v";
    std::string text;
    text.reserve(field.size());
    for (std::size_t at = 0; at < field.size(); ++at) {
        if (field[at] != '\\' || at + 1 == field.size()) {
            text += field[at];
            continue;
        }
        const char c = field[++at];
        const auto name = names.find(c);
        text += name == std::string_view::npos ? c : meant[name];
    }
    return text;
}

/// The bytes of `\x6162…`.
std::string bytes_of_hex(std::string_view hex) {
    base::check(hex.starts_with("\\x") && hex.size() % 2 == 0);
    std::string bytes;
    bytes.reserve(hex.size() / 2);
    for (std::size_t at = 2; at < hex.size(); at += 2) {
        unsigned byte = 0;
        const char* const begin = hex.data() + at;
        base::check(std::from_chars(begin, begin + 2, byte, 16).ptr == begin + 2);
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

void append_field(std::string& line, const std::string& value, CopyColumn::Kind kind) {
    if (kind == CopyColumn::Kind::bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        line += "\\\\x";
        for (const char c : value) {
            line += digits[static_cast<unsigned char>(c) >> 4];
            line += digits[static_cast<unsigned char>(c) & 15];
        }
        return;
    }
    for (const char c : value) {
        switch (c) {
            case '\\':
                line += "\\\\";
                break;
            case '\n':
                line += "\\n";
                break;
            case '\r':
                line += "\\r";
                break;
            case '\t':
                line += "\\t";
                break;
            case '\0':
                throw CannotStart{"a text has a character U+0000, which PostgreSQL cannot store: " +
                                  value.substr(0, 80)};
            default:
                line += c;
        }
    }
}

/// Splits a line of COPY at its tabs. The last field is the place.
void take_line(std::string_view line, const CopyTable& table, const TakeCopyRow& take) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    CopyRow row;
    row.reserve(table.columns.size());
    for (const CopyColumn& column : table.columns) {
        const std::size_t end = line.find('\t');
        base::check(end != std::string_view::npos);
        const std::string_view field = line.substr(0, end);
        line.remove_prefix(end + 1);
        if (field == "\\N") {
            row.emplace_back();
        } else if (column.kind == CopyColumn::Kind::bytes) {
            row.emplace_back(bytes_of_hex(unescaped(field)));
        } else {
            row.emplace_back(unescaped(field));
        }
    }
    take(std::move(row), unescaped(line));
}

const CopyShape& shape_named(const std::vector<CopyShape>& shapes, const std::string& table) {
    const auto found = std::find_if(shapes.begin(), shapes.end(), [&](const CopyShape& each) {
        return each.table.name == table;
    });
    base::check(found != shapes.end());
    return *found;
}

bool is_copied(const std::vector<CopyShape>& shapes, const std::string& table) {
    return std::any_of(shapes.begin(), shapes.end(),
                       [&](const CopyShape& each) { return each.table.name == table; });
}

/// The sequences of identity columns, by table.
std::map<std::string, std::string> sequences_of(PlainConnection& connection) {
    const PlainAnswer rows = connection.run(
        "SELECT its.relname, sequence.relname FROM pg_class AS sequence"
        " JOIN pg_depend ON objid = sequence.oid AND deptype = 'i'"
        " AND classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass"
        " JOIN pg_class AS its ON its.oid = refobjid"
        " WHERE sequence.relkind = 'S' AND sequence.relnamespace = 'sundial'::regnamespace");
    std::map<std::string, std::string> sequences;
    for (int row = 0; row < rows.rows(); ++row) sequences[rows.text(row, 0)] = rows.text(row, 1);
    return sequences;
}

std::vector<CopyTable> tables_in(const std::vector<CopyShape>& shapes) {
    std::vector<CopyTable> tables;
    for (const CopyShape& shape : shapes) tables.push_back(shape.table);
    return tables;
}

/// Reads a table in its shape; in order, if the caller may continue from a place.
void read_shape(PlainConnection& connection, const CopyShape& shape, bool in_order,
                const std::string& after, const TakeCopyRow& take) {
    std::vector<std::string> key, places;
    for (const std::string& column : shape.key) {
        key.push_back("its." + connection.identifier(column));
        places.push_back("quote_literal(" + key.back() + "::text)");
    }
    std::string place;
    for (const std::string& part : places) place += (place.empty() ? "" : " || ',' || ") + part;
    std::string sql = "COPY (SELECT " + joined(shape.reads) + ", " + (in_order ? place : "''") +
                      " FROM sundial." + connection.identifier(shape.table.name) + " AS its";
    if (!after.empty()) sql += " WHERE (" + joined(key) + ") > (" + after + ")";
    if (in_order) sql += " ORDER BY " + joined(key);
    copy_out(connection, sql + ") TO STDOUT",
             [&](std::string_view line) { take_line(line, shape.table, take); });
}

void refuse_foreign(PlainConnection& connection) {
    if (!is_a_database_of_ours(connection)) {
        throw CannotStart{"the PostgreSQL database has no schema of sundial. Give another one"};
    }
    if (connection.run("SELECT EXISTS (SELECT FROM sundial.test_clock)").text(0, 0) == "t") {
        throw CannotStart{
            "the PostgreSQL database has a test clock, and such a database cannot be copied"};
    }
}

class ServerSource final : public PostgresCopySource {
public:
    explicit ServerSource(const std::string& url) : connection_{url, true} {
        refuse_foreign(connection_);
        std::string all = "sundial.instances, sundial.instance_reports";
        for (const SavedTable& table : tables_of(connection_)) {
            all += ", sundial." + connection_.identifier(table.name);
        }
        connection_.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
        // Before the first query, which takes the snapshot, so no other program writes until the
        // end.
        connection_.run("LOCK TABLE " + all + " IN SHARE MODE");
        refuse_running_instances(connection_, "it can be copied");
        shapes_ = copy_shapes(connection_);
    }
    [[nodiscard]] std::vector<CopyTable> tables() override { return tables_in(shapes_); }
    [[nodiscard]] std::string identity() override {
        return "postgresql:" +
               connection_
                   .run(
                       "SELECT md5(string_agg(checksum || applied_at, ',' ORDER BY version))"
                       " FROM sundial.schema_migrations")
                   .text(0, 0);
    }
    [[nodiscard]] std::int64_t count(const CopyTable& table) override {
        return connection_.run("SELECT count(*) FROM sundial." + connection_.identifier(table.name))
            .number(0, 0);
    }
    void read(const CopyTable& table, const std::string& after, const TakeCopyRow& take) override {
        read_shape(connection_, shape_named(shapes_, table.name), true, after, take);
    }
    [[nodiscard]] CopyNumbers last_numbers() override {
        CopyNumbers numbers;
        for (const auto& [table, sequence] : sequences_of(connection_)) {
            if (!is_copied(shapes_, table)) continue;
            const std::int64_t last =
                connection_
                    .run("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM sundial." +
                         connection_.identifier(sequence))
                    .number(0, 0);
            if (last > 0) numbers[table] = last;
        }
        return numbers;
    }
    [[nodiscard]] std::vector<CopyLoss> losses() override {
        const PlainAnswer rows = connection_.run(
            "SELECT count(*) FILTER (WHERE failed_at IS NULL),"
            " count(*) FILTER (WHERE failed_at IS NOT NULL) FROM sundial.intake");
        std::vector<CopyLoss> losses;
        if (rows.number(0, 0) > 0) {
            losses.push_back({"requests by SQL that no server has completed (sundial.intake)",
                              rows.number(0, 0), true});
        }
        if (rows.number(0, 1) > 0) {
            losses.push_back({"refused requests by SQL and their reasons (sundial.intake)",
                              rows.number(0, 1), false});
        }
        return losses;
    }
    [[nodiscard]] RestoredWork work() override {
        RestoredWork work = work_left(connection_);
        work.claims_ended =
            connection_.run("SELECT count(*) FROM sundial.events WHERE claimed_by IS NOT NULL")
                .number(0, 0);
        return work;
    }

private:
    PlainConnection connection_;
    std::vector<CopyShape> shapes_{};
};

const char* staged_type(CopyColumn::Kind kind) {
    switch (kind) {
        case CopyColumn::Kind::integer:
            return "bigint";
        case CopyColumn::Kind::bytes:
            return "bytea";
        case CopyColumn::Kind::text:
        case CopyColumn::Kind::json:
            break;
    }
    return "text";
}

class ServerTarget final : public PostgresCopyTarget {
public:
    explicit ServerTarget(const std::string& url) : url_{url}, connection_{url, true} {
        refuse_foreign(connection_);
        if (connection_.run(std::string{"SELECT pg_try_advisory_lock("} + copy_lock + ")")
                .text(0, 0) != "t") {
            throw CannotStart{"another copy into this database is running. Wait for its end"};
        }
        refuse_running_instances(connection_, "it can be copied to");
        if (has_data(connection_)) {
            throw CannotStart{
                "the target database has data. Give a new, empty database. Nothing has changed"};
        }
        shapes_ = copy_shapes(connection_);
    }
    [[nodiscard]] std::vector<CopyTable> tables() override { return tables_in(shapes_); }

    [[nodiscard]] std::optional<std::string> started() override {
        if (connection_.run("SELECT to_regclass('sundial_copy.progress') IS NULL").text(0, 0) ==
            "t") {
            return std::nullopt;
        }
        return connection_.run("SELECT source FROM sundial_copy.source").text(0, 0);
    }

    void start(const std::string& source, const std::vector<CopyTable>& tables) override {
        std::string sql =
            "BEGIN; DROP SCHEMA IF EXISTS sundial_copy CASCADE; CREATE SCHEMA sundial_copy;"
            "CREATE TABLE sundial_copy.source (source text NOT NULL);"
            "INSERT INTO sundial_copy.source VALUES (" +
            connection_.literal(source) +
            ");"
            "CREATE TABLE sundial_copy.progress (name text PRIMARY KEY, place text NOT NULL,"
            " rows bigint NOT NULL, complete boolean NOT NULL);";
        for (const CopyTable& table : tables) {
            std::string columns;
            for (const CopyColumn& column : table.columns) {
                columns += (columns.empty() ? "" : ", ") + connection_.identifier(column.name) +
                           ' ' + staged_type(column.kind);
            }
            sql += "CREATE TABLE " + staged(table.name) + " (" + columns + ");";
        }
        connection_.run(sql + "COMMIT");
    }

    [[nodiscard]] std::map<std::string, Progress> progress() override {
        const PlainAnswer rows =
            connection_.run("SELECT name, place, rows, complete FROM sundial_copy.progress");
        std::map<std::string, Progress> progress;
        for (int row = 0; row < rows.rows(); ++row) {
            progress[rows.text(row, 0)] = {rows.text(row, 1), rows.number(row, 2),
                                           rows.text(row, 3) == "t"};
        }
        return progress;
    }

    void append(const CopyTable& table, const std::vector<CopyRow>& rows,
                const Progress& progress) override {
        connection_.run("BEGIN");
        if (!rows.empty()) send(table, rows);
        CRASH_POINT("copy: before a batch is committed");
        connection_.run("INSERT INTO sundial_copy.progress VALUES (" +
                        connection_.literal(table.name) + ", " +
                        connection_.literal(progress.place) + ", " + std::to_string(progress.rows) +
                        (progress.complete ? ", true" : ", false") +
                        ") ON CONFLICT (name) DO UPDATE SET place = excluded.place,"
                        " rows = excluded.rows, complete = excluded.complete; COMMIT");
        CRASH_POINT("copy: after a batch is committed");
    }

    void assemble(const std::vector<CopyTable>& tables, const CopyNumbers& last_numbers,
                  const std::function<void(const std::string&)>& show) override {
        // They belong to this database, and a restore would replace them.
        const PlainAnswer settings = connection_.run("SELECT name, value FROM sundial.settings");
        // Also refuses instances and data that came since.
        final_ = RestoreTransaction::begin(url_, false);
        PlainConnection& connection = final_->connection();
        for (int row = 0; row < settings.rows(); ++row) {
            connection.run("INSERT INTO sundial.settings VALUES (" +
                           connection.literal(settings.text(row, 0)) + ", " +
                           connection.literal(settings.text(row, 1)) + ")");
        }
        for (const CopyTable& table : tables) {
            show(table.name);
            std::vector<std::string> columns, values;
            for (const CopyShape::Write& write : shape_named(shapes_, table.name).writes) {
                columns.push_back(connection.identifier(write.column));
                values.push_back(write.from);
            }
            connection.run("INSERT INTO sundial." + connection.identifier(table.name) + " (" +
                           joined(columns) + ") OVERRIDING SYSTEM VALUE SELECT " + joined(values) +
                           " FROM " + staged(table.name));
            CRASH_POINT("copy: after a table is assembled");
        }
        for (const auto& [table, sequence] : sequences_of(connection)) {
            const auto last = last_numbers.find(table);
            if (last != last_numbers.end()) final_->set({sequence, last->second, true});
        }
    }

    void read(const CopyTable& table, const TakeCopyRow& take) override {
        read_shape(final_->connection(), shape_named(shapes_, table.name), false, {}, take);
    }

    [[nodiscard]] RestoredWork finish() override { return final_->finish(); }

    void publish() override {
        final_->connection().run("DROP SCHEMA sundial_copy CASCADE");
        CRASH_POINT("copy: before the commit");
        final_->commit();
    }

private:
    std::string staged(const std::string& table) {
        return "sundial_copy." + connection_.identifier("of_" + table);
    }

    void send(const CopyTable& table, const std::vector<CopyRow>& rows) {
        connection_.run("COPY " + staged(table.name) + " FROM STDIN");
        std::string lines;
        const auto flush = [&] {
            if (PQputCopyData(connection_.raw(), lines.data(), static_cast<int>(lines.size())) !=
                1) {
                connection_.fail();
            }
            lines.clear();
        };
        for (const CopyRow& row : rows) {
            for (std::size_t at = 0; at < row.size(); ++at) {
                if (at > 0) lines += '\t';
                if (row[at]) {
                    append_field(lines, *row[at], table.columns[at].kind);
                } else {
                    lines += "\\N";
                }
            }
            lines += '\n';
            if (lines.size() > 262'144) flush();
        }
        if (!lines.empty()) flush();
        base::check(end_copy_in(connection_) == static_cast<std::int64_t>(rows.size()));
    }

    const std::string url_;
    PlainConnection connection_;
    std::vector<CopyShape> shapes_{};
    std::unique_ptr<RestoreTransaction> final_{};
};

}  // namespace

std::unique_ptr<PostgresCopySource> PostgresCopySource::open(const std::string& url) {
    return std::make_unique<ServerSource>(url);
}

std::unique_ptr<PostgresCopyTarget> PostgresCopyTarget::open(const std::string& url) {
    return std::make_unique<ServerTarget>(url);
}

}  // namespace sundial::postgres
