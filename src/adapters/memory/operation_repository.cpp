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

std::size_t MemoryOperationRepository::running_for_start(OperationKind kind) {
    return running()[kind];  // only one transaction runs at a time
}

std::optional<Instant> MemoryOperationRepository::next_claimable() {
    std::optional<Instant> next;
    for (const auto& [id, operation] : operations_.rows()) {
        if (is_over(operation) || operation.held_by) continue;
        if (!next || operation.claimable_at < *next) next = operation.claimable_at;
    }
    return next;
}

void MemoryOperationRepository::add_failures(OperationId operation,
                                             std::span<const NumberedFailure> failures) {
    for (const auto& [number, failure] : failures) {
        failures_.insert({operation, number}, failure);
    }
}

Page<NumberedFailure> MemoryOperationRepository::list_failures(const OperationFailureQuery& query) {
    const auto last =
        query.page.after ? sort_value<std::uint64_t>(query.page.after->value) : std::nullopt;
    const auto& rows = failures_.rows();
    Page<NumberedFailure> page;
    for (auto row = rows.upper_bound({query.operation, last.value_or(0)});
         row != rows.end() && row->first.operation == query.operation; ++row) {
        page.has_more = page.items.size() == query.page.limit;
        if (page.has_more) break;
        page.items.push_back({row->first.number, row->second});
    }
    return page;
}

}  // namespace sundial::memory
