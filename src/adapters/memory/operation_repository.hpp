#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/operation_repository.hpp"

namespace sundial::memory {

class MemoryOperationRepository final : public OperationRepository {
public:
    explicit MemoryOperationRepository(State& state) : operations_{state.operations} {}
    void add(const Operation& operation) override;
    std::optional<Operation> find(OperationId id) override;
    std::optional<Operation> lock(OperationId id) override;
    std::optional<Operation> lock_claimable(Instant now) override;
    void update(const Operation& operation) override;
    Page<Operation> list(const OperationQuery& query) override;
    std::map<OperationKind, std::size_t> running() override;

private:
    Table<OperationId, Operation>& operations_;
};

}  // namespace sundial::memory
