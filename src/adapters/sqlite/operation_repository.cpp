#include "application/ports/operation_repository.hpp"

#include <memory>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/operation_sql.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
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
