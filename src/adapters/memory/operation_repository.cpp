#include "adapters/memory/operation_repository.hpp"

#include "adapters/memory/paging.hpp"

namespace sundial::memory {

void MemoryOperationRepository::add(const Operation& operation) {
    operations_.insert(operation.id, operation);
}

std::optional<Operation> MemoryOperationRepository::find(OperationId id) {
    const Operation* operation = operations_.find(id);
    return operation ? std::optional{*operation} : std::nullopt;
}

std::optional<Operation> MemoryOperationRepository::lock(OperationId id) { return find(id); }

std::optional<Operation> MemoryOperationRepository::lock_claimable(Instant now) {
    std::optional<Operation> longest;
    for (const auto& [id, operation] : operations_.rows()) {
        if (!claimable(operation, now)) continue;
        if (!longest || operation.claimable_at < longest->claimable_at) longest = operation;
    }
    return longest;
}

void MemoryOperationRepository::update(const Operation& operation) {
    operations_.replace(operation.id, operation);
}

Page<Operation> MemoryOperationRepository::list(const OperationQuery& query) {
    std::vector<Operation> operations;
    for (const auto& [id, operation] : operations_.rows()) {
        if (any_of(query.statuses, operation.status) && any_of(query.kinds, operation.kind) &&
            is(query.schedule, operation.schedule)) {
            operations.push_back(operation);
        }
    }
    return page_of<std::int64_t>(std::move(operations), query.page, [](const Operation& operation) {
        return microseconds_of(operation.created_at);
    });
}

std::map<OperationKind, std::size_t> MemoryOperationRepository::running() {
    std::map<OperationKind, std::size_t> counts;
    for (const auto& [id, operation] : operations_.rows()) {
        if (!is_over(operation)) ++counts[operation.kind];
    }
    return counts;
}

}  // namespace sundial::memory
