#include "application/ports/operation_repository.hpp"

#include <memory>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"
#include "base/check.hpp"

#define SUNDIAL_OPERATION                                                            \
    "id, kind, status, reason, schedule_id, schedule_version, total, done, failed, " \
    "cursor, held_by, claimable_at, version, created_at, updated_at, finished_at, request"

/// SQL statements for operations.
namespace sundial::sqlite::sql {

inline constexpr Statement add_operation{"INSERT INTO operations (" SUNDIAL_OPERATION R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17))sql"};
inline constexpr Statement update_operation{R"sql(
    UPDATE operations
       SET kind = ?2, status = ?3, reason = ?4, schedule_id = ?5, schedule_version = ?6, total = ?7,
           done = ?8, failed = ?9, cursor = ?10, held_by = ?11, claimable_at = ?12, version = ?13,
           created_at = ?14, updated_at = ?15, finished_at = ?16, request = ?17
     WHERE id = ?1)sql"};
inline constexpr Statement operation{"SELECT " SUNDIAL_OPERATION " FROM operations WHERE id = ?1"};
/// ?1 now.
inline constexpr Statement claimable_operation{"SELECT " SUNDIAL_OPERATION R"sql(
      FROM operations INDEXED BY operations_running
     WHERE status = 'RUNNING' AND claimable_at <= ?1
     ORDER BY claimable_at LIMIT 1)sql"};
inline constexpr Statement operations_by_kind{R"sql(
    SELECT kind, count(*) FROM operations WHERE status = 'RUNNING' GROUP BY kind)sql"};
inline constexpr Statement running_of_kind{
    "SELECT count(*) FROM operations WHERE status = 'RUNNING' AND kind = ?1"};
inline constexpr Statement next_claimable_operation{R"sql(
    SELECT min(claimable_at) FROM operations INDEXED BY operations_running
     WHERE status = 'RUNNING' AND held_by IS NULL)sql"};

/// ?1 operation, ?2 number, then the other columns in order.
inline constexpr Statement add_operation_failure{R"sql(
    INSERT INTO operation_failures (operation_id, number, subject, subject_id, code, detail)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6))sql"};
/// ?1 operation, ?2 number of the previous page's last row (or null), ?3 limit.
inline constexpr Statement operation_failures{R"sql(
    SELECT number, subject, subject_id, code, detail FROM operation_failures
     WHERE operation_id = ?1 AND number > coalesce(?2, 0)
     ORDER BY number LIMIT ?3)sql"};

/// ?1 statuses and ?2 kinds (JSON arrays), ?3 schedule, each null for any; ?4 id and ?5 creation
/// time of the previous page's last row, ?6 limit.
#define SUNDIAL_LIST_OPERATIONS(name, beyond, direction)                     \
    inline constexpr Statement name{                                         \
        "SELECT " SUNDIAL_OPERATION                                          \
        " FROM operations"                                                   \
        " WHERE (?1 IS NULL OR status IN (SELECT value FROM json_each(?1)))" \
        " AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2)))"     \
        " AND (?3 IS NULL OR schedule_id = ?3)"                              \
        " AND (?4 IS NULL OR (created_at, id) " beyond                       \
        " (?5, ?4))"                                                         \
        " ORDER BY created_at " direction ", id " direction " LIMIT ?6"}
SUNDIAL_LIST_OPERATIONS(operations_by_creation, ">", "ASC");
SUNDIAL_LIST_OPERATIONS(operations_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_OPERATIONS

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

void write(Connection& connection, const Statement& statement, const Operation& operation) {
    const auto rows = connection.execute(
        statement, operation.id, operation.kind, operation.status, operation.reason,
        operation.schedule, operation.schedule_version, operation.total, operation.done,
        operation.failed, operation.cursor, operation.held_by, operation.claimable_at,
        operation.version, operation.created_at, operation.updated_at, operation.finished_at,
        operation.request);
    base::check(rows == 1);
}

/// Null if the filter is empty.
template <class Enum>
std::optional<std::string> names_of(const std::vector<Enum>& values) {
    if (values.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const Enum one : values) names.emplace_back(to_string(one));
    return array_of(names);
}

class SqliteOperationRepository final : public OperationRepository {
public:
    explicit SqliteOperationRepository(Session& session) : connection_{session.connection} {}
    void add(const Operation& operation) override {
        write(connection_, sql::add_operation, operation);
    }
    std::optional<Operation> find(OperationId id) override {
        return first_of(connection_.query(sql::operation, id), read_operation);
    }
    std::optional<Operation> lock(OperationId id) override { return find(id); }
    std::optional<Operation> lock_claimable(Instant now) override {
        return first_of(connection_.query(sql::claimable_operation, now), read_operation);
    }
    void update(const Operation& operation) override {
        write(connection_, sql::update_operation, operation);
    }

    Page<Operation> list(const OperationQuery& query) override {
        const Statement& statement =
            query.page.descending ? sql::operations_by_creation_down : sql::operations_by_creation;
        return page_of(
            all_of(connection_.query(statement, names_of(query.statuses), names_of(query.kinds),
                                     query.schedule, id_after(query.page), number_after(query.page),
                                     limit_of(query.page)),
                   read_operation),
            query.page);
    }

    std::map<OperationKind, std::size_t> running() override {
        std::map<OperationKind, std::size_t> counts;
        auto row = connection_.query(sql::operations_by_kind);
        while (row.next()) counts.emplace(row.get<OperationKind>(0), row.get<std::size_t>(1));
        return counts;
    }

    std::size_t running_for_start(OperationKind kind) override {
        return count_in(
            connection_.query(sql::running_of_kind, kind));  // only one transaction writes
    }
    std::optional<Instant> next_claimable() override {
        auto row = connection_.query(sql::next_claimable_operation);
        return row.next() ? row.get<std::optional<Instant>>(0) : std::nullopt;
    }

    void add_failures(OperationId operation, std::span<const NumberedFailure> failures) override {
        for (const auto& [number, failure] : failures) {
            connection_.execute(sql::add_operation_failure, operation, number, failure.subject,
                                failure.id, failure.code, failure.detail);
        }
    }

    Page<NumberedFailure> list_failures(const OperationFailureQuery& query) override {
        const auto read = [](Cursor& row) {
            return NumberedFailure{row.take<std::uint64_t>(),
                                   {row.take<OperationSubject>(), row.take<Uuid>(),
                                    row.take<std::string>(), row.take<std::string>()}};
        };
        return page_of(all_of(connection_.query(sql::operation_failures, query.operation,
                                                number_after(query.page), limit_of(query.page)),
                              read),
                       query.page);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<OperationRepository> make_operation_repository(Session& session) {
    return std::make_unique<SqliteOperationRepository>(session);
}

}  // namespace sundial::sqlite
