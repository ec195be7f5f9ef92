#include "adapters/postgres/caller_sql.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "application/ports/failures.hpp"
#include "base/text.hpp"

namespace sundial::postgres {
namespace {

constexpr std::string_view blanks = " \t\r\n\f\v;";

/// `sql` without leading blanks and comments; those of PostgreSQL nest.
std::string_view without_comments(std::string_view sql) {
    for (;;) {
        sql.remove_prefix(std::min(sql.find_first_not_of(blanks), sql.size()));
        if (sql.starts_with("--")) {
            sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
        } else if (sql.starts_with("/*")) {
            int depth = 0;
            do {
                const bool opens = sql.starts_with("/*"), closes = sql.starts_with("*/");
                depth += opens ? 1 : closes ? -1 : 0;
                sql.remove_prefix(opens || closes ? 2 : 1);
            } while (depth > 0 && !sql.empty());
        } else {
            return sql;
        }
    }
}

std::string_view take_word(std::string_view& sql) {
    const auto end = std::ranges::find_if_not(
        sql, [](char c) { return base::is_lower(base::lower(c)) || c == '_'; });
    const auto word = sql.substr(0, static_cast<std::size_t>(end - sql.begin()));
    sql = without_comments(sql.substr(word.size()));
    return word;
}

/// The end of a quoted text that begins at `from`, after its closing quote. A doubled quote closes
/// and opens it again.
std::size_t end_of_quoted(std::string_view sql, std::size_t from, bool has_escapes) {
    for (std::size_t at = from + 1; at < sql.size(); ++at) {
        if (sql[at] == '\\' && has_escapes) {
            ++at;
        } else if (sql[at] == sql[from]) {
            return at + 1;
        }
    }
    return sql.size();
}

/// Whether the COPY statement `sql` moves rows over the connection: FROM STDIN or TO STDOUT. File
/// names, quoted names and a query in parentheses may contain these words.
bool copies_over_connection(std::string_view sql) {
    std::string before;  // the word before
    int depth = 0;
    for (sql = without_comments(sql); !sql.empty(); sql = without_comments(sql)) {
        const char c = sql.front();
        if (base::is_lower(base::lower(c)) || c == '_') {
            const auto end = std::ranges::find_if_not(sql, [](char part) {
                return base::is_lower(base::lower(part)) || ('0' <= part && part <= '9') ||
                       part == '_' || part == '$';
            });
            const auto length = static_cast<std::size_t>(end - sql.begin());
            const std::string word = base::lowered(sql.substr(0, length));
            if (depth == 0 &&
                ((before == "from" && word == "stdin") || (before == "to" && word == "stdout"))) {
                return true;
            }
            sql.remove_prefix(length);
            const bool escapes = word == "e" && sql.starts_with('\'');
            if (escapes) sql.remove_prefix(end_of_quoted(sql, 0, true));
            before = word;
            continue;
        }
        before.clear();
        if (c == '\'' || c == '"') {
            sql.remove_prefix(end_of_quoted(sql, 0, false));
            continue;
        }
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        sql.remove_prefix(1);
    }
    return false;
}

/// A pooled connection keeps what these change, or the transaction ends.
std::optional<std::string> refuse(std::string_view sql) {
    constexpr std::array transaction{"abort",   "begin",    "commit",    "end",  "prepare",
                                     "release", "rollback", "savepoint", "start"};
    constexpr std::array session{"deallocate", "discard", "listen", "load", "reset", "unlisten"};
    const auto is = [](std::string_view word) {
        return [word](std::string_view other) { return base::same_ignoring_case(word, other); };
    };
    sql = without_comments(sql);
    const auto word = take_word(sql);
    if (std::ranges::any_of(transaction, is(word))) {
        return base::upper(word.front()) + base::lowered(word.substr(1)) +
               ": the engine begins and ends the transaction; use nested() for a part of it";
    }
    if (std::ranges::any_of(session, is(word))) {
        return "the connection is the engine's: nothing may outlast the transaction";
    }
    if (base::same_ignoring_case(word, "copy") && copies_over_connection(sql)) {
        return "COPY FROM STDIN and TO STDOUT need the connection for themselves: write INSERT or "
               "SELECT, or use a connection of your own and Engine::in";
    }
    if (base::same_ignoring_case(word, "set")) {
        const auto scope = take_word(sql);
        if (!base::same_ignoring_case(scope, "local") &&
            !base::same_ignoring_case(scope, "constraints")) {
            return "the connection is the engine's: write SET LOCAL";
        }
    }
    return std::nullopt;
}

SqlRows rows_of(const Answer& answer) {
    const PGresult* const result = answer.raw();
    SqlRows rows;
    const int columns = PQnfields(result);
    for (int column = 0; column < columns; ++column) {
        rows.columns.emplace_back(PQfname(result, column));
    }
    const int count = PQntuples(result);
    rows.rows.reserve(static_cast<std::size_t>(count));
    for (int row = 0; row < count; ++row) {
        auto& values = rows.rows.emplace_back();
        for (int column = 0; column < columns; ++column) {
            values.push_back(
                PQgetisnull(result, row, column) == 1
                    ? std::nullopt
                    : std::optional<std::string>{std::in_place, PQgetvalue(result, row, column)});
        }
    }
    if (!answer.tag().starts_with("SELECT") && !answer.tag().starts_with("FETCH")) {
        rows.changed = answer.changed();
    }
    return rows;
}

[[noreturn]] void refuse_with(const char* sqlstate, const std::string& why) {
    throw StatementRefused{{.sqlstate = sqlstate, .sqlite = 0, .constraint = {}}, why};
}

/// libpq would cut texts off at a NUL, and give the connection up for too many parameters.
void refuse_bad_texts(const std::string& statement, std::span<const SqlValue> values) {
    constexpr std::size_t most_parameters = 65'535;  // the protocol counts them in 16 bits
    constexpr const char* bad_text = "22021";
    constexpr const char* too_many = "54023";
    if (statement.find('\0') != std::string::npos)
        refuse_with(bad_text, "the statement contains a NUL byte");
    if (values.size() > most_parameters) {
        refuse_with(too_many, "the call gives " + std::to_string(values.size()) +
                                  " parameters; PostgreSQL takes at most 65535");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto* text = std::get_if<std::string>(&values[i].content());
        if (text != nullptr && text->find('\0') != std::string::npos) {
            refuse_with(bad_text, "the text of parameter $" + std::to_string(i + 1) +
                                      " contains a NUL byte: pass bytes");
        }
    }
}

}  // namespace

SqlRows run_caller_sql(Session& session, const std::string& statement,
                       std::span<const SqlValue> values) {
    refuse_bad_texts(statement, values);
    if (const auto why = refuse(statement)) refuse_with("0A000", *why);
    try {
        return rows_of(session.run_text(statement, values));
    } catch (const SqlError& error) {
        // A violated constraint is one of the program's own here.
        const bool repeated = is_passing(error) && error.state != "23505" && error.state != "0A000";
        if (repeated) throw;
        throw StatementRefused{
            {.sqlstate = error.state, .sqlite = 0, .constraint = error.constraint}, error.what()};
    }
}

}  // namespace sundial::postgres
