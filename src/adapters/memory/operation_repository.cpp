#include "application/ports/operation_repository.hpp"

#include <memory>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

class MemoryOperationRepository final : public OperationRepository {
public:
    explicit MemoryOperationRepository(State& state)
        : operations_{state.operations}, failures_{state.operation_failures} {}
    void add(const Operation& operation) override { operations_.insert(operation.id, operation); }
    std::optional<Operation> find(OperationId id) override {
        const Operation* operation = operations_.find(id);
        return operation ? std::optional{*operation} : std::nullopt;
    }
    std::optional<Operation> lock(OperationId id) override { return find(id); }

    std::optional<Operation> lock_claimable(Instant now) override {
        std::optional<Operation> longest;
        for (const auto& [id, operation] : operations_.rows()) {
            if (!claimable(operation, now)) continue;
            if (!longest || operation.claimable_at < longest->claimable_at) longest = operation;
        }
        return longest;
    }

    void update(const Operation& operation) override {
        operations_.replace(operation.id, operation);
    }

    Page<Operation> list(const OperationQuery& query) override {
        std::vector<Operation> operations;
        for (const auto& [id, operation] : operations_.rows()) {
            if (any_of(query.statuses, operation.status) && any_of(query.kinds, operation.kind) &&
                is(query.schedule, operation.schedule)) {
                operations.push_back(operation);
            }
        }
        return page_of<std::int64_t>(
            std::move(operations), query.page,
            [](const Operation& operation) { return microseconds_of(operation.created_at); });
    }

    std::map<OperationKind, std::size_t> running() override {
        std::map<OperationKind, std::size_t> counts;
        for (const auto& [id, operation] : operations_.rows()) {
            if (!is_over(operation)) ++counts[operation.kind];
        }
        return counts;
    }

    std::size_t running_for_start(OperationKind kind) override {
        return running()[kind];  // only one transaction runs at a time
    }

    std::optional<Instant> next_claimable() override {
        std::optional<Instant> next;
        for (const auto& [id, operation] : operations_.rows()) {
            if (is_over(operation) || operation.held_by) continue;
            if (!next || operation.claimable_at < *next) next = operation.claimable_at;
        }
        return next;
    }

    void add_failures(OperationId operation, std::span<const NumberedFailure> failures) override {
        for (const auto& [number, failure] : failures) {
            failures_.insert({operation, number}, failure);
        }
    }

    Page<NumberedFailure> list_failures(const OperationFailureQuery& query) override {
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

private:
    Table<OperationId, Operation>& operations_;
    Table<FailureKey, OperationFailure>& failures_;
};

}  // namespace

std::unique_ptr<OperationRepository> make_operation_repository(Session& session) {
    return std::make_unique<MemoryOperationRepository>(session.state);
}

}  // namespace sundial::memory
