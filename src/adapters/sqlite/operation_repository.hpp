#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/operation_repository.hpp"

namespace sundial::sqlite {

class SqliteOperationRepository final : public OperationRepository {
public:
    explicit SqliteOperationRepository(Session& session) : connection_{session.connection} {}
    void add(const Operation& operation) override;
    std::optional<Operation> find(OperationId id) override;
    std::optional<Operation> lock(OperationId id) override { return find(id); }
    std::optional<Operation> lock_claimable(Instant now) override;
    void update(const Operation& operation) override;
    Page<Operation> list(const OperationQuery& query) override;
    std::map<OperationKind, std::size_t> running() override;
    std::size_t running_for_start(OperationKind kind) override;
    std::optional<Instant> next_claimable() override;
    void add_failures(OperationId operation, std::span<const NumberedFailure> failures) override;
    Page<NumberedFailure> list_failures(const OperationFailureQuery& query) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
