#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/operation_repository.hpp"

namespace sundial::postgres {

class PostgresOperationRepository final : public OperationRepository {
public:
    explicit PostgresOperationRepository(Session& session) : session_{session} {}
    void add(const Operation& operation) override;
    std::optional<Operation> find(OperationId id) override;
    std::optional<Operation> lock(OperationId id) override;
    std::optional<Operation> lock_claimable(Instant now) override;
    void update(const Operation& operation) override;
    Page<Operation> list(const OperationQuery& query) override;
    std::map<OperationKind, std::size_t> running() override;
    std::size_t running_for_start(OperationKind kind) override;
    std::optional<Instant> next_claimable() override;
    void add_failures(OperationId operation, std::span<const NumberedFailure> failures) override;
    Page<NumberedFailure> list_failures(const OperationFailureQuery& query) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
