#include "adapters/postgres/operation_repository.hpp"

#include "adapters/postgres/operation_statements.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/rows.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

void write(Session& session, const Statement& statement, const Operation& operation) {
    const auto written = session.run(
        statement, operation.id, to_string(operation.kind), to_string(operation.status),
        operation.reason, operation.schedule, operation.schedule_version, operation.total,
        operation.done, operation.failed, operation.cursor, operation.held_by,
        operation.claimable_at, operation.version, operation.created_at, operation.updated_at,
        operation.finished_at, operation.request);
    base::check(written.changed() == 1);
}

template <class Enum>
std::vector<std::string> names_of(const std::vector<Enum>& wanted) {
    std::vector<std::string> names;
    for (const Enum one : wanted) names.emplace_back(to_string(one));
    return names;
}

}  // namespace

void PostgresOperationRepository::add(const Operation& operation) {
    write(session_, sql::add_operation, operation);
}

std::optional<Operation> PostgresOperationRepository::find(OperationId id) {
    return first_of(operations_in(session_.run(sql::find_operation, id)));
}

std::optional<Operation> PostgresOperationRepository::lock(OperationId id) {
    return first_of(operations_in(session_.run(sql::lock_operation, id)));
}

std::optional<Operation> PostgresOperationRepository::lock_claimable(Instant now) {
    return first_of(operations_in(session_.run(sql::lock_claimable_operation, now)));
}

void PostgresOperationRepository::update(const Operation& operation) {
    write(session_, sql::update_operation, operation);
}

Page<Operation> PostgresOperationRepository::list(const OperationQuery& query) {
    const Statement& statement =
        query.page.descending ? sql::operations_by_creation_down : sql::operations_by_creation;
    return page_in(
        operations_in(session_.run(
            statement, if_any(names_of(query.statuses)), if_any(names_of(query.kinds)),
            query.schedule, last_id(query.page), last_instant(query.page), rows_for(query.page))),
        query.page);
}

std::map<OperationKind, std::size_t> PostgresOperationRepository::running() {
    std::map<OperationKind, std::size_t> counts;
    const Answer rows = session_.run(sql::running_operations);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        counts.emplace(operation_kind(rows.get<std::string>(row, 0)),
                       rows.get<std::uint64_t>(row, 1));
    }
    return counts;
}

std::size_t PostgresOperationRepository::running_for_start(OperationKind kind) {
    session_.run(sql::lock_start_of_operation);
    return session_.run(sql::running_of_kind, to_string(kind)).get<std::uint64_t>(0, 0);
}

std::optional<Instant> PostgresOperationRepository::next_claimable() {
    return session_.run(sql::next_claimable_operation).get<std::optional<Instant>>(0, 0);
}

void PostgresOperationRepository::add_failures(OperationId operation,
                                               std::span<const NumberedFailure> failures) {
    std::vector<std::int64_t> numbers;
    std::vector<std::string> subjects, codes, details;
    std::vector<Uuid> ids;
    for (const auto& [number, failure] : failures) {
        numbers.push_back(static_cast<std::int64_t>(number));
        subjects.emplace_back(to_string(failure.subject));
        ids.push_back(failure.id);
        codes.push_back(failure.code);
        details.push_back(failure.detail);
    }
    session_.run(sql::add_operation_failures, operation, numbers, subjects, ids, codes, details);
}

Page<NumberedFailure> PostgresOperationRepository::list_failures(
    const OperationFailureQuery& query) {
    return page_in(
        operation_failures_in(session_.run(sql::operation_failures, query.operation,
                                           last_number(query.page), rows_for(query.page))),
        query.page);
}

}  // namespace sundial::postgres
