#pragma once

#include <cstddef>
#include <map>
#include <optional>
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
};

}  // namespace sundial
