#include "adapters/sqlite/caller_sql.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/sqlite/caller_rules.hpp"
#include "adapters/sqlite/migrate.hpp"
#include "adapters/sqlite/statement_handle.hpp"
#include "base/check.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace sundial::sqlite {
namespace {

constexpr std::array<std::string_view, 8> reading_pragmas{
    "foreign_key_check", "foreign_key_list", "function_list", "index_info",
    "index_list",        "table_info",       "table_list",    "table_xinfo"};

class Silent final : public base::Log {
public:
    void write(base::LogLine /*line*/) override {}
};

/// The tables and views that the migrations make.
std::set<std::string, std::less<>> sundials_names() {
    static constexpr Statement names_of_all{
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
        "'sqlite%'"};
    Silent log;
    Connection empty{":memory:", Connection::Role::writer};
    static_cast<void>(apply_migrations(empty, {}, log));
    std::set<std::string, std::less<>> names;
    auto row = empty.query(names_of_all);
    while (row.next()) names.insert(row.get<std::string>(0));
    return names;
}

std::string_view text_of(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

CallerRules::CallerRules() : sundials_(sundials_names()) {}

std::optional<std::string> CallerRules::refuse(int action, std::string_view first,
                                               std::string_view second) const {
    const auto of_sundial = [&](std::string_view name) -> std::optional<std::string> {
        if (!sundials_.contains(name)) return std::nullopt;
        return "'" + std::string{name} + "' belongs to Sundial: a statement can read it only";
    };
    switch (action) {
        case SQLITE_TRANSACTION:
        case SQLITE_SAVEPOINT:
            return "the engine begins and ends the transaction; use nested() for a part of it";
        case SQLITE_ATTACH:
        case SQLITE_DETACH:
            return "the engine's file is the only one in a transaction";
        case SQLITE_PRAGMA:
            if (std::ranges::any_of(reading_pragmas, [&](std::string_view name) {
                    return base::same_ignoring_case(name, first);
                })) {
                return std::nullopt;
            }
            return "PRAGMA " + std::string{first} + " would change the engine's connection";
        case SQLITE_INSERT:
        case SQLITE_UPDATE:
        case SQLITE_DELETE:
        case SQLITE_DROP_TABLE:
        case SQLITE_DROP_VIEW:
            return of_sundial(first);
        case SQLITE_ALTER_TABLE:  // the first name is the database's
        case SQLITE_CREATE_INDEX:
        case SQLITE_DROP_INDEX:
        case SQLITE_CREATE_TRIGGER:
        case SQLITE_CREATE_TEMP_TRIGGER:
        case SQLITE_DROP_TRIGGER:
            return of_sundial(second);
        default:
            return std::nullopt;
    }
}

int CallerRules::ask(void* rules, int action, const char* first, const char* second,
                     const char* /*database*/, const char* /*trigger*/) {
    auto& its = *static_cast<CallerRules*>(rules);
    if (!its.applied_) return SQLITE_OK;
    auto refusal = its.refuse(action, text_of(first), text_of(second));
    if (!refusal) return SQLITE_OK;
    its.refusal_ = std::move(refusal);
    return SQLITE_DENY;
}

namespace {

/// The rules apply while this exists.
class Applied {
public:
    explicit Applied(CallerRules& rules) : rules_(rules) { rules_.apply(true); }
    ~Applied() { rules_.apply(false); }
    Applied(const Applied&) = delete;
    Applied& operator=(const Applied&) = delete;

private:
    CallerRules& rules_;
};

/// Errors of the statement itself, after which the transaction is as before it.
bool is_refusal(int code) {
    switch (code & 0xff) {
        case SQLITE_ERROR:
        case SQLITE_CONSTRAINT:
        case SQLITE_MISMATCH:
        case SQLITE_RANGE:
        case SQLITE_AUTH:
        case SQLITE_TOOBIG:
        case SQLITE_SCHEMA:
            return true;
        default:
            return false;
    }
}

[[noreturn]] void refuse(const Connection& connection, CallerRules& rules, int code) {
    if (!is_refusal(code)) connection.fail(code);
    std::string why = rules.take_refusal().value_or(sqlite3_errmsg(connection.handle()));
    throw StatementRefused{{.sqlstate = {}, .sqlite = code, .constraint = {}}, why};
}

[[noreturn]] void refuse_text(const std::string& why) {
    throw StatementRefused{{.sqlstate = {}, .sqlite = SQLITE_MISUSE, .constraint = {}}, why};
}

/// SQLite would cut the statement off at a NUL, and compare and print texts up to it.
void refuse_nul_bytes(const std::string& statement, std::span<const SqlValue> values) {
    if (statement.find('\0') != std::string::npos) refuse_text("the statement contains a NUL byte");
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto* text = std::get_if<std::string>(&values[i].content());
        if (text != nullptr && text->find('\0') != std::string::npos) {
            refuse_text("the text of parameter $" + std::to_string(i + 1) +
                        " contains a NUL byte: pass bytes");
        }
    }
}

void refuse_too_many(const Connection& connection, std::size_t parameters) {
    const int most = sqlite3_limit(connection.handle(), SQLITE_LIMIT_VARIABLE_NUMBER, -1);
    if (parameters <= static_cast<std::size_t>(most)) return;
    refuse_text("the call gives " + std::to_string(parameters) +
                " parameters; SQLite takes at most " + std::to_string(most));
}

StatementHandle prepare(const Connection& connection, CallerRules& rules, const std::string& text) {
    sqlite3_stmt* made = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v2(connection.handle(), text.c_str(),
                                        static_cast<int>(text.size() + 1), &made, &rest);
    StatementHandle statement{made};
    if (code != SQLITE_OK) refuse(connection, rules, code);
    const std::string_view left = base::trimmed(rest, " \t\r\n;");
    if (!statement) refuse_text("there is no statement");
    if (!left.empty()) refuse_text("one call runs one statement: " + std::string{left});
    return statement;
}

struct BindTo {
    sqlite3_stmt* statement;
    int place;

    int operator()(std::nullptr_t) const { return sqlite3_bind_null(statement, place); }
    int operator()(bool value) const { return sqlite3_bind_int(statement, place, value ? 1 : 0); }
    int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, place, value); }
    int operator()(double value) const { return sqlite3_bind_double(statement, place, value); }
    int operator()(const std::string& value) const {
        return sqlite3_bind_text64(statement, place, value.data(), value.size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8);
    }
    int operator()(const SqlValue::Bytes& value) const {
        return sqlite3_bind_blob64(statement, place, value.data(), value.size(), SQLITE_TRANSIENT);
    }
};

/// SQLite numbers `$1`, `$2` in the order in which they occur, and `?1`, `?2` by their numbers.
void bind_all(const Connection& connection, CallerRules& rules, sqlite3_stmt* statement,
              std::span<const SqlValue> values) {
    const int places = sqlite3_bind_parameter_count(statement);
    for (int place = 1; place <= places; ++place) {
        const std::string_view name = text_of(sqlite3_bind_parameter_name(statement, place));
        if (!name.starts_with('$') && !name.starts_with('?')) {
            refuse_text("parameters are $1, $2 and so on");
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string number = std::to_string(i + 1);
        int place = sqlite3_bind_parameter_index(statement, ("$" + number).c_str());
        if (place == 0) place = sqlite3_bind_parameter_index(statement, ("?" + number).c_str());
        if (place == 0) refuse_text("the statement has no parameter $" + number);
        const int code = std::visit(BindTo{statement, place}, values[i].content());
        if (code != SQLITE_OK) refuse(connection, rules, code);
    }
    if (static_cast<std::size_t>(places) > values.size()) {
        refuse_text("the statement has " + std::to_string(places) + " parameters; the call gives " +
                    std::to_string(values.size()));
    }
}

std::optional<std::string> value_of(sqlite3_stmt* statement, int column) {
    const int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_NULL) return std::nullopt;
    const char* bytes = type == SQLITE_BLOB
                            ? static_cast<const char*>(sqlite3_column_blob(statement, column))
                            : reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    return bytes == nullptr ? std::string{} : std::string{bytes, length};
}

}  // namespace

SqlRows run_caller_sql(Session& session, const std::string& text,
                       std::span<const SqlValue> values) {
    Connection& connection = session.connection;
    refuse_nul_bytes(text, values);
    refuse_too_many(connection, values.size());
    CallerRules& rules = connection.caller_rules();
    const Applied applied{rules};
    const StatementHandle statement = prepare(connection, rules, text);
    bind_all(connection, rules, statement.get(), values);
    const auto changes_before = connection.total_changes();
    SqlRows result;
    const int columns = sqlite3_column_count(statement.get());
    for (int column = 0; column < columns; ++column) {
        result.columns.emplace_back(text_of(sqlite3_column_name(statement.get(), column)));
    }
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
        auto& row = result.rows.emplace_back();
        for (int column = 0; column < columns; ++column) {
            row.push_back(value_of(statement.get(), column));
        }
    }
    // OR ROLLBACK and RAISE(ROLLBACK) undo the transactions of all callers of this commit.
    if (!connection.in_transaction()) throw Unavailable{"the statement undid the transaction"};
    if (code != SQLITE_DONE) refuse(connection, rules, code);
    if (connection.total_changes() != changes_before) {
        result.changed = static_cast<std::uint64_t>(sqlite3_changes64(connection.handle()));
    } else if (sqlite3_stmt_readonly(statement.get()) == 0) {
        session.ledger.changed_schema();
    }
    return result;
}

}  // namespace sundial::sqlite
