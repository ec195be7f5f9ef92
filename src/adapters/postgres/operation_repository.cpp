#include "application/ports/operation_repository.hpp"

#include <memory>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/operation_sql.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

void write_operation(Session& session, const Statement& statement, const Operation& operation) {
    const auto written = session.run(
        statement, operation.id, to_string(operation.kind), to_string(operation.status),
        operation.reason, operation.schedule, operation.schedule_version, operation.total,
        operation.done, operation.failed, operation.cursor, operation.held_by,
        operation.claimable_at, operation.version, operation.created_at, operation.updated_at,
        operation.finished_at, operation.request);
    base::check(written.changed() == 1);
}

class PostgresOperationRepository final : public OperationRepository {
public:
    explicit PostgresOperationRepository(Session& session) : session_{session} {}
    void add(const Operation& operation) override {
        write_operation(session_, sql::add_operation, operation);
    }
    std::optional<Operation> find(OperationId id) override {
        return first_of(operations_in(session_.run(sql::find_operation, id)));
    }
    std::optional<Operation> lock(OperationId id) override {
        return first_of(operations_in(session_.run(sql::lock_operation, id)));
    }
    std::optional<Operation> lock_claimable(Instant now) override {
        return first_of(operations_in(session_.run(sql::lock_claimable_operation, now)));
    }
    void update(const Operation& operation) override {
        write_operation(session_, sql::update_operation, operation);
    }

    Page<Operation> list(const OperationQuery& query) override {
        const Statement& statement =
            query.page.descending ? sql::operations_by_creation_down : sql::operations_by_creation;
        return page_in(operations_in(session_.run(statement, if_any(name_column(query.statuses)),
                                                  if_any(name_column(query.kinds)), query.schedule,
                                                  last_id(query.page), last_instant(query.page),
                                                  rows_for(query.page))),
                       query.page);
    }

    std::map<OperationKind, std::size_t> running() override {
        std::map<OperationKind, std::size_t> counts;
        const Answer rows = session_.run(sql::running_operations);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            counts.emplace(operation_kind(rows.get<std::string>(row, 0)),
                           rows.get<std::uint64_t>(row, 1));
        }
        return counts;
    }

    std::size_t running_for_start(OperationKind kind) override {
        session_.run(sql::lock_start_of_operation);
        return session_.run(sql::running_of_kind, to_string(kind)).get<std::uint64_t>(0, 0);
    }
    std::optional<Instant> next_claimable() override {
        return session_.run(sql::next_claimable_operation).get<std::optional<Instant>>(0, 0);
    }

    void add_failures(OperationId operation, std::span<const NumberedFailure> failures) override {
        const auto of_failure = [failures](auto get) {
            return column(failures, [get](const NumberedFailure& one) -> decltype(auto) {
                return std::invoke(get, one.failure);
            });
        };
        session_.run(sql::add_operation_failures, operation,
                     column(failures, &NumberedFailure::number),
                     of_failure([](const OperationFailure& one) { return to_string(one.subject); }),
                     of_failure(&OperationFailure::id), of_failure(&OperationFailure::code),
                     of_failure(&OperationFailure::detail));
    }

    Page<NumberedFailure> list_failures(const OperationFailureQuery& query) override {
        return page_in(
            operation_failures_in(session_.run(sql::operation_failures, query.operation,
                                               last_number(query.page), rows_for(query.page))),
            query.page);
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<OperationRepository> make_operation_repository(Session& session) {
    return std::make_unique<PostgresOperationRepository>(session);
}

}  // namespace sundial::postgres
