#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/operation.hpp"

namespace sundial {

struct OperationQuery {
    std::vector<OperationStatus> statuses;  // any of them; empty: all
    std::vector<OperationKind> kinds;       // the same
    std::optional<ScheduleId> schedule;
    PageRequest page;  // by createdAt
};

/// What an operation could do nothing with, numbered from 1 as it came.
struct NumberedFailure {
    std::uint64_t number;
    OperationFailure failure;
    friend bool operator==(const NumberedFailure&, const NumberedFailure&) = default;
};
struct OperationFailureQuery {
    OperationId operation;
    PageRequest page;  // by number, upwards; the id of a place is the operation's
};

/// Operations, inside one transaction.
class OperationRepository {
public:
    virtual ~OperationRepository() = default;
    virtual void add(const Operation& operation) = 0;
    virtual std::optional<Operation> find(OperationId id) = 0;
    virtual std::optional<Operation> lock(OperationId id) = 0;
    /// Of those that are claimable at `now` the one that has been so for longest, locked. Never
    /// waits: those that others have locked are passed over.
    virtual std::optional<Operation> lock_claimable(Instant now) = 0;
    /// Replaces a locked operation.
    virtual void update(const Operation& operation) = 0;
    virtual Page<Operation> list(const OperationQuery& query) = 0;
    /// How many are RUNNING of each kind that has some.
    virtual std::map<OperationKind, std::size_t> running() = 0;
    /// How many of that kind are RUNNING; nobody else is told so before this transaction is over,
    /// so that it can add one of few. Waits for others who ask.
    virtual std::size_t running_for_start(OperationKind kind) = 0;
    /// When the first of those that nobody holds becomes claimable, or became.
    virtual std::optional<Instant> next_claimable() = 0;
    /// Numbers not used so far.
    virtual void add_failures(OperationId operation, std::span<const NumberedFailure> failures) = 0;
    virtual Page<NumberedFailure> list_failures(const OperationFailureQuery& query) = 0;
};

}  // namespace sundial
