#include "adapters/sqlite/operation_repository.hpp"

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/operation_statements.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/rows.hpp"
#include "base/check.hpp"

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
std::optional<std::string> names_of(const std::vector<Enum>& wanted) {
    if (wanted.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const Enum one : wanted) names.emplace_back(to_string(one));
    return array_of(names);
}

}  // namespace

void SqliteOperationRepository::add(const Operation& operation) {
    write(connection_, sql::add_operation, operation);
}

std::optional<Operation> SqliteOperationRepository::find(OperationId id) {
    return first_of(connection_.query(sql::operation, id), read_operation);
}

std::optional<Operation> SqliteOperationRepository::lock_claimable(Instant now) {
    return first_of(connection_.query(sql::claimable_operation, now), read_operation);
}

void SqliteOperationRepository::update(const Operation& operation) {
    write(connection_, sql::update_operation, operation);
}

Page<Operation> SqliteOperationRepository::list(const OperationQuery& query) {
    const Statement& statement =
        query.page.descending ? sql::operations_by_creation_down : sql::operations_by_creation;
    return page_of(
        all_of(connection_.query(statement, names_of(query.statuses), names_of(query.kinds),
                                 query.schedule, id_after(query.page), number_after(query.page),
                                 limit_of(query.page)),
               read_operation),
        query.page);
}

std::map<OperationKind, std::size_t> SqliteOperationRepository::running() {
    std::map<OperationKind, std::size_t> counts;
    auto row = connection_.query(sql::operations_by_kind);
    while (row.next()) counts.emplace(row.get<OperationKind>(0), row.get<std::size_t>(1));
    return counts;
}

std::size_t SqliteOperationRepository::running_for_start(OperationKind kind) {
    return count_in(connection_.query(sql::running_of_kind, kind));  // only one transaction writes
}

std::optional<Instant> SqliteOperationRepository::next_claimable() {
    auto row = connection_.query(sql::next_claimable_operation);
    return row.next() ? row.get<std::optional<Instant>>(0) : std::nullopt;
}

void SqliteOperationRepository::add_failures(OperationId operation,
                                             std::span<const NumberedFailure> failures) {
    for (const auto& [number, failure] : failures) {
        connection_.execute(sql::add_operation_failure, operation, number, failure.subject,
                            failure.id, failure.code, failure.detail);
    }
}

Page<NumberedFailure> SqliteOperationRepository::list_failures(const OperationFailureQuery& query) {
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

}  // namespace sundial::sqlite
