#pragma once

#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/backup.hpp"
#include "application/ports/failures.hpp"

/// Connections for backups, restores, copies and the commands of `db`: statements are made at run
/// time from the catalog, and names are quoted by the server.
namespace sundial::postgres {

/// The answer to a statement that was sent in full.
class PlainAnswer {
public:
    explicit PlainAnswer(PGresult* result) : result_{result} {}
    [[nodiscard]] ExecStatusType status() const { return PQresultStatus(result_.get()); }
    [[nodiscard]] int rows() const { return PQntuples(result_.get()); }
    [[nodiscard]] std::string text(int row, int column) const {
        return PQgetvalue(result_.get(), row, column);
    }
    [[nodiscard]] bool is_null(int row, int column) const {
        return PQgetisnull(result_.get(), row, column) == 1;
    }
    [[nodiscard]] std::int64_t number(int row, int column) const {
        return std::strtoll(PQgetvalue(result_.get(), row, column), nullptr, 10);
    }
    /// Rows that the statement changed.
    [[nodiscard]] std::int64_t changed() const {
        return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10);
    }

private:
    struct Clear {
        void operator()(PGresult* result) const { PQclear(result); }
    };
    std::unique_ptr<PGresult, Clear> result_;
};

/// A connection that is not in pipeline mode, since COPY needs that.
class PlainConnection {
public:
    PlainConnection(const std::string& url, bool writes) {
        const std::array<const char*, 6> names{"dbname",          "target_session_attrs",
                                               "connect_timeout", "fallback_application_name",
                                               "client_encoding", nullptr};
        const std::array<const char*, 6> values{
            url.c_str(), writes ? "read-write" : "any", "10", "sundial-backup", "UTF8", nullptr};
        connection_.reset(PQconnectdbParams(names.data(), values.data(), 1));
        if (PQstatus(connection_.get()) != CONNECTION_OK) throw Unavailable{failure()};
        PQsetNoticeProcessor(connection_.get(), [](void*, const char*) {}, nullptr);
        run("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;"
            "SET lock_timeout = '10s'; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD';"
            "SET IntervalStyle = 'postgres'; SET extra_float_digits = 1;"
            "SET bytea_output = 'hex'; SET search_path = pg_catalog");
    }

    PlainAnswer run(const std::string& sql) {
        PlainAnswer answer{PQexec(connection_.get(), sql.c_str())};
        if (answer.status() != PGRES_TUPLES_OK && answer.status() != PGRES_COMMAND_OK &&
            answer.status() != PGRES_COPY_OUT && answer.status() != PGRES_COPY_IN) {
            fail();
        }
        return answer;
    }
    [[noreturn]] void fail() const {
        if (PQstatus(connection_.get()) != CONNECTION_OK) throw Unavailable{failure()};
        throw CannotStart{"PostgreSQL refuses: " + failure()};
    }
    [[nodiscard]] std::string failure() const {
        std::string text = PQerrorMessage(connection_.get());
        while (text.ends_with('\n')) text.pop_back();
        return text;
    }
    [[nodiscard]] PGconn* raw() const { return connection_.get(); }
    [[nodiscard]] std::string literal(const std::string& text) const {
        char* const quoted = PQescapeLiteral(raw(), text.data(), text.size());
        if (!quoted) fail();
        std::string result = quoted;
        PQfreemem(quoted);
        return result;
    }
    [[nodiscard]] std::string identifier(const std::string& text) const {
        char* const quoted = PQescapeIdentifier(raw(), text.data(), text.size());
        if (!quoted) fail();
        std::string result = quoted;
        PQfreemem(quoted);
        return result;
    }
    [[nodiscard]] std::string columns_of(const SavedTable& table) const {
        std::string list;
        for (const std::string& column : table.columns) {
            list += list.empty() ? "" : ", ";
            list += identifier(column);
        }
        return list;
    }

private:
    struct Close {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Close> connection_;
};

/// The tables that a backup saves.
[[nodiscard]] std::vector<SavedTable> tables_of(PlainConnection& connection);
[[nodiscard]] bool is_a_database_of_ours(PlainConnection& connection);
/// Throws CannotStart if an instance has renewed its row in the last ten seconds.
void refuse_running_instances(PlainConnection& connection, const std::string& what_is_possible);
/// Whether the database has data of users. The first migration stores one schedule.
[[nodiscard]] bool has_data(PlainConnection& connection);
/// The events that are not finished, and those that are due.
[[nodiscard]] RestoredWork work_left(PlainConnection& connection);
/// Sends `COPY … TO STDOUT` and passes each row. Returns their number.
std::int64_t copy_out(PlainConnection& connection, const std::string& sql,
                      const std::function<void(std::string_view)>& sink);
/// Ends `COPY … FROM STDIN` after the rows. Returns their number.
std::int64_t end_copy_in(PlainConnection& connection);

}  // namespace sundial::postgres
