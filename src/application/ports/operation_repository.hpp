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

/// An item that an operation could not process. Numbers start at 1, in order of occurrence.
struct NumberedFailure {
    std::uint64_t number;
    OperationFailure failure;
    friend bool operator==(const NumberedFailure&, const NumberedFailure&) = default;
};
struct OperationFailureQuery {
    OperationId operation;
    PageRequest page;  // by number, ascending; the PageKey's id is the operation's id
};

/// Operations, inside one transaction.
class OperationRepository {
public:
    virtual ~OperationRepository() = default;
    virtual void add(const Operation& operation) = 0;
    virtual std::optional<Operation> find(OperationId id) = 0;
    virtual std::optional<Operation> lock(OperationId id) = 0;
    /// The operation that has been claimable at `now` for longest, locked. Never waits: skips
    /// operations that others have locked.
    virtual std::optional<Operation> lock_claimable(Instant now) = 0;
    /// Replaces a locked operation.
    virtual void update(const Operation& operation) = 0;
    virtual Page<Operation> list(const OperationQuery& query) = 0;
    /// The number of RUNNING operations of each kind that has any.
    virtual std::map<OperationKind, std::size_t> running() = 0;
    /// The number of RUNNING operations of that kind. Other callers of this method wait until this
    /// transaction ends, so that it can add an operation without exceeding a limit.
    virtual std::size_t running_for_start(OperationKind kind) = 0;
    /// The earliest instant at which an unclaimed operation becomes claimable, which may be past.
    virtual std::optional<Instant> next_claimable() = 0;
    /// The numbers must be unused.
    virtual void add_failures(OperationId operation, std::span<const NumberedFailure> failures) = 0;
    virtual Page<NumberedFailure> list_failures(const OperationFailureQuery& query) = 0;
};

}  // namespace sundial
