#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/operation_repository.hpp"

namespace sundial::memory {

class MemoryOperationRepository final : public OperationRepository {
public:
    explicit MemoryOperationRepository(State& state)
        : operations_{state.operations}, failures_{state.operation_failures} {}
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
    Table<OperationId, Operation>& operations_;
    Table<FailureKey, OperationFailure>& failures_;
};

}  // namespace sundial::memory
