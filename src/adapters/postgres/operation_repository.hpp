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

private:
    Session& session_;
};

}  // namespace sundial::postgres
